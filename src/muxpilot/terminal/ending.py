"""How a command ended, from whatever tells it: its shell's mark, the evidence, or tmux about a dead shell."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from muxpilot.errors import MuxpilotError
from muxpilot.terminal.evidence import SHELL_GONE, Verdict, is_alive
from muxpilot.terminal.following import Clock, Running
from muxpilot.terminal.spot import spot_of
from muxpilot.terminal.store import Shelf
from muxpilot.terminal.syntax import Fault
from muxpilot.terminal.transcript import Phase
from muxpilot.tmux import TmuxServer

DYING = 0.5
"""Seconds in which a dead shell's last words reach the tape, and its status tmux."""
LAST_WORDS = 0.02
"""Seconds of silence on the tape after which nothing more is expected from a dead shell."""
UNFINISHED = "the shell wanted more (an open quote or block): the line was cleared, nothing ran"


@dataclass(frozen=True, slots=True)
class Ending:
    """An exit code of None comes with a reason."""

    state: str
    exit_code: int | None
    reason: str | None = None


async def ending_of(
    server: TmuxServer, pane_id: str, running: Running, shelf: Shelf, verdict: Verdict, fault: Fault | None
) -> Ending:
    """What is to be told; waits a moment for what is on its way."""
    if verdict.state == SHELL_GONE:
        await _last_words(running, shelf)
    transcript = running.transcript
    if transcript.phase is Phase.UNFINISHED:
        return Ending("incomplete_input", None, UNFINISHED)
    if transcript.phase is Phase.OCCUPIED:
        return Ending("refused", None, "a line was half typed there")
    if transcript.phase is Phase.ENDED:
        alive = is_alive(running.command.shell_pid)
        return Ending("prompt" if alive else SHELL_GONE, as_shells_count(transcript.status))
    if verdict.state == SHELL_GONE:
        return Ending(SHELL_GONE, *await _status_of_dead(server, pane_id))
    if fault is not None and verdict.state == "prompt":
        return Ending("prompt", fault.status)
    return Ending(verdict.state, verdict.exit_code, verdict.reason)


async def _last_words(running: Running, shelf: Shelf) -> None:
    """What a dead shell wrote last may still be on its way to the tape."""
    clock, quiet = Clock(DYING), Clock(LAST_WORDS)
    while quiet.left and clock.left:
        if running.catch_up(shelf):
            quiet = Clock(LAST_WORDS)
        await asyncio.sleep(0.002)  # tmux tells nobody that it has written all.


def as_shells_count(status: int | None) -> int | None:
    """ksh says 256 and a signal where others say 128 and a signal."""
    return status if status is None or status < 256 else 128 + (status & 127)


async def _status_of_dead(server: TmuxServer, pane_id: str) -> tuple[int | None, str | None]:
    """tmux now and then overlooks that a child has ended; another one that ends makes it look."""
    clock = Clock(DYING)
    while True:
        try:
            spot = await spot_of(server, pane_id)
            if spot.pane_dead and spot.exit_status is not None:
                return spot.exit_status, None
            if not spot.pane_dead and spot.front() is not None:
                return None, "its shell is gone, and another one is in front"
            if not clock.left:
                return None, "its shell is gone, and tmux does not know how it ended"
            await server.call("run-shell", "-b", ":")
        except MuxpilotError:
            break
        await asyncio.sleep(0.01)
    return None, "its shell is gone, and the pane with it"
