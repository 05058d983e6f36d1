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
from collections.abc import Mapping
from typing import Any

import anyio

from muxpilot.errors import BadInput, MuxpilotError
from muxpilot.mcp.eras import SUBSCRIPTION_ID
from muxpilot.mcp.followers import LISTING, Followers
from muxpilot.mcp.requests import Answer, Client, Request
from muxpilot.mcp.resources import Kinds
from muxpilot.mcp.subjects import listing_subject, subject_of

log = logging.getLogger("muxpilot")

MOST = 200
"""Subscriptions that one client may have at a time."""

_KEPT = "followers"
FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")


class Subscriptions:
    """All subscriptions to one MCP server."""

    def __init__(self, kinds: Kinds) -> None:
        """`kinds`: of resources that are listed."""
        self._kinds = kinds
        self._streams: set[Followers] = set()

    async def subscribe(self, request: Request, uri: str) -> None:
        followers = _followers_of(request)
        if uri not in followers:
            _check_room(len(followers))
        await followers.add(uri, *subject_of(request.context, uri))

    async def unsubscribe(self, request: Request, uri: str) -> None:
        await _followers_of(request).drop(uri)

    async def follow_listing(self, request: Request) -> None:
        """From its first listing on, a client of the older era is told when the list changes."""
        if not self._kinds:
            return
        try:
            await _followers_of(request).add(LISTING, *listing_subject(request.context, self._kinds))
        except MuxpilotError as error:
            log.info("can't follow the list of resources: %s", error)

    async def listen(self, request: Request, wanted: Mapping[str, Any]) -> Answer:
        """One stream, until the client cancels it or nothing is left to tell on it.

        Raises:
            MuxpilotError: nothing of what is wanted exists; the reason for the first.
        """
        meta = {"_meta": {SUBSCRIPTION_ID: request.number}}
        acknowledged = asyncio.Event()

        async def send(uri: str) -> None:
            await acknowledged.wait()
            await _tell(request.client, uri, meta)

        followers = Followers(send)
        self._streams.add(followers)
        try:
            honored = await self._follow_all(request, followers, wanted)
            params = {"notifications": honored, **meta}
            await request.client.notify("notifications/subscriptions/acknowledged", params)
            acknowledged.set()
            await (anyio.sleep_forever() if _is_lasting(honored) else followers.all_over())
        finally:
            self._streams.discard(followers)
            await followers.close()
        return dict(meta)

    async def _follow_all(
        self, request: Request, followers: Followers, wanted: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What of it will be heard: flags always, URIs as far as they exist."""
        uris = uris_in(wanted)
        refused = [error for uri in uris if (error := await self._try(request, followers, uri))]
        if wanted.get("resourcesListChanged") is True and self._kinds:
            await followers.add(LISTING, *listing_subject(request.context, self._kinds))
        honored: dict[str, Any] = {flag: True for flag in FLAGS if wanted.get(flag) is True}
        if heard := [uri for uri in uris if uri in followers]:
            honored["resourceSubscriptions"] = heard
        if refused and not honored:
            raise refused[0]
        return honored

    async def _try(self, request: Request, followers: Followers, uri: str) -> MuxpilotError | None:
        try:
            _check_room(sum(map(len, self._streams)))
            await followers.add(uri, *subject_of(request.context, uri))
        except MuxpilotError as error:
            log.info("can't follow %s: %s", uri, error)
            return error
        return None


def uris_in(wanted: Mapping[str, Any]) -> list[str]:
    """Each once. Raises `BadInput` where it is no list of URIs."""
    uris = wanted.get("resourceSubscriptions")
    if uris is None:
        return []
    if not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
        raise BadInput("resourceSubscriptions should be a list of URIs")
    return list(dict.fromkeys(uris))


def _is_lasting(honored: Mapping[str, Any]) -> bool:
    """Lists have no end. That of the tools never changes, but who listens for it may wait."""
    return any(flag in honored for flag in FLAGS)


def _check_room(taken: int) -> None:
    if taken >= MOST:
        raise BadInput(f"{MOST} subscriptions are the most at a time", hint="Unsubscribe from one first")


async def _tell(client: Client, uri: str, more: Mapping[str, Any]) -> None:
    if uri == LISTING:
        await client.notify("notifications/resources/list_changed", more)
    else:
        await client.notify("notifications/resources/updated", {"uri": uri, **more})


def _followers_of(request: Request) -> Followers:
    """Those of this client, who may be there longer than the request, and takes them along at the end."""
    client = request.client
    if _KEPT not in client.kept:
        followers = client.kept[_KEPT] = Followers(lambda uri: _tell(client, uri, {}))
        client.at_end(followers.close)
    found: Followers = client.kept[_KEPT]
    return found
