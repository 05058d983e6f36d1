"""Subscriptions, in both eras of the protocol.

The older one subscribes to one URI at a time and is notified until it unsubscribes or leaves. The newer one
opens a stream (`subscriptions/listen`) whose first frame says what will be heard on it, and whose end is its
answer.

Rules it keeps:
- A notification carries the URI exactly as it was given.
- A client that reads slowly is waited for: changes that it has not been told of are one change.
- Whoever leaves takes along what was watched for it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.shared.subscriptions import (
    SUBSCRIPTION_ID_META_KEY,
    ResourceUpdated,
    ServerEvent,
    event_to_notification,
)

from muxpilot.errors import BadInput, MuxpilotError
from muxpilot.mcp.followers import LISTING, Followers
from muxpilot.mcp.refusals import Request
from muxpilot.mcp.subjects import listing_subject, subject_of

log = logging.getLogger("muxpilot")

MOST = 200
"""Subscriptions that one client may have at a time."""

_STATE = "muxpilot.followers"


class Subscriptions:
    """All subscriptions to one MCP server."""

    def __init__(self) -> None:
        self._streams: set[Followers] = set()

    async def subscribe(self, request: Request, uri: str) -> None:
        followers = _followers_of(request)
        if uri not in followers:
            _check_room(len(followers))
        await followers.add(uri, *subject_of(request.lifespan_context, uri))

    async def unsubscribe(self, request: Request, uri: str) -> None:
        await _followers_of(request).drop(uri)

    async def follow_listing(self, request: Request) -> None:
        """From its first listing on, a client of the older era is told when the list changes."""
        try:
            await _followers_of(request).add(LISTING, *listing_subject(request.lifespan_context))
        except MuxpilotError as error:
            log.info("can't follow the list of resources: %s", error)

    async def listen(self, request: Request, wanted: types.SubscriptionFilter) -> dict[str, Any]:
        """One stream, until the client cancels it or nothing is left to tell on it.

        Raises:
            MuxpilotError: nothing of what is wanted exists; the reason for the first.
        """
        meta = {SUBSCRIPTION_ID_META_KEY: request.request_id}
        acknowledged = asyncio.Event()

        async def send(event: ServerEvent) -> None:
            await acknowledged.wait()
            await _notify(request, event_to_notification(event, meta))

        followers = Followers(send)
        self._streams.add(followers)
        try:
            honored = await self._follow_all(request, followers, wanted)
            params = types.SubscriptionsAcknowledgedNotificationParams(notifications=honored, _meta=meta)
            await _notify(request, types.SubscriptionsAcknowledgedNotification(params=params))
            acknowledged.set()
            await (anyio.sleep_forever() if _is_lasting(honored) else followers.all_over())
        finally:
            self._streams.discard(followers)
            await followers.close()
        return {"_meta": meta, "resultType": "complete"}

    async def _follow_all(
        self, request: Request, followers: Followers, wanted: types.SubscriptionFilter
    ) -> types.SubscriptionFilter:
        """What of it will be heard: flags always, URIs as far as they exist."""
        uris = list(dict.fromkeys(wanted.resource_subscriptions or ()))
        refused = [error for uri in uris if (error := await self._try(request, followers, uri))]
        if wanted.resources_list_changed:
            await followers.add(LISTING, *listing_subject(request.lifespan_context))
        honored = types.SubscriptionFilter(
            tools_list_changed=wanted.tools_list_changed or None,
            prompts_list_changed=wanted.prompts_list_changed or None,
            resources_list_changed=wanted.resources_list_changed or None,
            resource_subscriptions=[uri for uri in uris if uri in followers] or None,
        )
        if refused and not _is_lasting(honored) and not honored.resource_subscriptions:
            raise refused[0]
        return honored

    async def _try(self, request: Request, followers: Followers, uri: str) -> MuxpilotError | None:
        try:
            _check_room(sum(map(len, self._streams)))
            await followers.add(uri, *subject_of(request.lifespan_context, uri))
        except MuxpilotError as error:
            log.info("can't follow %s: %s", uri, error)
            return error
        return None


def _is_lasting(honored: types.SubscriptionFilter) -> bool:
    """Lists have no end. That of the tools never changes, but who listens for it may wait."""
    return bool(honored.tools_list_changed or honored.prompts_list_changed or honored.resources_list_changed)


def _check_room(taken: int) -> None:
    if taken >= MOST:
        raise BadInput(f"{MOST} subscriptions are the most at a time", hint="Unsubscribe from one first")


async def _notify(request: Request, notification: types.ServerNotification) -> None:
    await request.session.send_notification(notification, related_request_id=request.request_id)


def _followers_of(request: Request) -> Followers:
    """Those of this connection, which lasts longer than the request, and takes them along when it ends."""
    connection: Connection = request.session._connection  # The SDK has no other way to it.
    if _STATE not in connection.state:

        async def send(event: ServerEvent) -> None:
            if isinstance(event, ResourceUpdated):
                await connection.send_resource_updated(event.uri)
            else:
                await connection.send_resource_list_changed()

        connection.state[_STATE] = Followers(send)
        connection.exit_stack.push_async_callback(connection.state[_STATE].close)
    found: Followers = connection.state[_STATE]
    return found
