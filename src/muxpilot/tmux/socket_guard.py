"""Which sockets may be spoken to, and where a server may be started: every connect and every tmux start asks.

A `server` is text that an agent chose, perhaps because hostile text told it to, and tmux trusts it blindly. A
client that starts a server unlinks whatever lies at the path, and PATH.lock beside it. A client obeys the
server that it finds: it writes files where it is told to, and hands over its environment.

Rules it keeps:
- Links are resolved once, and tmux gets the resolved path: what was checked is what is used.
- Whatever exists there is a socket that belongs to us, and who listens on it runs as our user.
- No other user can replace it afterwards: each folder above it belongs to us or to root, and nobody else can
  write to it, or it is sticky.
- A server is started only directly in our own tmux folder or at the path that the settings name, and only
  where no other user could put a socket first; and PATH.lock, which tmux opens and removes, is missing or
  tmux's own.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint, own_folder
from muxpilot.tmux.folder_trust import FolderTrust, Trust, trust_of

LONGEST_PATH = 103 if sys.platform == "darwin" else 107
"""Bytes that fit into the system's `sun_path`, without its NUL."""

_KINDS = {
    stat.S_IFREG: "a regular file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link that leads in a circle",
}


class State(Enum):
    ABSENT = auto()
    STALE = auto()
    """A socket that nobody listens on."""
    ALIVE = auto()


@dataclass(frozen=True, slots=True)
class Admission:
    """`path`: what tmux is to be given, as `-S`. `starts`: whether it may start a server there."""

    path: Path
    starts: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    path: Path
    state: State
    folder: FolderTrust


def admit(endpoint: Endpoint, *, may_start: bool) -> Admission:
    """Allow a tmux process on this socket; `may_start`: one whose command starts a server where none runs.

    Raises:
        SocketUnusable: what is there is not ours, or no server may be started there.
        ServerNotRunning: nobody listens, and somebody else could before tmux gets there.
        BadInput: the path is too long for a socket.
    """
    seen = _look(endpoint)
    if seen.state is State.ALIVE:
        return Admission(seen.path, may_start and _refusal(seen, endpoint) is None)
    if may_start:
        _check_start(seen, endpoint)
        return Admission(seen.path, starts=True)
    if seen.folder.trust is Trust.PRIVATE:
        return Admission(seen.path, starts=False)  # tmux itself says that nobody listens.
    raise failure.not_running(endpoint)


def state_of(endpoint: Endpoint) -> State:
    """Whether somebody listens there. A full backlog counts.

    Raises:
        SocketUnusable: what is there is not ours.
        BadInput: the path is too long for a socket.
    """
    return _look(endpoint).state


def why_not_startable(endpoint: Endpoint) -> str | None:
    """The reason why no server may be started there, if there is one. Raises like `state_of`."""
    return _refusal(_look(endpoint), endpoint)


