"""Commands with exact results: started once, followed on the tape, told as they are.

Rules it keeps:
- One command at a time in a pane, in the order of the calls; panes do not wait for each other.
- A deadline ends the wait, never the command. What is known of it is on disk (`store`), so that a later
  call, in this process or another, goes on where this one stopped.
- An exit code comes from a mark of the shell, or from tmux about a dead shell; else it is None, and why.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import replace

from muxpilot.errors import BadInput, MuxpilotError, PaneRefused
from muxpilot.terminal.desk import Desk
from muxpilot.terminal.ending import ending_of
from muxpilot.terminal.evidence import UNREACHED, UNSAID, Verdict
from muxpilot.terminal.following import SURE, Clock, Running, acquired
from muxpilot.terminal.front import FISH, identity_of
from muxpilot.terminal.hidden import TOLD
from muxpilot.terminal.outcome import Outcome, busy, ended_before, folder_of, missing_of, notes_of
from muxpilot.terminal.printout import Excerpt, last_line
from muxpilot.terminal.private import state_named
from muxpilot.terminal.ready import refuse_unready
from muxpilot.terminal.retreat import take_back
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.shells import LOADED
from muxpilot.terminal.spot import Spot, spot_of
from muxpilot.terminal.starting import (
    Start,
    check_command,
    is_idle,
    prompt_or_refusal,
    refuse_strange,
    shell_in_front,
)
from muxpilot.terminal.store import Store
from muxpilot.terminal.syntax import fault_in
from muxpilot.terminal.transcript import Cue, Phase
from muxpilot.tmux import TmuxServer

PATIENCE = 5.0
"""Seconds that a shell gets to be at its prompt, within the time of the call."""
TRIES = 2
ENDING = 0.15
"""Seconds in which a program that is about to end has ended."""
_UNSHOWN = "Its text is sensitive, so the shell's own message is not shown; check quotes and brackets"
RETURN = UNSAID + 0.5
"""Seconds in which a shell that is at its prompt has said how the last command ended, or never will."""


class Runner:
    """All commands of one muxpilot."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._desks: dict[str, Desk] = {}

    def desk(self, spot: Spot) -> Desk:
        record = self.store.records.of_pane(spot.server_identity, spot.pane_id)
        key = record.key if record is not None else spot.key
        desk = self._desks.get(key)
        if desk is None or not self.store.is_there(desk.shelf):
            desk = self._desks[key] = Desk(self.store.shelf(key), record.terminal_id if record else None)
            if record is not None:
                self.store.records.write(record)  # It may be gone with the folder.
        return desk

    def terminal_id(self, spot: Spot) -> str | None:
        """Which terminal of ours this pane is, as the state folder says."""
        record = self.store.records.of_pane(spot.server_identity, spot.pane_id)
        return record.terminal_id if record is not None else None

    async def run(
        self,
        server: TmuxServer,
        pane: str | Spot,
        command: str,
        clock: Clock,
        max_lines: int | None = None,
        *,
        hidden: bool = False,
    ) -> Outcome:
        """Run it in the shell of this pane, whose facts may be given if they are of now. Of a `hidden` one
        nothing is kept, neither its text nor what it writes.

        Raises:
            PaneRefused: it would not reach a shell that waits for it. Nothing was typed.
        """
        check_command(command)
        async with self.turn(server, pane, clock) as (desk, spot):
            refuse_unready(spot)
            await self.settle(server, desk, spot)
            async with self.recording(server, desk, spot):
                await self._start(server, desk, spot, command, clock, hidden)
                desk.forget_text()
                return await self.follow(server, desk, spot, clock, max_lines)

    async def look(
        self,
        server: TmuxServer,
        pane_id: str,
        clock: Clock,
        max_lines: int | None = None,
        *,
        interrupted: bool = False,
    ) -> Outcome:
        """What is new of the command that runs there, or of the one that ran last, and how it ended."""
        async with self.turn(server, pane_id, clock) as (desk, spot):
            self.load(desk, spot)
            if desk.running is not None:
                desk.running.transcript.interrupted |= interrupted
            async with self.recording(server, desk, spot):
                if desk.running is None and not await self.join(desk, spot):
                    return ended_before(desk.shelf, desk.last, spot, clock, max_lines)
                return await self.follow(server, desk, spot, clock, max_lines, new=True)

    def is_followed(self, spot: Spot) -> bool:
        """Whether another call is at work in this pane."""
        return self.desk(spot).lock.locked()

    def glance(self, spot: Spot, clock: Clock) -> Outcome:
        """What is known without asking anybody to wait."""
        desk = self.desk(spot)
        running = desk.running
        state = running.verdict(desk.shelf, spot).state if running is not None else "unknown"
        command = running.command if running is not None else None
        return Outcome(command, Excerpt("", 0), state, clock.elapsed, spot, folder_of(spot.pane_pid))

    @contextlib.asynccontextmanager
    async def turn(
        self, server: TmuxServer, pane: str | Spot, clock: Clock
    ) -> AsyncIterator[tuple[Desk, Spot]]:
        """Alone with this pane, with its facts of now."""
        spot = pane if isinstance(pane, Spot) else await spot_of(server, pane)
        pane_id = spot.pane_id
        desk = self.desk(spot)
        alone = not desk.lock.locked()
        await acquired(desk.lock, pane_id, clock)
        try:
            with state_named(self.store.folder):
                async with desk.shelf.locked(clock.left + 0.05) as at_once:
                    yield desk, spot if alone and at_once else await spot_of(server, pane_id)
        finally:
            desk.lock.release()

    def load(self, desk: Desk, spot: Spot) -> None:
        """Know the command that ran last, whichever process of ours started it."""
        last = desk.shelf.last_command()
        if last is None or (desk.last is not None and last == desk.last):
            return
        if desk.running is not None and desk.running.command.number == last.number and last.ended is None:
            return
        desk.last = last
        desk.running = Running.of(last, desk.shelf, spot.pane_height) if last.ended is None else None
        desk.counts = {**desk.counts, last.cue.nonce: last.cue.count, **last.counts}
        desk.position = last.position if last.ended is None else last.end

    async def settle(self, server: TmuxServer, desk: Desk, spot: Spot) -> None:
        """Know what has become of it, from the tape and from what can be seen now.

        Raises:
            PaneRefused: it still runs. (A shell within a shell takes commands of its own.)
        """
        self.load(desk, spot)
        running = desk.running
        if running is None:
            return
        front = spot.front()
        inner = front is not None and front.shell is not None and front.pid != running.command.shell_pid
        if inner and front is not None:
            refuse_strange(front, spot)
        patience = 0.0 if inner else RETURN if front is not None and front.shell is not None else ENDING
        verdict = await running.until_over(desk.shelf, spot, Clock(patience))
        if not running.transcript.over and not verdict.over:
            if not inner:
                raise busy(running.command, verdict, spot)
            verdict = Verdict("unknown", over=True, reason="a shell ran in it, which took further commands")
        with contextlib.suppress(PaneRefused):
            await self._close(server, desk, spot, verdict)
        running.printout.forget()

    @contextlib.asynccontextmanager
    async def recording(self, server: TmuxServer, desk: Desk, spot: Spot) -> AsyncIterator[None]:
        """While this is open, the tape is written. In a pane of ours, or while a command runs, it goes on."""
        if spot.pane_dead:
            yield
            return
        if desk.running is None and (desk.has_secret or desk.shelf.tape.is_in_the_way):
            desk.empty_tape()
        try:
            under_way = desk.running is not None
            async with desk.shelf.tape.recorded(server, spot.pane_id, resumed=under_way):
                yield
        finally:
            if desk.terminal_id is None and desk.running is None:
                with contextlib.suppress(MuxpilotError):  # The pane may be gone, and all with it.
                    await desk.shelf.tape.stop(server, spot.pane_id)

    async def join(self, desk: Desk, spot: Spot) -> bool:
        """Follow what a person, or another tool, has started there; False where nothing runs."""
        if spot.pane_dead or await is_idle(spot):
            return False
        hooks = desk.shelf.hooks()
        cue = Cue(secrets.token_hex(8), joined=True)
        if hooks is not None:
            cue = Cue(hooks.nonce, desk.counts.get(hooks.nonce, 0), joined=True)
            desk.position = desk.shelf.tape.size
        desk.begin("", cue, identity_of(spot.pane_pid), spot.pane_height)
        return True

    async def _start(
        self, server: TmuxServer, desk: Desk, spot: Spot, command: str, clock: Clock, hidden: bool
    ) -> None:
        shell = await shell_in_front(spot, max(min(clock.left, PATIENCE), RETURN))
        hooks, prompt = desk.shelf.hooks(), ""
        if hooks is not None and hooks.identity != shell.identity:
            hooks = None
        if hooks is None or shell.shell not in LOADED:
            spot = await spot_of(server, spot.pane_id)
            refuse_unready(spot)
            spot, prompt = await prompt_or_refusal(server, spot, desk.line)
            if not desk.line.endswith(prompt.rstrip()):
                desk.prompt = desk.line = prompt.rstrip()
        count = desk.counts.get(hooks.nonce, 0) if hooks is not None else 0
        start = Start(server, spot, desk.shelf, shell, hooks, count, prompt, hidden)
        cue = start.cue(command)
        desk.fault = await fault_in(command, shell) if cue.sourced or hidden else None
        if hidden and desk.fault is not None:
            raise BadInput("the command has a syntax error: nothing was run", hint=_UNSHOWN)
        try:
            start.prepare(command, cue)
            desk.begin(TOLD if hidden else command, cue, shell.identity, spot.pane_height, hidden=hidden)
            await self._send(desk, start, command, cue)
        except BaseException:
            if hidden:  # It may be typed, but not read: then its shell finds nothing to run.
                desk.shelf.withdraw_command()
            raise

    async def _send(self, desk: Desk, start: Start, command: str, cue: Cue) -> None:
        if desk.fault is not None and desk.fault.unfinished:
            assert desk.running is not None
            desk.running.transcript.give_up_line()
            return
        await start.send(command, cue)
        assert desk.running is not None
        if start.loads(cue) and await start.is_swallowed(desk.running, RETURN):
            await start.send(command, cue)

    async def follow(
        self,
        server: TmuxServer,
        desk: Desk,
        spot: Spot,
        clock: Clock,
        max_lines: int | None = None,
        *,
        new: bool = False,
        sure: float = SURE,
    ) -> Outcome:
        """Until the command has ended, wants something, or time is up."""
        running = desk.running
        assert running is not None
        verdict = await running.until_over(
            desk.shelf, spot, clock, sure, lambda: desk.shelf.tape.resume(server, spot.pane_id)
        )
        if running.transcript.phase is Phase.UNFINISHED and desk.fault is None:
            await self._clear_line(server, running, desk.shelf, spot)
        command = replace(running.command, state=verdict.state, reason=verdict.reason)
        if running.transcript.over or verdict.over:
            command = await self._close(server, desk, spot, verdict)
        excerpt = running.printout.excerpt(max_lines, new=new, partial=running.lost)
        cwd = command.cwd if command.ended is not None else folder_of(command.shell_pid)
        notes = notes_of(command, running)
        if command.ended is not None:
            running.printout.forget()
            removed = self.store.disk.add(running.printout.size)
            notes = (*notes, removed) if removed else notes
        else:
            desk.forget_text()
        return Outcome(
            command,
            excerpt,
            command.state,
            clock.elapsed,
            spot,
            cwd,
            notes,
            str(running.printout.path) if excerpt.truncated and not command.hidden else None,
            running.transcript.inner if command.ended is None else None,
        )

    async def _clear_line(self, server: TmuxServer, running: Running, shelf: Shelf, spot: Spot) -> None:
        """Give up the unfinished line. fish has done so already."""
        front = spot.front()
        for _ in range(TRIES):
            if front is None or front.shell == FISH or running.transcript.status is not None:
                return
            await is_idle(spot)  # A shell that is not reading yet may overlook an interrupt.
            await server.call("send-keys", "-t", spot.pane_id, "--", "C-c")
            await running.until(shelf, lambda: running.transcript.status is not None, RETURN)

    async def _close(self, server: TmuxServer, desk: Desk, spot: Spot, verdict: Verdict) -> Command:
        """Write down how it ended."""
        running = desk.running
        assert running is not None
        transcript = running.transcript
        end = await ending_of(server, spot.pane_id, running, desk.shelf, verdict, desk.fault)
        if end.reason == UNREACHED:
            await take_back(server, spot, desk.shelf, running.command)
        unsaid = transcript.phase is not Phase.ENDED and verdict.state == "prompt"
        transcript.abandon()
        unended = running.printout.open_line
        running.printout.close(desk.prompt if unsaid else "")
        desk.counts, desk.position = {**desk.counts, **transcript.counts}, running.position
        if running.command.hidden:
            desk.empty_tape()
        desk.last = replace(
            running.command,
            ended=time.time(),
            seconds=running.seconds,
            exit_code=end.exit_code,
            state=end.state,
            reason=end.reason,
            cwd=transcript.folder or folder_of(running.command.shell_pid) or running.command.cwd,
            lines=running.printout.lines,
            end=desk.position,
            counts=dict(list(desk.counts.items())[-2:]),
            missing=missing_of(running),
        )
        desk.running = None
        desk.shelf.finished(desk.last)
        desk.forget_text()
        desk.prompt = last_line(transcript.after) or desk.prompt
        desk.line = last_line(unended.encode() + (transcript.after or desk.prompt.encode()))
        if end.state == "refused":
            raise PaneRefused(
                f"something is half typed in pane {spot.pane_id}: nothing was run",
                hint="A person may be typing there; C-c clears the line",
            )
        return desk.last
