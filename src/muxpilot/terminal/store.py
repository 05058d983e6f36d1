"""What is kept on disk: for each pane its tape, its commands and their output. Private, bounded, pruned.

Rules it keeps:
- Folders are 0700 and files 0600, whatever the umask; links are not followed.
- A journal is appended to, a line when a command starts and one when it ends, so that whoever starts anew
  (after a crash, in another process) knows what was running and where on the tape it began.
- Per pane the last `MOST_COMMANDS` are kept, and folders of panes nobody used for `KEEP_DAYS` go.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from muxpilot.errors import PaneRefused, StateUnusable
from muxpilot.terminal.private import state_named, write_all, write_private
from muxpilot.terminal.tape import Tape
from muxpilot.terminal.transcript import Cue

MOST_COMMANDS = 50
KEEP_DAYS = 7.0
LOCK_STEP = 0.01

_BEGINNING = ("number", "command", "started", "position", "shell", "clock", "cwd")
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

    @property
    def shell_pid(self) -> int:
        return int(self.shell.partition(".")[0])


@dataclass(slots=True)
class Shelf:
    """One pane's folder."""

    folder: Path
    tape: Tape = field(init=False)
    _read_to: tuple[int, int] = (0, 0)
    _last: Command | None = None
    _hooks: tuple[int, Hooks] | None = None
    _owed: bytes = b""
    """Lines of the journal that there was no room for."""

    def __post_init__(self) -> None:
        self.tape = Tape(self.folder)

    @property
    def key(self) -> str:
        return self.folder.name

    def output(self, number: int) -> Path:
        return self.folder / f"output-{number}"

    def hooks(self) -> Hooks | None:
        """Read again only where the file has changed."""
        path = self.folder / "hooked"
        try:
            changed = path.stat().st_mtime_ns
            if self._hooks is None or self._hooks[0] != changed:
                self._hooks = (changed, Hooks(**json.loads(path.read_bytes())))
        except (OSError, ValueError, TypeError):
            return None
        return self._hooks[1]

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

    def withdraw_command(self) -> None:
        """Whatever of it still reaches the shell finds nothing to run."""
        for name in ("command", "run"):
            with contextlib.suppress(OSError):
                os.truncate(self.folder / name, 0)

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
            facts = (self.folder / "commands").stat()
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

    def _journal(self) -> list[dict[str, Any]]:
        try:
            text = (self.folder / "commands").read_text("utf-8", "replace")
        except FileNotFoundError:
            return []
        found = []
        for line in text.splitlines():
            with contextlib.suppress(ValueError):  # Cut short by a full disk or a crash.
                entry = json.loads(line)
                if isinstance(entry, dict) and "number" in entry:
                    found.append(entry)
        return found

    def _append(self, data: bytes, command: Command) -> None:
        """All of it, or nothing: half a line would spoil the next one."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self.folder / "commands", flags, 0o600)
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
            if path.name.removeprefix("output-").isdigit() and int(path.name[7:]) < oldest:
                path.unlink(missing_ok=True)

    @contextlib.asynccontextmanager
    async def locked(self, seconds: float) -> AsyncIterator[bool]:
        """Alone in this pane, among all processes of ours; whether it was so at once.

        Raises:
            PaneRefused: another one has had it all the time.
        """
        handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
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


class Store:
    """All of it, below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checked = False

    def shelf(self, key: str) -> Shelf:
        """The folder of this pane, made where it is missing.

        Raises:
            StateUnusable: the state folder can't be used.
        """
        with state_named(self.folder):
            self._check()
            folder = self.folder / "panes" / key
            folder.mkdir(0o700, exist_ok=True)
        return Shelf(folder)

    def new_shelf(self) -> Shelf:
        return self.shelf(secrets.token_hex(8))

    def _check(self) -> None:
        if self._checked and (self.folder / "panes").is_dir():
            return
        self.folder.mkdir(0o700, parents=True, exist_ok=True)
        facts = self.folder.stat()
        if facts.st_uid != os.geteuid():
            raise StateUnusable(
                f"the state folder {self.folder} belongs to somebody else", hint="Set MUXPILOT_STATE_DIR"
            )
        if stat.S_IMODE(facts.st_mode) & 0o077:
            self.folder.chmod(0o700)
        (self.folder / "panes").mkdir(0o700, exist_ok=True)
        self._checked = True
        self._forget_old()

    def _forget_old(self) -> None:
        """Panes that nobody has used for days. One that is recorded is there, however long it was silent, and
        whatever the clock says."""
        oldest = time.time() - KEEP_DAYS * 86400
        for folder in (self.folder / "panes").iterdir():
            with contextlib.suppress(OSError):
                if _last_used(folder) < oldest and not Tape(folder).is_recording:
                    shutil.rmtree(folder, ignore_errors=True)


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True).encode() + b"\n"


def _last_used(folder: Path) -> float:
    return max(path.stat().st_mtime for path in [folder, *folder.iterdir()])
