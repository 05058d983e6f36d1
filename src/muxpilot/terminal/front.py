"""Who has a pane's terminal, and what it does with it: decided from evidence, never from the screen.

The evidence is this machine's: the terminal's foreground process group, what that process was started from,
the terminal's modes, and the system call that it sleeps in. Where some of it can't be had (another
machine, another user), it is None, and so is what would follow from it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import struct
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from muxpilot.terminal.processes import foreground_group, members, stat_of, told_by

BASH, ZSH, FISH, DASH, ASH, KSH, MKSH = "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh"
SHELLS = {
    "bash": BASH,
    "rbash": BASH,
    "zsh": ZSH,
    "fish": FISH,
    "dash": DASH,
    "busybox": ASH,
    "ash": ASH,
    "ksh": KSH,
    "ksh93": KSH,
    "rksh93": KSH,
    "mksh": MKSH,
    "mksh-static": MKSH,
    "lksh": MKSH,
}
_WITH_ARGUMENT = {"--rcfile", "--init-file", "-o", "-O", "+o", "+O", "-C", "--init-command"}

_READS = {"x86_64": {0, 19}, "aarch64": {63, 65}}
_POLLS = {"x86_64": {7, 23, 232, 270, 271, 281, 441}, "aarch64": {22, 72, 73, 441}}
_MACHINE = platform.machine()


@dataclass(frozen=True, slots=True)
class Front:
    """The process in front: `shell` is its kind, where it is an interactive shell that we know."""

    pid: int
    name: str
    shell: str | None
    identity: str
    """Changes when this process becomes another program."""


@dataclass(frozen=True, slots=True)
class Modes:
    canonical: bool
    echo: bool


def front_of(pane_pid: int) -> Front | None:
    """Who has the terminal of this pane's process; None where that can't be seen."""
    fields = stat_of(pane_pid)
    pid = int(fields[5]) if fields else -1
    if pid <= 0:
        return None
    if pid != pane_pid:
        fields = stat_of(pid)
    if not fields:  # The group has outlived its leader.
        pid = next(iter(members(pid)), -1)
        fields = stat_of(pid)
    if not fields:
        return None
    arguments = _arguments(pid)
    program = _program(pid, arguments)
    return Front(pid, program, _shell(program, arguments), _identity(pid, fields))


def identity_of(pid: int) -> str:
    return _identity(pid, stat_of(pid))


def _identity(pid: int, fields: list[str]) -> str:
    """Its start, and that of its stack: another one after an exec."""
    return f"{pid}.{fields[19]}.{fields[25]}" if fields else str(pid)


def modes_of(tty: str) -> Modes | None:
    with _terminal(tty) as handle:
        if handle is None:
            return None
        try:
            flags = termios.tcgetattr(handle)[3]
        except termios.error:
            return None
    return Modes(bool(flags & termios.ICANON), bool(flags & termios.ECHO))


def unread(tty: str) -> int | None:
    """Bytes that were typed and that nobody has read yet."""
    with _terminal(tty) as handle:
        if handle is None:
            return None
        try:
            return int(struct.unpack("i", fcntl.ioctl(handle, termios.FIONREAD, b"\0" * 4))[0])
        except OSError:
            return None


def write_to(tty: str, data: bytes) -> bool:
    """Write to a terminal as its programs do: in order with what they write."""
    with _terminal(tty, os.O_WRONLY) as handle:
        return handle is not None and os.write(handle, data) == len(data)


def is_reading(front: Front, tty: str) -> bool:
    """Whether this process sleeps until something is typed, as far as can be seen."""
    waits = _waits_for(front.pid, tty)
    if waits is None:
        fields = stat_of(front.pid)
        return bool(fields) and fields[0] == "S"
    return waits in {"read", "byte"} or (waits == "poll" and (front.shell is not None or _raw(tty)))


def at_prompt(shell: Front, tty: str) -> bool:
    """Whether this shell waits for a command, and not for an answer to its `read`.

    A line editor takes the terminal out of its canonical mode. A shell without one reads as much as it can
    get, and `read` a byte at a time.
    """
    waits = _waits_for(shell.pid, tty)
    if waits is None:
        return is_reading(shell, tty) and (_raw(tty) or shell.shell == DASH)
    return waits == "read" or (waits in {"byte", "poll"} and _raw(tty))


def wants_input(pane_pid: int, tty: str) -> bool:
    """Whether some process in front sleeps until something is typed."""
    group = foreground_group(pane_pid)
    if group is None:
        return False
    modes = modes_of(tty)
    hidden = modes is not None and not (modes.canonical and modes.echo)
    waits = [_waits_for(pid, tty) for pid in members(group)]
    return bool({"read", "byte"} & {*waits}) or (hidden and "poll" in waits)


def _raw(tty: str) -> bool:
    modes = modes_of(tty)
    return modes is not None and not modes.canonical


def _waits_for(pid: int, tty: str) -> str | None:
    """read, byte: of this terminal. poll: of several things. other: something else. None: can't be seen."""
    words = told_by(f"/proc/{pid}/syscall").split()
    if not words:
        return None
    if not words[0].lstrip(b"-").isdigit():
        return "other"  # It runs.
    number = int(words[0])
    if number in _READS.get(_MACHINE, ()):
        if not _is_terminal(pid, int(words[1], 16), tty):
            return "other"
        return "byte" if int(words[3], 16) == 1 else "read"
    return "poll" if number in _POLLS.get(_MACHINE, ()) else "other"


