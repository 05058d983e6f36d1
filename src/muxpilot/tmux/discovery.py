"""Which tmux servers this user has: every socket in tmux's folder, and whether somebody answers on it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from muxpilot.tmux.endpoint import socket_folder

PROBE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A socket file. `alive`: a server listens on it; otherwise it is a leftover."""

    name: str
    path: Path
    alive: bool


def find_servers(environ: Mapping[str, str] | None = None, extra: Iterable[Path] = ()) -> list[FoundServer]:
    """All sockets in the user's tmux folder and those in `extra`, by path, live ones told by a connect."""
    folder = socket_folder(os.environ if environ is None else environ)
    try:
        inside = [path for path in folder.iterdir() if path.is_socket()]
    except OSError:  # No folder yet: no servers yet.
        inside = []
    paths = sorted({*inside, *(path for path in extra if path.is_socket())})
    return [FoundServer(path.name, path, is_alive(path)) for path in paths]


def is_alive(path: Path) -> bool:
    """Whether something accepts connections there. A full backlog counts: somebody is listening."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            probe.connect(os.fspath(path))
        except (BlockingIOError, TimeoutError):
            return True
        except OSError:
            return False
    return True
