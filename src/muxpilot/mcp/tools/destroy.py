"""Tools that end things. None of them touches the terminal that muxpilot itself runs in."""

from __future__ import annotations

from muxpilot.config import Tier
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.tool import ENDS, tool
from muxpilot.mcp.tools.parameters import PaneTarget, Server, SessionTarget, WindowTarget
from muxpilot.terminal import panes, sessions, windows


@tool(Tier.DESTRUCTIVE, ENDS)
async def kill_pane(context: Context, target: PaneTarget, server: Server = None) -> Result:
    """End a pane and the program in it."""
    tmux, pane_id = context.tmux(server), await context.pane_to_end(target, server)
    await panes.kill_pane(tmux, pane_id)
    return Result(f"killed pane {pane_id}", {"pane_id": pane_id})


@tool(Tier.DESTRUCTIVE, ENDS)
async def kill_window(context: Context, target: WindowTarget, server: Server = None) -> Result:
    """End a window with all its panes."""
    tmux, window_id = context.tmux(server), await context.exact_id("window", target, server)
    await context.caller.guard_ending(window_id, tmux)
    await windows.kill_window(tmux, window_id)
    return Result(f"killed window {window_id}", {"window_id": window_id})


@tool(Tier.DESTRUCTIVE, ENDS)
async def kill_session(context: Context, target: SessionTarget, server: Server = None) -> Result:
    """End a session with all its windows."""
    tmux, session_id = context.tmux(server), await context.exact_id("session", target, server)
    await context.caller.guard_ending(session_id, tmux)
    await tmux.call("kill-session", "-t", session_id)
    return Result(f"killed session {target}", {"session_id": session_id})


@tool(Tier.DESTRUCTIVE, ENDS)
async def kill_server(context: Context, server: Server = None) -> Result:
    """End a tmux server with everything in it."""
    tmux = context.tmux(server)
    await context.caller.guard_ending(None, tmux)
    await sessions.kill_server(tmux)
    return Result(f"killed the tmux server on {tmux.endpoint.socket_path}")
