"""Files for our own eyes: opened only where they are ours, and what it means where that can't be done.

Rules it keeps:
- Every file below the state folder is opened here. It is a regular file, it belongs to our user, and it has
  one name. A link, a pipe, a device or a second hard link is refused, because whatever we would write, empty
  or read would be something else than what we made.
- Folders that we make are 0700 and files 0600, whatever the umask.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from muxpilot.errors import StateUnusable

_HINTS = {
    errno.ENOSPC: "Make room on that disk, or set MUXPILOT_STATE_DIR to another one",
    errno.EDQUOT: "Make room, or set MUXPILOT_STATE_DIR to a folder on another disk",
    errno.EMFILE: "muxpilot may have no more files open: raise its limit (ulimit -n)",
    errno.ENFILE: "The system may have no more files open: raise its limit",
}
_CHUNK = 1 << 16
LARGEST_SMALL = 1 << 20
"""Bytes of a file that holds a few facts."""
# O_NONBLOCK: opening a pipe that somebody put there must not wait for its other end.
_ALWAYS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def open_private(path: Path, flags: int) -> int:
    """A descriptor of this file of ours, made with mode 0600 where `flags` say so.

    Raises:
        StateUnusable: what is there is not a file of ours alone. Nothing was changed.
        OSError: it is missing, or the system refuses it.
    """
    try:
        handle = os.open(path, flags | _ALWAYS, 0o600)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK, errno.ENXIO}:
            raise _foreign(path, "not a regular file") from None
        raise
    facts = os.fstat(handle)
    if stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and facts.st_nlink <= 1:
        return handle
    os.close(handle)
    if not stat.S_ISREG(facts.st_mode):
        raise _foreign(path, "not a regular file")
    raise _foreign(path, "another user's" if facts.st_uid != os.geteuid() else "a hard link to another file")


def read_private(path: Path, most: int = LARGEST_SMALL) -> bytes:
    """All of it. Raises like `open_private`, also where it has more than `most` bytes."""
    handle = open_private(path, os.O_RDONLY)
    try:
        if os.fstat(handle).st_size > most:
            raise _foreign(path, "too large to be ours")
        data = chunk = os.read(handle, _CHUNK)
        while len(chunk) == _CHUNK:
            chunk = os.read(handle, _CHUNK)
            data += chunk
        return data
    finally:
        os.close(handle)


def write_private(path: Path, text: str) -> None:
    """The whole file, mode 0600. Raises like `open_private`."""
    data = text.encode("utf-8", "surrogateescape")
    handle = open_private(path, os.O_WRONLY | os.O_CREAT)
    try:
        write_all(handle, data)
        os.ftruncate(handle, len(data))  # Behind the write: to free a block and take another costs 0.2 ms.
    finally:
        os.close(handle)


def empty_private(path: Path) -> None:
    """Nothing is left in it; a missing one stays missing. Raises like `open_private`."""
    try:
        handle = open_private(path, os.O_WRONLY)
    except FileNotFoundError:
        return
    try:
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def size_of(path: Path) -> int:
    """Bytes in it; 0 where it is missing. A link counts as itself."""
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


def write_all(handle: int, data: bytes) -> None:
    """All of it: a disk that is almost full takes a part without complaint."""
    wrote = os.write(handle, data)
    while wrote < len(data):
        wrote += os.write(handle, data[wrote:])


def make_folders(folder: Path) -> None:
    """This folder and missing ones above it, each 0700: `Path.mkdir` leaves parents to the umask."""
    if folder.is_dir():
        return
    make_folders(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(0o700)


def check_folder(folder: Path) -> None:
    """Raises `StateUnusable` where this is a link or not our user's folder, `OSError` where it is missing."""
    facts = os.lstat(folder)
    if not stat.S_ISDIR(facts.st_mode):
        raise _foreign(folder, "a link" if stat.S_ISLNK(facts.st_mode) else "not a folder")
    if facts.st_uid != os.geteuid():
        raise _foreign(folder, "another user's")


def is_our_folder(folder: Path) -> bool:
    """Whether it is there. Raises like `check_folder` where something else is."""
    try:
        check_folder(folder)
    except FileNotFoundError:
        return False
    return True


def _foreign(path: Path, what: str) -> StateUnusable:
    return StateUnusable(f"{path} is {what}", hint="Remove it, or set MUXPILOT_STATE_DIR to another folder")


@contextlib.contextmanager
def in_memory(data: bytes) -> Iterator[int]:
    """A descriptor of a file with this in it, that has no name on any disk where the system can make one."""
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("muxpilot"), "wb", buffering=0) as file:
            write_all(file.fileno(), data)
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            yield file.fileno()
    else:
        with tempfile.TemporaryFile(prefix="muxpilot-", buffering=0) as file:
            write_all(file.fileno(), data)
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            yield file.fileno()


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
