"""A vigil over one pane: asleep until its output, its end or the clock says that there is something to see.

Rules it keeps:
- Nothing is asked of tmux while nothing happens.
- The end of the pane, its program or its server ends the vigil at once, with what is known about it.
- A pane that moves to another session is followed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from muxpilot.errors import BadInput, TargetNotFound
from muxpilot.terminal.processes import noticing_end
from muxpilot.terminal.sight import Eye, Place, place_of
from muxpilot.tmux import Ended, Notification, Output, PaneEvent, TmuxServer
from muxpilot.tmux.events import (
    LayoutChanged,
    SessionsChanged,
    WindowAdded,
    WindowClosed,
    WindowPaneChanged,
)

SETTLE_SECONDS = 0.5
"""How long tmux may take to notice that a pane's process has ended. Its status it may never know."""
SETTLE_STEP = 0.01

REST = 0.015
"""Seconds between two looks at a screen that is being painted."""

LONGEST_WAIT = 3600.0
PROGRESS_SECONDS = 1.0
LONG = 86400.0

SIGNS = (LayoutChanged, SessionsChanged, WindowAdded, WindowClosed, WindowPaneChanged)
"""What tmux announces when panes come, go or move. (Our own looks make it announce buffers.)"""

Progress = Callable[[float], Awaitable[None]]


def check_seconds(name: str, seconds: float) -> None:
    """`BadInput` for a time that nothing may take here."""
    if not 0 < seconds <= LONGEST_WAIT:
        raise BadInput(f"{name} is {seconds:g}", hint=f"Seconds, above 0 and up to {LONGEST_WAIT:g}")


class Interest(Enum):
    """What a piece of output is worth: nothing, a look when it suits, or a look now."""

    NONE = 0
    SOON = 1
    NOW = 2


@dataclass(frozen=True, slots=True)
class Ending:
    """How a pane ended. `status` is its exit status, where tmux still knows it."""

    how: str
    status: int | None = None

    def __str__(self) -> str:
        status = "" if self.status is None else f" with status {self.status}"
        return f"{self.how}{status}"


EXITED, RESPAWNED = "exited", "respawned"


class Vigil:
    def __init__(self, server: TmuxServer, place: Place, seconds: float, progress: Progress | None) -> None:
        self.server = server
        self._loop = asyncio.get_running_loop()
        self._progress = progress
        self._next_report = 0.0
        self._bell = asyncio.Event()
        self._look_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._stirred = False
        self._process_ended = False
        self._began = self._loop.time()
        self._end = self._began + seconds
        self.place = place
        self.stream_ended = False

    @property
    def elapsed(self) -> float:
        return self._loop.time() - self._began

    @property
    def left(self) -> float:
        return max(self._end - self._loop.time(), 0.0)

    @property
    def time_is_up(self) -> bool:
        return self._loop.time() >= self._end

    async def sleep(self, until: float | None = None) -> None:
        """Until something calls for a look, or it is `until` (seconds since the beginning), or time is up."""
        end = self._end if until is None else min(self._end, self._began + until)
        to_report = await self._report()
        while not self._bell.is_set() and (left := end - self._loop.time()) > 0:
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(self._bell.wait(), min(left, to_report))
            to_report = await self._report()
        self._bell.clear()

    async def _report(self) -> float:
        """Tell how long it has been, if it is time to; returns the seconds until the next time."""
        if self._progress is None:
            return LONG
        if self.elapsed >= self._next_report:
            self._next_report = self.elapsed + PROGRESS_SECONDS
            await self._progress(self.elapsed)
        return self._next_report - self.elapsed

    def looked(self, took: float = 0.0) -> None:
        """A look has been taken: the next one that is not urgent may wait a little."""
        self._look_at = self._loop.time() + max(REST, 2 * took)

    def ring(self, interest: Interest = Interest.NOW) -> None:
        if interest is Interest.NOW or (interest is Interest.SOON and self._loop.time() >= self._look_at):
            self._bell.set()
        elif interest is Interest.SOON and self._timer is None:
            self._timer = self._loop.call_at(self._look_at, self._ring_late)

    def suspect(self) -> None:
        """The pane could not be looked at: it may have ended."""
        self._stirred = True

    async def ending(self) -> Ending | None:
        """How the pane has ended, if there was a sign of it and it is so.

        Raises:
            TmuxError: the server is gone, too.
        """
        if not (self._stirred or self._process_ended or self.stream_ended):
            return None
        self._stirred = False
        ending = await self._look_for_end()
        patience = self._loop.time() + SETTLE_SECONDS
        while self._unsettled(ending) and self._loop.time() < patience:
            await asyncio.sleep(SETTLE_STEP)
            ending = await self._look_for_end()
        self._process_ended = False
        return ending

    def _unsettled(self, ending: Ending | None) -> bool:
        """Whether tmux is about to notice the end of the process, or to know its status."""
        if ending is None:
            return self._process_ended
        return self.place.pane_dead and ending.status is None

    async def _look_for_end(self) -> Ending | None:
        try:
            place = await place_of(self.server, self.place.pane_id)
        except TargetNotFound:
            return Ending(EXITED)
        if not place.is_of_process(self.place.pane_pid):
            return Ending(RESPAWNED)
        if place.session_id != self.place.session_id:
            self.stream_ended = True
        self.place = place
        return Ending(EXITED, place.exit_status) if place.pane_dead else None

    def on_event(
        self, event: PaneEvent, on_output: Callable[[bytes], Interest], on_gap: Callable[[], None]
    ) -> None:
        if isinstance(event, Output):
            self.ring(on_output(event.data))
            return
        if isinstance(event, Ended):
            self.stream_ended = True
        on_gap()
        self.ring()

    def on_notification(self, event: Notification) -> None:
        if isinstance(event, SIGNS):
            self._stirred = True
            self.ring()

    def on_process_end(self) -> None:
        self._process_ended = True
        self.ring()

    def _ring_late(self) -> None:
        self._timer = None
        self._bell.set()

    def stop(self) -> None:
        """No late ringing any more; a new watch may ring again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@contextlib.asynccontextmanager
async def watching(
    vigil: Vigil, on_output: Callable[[bytes], Interest], on_gap: Callable[[], None] = lambda: None
) -> AsyncIterator[Eye]:
    """The pane's output goes to `on_output`, which says what it is worth; `on_gap` hears that some was lost.

    The eye looks in step with the output.
    """
    server, place = vigil.server, vigil.place
    vigil.stream_ended = False
    stream = server.watcher.pane(
        place.session_id,
        place.pane_id,
        lambda event: vigil.on_event(event, on_output, on_gap),
        listener=vigil.on_notification,
    )
    with noticing_end(place.pane_pid, vigil.on_process_end):
        async with stream as open_stream:
            try:
                yield Eye(server, place.pane_id, open_stream)
            finally:
                vigil.stop()
