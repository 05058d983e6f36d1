"""What keeps a watching connection from standing still.

tmux puts its answers behind the output that came before them, and sends output a few kilobytes at a time: who
is behind a flood stays behind it. And where it gives up on a pane while it writes (`pause-after`, in every
version up to 3.7), it forgets to write what else it holds, the news of that too, until something makes it.

Rules it keeps:
- An answer that is late because of old output is fetched: that output is dropped, and its watchers hear so.
- Whenever output has stopped coming, tmux is spoken to once. Else nothing is asked while nothing happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

BEAT = 0.5
LATE = 1.0
"""Seconds after which an answer is late, and output old."""


class Pulse:
    def __init__(
        self, waited: Callable[[], float], drop: Callable[[str], None], nudge: Callable[[], None]
    ) -> None:
        """`waited`: seconds for which somebody has waited for an answer. `drop` the output of a pane."""
        self._loop = asyncio.get_running_loop()
        self._waited = waited
        self._drop = drop
        self._nudge = nudge
        self._behind: dict[str, int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def heard(self, pane_id: str, behind_ms: int) -> None:
        self._behind[pane_id] = behind_ms
        if self._timer is None:
            self._timer = self._loop.call_later(BEAT, self._beat)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _beat(self) -> None:
        heard, self._behind, self._timer = self._behind, {}, None
        if not heard:
            self._nudge()
            return
        self._timer = self._loop.call_later(BEAT, self._beat)
        if self._waited() > LATE:
            for pane_id, behind_ms in heard.items():
                if behind_ms > LATE * 1000:
                    self._drop(pane_id)
