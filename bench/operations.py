"""What is asked of both MCP servers: one row each, with the call as each of them wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.tmux_lab import LINES, PANE

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """`gist` is what both answers must have in common; `at` are the pane counts that it is measured with."""

    name: str
    ours: Request
    theirs: Request
    gist: Callable[[Result], object]
    at: tuple[int, ...]


def call(tool: str, **arguments: object) -> Request:
    return Request("tools/call", {"name": tool, "arguments": arguments})


def nothing(_: Result) -> object:
    """That it was answered, and not with an error, is all that can be compared."""
    return None


def listed(result: Result) -> object:
    """How many there are: ours under their own name, theirs under `result`."""
    (rows,) = result["structuredContent"].values()
    return len(rows)


def text(result: Result) -> object:
    """The terminal's text, without the empty rest of the screen."""
    return result["content"][0]["text"].rstrip()


def lines_found(result: Result) -> object:
    """Which lines in which panes."""
    matches = result["structuredContent"]["matches"]
    return sorted((match["pane_id"], tuple(match["matched_lines"])) for match in matches)


def search(panes: int, lines: int) -> Operation:
    """For a line that each pane has once, far up in its scrollback."""
    request = call("search_panes", pattern=f"line {lines // 10:04}:", content_start=-lines)
    return Operation(
        f"search_panes, {panes:,} panes x {lines:,} lines", request, request, lines_found, at=(1,)
    )


TYPED = "ab"
LISTING = Request("tools/list", {})
EVERYWHERE = (1, 100, 1000)

OPERATIONS = (
    Operation("tools/list", LISTING, LISTING, nothing, at=(1,)),
    Operation("list_sessions", call("list_sessions"), call("list_sessions"), listed, EVERYWHERE),
    Operation("list_panes", call("list_panes"), call("list_panes"), listed, EVERYWHERE),
    Operation(
        "capture_pane, a screen",
        call("capture_pane", target=PANE),
        call("capture_pane", pane_id=PANE),
        text,
        EVERYWHERE,
    ),
    Operation(
        f"capture_pane, {LINES:,} lines",
        call("capture_pane", target=PANE, start=-LINES, max_lines=None),
        call("capture_pane", pane_id=PANE, start=-LINES, max_lines=None),
        text,
        at=(1,),
    ),
    Operation(
        "send_keys",
        call("send_keys", target=PANE, keys=TYPED, enter=False),
        call("send_keys", pane_id=PANE, keys=TYPED, enter=False),
        nothing,
        EVERYWHERE,
    ),
)