def sleeps_reading(pid: int) -> bool:
    """Whether this process sleeps until there is something to read."""
    words = told_by(f"/proc/{pid}/syscall").split()
    reads = bool(words) and words[0].isdigit() and int(words[0]) in _READS.get(_MACHINE, ())
    return reads and stat_of(pid)[:1] == ["S"]  # One that was stopped in it has not read all.


def _is_terminal(pid: int, handle: int, tty: str) -> bool:
    try:
        return str(Path(f"/proc/{pid}/fd/{handle}").readlink()) in {tty, "/dev/tty"}
    except OSError:
        return False


@contextlib.contextmanager
def _terminal(tty: str, mode: int = os.O_RDONLY) -> Iterator[int | None]:
    try:
        handle = os.open(tty, mode | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _arguments(pid: int) -> list[str]:
    return told_by(f"/proc/{pid}/cmdline").decode("utf-8", "replace").split("\0")[:-1]


def owner_of(pid: int) -> int | None:
    """Whose process it is."""
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None


def program_of(pid: int) -> str | None:
    """The file that this process runs."""
    try:
        return str(Path(f"/proc/{pid}/exe").readlink()).removesuffix(" (deleted)")
    except OSError:
        return None


def _program(pid: int, arguments: list[str]) -> str:
    """What it is, by its file; else what it calls itself."""
    path = program_of(pid)
    name = Path(path).name if path else Path(arguments[0]).name.lstrip("-") if arguments else ""
    if name in SHELLS or not arguments:
        return name
    return Path(arguments[0]).name.lstrip("-") or name


def _shell(program: str, arguments: list[str]) -> str | None:
    """Which shell, if it is an interactive one: no script, no -c."""
    kind = SHELLS.get(program) or SHELLS.get(program.partition("-")[0])
    given = arguments[1:]
    if kind == ASH and program == "busybox":
        applet = Path(arguments[0]).name.lstrip("-") if arguments else ""
        if applet == "busybox":
            applet, given = (given[0], given[1:]) if given else ("", [])
        kind = ASH if applet in {"ash", "sh"} else None
    before = ""
    for argument in given:
        if before not in _WITH_ARGUMENT and not _is_option(argument):
            return None
        before = argument
    return kind


def _is_option(argument: str) -> bool:
    if argument.startswith("--"):
        return True
    return argument[:1] in {"-", "+"} and "c" not in argument
