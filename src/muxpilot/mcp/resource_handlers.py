"""What the protocol asks about resources, in both eras, given to those who know."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server

from muxpilot.mcp import resources
from muxpilot.mcp.context import Context
from muxpilot.mcp.refusals import Request, is_modern, refusals
from muxpilot.mcp.subscriptions import Subscriptions

_KEEP = {
    "resources/templates/list": CacheHint(ttl_ms=3_600_000),
    "resources/list": CacheHint(ttl_ms=0),
    "resources/read": CacheHint(ttl_ms=0),
}
"""How long a client may keep an answer: the templates never change, everything else is of one moment."""


def install(server: Server[Context]) -> None:
    """Serve resources: lists, reads, and subscriptions."""
    handlers = _Handlers()
    for method, params, handler in (
        ("resources/list", types.PaginatedRequestParams, handlers.list),
        ("resources/templates/list", types.PaginatedRequestParams, handlers.templates),
        ("resources/read", types.ReadResourceRequestParams, handlers.read),
        ("resources/subscribe", types.SubscribeRequestParams, handlers.subscribe),
        ("resources/unsubscribe", types.UnsubscribeRequestParams, handlers.unsubscribe),
        ("subscriptions/listen", types.SubscriptionsListenRequestParams, handlers.listen),
    ):
        server.add_request_handler(method, params, handler)  # type: ignore[arg-type]
    server.cache_hints.update(_KEEP)


class _Handlers:
    def __init__(self) -> None:
        self._subscriptions = Subscriptions()

    async def list(self, request: Request, _: types.PaginatedRequestParams) -> dict[str, Any]:
        with refusals(request):
            if not is_modern(request):
                await self._subscriptions.follow_listing(request)
            return await resources.listing(request.lifespan_context)

    async def templates(self, _: Request, __: types.PaginatedRequestParams) -> dict[str, Any]:
        return resources.templates()

    async def read(self, request: Request, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        with refusals(request, uri=params.uri):
            return await resources.read(request.lifespan_context, params.uri)

    async def subscribe(self, request: Request, params: types.SubscribeRequestParams) -> dict[str, Any]:
        with refusals(request, uri=params.uri):
            await self._subscriptions.subscribe(request, params.uri)
        return {}

    async def unsubscribe(self, request: Request, params: types.UnsubscribeRequestParams) -> dict[str, Any]:
        with refusals(request, uri=params.uri):
            await self._subscriptions.unsubscribe(request, params.uri)
        return {}

    async def listen(
        self, request: Request, params: types.SubscriptionsListenRequestParams
    ) -> dict[str, Any]:
        with refusals(request):
            return await self._subscriptions.listen(request, params.notifications)
