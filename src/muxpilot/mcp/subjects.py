"""What it takes to follow each kind of resource: how it is looked at, and what hints that it has changed.

A look is a read of the resource. Numbers that move by themselves are no change; a pane's text is not read to
see whether it has changed: that its program wrote something says so.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from muxpilot.mcp import resources
from muxpilot.mcp.context import Context
from muxpilot.mcp.resources import Kinds
from muxpilot.mcp.uris import Address, parse
from muxpilot.terminal.describe import facts_of_pane
from muxpilot.terminal.follow import Sight, Subject
from muxpilot.tmux import Columns, Ended, Opened, Paused, TmuxServer
from muxpilot.tmux.events import (
    ClientDetached,
    ClientSessionChanged,
    LayoutChanged,
    PaneModeChanged,
    SessionRenamed,
    SessionsChanged,
    SessionWindowChanged,
    SubscriptionChanged,
    WindowAdded,
    WindowClosed,
    WindowPaneChanged,
    WindowRenamed,
)

LISTING_PAUSE = 1.0
"""Seconds between two notices that the list of resources has changed."""

_MOVING = {"session_activity", "history_size"}

_EXISTENCE = (Opened, Ended, SessionsChanged, SessionRenamed, WindowAdded, WindowClosed)
_SESSION = (
    *(*_EXISTENCE, SessionWindowChanged, WindowPaneChanged, WindowRenamed, LayoutChanged),
    *(ClientSessionChanged, ClientDetached),
)
_PANE = (
    *(*_EXISTENCE, SessionWindowChanged, WindowPaneChanged, WindowRenamed, LayoutChanged),
    *(PaneModeChanged, SubscriptionChanged),
)
_HEEDS: dict[str, tuple[type, ...]] = {
    "sessions": (*_EXISTENCE, SessionWindowChanged, WindowPaneChanged, ClientSessionChanged, ClientDetached),
    "session": _SESSION,
    "windows": _SESSION,
    "window": _PANE,
    "pane": _PANE,
    "content": (*_EXISTENCE, LayoutChanged, SubscriptionChanged, Paused),
}


@dataclass(frozen=True, slots=True)
class _Screen:
    """What can change on a pane's screen though its program has written nothing."""

    pane_id: str
    session_id: str
    pane_width: int
    pane_height: int
    pane_pid: int | None
    pane_dead: bool
    alternate_on: bool
    history_size: int
    cursor_x: int
    cursor_y: int


_SCREEN = Columns(_Screen)


def subject_of(context: Context, uri: str) -> tuple[TmuxServer, Subject]:
    """How to follow this resource. Raises `MuxpilotError` where the URI can be none."""
    address = parse(uri)
    look = _look_at_screen if address.kind == "content" else _look_at_details
    mortal = address.kind in {"pane", "content"}
    return context.tmux(address.server), Subject(
        look=lambda: look(context, address),
        heeds=_HEEDS[address.kind],
        output_counts=address.kind == "content",
        mortal=mortal,
    )


def listing_subject(context: Context, kinds: Kinds) -> tuple[TmuxServer, Subject]:
    """How to follow the list of resources itself."""
    return context.tmux(None), Subject(
        look=lambda: _look_at_listing(context, kinds),
        heeds=(*_EXISTENCE, WindowPaneChanged, LayoutChanged),
        pause=LISTING_PAUSE,
    )


async def _look_at_screen(context: Context, address: Address) -> Sight:
    screen = await facts_of_pane(context.tmux(address.server), _SCREEN, address.pane_id)
    return Sight(screen, screen.session_id, screen.pane_id)


async def _look_at_details(context: Context, address: Address) -> Sight:
    body = await resources.KINDS[address.kind].read(context, address)
    assert isinstance(body, dict)
    return Sight(
        _state(body),
        session_id=_session_id(body),
        pane_id=body.get("pane_id"),
        running=body.get("server_running", True),
    )


async def _look_at_listing(context: Context, kinds: Kinds) -> Sight:
    entries = (await resources.listing(context, kinds))["resources"]
    names = tuple((entry["uri"], entry["name"]) for entry in entries)
    return Sight(names, running=len(names) > 1)


def _session_id(body: dict[str, Any]) -> str | None:
    """The session that the thing is in, or that its windows are in."""
    inside = body if "session_id" in body else next(iter(body.get("windows", ())), {})
    found: str | None = inside.get("session_id")
    return found


def _state(body: dict[str, Any]) -> Hashable:
    return json.dumps(_still(body), sort_keys=True)


def _still(value: Any) -> Any:
    """The same without what moves by itself."""
    if isinstance(value, dict):
        return {name: _still(one) for name, one in value.items() if name not in _MOVING}
    return [_still(one) for one in value] if isinstance(value, list) else value
