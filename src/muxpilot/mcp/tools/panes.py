"""Tools that make and change panes."""

from __future__ import annotations

from typing import Annotated, Literal

from muxpilot.config import Tier
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result, details
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import ARRANGES, ENDS, RESETS, STARTS, tool
from muxpilot.mcp.tools.parameters import Cells, Environment, PaneTarget, Server, Size, Split
from muxpilot.terminal import panes
from muxpilot.terminal.target import is_window_id


@tool(Tier.MUTATING, STARTS)
async def split_window(
    context: Context,
    target: PaneTarget,
    direction: Split = "below",
    size: Size = None,
    start_directory: str | None = None,
    shell: Annotated[
        str | None, Field(description="command to run instead of a shell; the pane ends with it")
    ] = None,
    environment: Environment = None,
    server: Server = None,
) -> Result:
    """Split a pane in two; the new one has a shell, the old one keeps the focus. Returns the new pane."""
    tmux = context.tmux(server)
    pane = await panes.split_window(
        tmux,
        await context.pane_id(target, server),
        direction=direction,
        size=size,
        start_directory=start_directory,
        shell=shell,
        environment=environment,
    )
    context.attention.made(tmux, pane.pane_id)
    return details(await context.pane_view(pane, server))


@tool(Tier.MUTATING, ARRANGES)
async def select_pane(
    context: Context,
    target: PaneTarget,
    direction: Literal["up", "down", "left", "right", "last", "next", "previous"] | None = None,
    server: Server = None,
) -> Result:
    """Focus a pane, or the one in that direction from it (from a window's active pane: window @2)."""
    place = target if is_window_id(target) else await context.pane_id(target, server)
    return details(
        await context.pane_view(await panes.select_pane(context.tmux(server), place, direction), server)
    )


@tool(Tier.MUTATING, RESETS)
async def resize_pane(
    context: Context,
    target: PaneTarget,
    width: Cells = None,
    height: Cells = None,
    zoom: Annotated[bool | None, Field(description="fill the window, or go back")] = None,
    server: Server = None,
) -> Result:
    """Set a pane's size in cells, or zoom it. Its neighbours give or take the space."""
    pane_id = await context.pane_id(target, server)
    pane = await panes.resize_pane(context.tmux(server), pane_id, width, height, zoom)
    return details(await context.pane_view(pane, server))


@tool(Tier.MUTATING, RESETS)
async def set_pane_title(context: Context, target: PaneTarget, title: str, server: Server = None) -> Result:
    """Give a pane a title. The program in it may change it again."""
    pane_id = await context.pane_id(target, server)
    return details(
        await context.pane_view(await panes.set_pane_title(context.tmux(server), pane_id, title), server)
    )


@tool(Tier.MUTATING, ARRANGES)
async def swap_pane(
    context: Context, source: PaneTarget, target: PaneTarget, server: Server = None
) -> Result:
    """Exchange the places of two panes. Returns the source pane."""
    tmux = context.tmux(server)
    pair = await context.pane_id(source, server), await context.pane_id(target, server)
    return details(await context.pane_view(await panes.swap_pane(tmux, *pair), server))


@tool(Tier.MUTATING, ENDS)
async def break_pane(
    context: Context,
    target: PaneTarget,
    window_name: str | None = None,
    destination_session: Annotated[
        str | None, Field(description="$1 or exact name; default: its own")
    ] = None,
    server: Server = None,
) -> Result:
    """Move a pane into a window of its own."""
    session = None
    if destination_session is not None:
        session = await context.session_id(destination_session, server)
    pane_id = await context.pane_id(target, server)
    if session is not None:
        await context.caller.guard_move(pane_id, session, context.tmux(server))
    pane = await panes.break_pane(
        context.tmux(server), pane_id, session, window_name, may_end_sessions=context.may_end_sessions
    )
    return details(await context.pane_view(pane, server))


@tool(Tier.MUTATING, ENDS)
async def join_pane(
    context: Context,
    source: PaneTarget,
    target: PaneTarget,
    direction: Split = "below",
    size: Size = None,
    server: Server = None,
) -> Result:
    """Move the source pane beside the target pane."""
    pair = await context.pane_id(source, server), await context.pane_id(target, server)
    await context.caller.guard_move(pair[0], None, context.tmux(server))
    pane = await panes.join_pane(
        context.tmux(server), *pair, direction, size, may_end_sessions=context.may_end_sessions
    )
    return details(await context.pane_view(pane, server))


@tool(Tier.MUTATING)
async def respawn_pane(
    context: Context,
    target: PaneTarget,
    kill: Annotated[bool, Field(description="end what runs there first")] = True,
    shell: Annotated[str | None, Field(description="command; default: the one it was started with")] = None,
    start_directory: str | None = None,
    environment: Environment = None,
    server: Server = None,
) -> Result:
    """Start a pane's program anew, in place: the pane keeps its id. What ran there is lost."""
    tmux, pane_id = context.tmux(server), await context.pane_to_end(target, server, tools="")
    pane = await panes.respawn_pane(
        tmux, pane_id, kill=kill, shell=shell, start_directory=start_directory, environment=environment
    )
    context.attention.respawned(tmux, pane)
    return details(await context.pane_view(pane, server))


@tool(Tier.MUTATING, RESETS)
async def clear_pane(context: Context, target: PaneTarget, server: Server = None) -> Result:
    """Clear a pane's screen and drop its scrollback."""
    pane_id = await context.pane_to_type_in(target, server)
    await panes.clear_pane(context.tmux(server), pane_id)
    return Result(f"cleared {pane_id}", {"pane_id": pane_id})


@tool(Tier.MUTATING)
async def pipe_pane(
    context: Context,
    target: PaneTarget,
    output_path: Annotated[str | None, Field(description="absolute path; none: stop")] = None,
    append: bool = True,
    server: Server = None,
) -> Result:
    """Also write what a pane's program prints to a file, or stop that. For one look use capture_pane."""
    pane_id = await context.pane_id(target, server)
    await panes.pipe_pane(context.tmux(server), pane_id, output_path, append=append)
    done = f"piping {pane_id} to {output_path}" if output_path else f"piping stopped for {pane_id}"
    return Result(done, {"pane_id": pane_id, "output_path": output_path})


@tool(Tier.MUTATING, ARRANGES)
async def enter_copy_mode(
    context: Context,
    target: PaneTarget,
    scroll_up: Annotated[int | None, Field(ge=0, le=1_000_000, description="lines")] = None,
    server: Server = None,
) -> Result:
    """Put a pane into copy mode, scrolled back for a person to see. To read scrollback use capture_pane."""
    pane = await panes.enter_copy_mode(context.tmux(server), await context.pane_id(target, server), scroll_up)
    return details(await context.pane_view(pane, server))


@tool(Tier.MUTATING, RESETS)
async def exit_copy_mode(context: Context, target: PaneTarget, server: Server = None) -> Result:
    """Leave copy mode; nothing happens where the pane is in none."""
    pane = await panes.exit_copy_mode(context.tmux(server), await context.pane_id(target, server))
    return details(await context.pane_view(pane, server))
