"""A command that is being followed: the tape read as it grows, until it has ended or time is up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from muxpilot.errors import PaneRefused
from muxpilot.terminal.bell import Bell
from muxpilot.terminal.evidence import QUIET, SHELL_GONE, Verdict, judge
from muxpilot.terminal.printout import Printout
from muxpilot.terminal.processes import is_alive, noticing_end
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.spot import Spot
from muxpilot.terminal.tape import CHUNK
from muxpilot.terminal.transcript import Phase, Transcript
from muxpilot.terminal.vigil import PROGRESS_SECONDS, Progress

SURE = 1.0
"""Seconds for which a program must have waited for input, or painted the screen, before a call ends early."""


class Clock:
    """The time that a call has, and how it reports."""

    def __init__(self, seconds: float, progress: Progress | None = None) -> None:
        self._began = time.monotonic()
        self._end = self._began + seconds
        self._progress = progress
        self._next = PROGRESS_SECONDS

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        return max(self._end - time.monotonic(), 0.0)

    async def report(self) -> float:
        """Seconds until the next report; the one that is due goes out."""
        if self._progress is None:
            return PROGRESS_SECONDS
        if self.elapsed >= self._next:
            self._next = self.elapsed + PROGRESS_SECONDS
            await self._progress(self.elapsed)
        return self._next - self.elapsed


@dataclass(slots=True)
class Running:
    command: Command
    transcript: Transcript
    printout: Printout
    position: int
    lost: bool = False
    """Whether some of its output did not reach the tape."""
    _size: int = -1
    _looked: float = 0.0
    _stirred: float = 0.0
    """How large the tape was at the last look, when that was, and when the tape was last written to."""

    @classmethod
    def of(cls, command: Command, shelf: Shelf, height: int) -> Running:
        """From its beginning, also where another process has followed it so far."""
        path = shelf.output(command.number)
        printout = Printout(path, height, shelf.largest_output, kept=not command.hidden)
        return cls(command, Transcript(command.cue, printout.feed), printout, command.position)

    def catch_up(self, shelf: Shelf) -> bool:
        """Read the tape to its end; whether there was anything new."""
        began = self.position
        cut_off = shelf.tape.is_cut_off and is_alive(self.command.shell_pid)
        if shelf.tape.take_gap() or cut_off:
            self.lost = True
            self.transcript.lose()
        while not self.transcript.over and self.read_on(shelf) == CHUNK:
            pass
        return self.position != began

    def read_on(self, shelf: Shelf) -> int:
        data = shelf.tape.read(self.position)
        self.position += len(data)
        self.transcript.feed(data)
        return len(data)

    @property
    def seconds(self) -> float | None:
        """Since it started; None where that was not noted, or the machine has been started anew."""
        now, began = time.monotonic(), self.command.clock
        return now - began if 0.0 < began <= now else None

    def quiet(self, shelf: Shelf) -> float:
        """Seconds since the tape was written to, or the command was sent.

        Files carry the wall clock's time, which may jump: it is believed within what the other clock allows.
        """
        now, size = time.monotonic(), shelf.tape.size
        looked = max(self._looked, self.command.clock)
        if size != self._size:
            self._size = size
            self._stirred = now - min(max(time.time() - shelf.tape.written, 0.0), max(now - looked, 0.0))
        self._looked = now
        return now - max(self._stirred, self.command.clock)

    def verdict(self, shelf: Shelf, spot: Spot) -> Verdict:
        if (
            self.transcript.phase is Phase.TYPED
            and shelf.tape.has_stopped
            and is_alive(self.command.shell_pid)
        ):
            self.lost = True  # That nothing was heard of it means nothing.
            self.transcript.lose()
        return judge(
            self.transcript,
            self.command.shell,
            spot,
            full_screen=self.printout.full_screen,
            quiet=self.quiet(shelf),
        )

    async def until_over(
        self,
        shelf: Shelf,
        spot: Spot,
        clock: Clock,
        sure: float = SURE,
        resume: Callable[[], Awaitable[None]] | None = None,
    ) -> Verdict:
        """Until it has ended, or has waited for somebody for `sure` seconds after it wrote something, or the
        time is up. `resume` is called where the tape is not written any more."""
        self.catch_up(shelf)
        if self.transcript.over:
            return Verdict("prompt", over=True)
        bell = Bell(shelf.tape.path)
        loop = asyncio.get_running_loop()
        last_change, next_look, ended = loop.time(), QUIET, asyncio.Event()
        unrecorded = asyncio.Event()
        stirred = False
        seen_before = False

        def shell_ended() -> None:
            ended.set()
            bell.ring()

        def recorder_ended() -> None:
            unrecorded.set()
            bell.ring()

        try:
            with (
                noticing_end(self.command.shell_pid, shell_ended),
                noticing_end(shelf.tape.recorder_pid, recorder_ended),
            ):
                while True:
                    if self.catch_up(shelf):
                        last_change, next_look, stirred = loop.time(), QUIET, True
                        seen_before = False
                    quiet = loop.time() - last_change
                    if self.transcript.over:
                        return Verdict("prompt", over=True)
                    if ended.is_set() or unrecorded.is_set() or quiet >= next_look or not clock.left:
                        unrecorded.clear()
                        verdict = self.verdict(shelf, spot)
                        if resume is not None and not verdict.over and shelf.tape.has_stopped:
                            await resume()
                            self.position, self.lost = 0, True
                            self.transcript.lose()
                            # What was seen before counts for nothing: the shell's own word may be lost.
                            last_change, next_look, seen_before = loop.time(), QUIET, False
                            if clock.left:
                                continue
                        if verdict.state == SHELL_GONE or not clock.left:
                            return verdict
                        # It may be newer than the tape: it must be so twice, with nothing on its way.
                        seen = (verdict.over or verdict.waiting) and shelf.tape.is_drained is not False
                        long_enough = quiet >= (sure if stirred else max(sure, SURE))
                        if seen and seen_before and (verdict.over or long_enough):
                            return verdict
                        next_look = quiet + (QUIET if seen or quiet < sure else 1.0)
                        seen_before = seen
                    await bell.wait(min(clock.left, max(next_look - quiet, 0.001), await clock.report()))
        finally:
            bell.close()

    async def until(self, shelf: Shelf, so: Callable[[], bool], seconds: float) -> bool:
        """Read on until it is so; False where the time is up first."""
        if so():
            return True
        bell, clock = Bell(shelf.tape.path), Clock(seconds)
        try:
            while not so() and clock.left:
                if not self.read_on(shelf):
                    await bell.wait(clock.left)
        finally:
            bell.close()
        return so()


async def acquired(lock: asyncio.Lock, pane_id: str, clock: Clock) -> None:
    """Raises `PaneRefused` where somebody else has had it all the time."""
    if not lock.locked():
        await lock.acquire()  # At once: a clock for it would cost more than the lock.
        return
    try:
        await asyncio.wait_for(lock.acquire(), clock.left + 0.05)
    except (TimeoutError, asyncio.TimeoutError):
        raise PaneRefused(
            f"another call is still at work in pane {pane_id}: nothing was typed", hint="Try again later"
        ) from None
