"""A pane's screen with what a reader must know of it: cursor, mode, scroll position."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from muxpilot.terminal.describe import facts_of_pane
from muxpilot.terminal.sight import Place, place_of
from muxpilot.tmux import Columns, TmuxServer, read_pane


@dataclass(frozen=True, slots=True)
class Screen:
    pane_id: str
    cursor_x: int
    cursor_y: int
    pane_width: int
    pane_height: int
    pane_left: int
    pane_top: int
    pane_right: int
    pane_bottom: int
    pane_at_left: bool
    pane_at_right: bool
    pane_at_top: bool
    pane_at_bottom: bool
    pane_in_mode: bool
    scroll_position: int | None
    history_size: int
    alternate_on: bool
    pane_dead: bool
    pane_mode: str | None
    pane_title: str
    pane_tty: str
    pane_current_command: str
    pane_current_path: str

    def facts(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


_SCREEN = Columns(Screen)


async def look_at(server: TmuxServer, pane_id: str) -> tuple[Place, Screen, list[str]]:
    """The screen's facts and its lines, blank ones at the end left out."""
    place = await place_of(server, pane_id)
    screen = await facts_of_pane(server, _SCREEN, pane_id)
    return place, screen, (await read_pane(server, pane_id)).rstrip("\n").split("\n")
