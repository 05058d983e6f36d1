"""Other servers' names for our arguments: accepted, never listed.

libtmux-mcp splits a target into `pane_id`, `window_id`, `session_name` and so on, the small servers call it
`session` or `name`. All of them become one `target` string here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from muxpilot.errors import BadInput

TOOL_NAMES = {"call_read_tools_batch": "batch_read"}
"""Other servers' names for our tools."""

_RENAMED = {
    "pattern": "patterns",
    "socket_name": "server",
    "socket_path": "server",
    "source_pane_id": "source",
    "target_pane_id": "target",
    "name": "session_name",
    "target": "pane_id",  # of a prompt
}
_MEANINGLESS = ("interval", "suppress_history")
"""How often others poll, and what they must hide. We do neither, so it is taken and has no effect."""
_SESSION = ("session_id", "session_name", "session", "name")
LEAKED = "wait_for_previous"
"""Gemini CLI's scheduler leaves this flag of its own, a bool, in the arguments of calls that it puts off.

It says nothing to us, and refusing it only makes the model send the call again without it. Exactly this one
is dropped: any other unknown argument is a mistake that somebody should hear of.
"""
_PARTS = ("pane_id", "window_id", "window_index", "window", *_SESSION)


def canonical(arguments: Mapping[str, Any], parameters: Collection[str]) -> dict[str, Any]:
    """The same call in our own words, as far as the tool has no parameter of that very name."""
    if not arguments:
        return {}
    found = {
        name: value
        for name, value in arguments.items()
        if name not in _MEANINGLESS or name in parameters or "timeout" not in parameters
    }
    if LEAKED not in parameters and isinstance(found.get(LEAKED), bool):
        del found[LEAKED]
    for alias, name in _RENAMED.items():
        if alias in found and alias not in parameters and name in parameters:
            _put(found, name, found.pop(alias), alias)
    if "target" in parameters:
        parts = {part: found.pop(part) for part in _PARTS if part in found and part not in parameters}
        given = {part: value for part, value in parts.items() if value is not None}
        for part, value in given.items():
            if not isinstance(value, str | int):
                raise BadInput(f"{part!r} is wrong: it must be a string", hint="Or give target instead")
        if given:
            _put(found, "target", _target(given), ", ".join(given))
    return found


def _put(arguments: dict[str, Any], name: str, value: object, alias: str) -> None:
    if value is None:
        return
    if arguments.get(name) not in (None, value):
        raise BadInput(f"{name} and {alias} say different things", hint=f"Give {name} alone")
    arguments[name] = value


def _target(parts: Mapping[str, Any]) -> Any:
    """The most specific part names the place; a window's index or name needs its session."""
    for part in ("pane_id", "window_id"):
        if part in parts:
            return parts[part]
    session = next((parts[part] for part in _SESSION if part in parts), "")
    window = next((parts[part] for part in ("window_index", "window") if part in parts), None)
    return session if window is None else f"{session}:{window}"
