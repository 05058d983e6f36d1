"""Which tmux servers this user has: every socket in tmux's folder, and whether somebody answers on it.

A socket that `socket_guard` refuses is not one of this user's servers: nobody connects to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from muxpilot.errors import MuxpilotError
from muxpilot.tmux.endpoint import Endpoint, socket_folder
from muxpilot.tmux.socket_guard import State, state_of


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A socket file. `alive`: a server listens on it; otherwise it is a leftover."""

    name: str
    path: Path
    alive: bool


def find_servers(environ: Mapping[str, str] | None = None, extra: Iterable[Path] = ()) -> list[FoundServer]:
    """All sockets in the user's tmux folder and those in `extra`, by path, each once."""
    environ = os.environ if environ is None else environ
    try:
        inside = list(socket_folder(environ).iterdir())
    except OSError:  # No folder yet: no servers yet.
        inside = []
    found: dict[Path, FoundServer] = {}
    for path in (*inside, *(path.absolute() for path in extra)):
        try:
            endpoint = Endpoint(str(path), environ=environ)
            state = state_of(endpoint)
        except MuxpilotError:
            continue
        if state is not State.ABSENT:
            found.setdefault(endpoint.real_path, FoundServer(path.name, path, state is State.ALIVE))
    return sorted(found.values(), key=lambda one: one.path)


def is_alive(endpoint: Endpoint) -> bool:
    """Whether something of this user's accepts connections there.

    Raises:
        SocketUnusable: what is there is not a socket, or not this user's.
    """
    return state_of(endpoint) is State.ALIVE
