"""Fourteen `tmux_*` tools, which answer in sentences, and begin a refusal with "Error:"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Literal

from muxpilot.config import Tier
from muxpilot.errors import BadInput, MuxpilotError, ServerNotRunning, TargetNotFound
from muxpilot.mcp import visible
from muxpilot.mcp.arguments import Handler
from muxpilot.mcp.compat.answers import as_json, rows, sessions_of
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import ARRANGES, ENDS, LOOKS, RESETS, Hints, Tool, tool
from muxpilot.mcp.tools import act, destroy, look
from muxpilot.terminal import panes, sessions, windows
from muxpilot.terminal.snapshot import CLIENTS, PANES, SESSIONS, WINDOWS
from muxpilot.terminal.target import panes_within, parts_for, resolve_session

_GROWTH = {"up": "-U", "down": "-D", "left": "-L", "right": "-R"}
_MISSING = re.compile(r"no (session|window|pane) ")

Target = Annotated[str, Field(description="session:window.pane by name or index, or %3")]
Command = Annotated[str | None, Field(description="runs instead of a shell")]


def friendly(error: MuxpilotError) -> str:
    """The condition, and which of these tools helps."""
    if isinstance(error, ServerNotRunning):
        return "tmux server is not running. Start a session first with tmux_create_session."
    missing = _MISSING.match(error.message) if isinstance(error, TargetNotFound) else None
    if missing is None:
        return str(error)
    kind = missing[1]
    return f"{kind.capitalize()} not found. Use tmux_list_{kind}s to see available {kind}s."


def classic(
    tier: Tier, hints: Hints | None = None, says: Callable[[MuxpilotError], str] | None = None
) -> Callable[[Handler], Tool]:
    return tool(tier, hints, says=says or (lambda error: f"Error: {friendly(error)}"))


@classic(Tier.READONLY, LOOKS, friendly)
async def tmux_list_sessions(context: Context) -> Result:
    """List all active tmux sessions: name, windows, creation time, whether somebody is attached."""
    try:
        snapshot = await context.snapshot(None, SESSIONS, CLIENTS)
    except TargetNotFound:
        return Result("No tmux sessions found.", {"count": 0, "sessions": []})
    return as_json(sessions_of(snapshot))


@classic(Tier.MUTATING)
async def tmux_create_session(
    context: Context, name: str, command: Command = None, window_name: str | None = None
) -> Result:
    """Create a new tmux session; returns its ids."""
    tmux = context.tmux(None)
    made = await sessions.create_session(tmux, name=name, window_name=window_name, shell=command)
    context.attention.made(tmux, made.pane_id)
    ids = f"session_id={made.session_id} window_id={made.window_id} pane_id={made.pane_id}"
    said = [f"Session '{name}' created. {ids}", *made.warnings]
    return Result("\n".join(map(visible.line, said)), form=visible.lines)


@classic(Tier.MUTATING, RESETS)
async def tmux_rename_session(context: Context, old_name: str, new_name: str) -> Result:
    """Rename a session."""
    session_id = await context.exact_id("session", old_name, None, tools="")
    await sessions.rename_session(context.tmux(None), session_id, new_name)
    return Result(f"Session '{old_name}' renamed to '{new_name}'.")


@classic(Tier.DESTRUCTIVE, ENDS)
async def tmux_kill(
    context: Context, target: str, type: Literal["session", "window", "pane"] = "pane"
) -> Result:
    """Kill a session, window or pane."""
    kill = {"session": destroy.kill_session, "window": destroy.kill_window, "pane": destroy.kill_pane}[type]
    if target[:1] in {"%", "@", "$"}:
        await kill.handler(context, target)
    else:  # A name means, as it does to tmux, the session or the window or the pane that it leads to.
        lead = {"session": context.session_id, "window": context.window_id, "pane": context.pane_id}[type]
        await kill.handler(context, await lead(target, None))
    return Result(f"Killed {type} '{target}'.")


@classic(Tier.READONLY, LOOKS)
async def tmux_list_windows(context: Context, session: str | None = None) -> Result:
    """List windows, of one session or of all: session, index, id, name, active, panes, active pane."""
    snapshot = await context.snapshot(None, WINDOWS, *(parts_for(session) if session else ()))
    found = snapshot.windows
    if session:
        found = snapshot.windows_of[resolve_session(snapshot, session).session_id]
    return rows(
        (
            *(one.session_name, one.window_index, one.window_id, one.window_name),
            *(int(one.window_active), f"{one.window_panes} panes", one.active_pane_id),
        )
        for one in found
    )


@classic(Tier.MUTATING)
async def tmux_create_window(
    context: Context, session: str, name: str | None = None, command: Command = None
) -> Result:
    """Create a new window in an existing session; returns its ids."""
    tmux = context.tmux(None)
    session_id = await context.session_id(session, None)
    made = await windows.create_window(tmux, session_id, name=name, attach=True, shell=command)
    context.attention.made(tmux, made.active_pane_id)
    ids = f"window_id={made.window_id} window_index={made.window_index} pane_id={made.active_pane_id}"
    return Result(f"Window created in session '{session}'. {ids}")


@classic(Tier.MUTATING, ARRANGES)
async def tmux_select_window(context: Context, target: Target) -> Result:
    """Switch to a window."""
    await windows.select_window(context.tmux(None), await context.window_id(target, None))
    return Result(f"Selected window '{target}'.")


@classic(Tier.MUTATING, RESETS)
async def tmux_rename_window(context: Context, target: Target, new_name: str) -> Result:
    """Rename a window."""
    await windows.rename_window(context.tmux(None), await context.window_id(target, None), new_name)
    return Result(f"Window '{target}' renamed to '{new_name}'.")


@classic(Tier.READONLY, LOOKS)
async def tmux_list_panes(context: Context, target: str | None = None) -> Result:
    """List panes, of a session, of a window or all: session, window, id, index, size, active, program."""
    snapshot = await context.snapshot(None, SESSIONS, WINDOWS, PANES)
    found = panes_within(snapshot, target) if target else snapshot.panes
    places = {(one.session_id, one.window_id): one for one in snapshot.windows}
    return rows(
        (
            *(where.session_name, where.window_index, one.pane_id, one.pane_index),
            *(f"{one.pane_width}x{one.pane_height}", int(one.pane_active), one.pane_current_command),
        )
        for one in found
        if (where := places.get((one.session_id, one.window_id))) is not None
    )


@classic(Tier.MUTATING)
async def tmux_split_window(
    context: Context,
    target: Target,
    horizontal: Annotated[bool, Field(description="top/bottom instead of left/right")] = False,
    size: Annotated[str | int | None, Field(description="'50%', or lines/columns")] = None,
    command: Command = None,
) -> Result:
    """Split a pane in two; returns the new pane's id."""
    tmux = context.tmux(None)
    pane_id = await context.pane_id(target, None)
    direction = "below" if horizontal else "right"
    made = await panes.split_window(tmux, pane_id, direction=direction, size=size, shell=command)
    context.attention.made(tmux, made.pane_id)
    await panes.select_pane(tmux, made.pane_id, None)
    return Result(f"Pane created. pane_id={made.pane_id}")


