"""Our ancestors: the processes that started us, and the terminals that they have.

This finds the pane that we run in where the environment does not name it; some clients remove TMUX and
TMUX_PANE. The kernel tells under Linux, `ps` elsewhere. In a PID namespace, or where /proc hides the
processes of other users, the chain ends early: then our own terminal may still be known.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from muxpilot.terminal.processes import told_by

PS = ("/bin/ps", "-axo", "pid=,ppid=,tty=")
PS_SECONDS = 5.0
_PTS, _PTS_MAJOR = re.compile(r"/dev/pts/([0-9]{1,6})"), 136
LONGEST = 1000
"""Processes in a chain. A real one is far shorter; a chain that is read while it changes may be a circle."""


@dataclass(frozen=True, slots=True)
class Process:
    """`terminal` is the device number of its controlling terminal."""

    parent: int
    terminal: int | None


@dataclass(frozen=True, slots=True)
class Ancestry:
    """We and our ancestors. Empty where nothing can be known."""

    pids: frozenset[int] = frozenset()
    terminals: frozenset[int] = frozenset()


def ancestry_of(pid: int) -> Ancestry:
    """Of this process, itself included."""
    if (chain := ancestry_by(_of_kernel, pid)).pids:
        return chain
    return ancestry_by(_listed_by_ps().get, pid)


def ancestry_by(look: Callable[[int], Process | None], pid: int) -> Ancestry:
    """As far as `look` knows the processes."""
    pids: set[int] = set()
    terminals: set[int] = set()
    while pid > 0 and pid not in pids and len(pids) < LONGEST and (process := look(pid)) is not None:
        pids.add(pid)
        if process.terminal is not None:
            terminals.add(process.terminal)
        pid = process.parent
    return Ancestry(frozenset(pids | ({pid} if pids and pid > 0 else set())), frozenset(terminals))


def device_of(tty: str) -> int | None:
    """The device number of the terminal at this path. Linux's come with the name, which serves in a sandbox
    whose /dev does not have it."""
    if (found := _PTS.fullmatch(tty)) is not None:
        return os.makedev(_PTS_MAJOR, int(found[1]))
    try:
        return Path(tty).stat().st_rdev or None
    except (OSError, ValueError):
        return None


def process_of(stat: bytes) -> Process | None:
    """What /proc/PID/stat tells. The process's name may hold anything, `)` and line feeds too, so what counts
    comes behind the last `)`."""
    fields = stat.rpartition(b")")[2].split()
    try:
        parent, number = int(fields[1]), int(fields[4])
    except (IndexError, ValueError):
        return None
    return Process(parent, _device(number))


def processes_of(listing: str) -> dict[int, Process]:
    """What `ps` prints: pid, parent and terminal in each line."""
    found: dict[int, Process] = {}
    for line in listing.splitlines():
        pid, parent, tty, *_ = [*line.split(), "", "", ""]
        if pid.isdecimal() and parent.isdecimal():
            found[int(pid)] = Process(int(parent), device_of(f"/dev/{tty}") if tty.strip("?-") else None)
    return found


def _of_kernel(pid: int) -> Process | None:
    return process_of(told_by(f"/proc/{pid}/stat"))


def _device(number: int) -> int | None:
    """The kernel prints it as a signed number, with the minor's upper bits above the major."""
    number &= 0xFFFFFFFF
    major, minor = (number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00)
    return os.makedev(major, minor) if number else None


def _listed_by_ps() -> dict[int, Process]:
    try:
        done = subprocess.run(PS, capture_output=True, timeout=PS_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return {}
    return processes_of(done.stdout.decode("utf-8", "replace"))
