"""What the protocol asks about resources, in both eras, given to those who know."""

from __future__ import annotations

from muxpilot.mcp import resources
from muxpilot.mcp.requests import Answer, Handler, Request, refusals
from muxpilot.mcp.subscriptions import Subscriptions


def handlers(kinds: resources.Kinds) -> dict[str, Handler]:
    """Lists of these kinds, reads, and subscriptions, by method."""
    found = _Handlers(kinds)
    return {
        "resources/list": found.list,
        "resources/templates/list": found.templates,
        "resources/read": found.read,
        "resources/subscribe": found.subscribe,
        "resources/unsubscribe": found.unsubscribe,
        "subscriptions/listen": found.listen,
    }


class _Handlers:
    def __init__(self, kinds: resources.Kinds) -> None:
        self._kinds = kinds
        self._subscriptions = Subscriptions(kinds)

    async def list(self, request: Request) -> Answer:
        with refusals(request):
            if not request.speaker.is_modern:
                await self._subscriptions.follow_listing(request)
            return await resources.listing(request.context, self._kinds)

    async def templates(self, _: Request) -> Answer:
        return resources.templates(self._kinds)

    async def read(self, request: Request) -> Answer:
        uri = request.given("uri", str)
        with refusals(request, uri=uri):
            return await resources.read(request.context, uri)

    async def subscribe(self, request: Request) -> Answer:
        uri = request.given("uri", str)
        with refusals(request, uri=uri):
            await self._subscriptions.subscribe(request, uri)
        return {}

    async def unsubscribe(self, request: Request) -> Answer:
        uri = request.given("uri", str)
        with refusals(request, uri=uri):
            await self._subscriptions.unsubscribe(request, uri)
        return {}

    async def listen(self, request: Request) -> Answer:
        wanted = request.given("notifications", dict)
        with refusals(request):
            return await self._subscriptions.listen(request, wanted)