@classic(Tier.MUTATING, ARRANGES)
async def tmux_select_pane(context: Context, target: Target) -> Result:
    """Select/focus a pane."""
    await panes.select_pane(context.tmux(None), await context.pane_id(target, None), None)
    return Result(f"Selected pane '{target}'.")


@classic(Tier.MUTATING, ARRANGES)
async def tmux_resize_pane(
    context: Context,
    target: Target,
    direction: Annotated[str | None, Field(description="up, down, left or right")] = None,
    amount: Annotated[int, Field(ge=1, le=10000)] = 5,
    width: Annotated[int | None, Field(ge=1, le=10000)] = None,
    height: Annotated[int | None, Field(ge=1, le=10000)] = None,
) -> Result:
    """Resize a pane: by `amount` cells in a direction, or to a width and height."""
    tmux, pane_id = context.tmux(None), await context.pane_id(target, None)
    if width is not None or height is not None:
        await panes.resize_pane(tmux, pane_id, width, height, None)
    elif direction in _GROWTH:
        await tmux.call("resize-pane", "-t", pane_id, _GROWTH[direction], "--", str(amount))
    else:
        raise BadInput("direction must be 'up', 'down', 'left', or 'right'.")
    return Result(f"Pane '{target}' resized.")


@classic(Tier.MUTATING)
async def tmux_send_keys(
    context: Context,
    target: Target,
    keys: Annotated[str, Field(description="text, or one key: Enter, C-c, Up")],
    literal: Annotated[bool, Field(description="type key names as text")] = False,
) -> Result:
    """Send keys to a pane. Enter is a key of its own."""
    await act.send_keys.handler(context, target, keys, enter=False, literal=literal)
    return Result(f"Keys sent to '{target}'.")


@classic(Tier.READONLY, LOOKS)
async def tmux_read_pane(
    context: Context,
    target: Target,
    line_count: Annotated[
        int | None, Field(ge=1, description="lines; without start_line the last ones")
    ] = None,
    start_line: Annotated[int | None, Field(description="0 is the top of the screen, -50 scrollback")] = None,
) -> Result:
    """Read a pane's text."""
    if start_line is None and line_count is not None:
        text = (await look.capture_pane.handler(context, target, -line_count, None, None)).text
        return Result("\n".join(text.split("\n")[-line_count:]), form=visible.pane_text)
    end = None if start_line is None or line_count is None else start_line + line_count - 1
    return await look.capture_pane.handler(context, target, start_line, end, None)
