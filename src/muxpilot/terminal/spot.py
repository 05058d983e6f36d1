"""A pane in which commands run: where it is, whose it is, and who has its terminal."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from muxpilot.terminal.describe import facts_of_pane
from muxpilot.terminal.front import Front, front_of
from muxpilot.terminal.ready import Readiness
from muxpilot.tmux import Columns, TmuxServer


@dataclass(frozen=True, slots=True)
class Spot(Readiness):
    pane_tty: str
    window_id: str
    server_pid: int = field(metadata={"format": "#{pid}"})
    start_time: int

    @property
    def key(self) -> str:
        """Where its things are kept, if it is no terminal of ours. No other pane of any server has the same.
        What tmux's options say of a pane counts for nothing, because anybody can set them."""
        return hashlib.sha256(
            f"{self.server_pid} {self.start_time} {self.pane_id} {self.pane_tty}".encode()
        ).hexdigest()[:16]

    @property
    def server_identity(self) -> tuple[int, int]:
        """Of the server that it belongs to."""
        return (self.server_pid, self.start_time)

    def front(self) -> Front | None:
        return None if self.pane_dead else front_of(self.pane_pid)


_SPOT = Columns(Spot)


async def spot_of(server: TmuxServer, pane_id: str) -> Spot:
    """Raises `TargetNotFound` where there is no such pane."""
    return await facts_of_pane(server, _SPOT, pane_id)
