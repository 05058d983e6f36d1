"""What this process knows about one pane in which commands run, and what must not be left behind there."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace

from muxpilot.terminal.following import Running
from muxpilot.terminal.outcome import folder_of
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.syntax import Fault
from muxpilot.terminal.transcript import Cue, Phase


@dataclass(slots=True)
class Desk:
    shelf: Shelf
    terminal_id: str | None = None
    """The terminal of ours that it is, if it is one."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    running: Running | None = None
    last: Command | None = None
    counts: dict[str, int] = field(default_factory=dict)
    """The highest count of each nonce that was seen."""
    position: int = 0
    """How far the tape has been read."""
    prompt: str = ""
    """The last line of its prompt, where that was seen."""
    line: str = ""
    """The same with what stands before it in that line: an output that had no line feed at its end."""
    fault: Fault | None = None
    has_secret: bool = False
    """Whether a secret was typed while no command ran: its echo is on the tape, or gets there any moment."""

    has_text: bool = True
    """Whether a file may still hold the text of the last command."""

    def begin(self, command: str, cue: Cue, shell: str, height: int, *, hidden: bool = False) -> None:
        """Write down that it starts. `shell`: the identity of the one that runs it."""
        number = self.last.number + 1 if self.last is not None else 1
        position = self.position if self.position <= self.shelf.tape.size else 0
        made = Command(number, command, time.time(), position, cue, shell, hidden=hidden)
        made = replace(made, clock=time.monotonic(), cwd=folder_of(made.shell_pid))
        self.running = Running.of(made, self.shelf, height)
        self.shelf.began(made)
        self.last, self.has_text = made, True
        self.has_secret = self.has_secret and cue.joined

    def empty_tape(self) -> None:
        """Only while no command runs, under the pane's lock."""
        self.shelf.tape.empty()
        self.position = 0

    def forget_text(self) -> None:
        """Remove a sensitive command's text once its shell has read it. (The journal has that of others.)

        One that was loaded is removed by its shell, because the mark that it runs comes before it is read.
        """
        running = self.running
        if not self.has_text or self.last is None or not self.last.hidden:
            return
        if running is None or running.transcript.phase is not Phase.TYPED:
            script = running is None or running.transcript.sourced
            self.shelf.withdraw_command(script=script)
            self.has_text = not script

    def hide(self) -> None:
        """A secret is about to be typed where it may be shown: what is recorded from here on is sensitive."""
        running = self.running
        if running is None:
            self.has_secret = True
        elif not running.command.hidden:
            running.command = self.last = replace(running.command, hidden=True)
            running.printout.kept = False
            self.shelf.hide(running.command)
