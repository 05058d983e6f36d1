"""One session, window or pane as it is now, or as it is right after some commands: one round trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from muxpilot.errors import TargetNotFound
from muxpilot.terminal.model import Client, Pane, Session, Window
from muxpilot.terminal.snapshot import Snapshot
from muxpilot.tmux import Columns, TmuxServer


class _OfPane(Protocol):
    @property
    def pane_id(self) -> str: ...


Row = TypeVar("Row")
PaneRow = TypeVar("PaneRow", bound=_OfPane)
Commands = Sequence[Sequence[str]]

_SESSION, _WINDOW, _PANE, _CLIENT = Columns(Session), Columns(Window), Columns(Pane), Columns(Client)


async def pane_now(server: TmuxServer, target: str, after: Commands = ()) -> Pane:
    """The pane with this id (or the active one of this window), once `after` has been done."""
    return await facts_of_pane(server, _PANE, target, after)


async def facts_of_pane(
    server: TmuxServer, columns: Columns[PaneRow], target: str, after: Commands = ()
) -> PaneRow:
    """Any row type that has a `pane_id`, asked of one pane."""
    row = await _now(server, columns, target, after)
    check_found(row.pane_id, target, "pane")
    return row


async def window_now(server: TmuxServer, target: str, after: Commands = ()) -> Window:
    """The window with this id, or the current one of this session."""
    window = await _now(server, _WINDOW, target, after)
    check_found(window.window_id, target, "window")
    return window


async def session_now(server: TmuxServer, target: str, after: Commands = ()) -> Snapshot:
    """The session with this id, as a snapshot of it alone with all clients, so that people can be counted."""
    session, clients = _SESSION.request(), _CLIENT.request()
    questions = [
        ["display-message", "-p", "-t", target, "--", session.format],
        ["list-clients", "-F", clients.format],
    ]
    *_, one, many = await server.call_all([*after, *questions])
    version = await server.server_version()
    (found,) = session.read(one.text, version)
    check_found(found.session_id, target, "session")
    return Snapshot(sessions=[found], clients=clients.read(many.text, version))


async def _now(server: TmuxServer, columns: Columns[Row], target: str, after: Commands) -> Row:
    request = columns.request()
    *_, reply = await server.call_all([*after, ["display-message", "-p", "-t", target, "--", request.format]])
    (row,) = request.read(reply.text, await server.server_version())
    return row


def check_found(found_id: str, target: str, kind: str) -> None:
    """`display-message` succeeds where its target is missing, with nothing in every field."""
    if not found_id:
        raise TargetNotFound(f"no {kind} {target}", hint=f"list_{kind}s shows what exists")
