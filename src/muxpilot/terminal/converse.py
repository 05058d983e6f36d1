"""Talking to what runs in a pane: input, keys, and Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from dataclasses import dataclass, replace

from muxpilot.errors import PaneRefused
from muxpilot.terminal.bell import Bell
from muxpilot.terminal.following import Clock
from muxpilot.terminal.front import at_prompt
from muxpilot.terminal.hidden import exposure
from muxpilot.terminal.keys import key_named, press
from muxpilot.terminal.outcome import Outcome
from muxpilot.terminal.private import state_named
from muxpilot.terminal.processes import foreground_group, is_alive
from muxpilot.terminal.ready import refuse_unready
from muxpilot.terminal.run import Runner
from muxpilot.terminal.spot import Spot, spot_of
from muxpilot.terminal.tape import Tape
from muxpilot.tmux import TmuxServer, read_pane

ANSWERED = 0.3
"""Seconds of quiet after which a program that waits again has answered."""
STEP = 0.01
INTERRUPT = "C-c"
HEARD = 0.5
"""Seconds in which a shell shows that it was interrupted."""
AT_A_PROMPT = "nothing was running when this was typed: this is how the last command before it ended"
GRACE = 1.0
"""Seconds that a program gets to react before a stronger signal follows."""


async def send_input(
    runner: Runner,
    server: TmuxServer,
    pane_id: str,
    text: str,
    clock: Clock,
    *,
    enter: bool,
    hidden: bool = False,
) -> Outcome:
    """Type into what runs there, and tell what came of it. The exact name of a key is that key. Of what is
    `hidden` nothing is kept, and where the program may show it, that is said.

    Raises:
        PaneRefused: nothing runs that could read it, or it would not arrive. Nothing is typed.
    """
    key = key_named(text, await server.server_version())
    async with runner.turn(server, pane_id, clock) as (desk, spot):
        refuse_unready(spot)
        runner.load(desk, spot)
        async with runner.recording(server, desk, spot):
            joined = desk.running is not None or await runner.join(desk, spot)
            if not joined and key is None and enter:
                raise PaneRefused(
                    f"nothing is running in pane {pane_id} that could read input: nothing was typed",
                    hint="Leave out is_input to run it as a command",
                )
            if desk.running is not None:
                desk.running.catch_up(desk.shelf)
                desk.running.transcript.inner = None
            given = {"key": key is not None, "enter": enter and key is None, "hidden": hidden}
            only = spot.server_identity
            size = desk.shelf.tape.size
            shown = exposure(spot.pane_tty) if hidden and key is None else None
            if shown is not None:
                desk.hide()
            await press(server, pane_id, key or text, **given, only=only)
            if not joined and key == INTERRUPT and not await _heard(desk.shelf.tape, size):
                await press(server, pane_id, key, **given, only=only)
            if joined:
                outcome = await runner.follow(server, desk, spot, clock, new=True, sure=ANSWERED)
                return _noted(outcome, shown)
    return _noted(_before_it(await runner.look(server, pane_id, Clock(min(clock.left, ANSWERED)))), shown)


async def typing_secret(runner: Runner, server: TmuxServer, pane_id: str) -> str | None:
    """Before a secret is typed there by other means: what to say of it. Where the program may show it, what
    is recorded of it is forgotten as after a sensitive command."""
    spot = await spot_of(server, pane_id)
    shown = exposure(spot.pane_tty)
    desk = runner.desk(spot)
    if shown is not None and desk.shelf.tape.is_recording:
        # Without a turn: the call that has it may be waiting for what is typed here.
        with state_named(runner.store.folder):
            if not runner.is_followed(spot):
                runner.load(desk, spot)
            desk.hide()
    return shown


def _noted(outcome: Outcome, note: str | None) -> Outcome:
    return outcome if note is None else replace(outcome, notes=(*outcome.notes, note))


def _before_it(outcome: Outcome) -> Outcome:
    """What a look tells after something was typed at a prompt: where nothing runs, of a command before it."""
    if outcome.command is None or outcome.command.ended is None:
        return outcome
    return replace(outcome, notes=(*outcome.notes, AT_A_PROMPT))


async def _heard(tape: Tape, size: int) -> bool:
    """Whether something was written since. A shell that is busy with its line may overlook a Ctrl-C."""
    bell, clock = Bell(tape.path), Clock(HEARD)
    try:
        while tape.size == size and clock.left:
            await bell.wait(clock.left)
    finally:
        bell.close()
    return tape.size != size


@dataclass(frozen=True, slots=True)
class Interrupted:
    """`stopped`: whether the shell has the terminal again. `sent`: what it took."""

    stopped: bool
    sent: tuple[str, ...]
    outcome: Outcome


async def interrupt(
    runner: Runner, server: TmuxServer, pane_id: str, clock: Clock, *, force: bool
) -> Interrupted:
    """Ctrl-C; where that does not help, and only if `force`, SIGTERM, then SIGKILL for what is in front."""
    spot = await spot_of(server, pane_id)
    refuse_unready(spot)
    await server.call("send-keys", "-t", pane_id, "--", "C-c")
    sent = ["C-c"]
    stopped = await _comes_back(spot, Clock(min(clock.left, GRACE) if force else clock.left))
    for name, number in (("SIGTERM", signal.SIGTERM), ("SIGKILL", signal.SIGKILL)) if force else ():
        if stopped or not _signal(spot, number):
            break
        sent.append(name)
        stopped = await _comes_back(spot, Clock(min(max(clock.left, 0.1), GRACE)))
    if stopped and is_alive(spot.pane_pid):
        await _see_it_heard(server, pane_id)
    if stopped or not runner.is_followed(spot):
        patience = Clock(1.0 if stopped else 0.0)
        outcome = await runner.look(server, pane_id, patience, interrupted=stopped)
    else:
        outcome = runner.glance(spot, clock)
    return Interrupted(stopped, tuple(sent), outcome)


async def _see_it_heard(server: TmuxServer, pane_id: str) -> None:
    """Press Ctrl-C again where a shell at its prompt has overlooked it: the terminal's echo stays behind the
    prompt then, and the next command would find a line that looks half typed."""
    clock = Clock(HEARD)
    while clock.left:
        spot = await spot_of(server, pane_id)
        line = await read_pane(server, pane_id, start=spot.cursor_y, end=spot.cursor_y)
        if spot.pane_dead or not line.rstrip().endswith("^C"):
            return
        await asyncio.sleep(STEP)  # Nobody tells that a shell has drawn its prompt again.
    await server.call("send-keys", "-t", pane_id, "--", "C-c")


def _signal(spot: Spot, number: signal.Signals) -> bool:
    """Never to the shell itself: then the pane would go."""
    group = foreground_group(spot.pane_pid)
    if group is None or group == spot.pane_pid:
        return False
    with suppress(ProcessLookupError):
        os.killpg(group, number)
    return True


async def _comes_back(spot: Spot, clock: Clock) -> bool:
    """Whether a shell waits at its prompt, or everything is gone, before the time is up."""
    while True:
        front = spot.front()
        if not is_alive(spot.pane_pid):
            return True
        if front is not None and front.shell is not None and at_prompt(front, spot.pane_tty):
            return True
        if not clock.left:
            return False
        await asyncio.sleep(STEP)  # The kernel tells nobody that a process has begun to read.
