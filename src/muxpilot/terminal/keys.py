"""Typing into a pane: keys and text, where they will arrive, or a refusal that says why."""

from __future__ import annotations

from dataclasses import dataclass

from muxpilot.errors import PaneRefused
from muxpilot.tmux import Columns, TmuxServer


@dataclass(frozen=True, slots=True)
class _Readiness:
    pane_id: str
    pane_dead: bool
    pane_mode: str


_READINESS = Columns(_Readiness)


async def send_keys(
    server: TmuxServer, pane_id: str, keys: str, *, enter: bool = True, literal: bool = False
) -> None:
    """Type into the pane. Unless `literal`, a whole string that names a key (`C-c`, `Up`, `F5`) is that key.

    Raises:
        PaneRefused: the pane is dead, or in a mode (copy mode) that would swallow the keys. Nothing is typed.
    """
    await check_ready(server, pane_id)
    commands = [["send-keys", "-t", pane_id, *(["-l"] if literal else []), "--", keys]] if keys else []
    if enter:
        commands.append(["send-keys", "-t", pane_id, "Enter"])
    if commands:
        await server.call_all(commands)


async def check_ready(server: TmuxServer, pane_id: str) -> None:
    request = _READINESS.request()
    reply = await server.call("display-message", "-p", "-t", pane_id, request.format)
    (pane,) = request.read(reply.text, await server.server_version())
    if pane.pane_dead:
        raise PaneRefused(
            f"the program in pane {pane_id} has ended, so nothing was typed",
            hint="respawn_pane starts it anew",
        )
    if pane.pane_mode:
        raise PaneRefused(
            f"pane {pane_id} is in {pane.pane_mode}, which would swallow the keys, so nothing was typed",
            hint="exit_copy_mode leaves it; a person may be reading there",
        )
