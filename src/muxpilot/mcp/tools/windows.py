"""Tools that make and change windows and sessions."""

from __future__ import annotations

from typing import Annotated, Literal

from muxpilot.config import Tier
from muxpilot.errors import BadInput
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result, details
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import ARRANGES, ENDS, RESETS, STARTS, tool
from muxpilot.mcp.tools.parameters import Cells, Environment, Server, SessionTarget, WindowTarget
from muxpilot.mcp.views import session_view, window_view
from muxpilot.terminal import sessions, windows
from muxpilot.terminal.describe import window_now


@tool(Tier.MUTATING, STARTS)
async def create_window(
    context: Context,
    target: SessionTarget,
    window_name: str | None = None,
    start_directory: str | None = None,
    attach: Annotated[bool, Field(description="make it the session's current window")] = False,
    direction: Annotated[
        Literal["before", "after"] | None, Field(description="beside the current window, not at the end")
    ] = None,
    environment: Environment = None,
    server: Server = None,
) -> Result:
    """Add a window with a shell to a session. For a pane beside an existing one use split_window."""
    tmux = context.tmux(server)
    window = await windows.create_window(
        tmux,
        await context.session_id(target, server),
        name=window_name,
        start_directory=start_directory,
        attach=attach,
        direction=direction,
        environment=environment,
    )
    context.attention.made(tmux, window.active_pane_id)
    return details(window_view(window))


@tool(Tier.MUTATING, RESETS)
async def rename_session(
    context: Context, target: SessionTarget, new_name: str, server: Server = None
) -> Result:
    """Rename a session. Its id stays; targets by the old name no longer work."""
    session_id = await context.exact_id("session", target, server, tools="rename")
    snapshot = await sessions.rename_session(context.tmux(server), session_id, new_name)
    return details(session_view(snapshot, snapshot.sessions[0]))


@tool(Tier.MUTATING, RESETS)
async def rename_window(
    context: Context, target: WindowTarget, new_name: str, server: Server = None
) -> Result:
    """Rename a window; it then keeps this name whatever runs in it."""
    window_id = await context.window_id(target, server)
    return details(window_view(await windows.rename_window(context.tmux(server), window_id, new_name)))


@tool(Tier.MUTATING, ARRANGES)
async def select_window(
    context: Context,
    target: Annotated[str, Field(description="window; with direction its session ($1, name) will do")],
    direction: Literal["next", "previous", "last"] | None = None,
    server: Server = None,
) -> Result:
    """Make a window its session's current one. People who watch see the change."""
    tmux = context.tmux(server)
    if direction is not None:
        session_id = await context.session_id(target, server)
        return details(window_view(await windows.step_window(tmux, session_id, direction)))
    return details(window_view(await windows.select_window(tmux, await context.window_id(target, server))))


@tool(Tier.MUTATING, RESETS)
async def select_layout(context: Context, target: WindowTarget, layout: str, server: Server = None) -> Result:
    """Arrange a window's panes: even-/main-horizontal/-vertical, tiled, or an earlier window_layout."""
    window_id = await context.window_id(target, server)
    return details(window_view(await windows.select_layout(context.tmux(server), window_id, layout)))


@tool(Tier.MUTATING, RESETS)
async def resize_window(
    context: Context, target: WindowTarget, width: Cells = None, height: Cells = None, server: Server = None
) -> Result:
    """Set a window's size by hand; it then no longer follows the terminals of people who watch."""
    window_id = await context.window_id(target, server)
    return details(window_view(await windows.resize_window(context.tmux(server), window_id, width, height)))


@tool(Tier.MUTATING, ENDS)
async def move_window(
    context: Context,
    target: WindowTarget,
    destination_index: Annotated[str | int, Field(description="empty: the next free one")] = "",
    destination_session: Annotated[
        str | None, Field(description="$1 or exact name; default: its own")
    ] = None,
    server: Server = None,
) -> Result:
    """Move a window to another index, or to another session. Its id stays."""
    tmux, window_id = context.tmux(server), await context.window_id(target, server)
    if destination_session is None:
        if destination_index == "":
            raise BadInput(
                "neither destination is given", hint="Give destination_index or destination_session"
            )
        session_id = (await window_now(tmux, window_id)).session_id
    else:
        session_id = await context.session_id(destination_session, server)
    await context.caller.guard_move(window_id, session_id, tmux)
    moved = await windows.move_window(
        tmux, window_id, session_id, str(destination_index), may_end_sessions=context.may_end_sessions
    )
    return details(window_view(moved))
