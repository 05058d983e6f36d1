"""How a command ended, from whatever tells it: its shell's mark, the evidence, or tmux about a dead shell."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from muxpilot.errors import MuxpilotError
from muxpilot.terminal.evidence import SHELL_GONE, Verdict
from muxpilot.terminal.following import Clock, Running
from muxpilot.terminal.processes import is_alive
from muxpilot.terminal.shelf import Shelf
from muxpilot.terminal.spot import spot_of
from muxpilot.terminal.syntax import Fault
from muxpilot.terminal.transcript import Phase
from muxpilot.tmux import TmuxServer

DYING = 2.0
"""Seconds in which a dead shell's last words reach the tape, and its status tmux."""
LAST_WORDS = 0.05
"""Seconds of silence after which nothing more is expected on a tape whose writer can't be seen."""
ANOTHER = "its shell is gone, and another one is in front"
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
    status: tuple[int | None, str | None] = (None, None)
    if verdict.state == SHELL_GONE:
        status = await _status_of_dead(server, pane_id)  # tmux knows it when it has read all of its output.
        await _last_words(server, pane_id, running, shelf)
        running.lost |= shelf.tape.is_second_hand
    transcript = running.transcript
    if transcript.phase is Phase.UNFINISHED:
        return Ending("incomplete_input", None, UNFINISHED)
    if transcript.phase is Phase.OCCUPIED:
        return Ending("refused", None, "a line was half typed there")
    if transcript.phase is Phase.ENDED:
        alive = is_alive(running.command.shell_pid)
        return Ending("prompt" if alive else SHELL_GONE, as_shells_count(transcript.status))
    if verdict.state == SHELL_GONE:
        return Ending("prompt" if status[1] == ANOTHER else SHELL_GONE, *status)
    if fault is not None and verdict.state == "prompt":
        return Ending("prompt", fault.status)
    return Ending(verdict.state, verdict.exit_code, verdict.reason)


async def _last_words(server: TmuxServer, pane_id: str, running: Running, shelf: Shelf) -> None:
    """What a dead shell wrote last may still be on its way: from tmux to the recorder, and on to the tape."""
    with suppress(MuxpilotError):
        for _ in range(2):  # A loop of tmux's own, in which it hands on what it has read.
            await spot_of(server, pane_id)
    clock, quiet = Clock(DYING), Clock(LAST_WORDS)
    while clock.left:
        drained = shelf.tape.is_drained
        if running.catch_up(shelf):
            quiet = Clock(LAST_WORDS)
        elif drained or (drained is None and not quiet.left):
            return
        await asyncio.sleep(0.002)  # Nobody tells that a process has begun to read.


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
                return None, ANOTHER
            if not clock.left:
                return None, "its shell is gone, and tmux does not know how it ended"
            await server.call("run-shell", "-b", "--", ":")
        except MuxpilotError:
            break
        await asyncio.sleep(0.01)
    return None, "its shell is gone, and the pane with it"
