"""What one client (or one stream) follows, by URI: each in a task of its own, which ends with its owner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from muxpilot.errors import BadInput
from muxpilot.terminal.follow import Follower, Subject
from muxpilot.tmux import TmuxServer

log = logging.getLogger("muxpilot")

LISTING = ""
"""Stands for the list of resources, which has no URI."""

CLOSING_SECONDS = 3.0

Send = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Following:
    task: asyncio.Task[None]
    started: asyncio.Future[None]


class Followers:
    """`send` gets the URI of what has changed, as it was given; `LISTING` for the list."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._all: dict[str, _Following] = {}
        self._left = asyncio.Event()

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, uri: str) -> bool:
        return uri in self._all

    async def add(self, uri: str, server: TmuxServer, subject: Subject) -> None:
        """Follow; returns once no change can be missed. Raises `MuxpilotError` where that can't be."""
        if uri not in self._all:
            self._all[uri] = self._start(uri, server, subject)
        await asyncio.shield(self._all[uri].started)

    async def drop(self, *uris: str) -> None:
        """Follow these no more, and leave nothing behind. Nothing happens where nobody did."""
        tasks = [self._all.pop(uri).task for uri in uris if uri in self._all]
        for task in tasks:
            task.cancel()
        if tasks:
            with anyio.move_on_after(CLOSING_SECONDS, shield=True):
                await asyncio.wait(tasks)

    async def close(self) -> None:
        await self.drop(*self._all)

    async def all_over(self) -> None:
        """Nothing is left to follow."""
        while self._all:
            self._left.clear()
            await self._left.wait()

    def _start(self, uri: str, server: TmuxServer, subject: Subject) -> _Following:
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            try:
                await _follow(Follower(server, subject, lambda: self._send(uri)), started)
            finally:
                self._forget(uri, started)

        return _Following(asyncio.create_task(run()), started)

    def _forget(self, uri: str, started: asyncio.Future[None]) -> None:
        if uri in self._all and self._all[uri].started is started:
            del self._all[uri]
        self._left.set()
        if not started.done():
            started.set_exception(BadInput("the subscription was given up before it began"))
            started.exception()  # Seen: perhaps nobody waits any more.


async def _follow(follower: Follower, started: asyncio.Future[None]) -> None:
    try:
        await follower.run(lambda: started.set_result(None))
    except ConnectionError:
        log.debug("a client left while it was being told of a change")
    except Exception as error:  # Whoever waits for the start gets it; afterwards it is ours to log.
        if started.done():
            log.exception("a follower failed")
        else:
            started.set_exception(error)
            started.exception()
