"""The tmux servers in use, one object each, by socket name or path."""

from __future__ import annotations

import asyncio
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
        if server is None:
            return self._configured
        return self._at(replace(self._default, server=server))

    @cached_property
    def _configured(self) -> TmuxServer:
        return self._at(self._default)

    def _at(self, endpoint: Endpoint) -> TmuxServer:
        found = self._known.get(endpoint.socket_path)
        if found is None:
            found = TmuxServer(
                endpoint,
                timeout=self._timeout,
                home=self._home,
                on_connect=self._connected.add,
                guard=self._guard,
            )
            self._known[endpoint.socket_path] = found
        return found

    async def close(self) -> None:
        await asyncio.gather(*(server.close() for server in self._connected))
        self._connected.clear()
