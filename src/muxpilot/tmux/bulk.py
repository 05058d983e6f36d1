"""Long reads take turns, so that tmux has time for others in between.

tmux answers one client after the other, and copies a scrollback at some two million lines a second. Many
long reads at once, by one call or by hundreds, would stand in front of whatever a person types. No I/O.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

LINES_AT_ONCE = 80_000
"""Lines that tmux is asked for at a time. A read that is longer goes alone."""


class BulkReads:
    """The long reads of one server, each in its turn."""

    def __init__(self) -> None:
        self._under_way = 0
        self._waiting: deque[tuple[int, anyio.Event]] = deque()

    @asynccontextmanager
    async def turn(self, lines: int) -> AsyncIterator[None]:
        """Waits until there is room for so many lines; whoever came first goes first."""
        come = anyio.Event()
        turn = (lines, come)
        self._waiting.append(turn)
        self._admit()
        try:
            await come.wait()
            yield
        finally:
            if come.is_set():
                self._under_way -= lines
            else:
                self._waiting.remove(turn)
            self._admit()

    def _admit(self) -> None:
        while self._waiting:
            lines, come = self._waiting[0]
            if self._under_way and self._under_way + lines > LINES_AT_ONCE:
                return
            self._waiting.popleft()
            self._under_way += lines
            come.set()
