"""The tmux servers in use, one object each, by socket name or path."""

from __future__ import annotations

from dataclasses import replace

from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.server import TmuxServer

LIMIT = 32
"""How many are remembered; whoever makes up server names must not fill the memory with them."""


class ServerPool:
    """Hands out a `TmuxServer` per socket, and closes them all at the end."""

    def __init__(self, default: Endpoint, timeout: float) -> None:
        self._default = default
        self._timeout = timeout
        self._servers: dict[str, TmuxServer] = {}

    def get(self, server: str | None = None) -> TmuxServer:
        """The server of that name or path; the configured one where none is given."""
        endpoint = self._default if server is None else replace(self._default, server=server)
        found = self._servers.get(endpoint.server)
        if found is None:
            self._forget_idle()
            found = self._servers[endpoint.server] = TmuxServer(endpoint, timeout=self._timeout)
        return found

    async def close(self) -> None:
        for server in self._servers.values():
            await server.close()
        self._servers.clear()

    def _forget_idle(self) -> None:
        if len(self._servers) >= LIMIT:
            self._servers = {name: one for name, one in self._servers.items() if one.in_use}
