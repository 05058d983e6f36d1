"""A configuration file on disk: read whole, written whole or not at all, its old self kept beside it.

A link stays a link: what it points to is changed. Nothing is written over what somebody else wrote meanwhile,
nor over anything but a regular file: a device, a pipe, a socket and a folder stay what they are.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from muxpilot.cli.install.failure import ConfigRefused, Malformed
from muxpilot.terminal.private import make_folders

BACKUP = ".muxpilot-backup"
PRIVATE = 0o600


def read(file: Path) -> bytes | None:
    """None where there is no file. Raises `ConfigRefused` where something else is."""
    with _told(file):
        try:
            _check_regular(file)
            return file.read_bytes()
        except FileNotFoundError:
            return None


def text(content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        raise Malformed.at(before, len(before), "this is not UTF-8") from None


def write(file: Path, old: bytes | None, new: bytes) -> Path | None:
    """Put the new content in place of the old; returns the backup, where there was something to keep.

    Raises:
        ConfigRefused: it could not be written, or is not what it was when it was read. Nothing has changed.
    """
    with _told(file):
        real = Path(os.path.realpath(file))
        with contextlib.suppress(FileNotFoundError):
            _check_regular(real)
        if old is not None:
            # To put another in its place takes no right to write it, but that is what is being done.
            real.open("r+b").close()
        make_folders(real.parent)
        with _written(real, new) as temporary, _kept(file, real, old) as backup:
            if read(file) != old:
                raise ConfigRefused(f"{file} was changed by another program just now", hint="Try again")
            temporary.replace(real)
            return backup


def _check_regular(file: Path) -> None:
    """Before it is opened: to open a device can do something, and a pipe would keep us waiting."""
    mode = file.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if not stat.S_ISREG(mode):
        raise ConfigRefused(f"{file} is not a regular file", hint="Name a file with --config, or use --print")


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or file
        raise ConfigRefused(f"{where}: {error.strerror}", hint="--print shows what to add by hand") from None


@contextmanager
def _written(real: Path, content: bytes) -> Iterator[Path]:
    """A new file beside the real one, safely on disk, with its mode and owner. Gone if it is not used."""
    handle, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
    try:
        _fill(handle, content)
        if real.exists():
            _look_like(Path(name), real)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def _kept(file: Path, real: Path, content: bytes | None) -> Iterator[Path | None]:
    """The old content beside the file, under a name that nothing has. Gone if it comes to nothing."""
    if content is None:
        yield None
        return
    backup, handle = _new_backup(file)
    try:
        _fill(handle, content)
        _look_like(backup, real)
        yield backup
    except BaseException:
        backup.unlink(missing_ok=True)
        raise


def _new_backup(file: Path) -> tuple[Path, int]:
    for number in count(1):
        backup = file.with_name(f"{file.name}{BACKUP}{'' if number == 1 else f'-{number}'}")
        with contextlib.suppress(FileExistsError):
            return backup, os.open(backup, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE)
    raise AssertionError


def _fill(handle: int, content: bytes) -> None:
    with open(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(handle)


def _look_like(file: Path, model: Path) -> None:
    ours, theirs = file.stat(), model.stat()
    if (ours.st_uid, ours.st_gid) != (theirs.st_uid, theirs.st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(file, theirs.st_uid, theirs.st_gid)
    file.chmod(theirs.st_mode & 0o7777)
