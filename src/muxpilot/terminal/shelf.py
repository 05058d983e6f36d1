"""One pane's folder: its tape, its commands and their output.

Rules it keeps:
- A journal is appended to, a line when a command starts and one when it ends, so that whoever starts anew
  (after a crash, in another process) knows what was running and where on the tape it began.
- The last `MOST_COMMANDS` are kept.
- Of a sensitive command nothing is kept: its text is in a file only until its shell has read it.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import re
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

from muxpilot.errors import PaneRefused
from muxpilot.terminal.journal import entries
from muxpilot.terminal.printout import LARGEST as LARGEST_OUTPUT
from muxpilot.terminal.private import open_private, read_private, size_of, write_all, write_private
from muxpilot.terminal.tape import LARGEST, Tape
from muxpilot.terminal.transcript import Cue

MOST_COMMANDS = 50
LARGEST_JOURNAL = 1 << 30
"""Bytes of it that are read: some twice as many as the longest commands can take."""
LOCK_STEP = 0.01

COMMAND_FILES = ("command", "run")
"""Where a shell finds what it shall run."""

_OUTPUT = re.compile(r"output-([0-9]{1,20})")
_BEGINNING = ("number", "command", "started", "position", "shell", "clock", "cwd", "hidden")
_END = (
    "number",
    "ended",
    "seconds",
    "exit_code",
    "state",
    "reason",
    "cwd",
    "lines",
    "end",
    "counts",
    "missing",
)
"""What the journal says of a command when it begins, beside its cue, and when it has ended."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Hooks in a shell of ours: which shell process has them, and what its marks carry."""

    shell: str
    identity: str
    nonce: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `ended` is None while it runs; `exit_code` None where it is not known, `reason` why."""

    number: int
    command: str
    started: float
    position: int
    cue: Cue
    shell: str
    """The identity of the shell that runs it."""
    clock: float = 0.0
    """When it started, by the clock that never jumps; of the same machine, since the same start."""
    cwd: str | None = None
    ended: float | None = None
    seconds: float | None = None
    """How long it took, as far as that is known."""
    exit_code: int | None = None
    state: str = "running"
    reason: str | None = None
    lines: int = 0
    end: int = 0
    """How far the tape had been read then, and the highest count of each nonce on it."""
    counts: dict[str, int] = field(default_factory=dict)
    missing: str | None = None
    """What of its output is not there, and why."""
    hidden: bool = False
    """Whether it is sensitive: neither its text nor its output is kept."""

    @property
    def shell_pid(self) -> int:
        return int(self.shell.partition(".")[0])


@dataclass(slots=True)
class Shelf:
    """One pane's folder."""

    folder: Path
    largest_tape: int = LARGEST
    largest_output: int = LARGEST_OUTPUT
    tape: Tape = field(init=False)
    _read_to: tuple[int, int] = (0, 0)
    _last: Command | None = None
    _hooks: tuple[int, Hooks] | None = None
    _owed: bytes = b""
    """Lines of the journal that there was no room for."""

    def __post_init__(self) -> None:
        self.tape = Tape(self.folder, self.largest_tape)

    @property
    def key(self) -> str:
        return self.folder.name

    def output(self, number: int) -> Path:
        return self.folder / f"output-{number}"

    def hooks(self) -> Hooks | None:
        """Read again only where the file has changed."""
        path = self.folder / "hooked"
        try:
            changed = os.lstat(path).st_mtime_ns
            if self._hooks is None or self._hooks[0] != changed:
                hooks = Hooks(**json.loads(read_private(path)))
                self._hooks = (changed, hooks) if all(type(one) is str for one in astuple(hooks)) else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return self._hooks[1] if self._hooks is not None else None

    def keep_hooks(self, hooks: Hooks | None) -> None:
        if hooks is None:
            (self.folder / "hooked").unlink(missing_ok=True)
        else:
            write_private(self.folder / "hooked", json.dumps(asdict(hooks)))

    def write_command(self, text: str) -> None:
        write_private(self.folder / "command", text)

    def reserve_script(self, command: str) -> None:
        """See that there is room for a script around this command: quoted, and shown, it is longer."""
        write_private(self.folder / "run", " " * (4 * len(command.encode("utf-8", "surrogateescape")) + 8192))

    def withdraw_command(self, *, script: bool = True) -> None:
        """Its shell has read it, or must not find it any more. (Not emptied: a shell may be reading still.)
        Without `script`, what a loaded line sources stays."""
        for name in COMMAND_FILES if script else COMMAND_FILES[:1]:
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()

    def commands(self) -> list[Command]:
        """Oldest first."""
        found: dict[int, Command] = {}
        for line in self._journal():
            number = line["number"]
            if number in found:
                found[number] = replace(found[number], **line)
            elif "cue" in line:
                found[number] = Command(**{**line, "cue": Cue(**line["cue"])})
        return list(found.values())

    def last_command(self) -> Command | None:
        """Read again only where the journal has grown."""
        try:
            facts = os.lstat(self.folder / "commands")
        except FileNotFoundError:
            return None
        if (facts.st_ino, facts.st_size) != self._read_to:
            commands = self.commands()
            self._last = commands[-1] if commands else None
            self._read_to = (facts.st_ino, facts.st_size)
        return self._last

    def began(self, command: Command) -> None:
        facts = {name: getattr(command, name) for name in _BEGINNING}
        self._append(self._owed + _line({**facts, "cue": asdict(command.cue)}), command)
        if command.number % MOST_COMMANDS == 0:
            self._prune()

    def finished(self, command: Command) -> None:
        """Where there is no room to write it down, it is known until there is."""
        line = _line({name: getattr(command, name) for name in _END})
        try:
            self._append(self._owed + line, command)
        except OSError:
            self._owed, self._last = self._owed + line, command

    def hide(self, command: Command) -> None:
        """From now on it is sensitive."""
        self._append(self._owed + _line({"number": command.number, "hidden": True}), command)

    def lose_output(self, number: int, why: str) -> int:
        """Remove the output of one that has ended, and say so in the journal; returns its bytes."""
        path = self.output(number)
        size = size_of(path)
        path.unlink(missing_ok=True)
        handle = open_private(self.folder / "commands", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            write_all(handle, _line({"number": number, "missing": why}))
        finally:
            os.close(handle)
        return size

    @property
    def is_idle(self) -> bool:
        """Whether no command runs there, as far as the journal tells."""
        last = self.last_command()
        return last is None or last.ended is not None

    @contextlib.contextmanager
    def locked_now(self) -> Iterator[bool]:
        """Whether nobody else is at work in this pane; then nobody is until the block ends."""
        handle = open_private(self.folder / "lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
        finally:
            os.close(handle)

    def _journal(self) -> list[dict[str, Any]]:
        try:
            return entries(read_private(self.folder / "commands", LARGEST_JOURNAL))
        except FileNotFoundError:
            return []

    def _append(self, data: bytes, command: Command) -> None:
        """All of it, or nothing: half a line would spoil the next one."""
        handle = open_private(self.folder / "commands", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        before = os.fstat(handle).st_size
        try:
            write_all(handle, data)
        except OSError:
            os.ftruncate(handle, before)
            raise
        else:
            facts = os.fstat(handle)
            self._read_to, self._last, self._owed = (facts.st_ino, facts.st_size), command, b""
        finally:
            os.close(handle)

    def _prune(self) -> None:
        kept = self.commands()[-MOST_COMMANDS:]
        oldest = kept[0].number if kept else 0
        lines = [entry for entry in self._journal() if entry["number"] >= oldest]
        write_private(self.folder / "commands", "".join(json.dumps(entry) + "\n" for entry in lines))
        for path in self.folder.glob("output-*"):
            if (number_of(path.name) or oldest) < oldest:
                path.unlink(missing_ok=True)

    @contextlib.asynccontextmanager
    async def locked(self, seconds: float) -> AsyncIterator[bool]:
        """Alone in this pane, among all processes of ours; whether it was so at once.

        Raises:
            PaneRefused: another one has had it all the time.
        """
        handle = open_private(self.folder / "lock", os.O_RDWR | os.O_CREAT)
        end, at_once = time.monotonic() + seconds, True
        try:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    at_once = False
                    if time.monotonic() >= end:
                        raise PaneRefused(
                            "another muxpilot is typing in this pane: nothing was typed",
                            hint="Try again later",
                        ) from None
                    await asyncio.sleep(LOCK_STEP)  # A file lock has no event.
            yield at_once
        finally:
            os.close(handle)


def number_of(name: str) -> int | None:
    """Of the command whose output is in a file of this name."""
    found = _OUTPUT.fullmatch(name)
    return int(found[1]) if found else None


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True).encode() + b"\n"
