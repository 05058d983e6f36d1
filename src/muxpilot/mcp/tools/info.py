"""Tools that tell about one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from muxpilot.config import Tier
from muxpilot.errors import ServerNotRunning, SocketUnusable, TargetNotFound, TmuxError
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result, details, rows_of
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import LOOKS, tool
from muxpilot.mcp.tools.parameters import PaneTarget, Server, SessionTarget, WindowTarget
from muxpilot.mcp.views import session_view, window_view
from muxpilot.terminal.describe import pane_now, session_now, window_now
from muxpilot.terminal.snapshot import CLIENTS, PANES, SESSIONS
from muxpilot.terminal.target import pane_in_corner, panes_beside, parts_for, resolve_session
from muxpilot.tmux import find_servers

SERVER_COLUMNS = ("socket_name", "socket_path", "is_alive", "session_count", "version")
CLIENT_COLUMNS = ("client_name", "session_id", "client_width", "client_height", "is_person")


MOST_EXTRA = 20
"""Each is looked at, link by link, while nobody else is served."""


@tool(Tier.READONLY, LOOKS)
async def list_servers(
    context: Context, extra_socket_paths: Annotated[list[str] | None, Field(max_length=MOST_EXTRA)] = None
) -> Result:
    """List the tmux servers of this user that answer. Pass a socket_name as `server` to other tools."""
    extra = [Path(path) for path in extra_socket_paths or []]
    alive = [found for found in find_servers(extra=extra) if found.alive]
    rows = [await _server_row(context, str(found.path)) for found in alive]
    return rows_of(rows, SERVER_COLUMNS, {"servers": rows})


@tool(Tier.READONLY, LOOKS)
async def get_server_info(context: Context, server: Server = None) -> Result:
    """Tell whether a tmux server runs, its version and how many sessions it has."""
    return details(await _server_row(context, server))


async def _server_row(context: Context, server: str | None) -> dict[str, object]:
    tmux = context.tmux(server)
    row: dict[str, object] = {
        "is_alive": True,
        "socket_name": tmux.endpoint.socket_path.name,
        "socket_path": str(tmux.endpoint.socket_path),
        "session_count": 0,
        "version": None,
    }
    try:
        row["version"] = str(await tmux.server_version())
        row["session_count"] = len((await context.snapshot(server, SESSIONS)).sessions)
    except ServerNotRunning:
        row["is_alive"] = False
    except SocketUnusable:
        raise  # Nobody was asked, so nothing is known of a server there.
    except TmuxError as error:
        row["problem"] = str(error)
    return row


@tool(Tier.READONLY, LOOKS)
async def list_clients(context: Context, server: Server = None) -> Result:
    """List who is attached: people's terminals, and programs such as muxpilot itself."""
    snapshot = await context.snapshot(server, CLIENTS)
    rows = [
        {
            "client_name": client.client_name,
            "client_pid": client.client_pid,
            "session_id": client.session_id,
            "client_width": client.client_width,
            "client_height": client.client_height,
            "client_tty": client.client_tty,
            "is_person": client.is_person,
        }
        for client in snapshot.clients
    ]
    return rows_of(rows, CLIENT_COLUMNS, {"clients": rows})


@tool(Tier.READONLY, LOOKS)
async def get_session_info(context: Context, target: SessionTarget, server: Server = None) -> Result:
    """Tell about one session: windows, people attached, when it was made, its active pane."""
    snapshot = await session_now(context.tmux(server), await context.session_id(target, server))
    return details(session_view(snapshot, snapshot.sessions[0]))


@tool(Tier.READONLY, LOOKS)
async def get_window_info(context: Context, target: WindowTarget, server: Server = None) -> Result:
    """Tell about one window: name, index, layout, size, panes."""
    return details(
        window_view(await window_now(context.tmux(server), await context.window_id(target, server)))
    )


@tool(Tier.READONLY, LOOKS)
async def get_pane_info(context: Context, target: PaneTarget, server: Server = None) -> Result:
    """Tell about one pane: size and place, program, folder, process. For its text use capture_pane."""
    pane = await pane_now(context.tmux(server), await context.pane_id(target, server))
    return details(await context.pane_view(pane, server))


@tool(Tier.READONLY, LOOKS)
async def has_session(context: Context, target: SessionTarget, server: Server = None) -> Result:
    """Tell whether a session of exactly this name (or id) exists."""
    try:
        session = resolve_session(await context.snapshot(server, SESSIONS), target)
    except (TargetNotFound, ServerNotRunning) as no:
        return Result(f"no: {no}", {"exists": False, "session_id": None})
    return Result(f"yes: {session.session_id}", {"exists": True, "session_id": session.session_id})


@tool(Tier.READONLY, LOOKS)
async def find_pane_by_position(
    context: Context,
    corner: Literal["top-left", "top-right", "bottom-left", "bottom-right"],
    target: WindowTarget = ":",
    server: Server = None,
) -> Result:
    """Find the pane in a corner of a window (default: of the only session). Of several the innermost."""
    snapshot = await context.snapshot(server, PANES, *parts_for(target))
    corner_pane = pane_in_corner(panes_beside(snapshot, target), f"{{{corner}}}")
    return details(await context.pane_view(corner_pane, server))
