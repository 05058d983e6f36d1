"""Processes in panes, as far as this machine's own tables tell: who is in front, and when a process ends.

Everything here may be unknown (another machine, another system): then it is None, never a guess.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path


def foreground_group(pid: int) -> int | None:
    """The process group that has the terminal of this process."""
    fields = stat_of(pid)
    group = int(fields[5]) if fields else -1
    return group if group > 0 else None


def members(group: int) -> list[int]:
    """The living processes of a group."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if (fields := stat_of(pid)) and fields[2] == str(group) and fields[0] != "Z"]


def stat_of(pid: int) -> list[str]:
    """From the state on: state, parent, group, session, terminal, the terminal's foreground group."""
    return told_by(f"/proc/{pid}/stat").rpartition(b")")[2].decode().split()


def is_alive(pid: int) -> bool:
    """Whether this process is there and has not ended."""
    fields = stat_of(pid)
    return bool(fields) and fields[0] not in {"Z", "X"}


def told_by(path: str) -> bytes:
    """A file of the kernel's, in one read; nothing where it can't be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(handle, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(handle)


@contextlib.contextmanager
def noticing_end(pid: int | None, notice: Callable[[], None]) -> Iterator[bool]:
    """Inside the block, `notice` is called once when this process has ended; False where it can't be."""
    if pid is None:
        yield False
        return
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        notice()
        yield True
        return
    except (OSError, AttributeError):
        yield False
        return
    loop = asyncio.get_running_loop()

    def ended() -> None:
        loop.remove_reader(handle)
        notice()

    loop.add_reader(handle, ended)
    try:
        yield True
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def is_running(pid: int, writes: Path) -> bool:
    """Whether this process is there and has that file open for its output."""
    try:
        return Path(f"/proc/{pid}/fd/1").samefile(writes)
    except OSError:
        return False
