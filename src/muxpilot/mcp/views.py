"""How sessions, windows and panes look from outside: libtmux-mcp's field names, real types."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from muxpilot.terminal.model import BriefPane, Pane, Session, Window
from muxpilot.terminal.snapshot import Snapshot

SESSION_COLUMNS = ("session_id", "session_name", "window_count", "session_attached", "active_pane_id")
WINDOW_COLUMNS = (
    *("window_id", "session_name", "window_index", "window_name", "window_active"),
    *("pane_count", "window_width", "window_height", "active_pane_id"),
)
PANE_COLUMNS = (
    *("pane_id", "window_id", "session_id", "pane_index", "pane_active", "pane_width", "pane_height"),
    *("pane_current_command", "pane_current_path", "pane_title"),
)

_INNER_PANE_FIELDS = {"pane_synchronized", "alternate_on", "history_limit", "pane_dead_status"}
_PANE_FIELDS = [field.name for field in fields(Pane) if field.name not in _INNER_PANE_FIELDS]
BRIEF_FIELDS = [field.name for field in fields(BriefPane)]


def session_view(snapshot: Snapshot, session: Session) -> dict[str, Any]:
    """`session_attached` counts people only."""
    return {
        "session_id": session.session_id,
        "session_name": session.session_name,
        "window_count": session.session_windows,
        "session_attached": snapshot.people_attached(session.session_id),
        "session_created": session.session_created,
        "session_activity": session.session_activity,
        "active_pane_id": session.active_pane_id,
    }


def window_view(window: Window) -> dict[str, Any]:
    return {
        "window_id": window.window_id,
        "window_name": window.window_name,
        "window_index": window.window_index,
        "session_id": window.session_id,
        "session_name": window.session_name,
        "pane_count": window.window_panes,
        "window_layout": window.window_layout,
        "window_active": window.window_active,
        "window_width": window.window_width,
        "window_height": window.window_height,
        "window_zoomed": window.window_zoomed_flag,
        "active_pane_id": window.active_pane_id,
    }


def pane_view(pane: Pane) -> dict[str, Any]:
    return {name: getattr(pane, name) for name in _PANE_FIELDS}
