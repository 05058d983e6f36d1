"""What is asked of an MCP server, and what of its answer must be the same everywhere.

A gist reads an answer in whatever shape its server gives it: structured content where there is some, else
JSON in the text, else the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    params: Mapping[str, Any]


def nothing(_: Result) -> object:
    """That it was answered, and not with an error, is all that can be compared."""
    return None


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, and what its answer comes to."""

    request: Request
    gist: Callable[[Result], object] = nothing


def call(tool: str, **arguments: object) -> Request:
    return Request("tools/call", {"name": tool, "arguments": arguments})


LISTING = Ask(Request("tools/list", {}))


def facts(result: Result) -> Any:
    """What a program reads off an answer."""
    return result.get("structuredContent") or json.loads(shown(result))


def shown(result: Result) -> str:
    text: str = result["content"][0]["text"]
    return text


def count(result: Result) -> object:
    """How many rows there are, under whatever name, or under none."""
    found = facts(result)
    rows = found if isinstance(found, list) else next(one for one in found.values() if isinstance(one, list))
    return len(rows)


def text(result: Result) -> object:
    """The terminal's text, without the empty rest of the screen."""
    return shown(result).rstrip()


def content(result: Result) -> object:
    """The same where it stands in a member of its own."""
    return facts(result)["content"].rstrip()


def field(name: str) -> Callable[[Result], object]:
    def gist(result: Result) -> object:
        return facts(result)[name]

    return gist


def lines_found(result: Result) -> object:
    """Which lines in which panes."""
    matches = facts(result)["matches"]
    return sorted((match["pane_id"], tuple(match["matched_lines"])) for match in matches)