def _look(endpoint: Endpoint) -> _Seen:
    path = endpoint.real_path
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise failure.too_long(endpoint)
    if not endpoint.is_path:
        _check_own_folder(endpoint)
    found = _lstat(path, endpoint)
    folder = trust_of(path.parent)
    if found is None:
        return _Seen(path, State.ABSENT, folder)
    if not stat.S_ISSOCK(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise failure.unusable(endpoint, f"it is not a socket but {kind}")
    if found.st_uid != os.geteuid():
        raise failure.unusable(endpoint, "it belongs to another user")
    if folder.trust is Trust.UNSAFE:
        raise failure.unsafe_folder(endpoint, f"other users can change {folder.weak}, and replace the socket")
    return _Seen(path, State.ALIVE if _is_answered(path, endpoint) else State.STALE, folder)


def _lstat(path: Path, endpoint: Endpoint) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failure.unusable(endpoint, error.strerror or str(error)) from None


def _check_own_folder(endpoint: Endpoint) -> None:
    """A name is looked up in our own tmux folder, on the terms that tmux has for it."""
    folder = own_folder(endpoint.environ)
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise failure.unsafe_folder(endpoint, error.strerror or str(error)) from None
    if not stat.S_ISDIR(found.st_mode):
        raise failure.unsafe_folder(endpoint, f"{folder} is not a folder")
    if found.st_uid != os.geteuid():
        raise failure.unsafe_folder(endpoint, f"{folder} belongs to another user")
    if found.st_mode & (stat.S_IRWXO | stat.S_IWGRP):
        raise failure.unsafe_folder(endpoint, f"{folder} has unsafe permissions")


def _refusal(seen: _Seen, endpoint: Endpoint) -> str | None:
    """Why no server may be started there."""
    if not endpoint.is_startable:
        return "no server runs there, and a call may not start one outside of the tmux folder"
    if not seen.folder.exists and seen.path.parent != own_folder(endpoint.environ):
        return "its folder does not exist"
    # Our own folder is ours to make, also in one that is shared: what is made there is looked at again.
    harmless = {Trust.PRIVATE} if seen.folder.exists else {Trust.PRIVATE, Trust.STICKY}
    if seen.folder.trust in harmless:
        return None
    return (
        f"other users can write to {seen.folder.weak or seen.path.parent}, and could put a socket there first"
    )


def _check_start(seen: _Seen, endpoint: Endpoint) -> None:
    reason = _refusal(seen, endpoint)
    if reason is not None:
        raise failure.not_startable(endpoint, reason)
    _check_lock(seen.path, endpoint)
    if not seen.folder.exists:
        _make_own_folder(endpoint)
    if seen.path.parent == own_folder(endpoint.environ):
        _check_own_folder(endpoint)


def _check_lock(path: Path, endpoint: Endpoint) -> None:
    """tmux writes nothing into its lock file: one with something in it is somebody's. It would follow a link,
    wait for a pipe, and remove any of them. What is a server's socket, or a folder, it leaves alone."""
    lock = path.with_name(f"{path.name}.lock")
    found = _lstat(lock, endpoint)
    if found is None or stat.S_ISSOCK(found.st_mode) or stat.S_ISDIR(found.st_mode):
        return
    if not stat.S_ISREG(found.st_mode) or found.st_size or found.st_uid != os.geteuid():
        raise failure.not_startable(endpoint, f"tmux would remove {lock}, which is not a lock of its own")


def _make_own_folder(endpoint: Endpoint) -> None:
    """As tmux would, which does so only for names."""
    try:
        own_folder(endpoint.environ).mkdir(mode=0o700)
    except FileExistsError:
        pass  # Another process was faster; whose folder it is gets checked next.
    except OSError as error:
        raise failure.unsafe_folder(endpoint, error.strerror or str(error)) from None


def _is_answered(path: Path, endpoint: Endpoint) -> bool:
    """Whether somebody listens. They must run as our user, and are sent nothing."""
    try:
        probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        raise failure.no_room(endpoint, error) from None
    with probe:
        probe.setblocking(False)
        try:
            probe.connect(os.fspath(path))
        except BlockingIOError:  # Its backlog is full: somebody listens.
            return True
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError as error:
            raise failure.unusable(endpoint, error.strerror or str(error)) from None
        uid = peer_uid(probe)
    if uid not in (None, os.geteuid()):
        raise failure.unusable(endpoint, "the program that listens there runs as another user")
    return True


def peer_uid(connected: socket.socket) -> int | None:
    """Who listened at the other end; None where the system does not tell."""
    if sys.platform == "linux":
        _, uid, _ = struct.unpack("iII", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return int(uid)
    if sys.platform == "darwin":
        # SOL_LOCAL, LOCAL_PEERCRED: a `struct xucred`, which begins with a version and the user.
        _, uid = struct.unpack_from("=II", connected.getsockopt(0, 1, 76))
        return int(uid)
    return None
