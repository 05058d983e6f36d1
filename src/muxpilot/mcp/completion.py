"""Completion: the names and ids that exist right now, for arguments of resource templates and of prompts.

An argument is known by its name, wherever it stands. Where there is nothing (no server, no such session)
there are no suggestions; that is no error.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from muxpilot.errors import ServerNotRunning, TargetNotFound
from muxpilot.mcp.context import Context
from muxpilot.mcp.jsonrpc import INVALID_PARAMS, Refused
from muxpilot.mcp.requests import Answer, Request, member, refusals
from muxpilot.mcp.resources import KINDS
from muxpilot.terminal.model import Pane
from muxpilot.terminal.snapshot import PANES, SESSIONS, WINDOWS
from muxpilot.terminal.target import session_named
from muxpilot.tmux import find_servers

MOST = 100
"""What the protocol allows in one answer."""

Given = Mapping[str, str]


async def complete(request: Request) -> Answer:
    """Answer `completion/complete`."""
    argument = request.given("argument", dict)
    name, typed = (member(argument, one, str, "params.argument") for one in ("name", "value"))
    _check(request.given("ref", dict))
    given = (request.params.get("context") or {}).get("arguments") or {}
    with refusals(request):
        values = _matching(await _suggestions(request.context, name, given), typed)
    return {"completion": {"values": values[:MOST], "total": len(values), "hasMore": len(values) > MOST}}


def _check(ref: Mapping[str, Any]) -> None:
    """Raises `Refused` where there is nothing of that kind, or no such template."""
    if ref.get("type") == "ref/prompt":
        member(ref, "name", str, "params.ref")
        return
    if ref.get("type") != "ref/resource":
        raise Refused(INVALID_PARAMS, "params.ref.type should be ref/prompt or ref/resource")
    templates = [kind.listing()["uriTemplate"] for kind in KINDS.values()]
    if (uri := member(ref, "uri", str, "params.ref")) not in templates:
        raise Refused(INVALID_PARAMS, f"no resource template {uri!r}. There are {', '.join(templates)}")


async def _suggestions(context: Context, argument: str, given: Given) -> list[str]:
    source = _SOURCES.get(argument)
    try:
        return [] if source is None else await source(context, given)
    except (ServerNotRunning, TargetNotFound):
        return []


def _matching(found: list[str], typed: str) -> list[str]:
    """What begins with it, then what begins with it in other letters, then what contains it; each once."""
    wanted = typed.casefold()
    inside = [one for one in dict.fromkeys(found) if wanted in one.casefold()]
    return sorted(inside, key=lambda one: (not one.startswith(typed), not one.casefold().startswith(wanted)))


def _server(given: Given) -> str | None:
    return given.get("socket_name") or given.get("server") or None


async def _session_names(context: Context, given: Given) -> list[str]:
    return [one.session_name for one in (await context.snapshot(_server(given), SESSIONS)).sessions]


async def _window_indexes(context: Context, given: Given) -> list[str]:
    """Of the session that is given; of all, where none is."""
    snapshot = await context.snapshot(_server(given), SESSIONS, WINDOWS)
    name = given.get("session_name")
    windows = snapshot.windows_of[session_named(snapshot, name).session_id] if name else snapshot.windows
    return [str(index) for index in sorted({window.window_index for window in windows})]


async def _pane_ids(context: Context, given: Given) -> list[str]:
    return _ids((await context.snapshot(_server(given), PANES)).panes)


async def _targets(context: Context, given: Given) -> list[str]:
    snapshot = await context.snapshot(_server(given), SESSIONS, PANES)
    return [*_ids(snapshot.panes), *snapshot.session_by_name]


def _ids(panes: Sequence[Pane]) -> list[str]:
    return sorted((pane.pane_id for pane in panes), key=lambda pane_id: int(pane_id[1:]))


async def _sockets(_: Context, __: Given) -> list[str]:
    return [found.name for found in find_servers() if found.alive]


_SOURCES: dict[str, Callable[[Context, Given], Awaitable[list[str]]]] = {
    "session_name": _session_names,
    "session": _session_names,
    "window_index": _window_indexes,
    "pane_id": _pane_ids,
    "target": _targets,
    "socket_name": _sockets,
    "server": _sockets,
}
