"""Tools that make and change things."""

from __future__ import annotations

from typing import Annotated

from muxpilot.config import Tier
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import STARTS, tool
from muxpilot.mcp.tools.parameters import Cells, Environment, PaneTarget, Sensitive, Server
from muxpilot.mcp.views import session_view
from muxpilot.terminal import keys as typing
from muxpilot.terminal import sessions
from muxpilot.terminal.converse import typing_secret
from muxpilot.terminal.snapshot import CLIENTS, SESSIONS
from muxpilot.terminal.target import resolve_session


@tool(Tier.MUTATING, STARTS)
async def create_session(
    context: Context,
    session_name: Annotated[str | None, Field(description="without one, tmux numbers it")] = None,
    window_name: str | None = None,
    start_directory: str | None = None,
    x: Cells = None,
    y: Cells = None,
    environment: Environment = None,
    server: Server = None,
) -> Result:
    """Create a detached session with a shell in it (and start tmux if need be). Returns its ids."""
    tmux = context.tmux(server)
    created = await sessions.create_session(
        tmux,
        name=session_name,
        window_name=window_name,
        start_directory=start_directory,
        width=x,
        height=y,
        environment=environment,
    )
    context.attention.made(tmux, created.pane_id)
    snapshot = await context.snapshot(server, SESSIONS, CLIENTS)
    session = resolve_session(snapshot, created.session_id)
    text = f"created session {created.session_name} ({created.session_id}), pane {created.pane_id}"
    data = {**session_view(snapshot, session), "window_id": created.window_id}
    if created.warnings:
        data["warnings"] = created.warnings
    return Result("\n".join(map(visible.line, [text, *created.warnings])), data, visible.lines)


@tool(Tier.MUTATING, STARTS)
async def send_keys(
    context: Context,
    target: PaneTarget,
    keys: Annotated[str, Field(description="text, or exactly one key name: C-c, Up, F5, Escape")],
    enter: Annotated[bool, Field(description="press Enter afterwards")] = True,
    literal: Annotated[bool, Field(description="type key names as text")] = False,
    suppress_history: Annotated[
        bool, Field(description="put a space first, which many shells leave out of their history")
    ] = False,
    sensitive: Sensitive = False,
    server: Server = None,
) -> Result:
    """Type into a pane. It does not wait or read: wait_for_text or capture_since do."""
    pane_id = await context.pane_to_type_in(target, server)
    tmux = context.tmux(server)
    shown = await typing_secret(context.runner, tmux, pane_id) if sensitive else None
    done = await typing.send_keys(
        tmux,
        pane_id,
        keys,
        context.attention,
        enter=enter,
        literal=literal,
        suppress_history=suppress_history,
        hidden=sensitive,
    )
    if shown is None:
        return Result(done, {"pane_id": pane_id})
    return Result(f"{done}\n[{shown}]", {"pane_id": pane_id, "notes": [shown]})
