"""A pane in which commands run: where it is, whose it is, and who has its terminal."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from muxpilot.terminal.describe import facts_of_pane
from muxpilot.terminal.front import Front, front_of
from muxpilot.terminal.ready import Readiness
from muxpilot.tmux import Columns, TmuxServer

KEY_OPTION, TERMINAL_OPTION = "@muxpilot", "@muxpilot_terminal"
"""Options of a pane that is a terminal of ours: its shelf, and its name."""

_KEY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Spot(Readiness):
    pane_tty: str
    window_id: str
    server_pid: int = field(metadata={"format": "#{pid}"})
    start_time: int
    key_option: str = field(metadata={"format": f"#{{{KEY_OPTION}}}"})
    terminal_option: str = field(metadata={"format": f"#{{{TERMINAL_OPTION}}}"})

    @property
    def key(self) -> str:
        """Where its things are kept: no other pane, of whichever server, ever has the same."""
        if _KEY.fullmatch(self.key_option):
            return self.key_option
        return hashlib.sha256(
            f"{self.server_pid} {self.start_time} {self.pane_id} {self.pane_tty}".encode()
        ).hexdigest()[:16]

    @property
    def server_identity(self) -> tuple[int, int]:
        """Of the server that it belongs to."""
        return (self.server_pid, self.start_time)

    @property
    def is_ours(self) -> bool:
        return bool(self.terminal_option) and _KEY.fullmatch(self.key_option) is not None

    @property
    def terminal_id(self) -> str | None:
        return self.terminal_option if self.is_ours else None

    def front(self) -> Front | None:
        return None if self.pane_dead else front_of(self.pane_pid)


_SPOT = Columns(Spot)


async def spot_of(server: TmuxServer, pane_id: str) -> Spot:
    """Raises `TargetNotFound` where there is no such pane."""
    return await facts_of_pane(server, _SPOT, pane_id)
