"""The tmux servers in use, one object each, whatever name, path or link leads to their socket."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from weakref import WeakValueDictionary

from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.server import Guard, TmuxServer


class ServerPool:
    """Hands out a `TmuxServer` per socket, and closes them all at the end.

    Only those that have been connected are kept: whoever makes up server names does not fill the memory.
    """

    def __init__(
        self, default: Endpoint, timeout: float, home: str = "muxpilot", guard: Guard | None = None
    ) -> None:
        """`home` names the session that our clients attach to if it exists; each server gets `guard`."""
        self._default = default
        self._timeout = timeout
        self._home = home
        self._guard = guard
        self._known: WeakValueDictionary[Path, TmuxServer] = WeakValueDictionary()
        self._connected: set[TmuxServer] = set()

    def get(self, server: str | None = None) -> TmuxServer:
        """The server of that name or path; the configured one where none is given."""
        configured = self._configured  # Made first: other spellings of its socket lead to it.
        if server is None:
            return configured
        return self._at(replace(self._default, server=server, named_by_settings=False))

    @cached_property
    def _configured(self) -> TmuxServer:
        return self._at(self._default)

    def _at(self, endpoint: Endpoint) -> TmuxServer:
        path = endpoint.real_path
        found = self._known.get(path) or self._hard_linked(path)
        if found is None:
            found = TmuxServer(
                endpoint,
                timeout=self._timeout,
                home=self._home,
                on_connect=self._connected.add,
                guard=self._guard,
            )
            self._known[path] = found
        return found

    def _hard_linked(self, path: Path) -> TmuxServer | None:
        """The known server whose socket is this one under another name."""
        try:
            found = os.lstat(path)
            if found.st_nlink < 2:
                return None
        except OSError:
            return None
        return next((server for known, server in self._known.items() if _is_same(found, known)), None)

    async def close(self) -> None:
        await asyncio.gather(*(server.close() for server in self._connected))
        self._connected.clear()


def _is_same(found: os.stat_result, path: Path) -> bool:
    try:
        return os.path.samestat(found, os.lstat(path))
    except OSError:
        return False
