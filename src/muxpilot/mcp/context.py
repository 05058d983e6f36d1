"""What a tool gets to work with: the settings and the tmux servers."""

from __future__ import annotations

from dataclasses import dataclass

from muxpilot.config import Settings
from muxpilot.terminal.snapshot import EVERYTHING, PANES, SESSIONS, WINDOWS, Snapshot, take_snapshot
from muxpilot.terminal.target import is_pane_id, resolve
from muxpilot.tmux import Endpoint, ServerPool, TmuxServer


@dataclass(frozen=True, slots=True)
class Context:
    settings: Settings
    servers: ServerPool

    @classmethod
    def from_settings(cls, settings: Settings) -> Context:
        endpoint = Endpoint(settings.server, settings.tmux_bin, settings.tmux_config)
        return cls(settings, ServerPool(endpoint, settings.timeout))

    def tmux(self, server: str | None) -> TmuxServer:
        return self.servers.get(server)

    async def snapshot(self, server: str | None, *parts: str) -> Snapshot:
        return await take_snapshot(self.tmux(server), parts or EVERYTHING)

    async def pane_id(self, target: str, server: str | None) -> str:
        """The pane that `target` names. A pane id needs no look-up: tmux takes it as it is, or says no."""
        if is_pane_id(target):
            return target
        return resolve(await self.snapshot(server, SESSIONS, WINDOWS, PANES), target).pane.pane_id
