"""Completion: the names and ids that exist right now, for arguments of resource templates and of prompts.

An argument is known by its name, wherever it stands. Where there is nothing (no server, no such session)
there are no suggestions; that is no error.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from muxpilot.errors import ServerNotRunning, TargetNotFound
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.jsonrpc import INVALID_PARAMS, Refused
from muxpilot.mcp.offer import Needs
from muxpilot.mcp.prompts import PROMPTS
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
    """Answer `completion/complete`. What `needs_of` names is offered, or nobody comes here."""
    argument, typed = _argument(request)
    given = _given(request)
    with refusals(request):
        found = await _suggestions(request.context, argument, given)
    # A name that would be shown escaped can't be used as it is shown: better none.
    values = _matching([one for one in found if visible.name(one) == one], typed)
    return {"completion": {"values": values[:MOST], "total": len(values), "hasMore": len(values) > MOST}}


def needs_of(request: Request) -> tuple[str, Needs]:
    """What an argument is for, and the tools that this takes, and that show what the argument may be.

    Raises:
        Refused: there is nothing of that kind, or no such template; or the request is malformed.
    """
    what, needs = _completed(request.given("ref", dict))
    argument, _ = _argument(request)
    _given(request)
    return what, (*needs, *_NEEDS.get(argument, ()))


def _argument(request: Request) -> tuple[str, str]:
    argument = request.given("argument", dict)
    name, typed = (member(argument, one, str, "params.argument") for one in ("name", "value"))
    return name, typed


def _given(request: Request) -> Given:
    """Arguments that are filled in already."""
    if request.params.get("context") is None:
        return {}
    context = request.given("context", dict)
    if context.get("arguments") is None:
        return {}
    given = member(context, "arguments", dict, "params.context")
    return {name: member(given, name, str, "params.context.arguments") for name in given}


def _completed(ref: Mapping[str, Any]) -> tuple[str, Needs]:
    if ref.get("type") == "ref/prompt":
        name = member(ref, "name", str, "params.ref")
        tools = PROMPTS[name].needs if name in PROMPTS else ()
        return f"the prompt {name}", tuple((tool,) for tool in sorted(tools))
    if ref.get("type") != "ref/resource":
        raise Refused(INVALID_PARAMS, "params.ref.type should be ref/prompt or ref/resource")
    templates = {kind.listing()["uriTemplate"]: name for name, kind in KINDS.items()}
    if (uri := member(ref, "uri", str, "params.ref")) not in templates:
        raise Refused(INVALID_PARAMS, f"no resource template {uri!r}. There are {', '.join(templates)}")
    kind = KINDS[templates[uri]]
    return f"the resource {kind.name}", kind.needs


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
_SESSION_NAMES = ("list_sessions", "list_windows", "tmux_list_sessions", "tmux_list_windows")
_WINDOWS = ("list_windows", "tmux_list_windows")
_PANES = ("list_panes", "tmux_list_panes")
_NEEDS: dict[str, Needs] = {
    "session_name": (_SESSION_NAMES,),
    "session": (_SESSION_NAMES,),
    "window_index": (_WINDOWS,),
    "pane_id": (_PANES,),
    "target": (_PANES, _SESSION_NAMES),
    "socket_name": (("list_servers",),),
    "server": (("list_servers",),),
}
"""The tools that show the same names."""
assert _NEEDS.keys() == _SOURCES.keys()
