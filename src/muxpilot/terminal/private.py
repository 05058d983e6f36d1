"""Files for our own eyes, written whole or not at all, and what it means where that can't be done."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from muxpilot.errors import StateUnusable

_HINTS = {
    errno.ENOSPC: "Make room on that disk, or set MUXPILOT_STATE_DIR to another one",
    errno.EDQUOT: "Make room, or set MUXPILOT_STATE_DIR to a folder on another disk",
    errno.EMFILE: "muxpilot may have no more files open: raise its limit (ulimit -n)",
    errno.ENFILE: "The system may have no more files open: raise its limit",
}


def write_private(path: Path, text: str) -> None:
    """The whole file, mode 0600; a link that somebody put there is not followed."""
    data = text.encode("utf-8", "surrogateescape")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        write_all(handle, data)
        os.ftruncate(handle, len(data))  # Behind the write: to free a block and take another costs 0.2 ms.
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """All of it: a disk that is almost full takes a part without complaint."""
    wrote = os.write(handle, data)
    while wrote < len(data):
        wrote += os.write(handle, data[wrote:])


@contextlib.contextmanager
def state_named(folder: Path) -> Iterator[None]:
    """Whatever the system says about our files in this block is `StateUnusable`, with what to do about it."""
    try:
        yield
    except TimeoutError:  # Of a wait. Python counts it among the system's.
        raise
    except OSError as error:
        raise StateUnusable(
            f"the state folder {folder} can't be used: {error.strerror}",
            hint=_HINTS.get(error.errno or 0, "Set MUXPILOT_STATE_DIR"),
        ) from error
