"""Following one thing: told when it looks different, never by looking while nothing happens.

Rules it keeps:
- What tmux announces is a hint to look again. A look that finds nothing new tells nobody.
- The first hint is followed at once, further ones after a pause, the last one always.
- A fact can lag behind its hint (a shell echoes a line, then starts the program): the pause ends with a look.
- What has a name can come back, so it is followed through its absence; what has an id can't.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import anyio

from muxpilot.errors import MuxpilotError, ServerGone, ServerNotRunning, ServerUnresponsive, TmuxError
from muxpilot.tmux import Announcement, Ended, Output, PaneEvent, SessionEvent, TmuxServer
from muxpilot.tmux.events import SubscriptionChanged

log = logging.getLogger("muxpilot")

PAUSE_SECONDS = 0.1
RETRY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Sight:
    """How a thing looks now: two sights of equal `state` are the same to whoever follows it."""

    state: Hashable
    session_id: str | None = None
    """Where its details are announced; None where the whole server hears all of it."""
    pane_id: str | None = None
    """Whose output is a hint."""
    running: bool = True
    """Whether there is a tmux server."""
    over: bool = False
    """It is gone, and can't come back."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is followed. `look` raises where it does not exist."""

    look: Callable[[], Awaitable[Sight]]
    heeds: tuple[type, ...]
    """Announcements that are hints."""
    output_counts: bool = False
    """Output is not merely a hint: the thing is the pane's text."""
    mortal: bool = False
    pause: float = PAUSE_SECONDS


class Follower:
    """Follows one subject on one tmux server until it is over."""

    def __init__(self, server: TmuxServer, subject: Subject, changed: Callable[[], Awaitable[None]]) -> None:
        self._server = server
        self._subject = subject
        self._changed = changed
        self._hint = asyncio.Event()
        self._outputs = 0
        self._post = AsyncExitStack()
        self._place: tuple[str | None, str | None] = (None, None)
        self._seen = Sight(None)

    async def run(self, started: Callable[[], None]) -> None:
        """Calls `started` once nothing more can escape us, then `changed` for each change.

        Raises:
            MuxpilotError: before `started`: there is no such thing, or it can't be followed.
        """
        with self._server.announcements.heard_by(self._hear_server):
            self._seen = await self._look()
            if self._seen.running and self._server.connection is None:
                raise TmuxError(
                    "this tmux server can't be listened to",
                    hint="Each of its sessions ends as soon as a client leaves it (destroy-unattached)",
                )
            try:
                await self._move()
                started()
                await self._follow()
            finally:
                await self._post.aclose()

    async def _follow(self) -> None:
        while not self._seen.over:
            await self._hint.wait()
            self._hint.clear()
            told = await self._turn()
            if told or not self._subject.output_counts:
                await anyio.sleep(self._subject.pause)
            if self._must_look_twice() and await self._turn():
                await anyio.sleep(self._subject.pause)

    def _must_look_twice(self) -> bool:
        return not (self._subject.output_counts or self._hint.is_set() or self._seen.over)

    async def _turn(self) -> bool:
        """Look, tell if it looks different, and listen where it is now. True where something was told."""
        try:
            before, self._seen = self._seen, await self._look_or_miss()
            told = before.state != self._seen.state
            if told:
                await self._changed()
            await self._move()
        except MuxpilotError as error:  # Unknown for now: it stays a thing to look at.
            log.info("can't follow just now: %s", error)
            await anyio.sleep(RETRY_SECONDS)
            self._hint.set()
            return False
        return told

    async def _look_or_miss(self) -> Sight:
        try:
            return await self._look()
        except (ServerUnresponsive, ServerGone):
            raise
        except MuxpilotError as missing:
            running = not isinstance(missing, ServerNotRunning)
            return Sight(missing.condition, running=running, over=self._subject.mortal)

    async def _look(self) -> Sight:
        outputs = self._outputs if self._subject.output_counts else 0
        sight = await self._subject.look()
        return replace(sight, state=(sight.state, outputs))

    async def _move(self) -> None:
        """Listen to the session that the thing is in now, and look once more when that is so."""
        place = (self._seen.session_id, self._seen.pane_id)
        if place == self._place:
            return
        await self._post.aclose()
        self._place = place
        session_id, pane_id = place
        watcher = self._server.watcher
        try:
            if session_id is not None:
                await self._post.enter_async_context(watcher.session(session_id, self._hear_session))
            if session_id is not None and pane_id is not None:
                await self._post.enter_async_context(watcher.pane(session_id, pane_id, self._hear_pane))
        except MuxpilotError:
            self._place = (None, None)
            raise
        finally:
            self._hint.set()

    def _hear_server(self, event: Announcement) -> None:
        if isinstance(event, self._subject.heeds):
            self._hint.set()

    def _hear_session(self, event: SessionEvent) -> None:
        if isinstance(event, Ended):
            self._place = (None, None)
        if isinstance(event, SubscriptionChanged) and self._seen.pane_id not in {None, event.where[-1]}:
            return
        if isinstance(event, self._subject.heeds):
            self._hint.set()

    def _hear_pane(self, event: PaneEvent) -> None:
        if isinstance(event, Output):
            self._outputs += 1
        self._hint.set()
