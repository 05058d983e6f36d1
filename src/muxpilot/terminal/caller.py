"""The terminal that muxpilot itself runs in, which an agent must not pull from under its own feet.

Pane ids are only unique within one tmux server, so the sockets decide: an agent in one server may kill pane
%1 of another. Where our own socket is unknown, a matching id counts as ours.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.errors import PaneRefused
from muxpilot.terminal.model import Pane
from muxpilot.terminal.snapshot import PANES, take_snapshot
from muxpilot.tmux import TmuxServer

HINT = "Ask the user to do it, if it must be done"


@dataclass(frozen=True, slots=True)
class Caller:
    """`pane_id` is None outside of tmux."""

    pane_id: str | None = None
    socket: str | None = None

    def is_pane(self, pane_id: str, server: TmuxServer) -> bool:
        return self.pane_id == pane_id and self.may_be_on(server)

    def among(self, pane_ids: Sequence[str], server: TmuxServer) -> list[bool]:
        """Of each pane, whether it is ours."""
        if not self.may_be_on(server):
            return [False] * len(pane_ids)
        return [pane_id == self.pane_id for pane_id in pane_ids]

    def may_be_on(self, server: TmuxServer) -> bool:
        if self.pane_id is None:
            return False
        return self.socket is None or os.path.realpath(self.socket) == os.path.realpath(
            server.endpoint.socket_path
        )

    def guard_server(self, server: TmuxServer) -> None:
        """`PaneRefused` where muxpilot runs in this server."""
        if self.may_be_on(server):
            raise PaneRefused("muxpilot itself runs in this tmux server: it was not killed", hint=HINT)

    def guard_pane(self, pane_id: str, server: TmuxServer) -> None:
        if self.is_pane(pane_id, server):
            raise PaneRefused(f"muxpilot itself runs in pane {pane_id}: nothing was done to it", hint=HINT)

    async def guard_window(self, window_id: str, server: TmuxServer) -> None:
        if self.may_be_on(server) and any(pane.window_id == window_id for pane in await self._places(server)):
            raise PaneRefused(f"muxpilot itself runs in window {window_id}: it was not killed", hint=HINT)

    async def guard_session(self, session_id: str, server: TmuxServer) -> None:
        if self.may_be_on(server) and any(
            pane.session_id == session_id for pane in await self._places(server)
        ):
            raise PaneRefused(f"muxpilot itself runs in session {session_id}: it was not killed", hint=HINT)

    async def _places(self, server: TmuxServer) -> list[Pane]:
        """Our own pane, once for each session that shows it."""
        panes = (await take_snapshot(server, [PANES])).panes
        return [pane for pane in panes if pane.pane_id == self.pane_id]
