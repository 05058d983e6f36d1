"""What a tool returns: compact text for reading, and the same facts as typed structure.

Pane content, names and titles are hostile. Here is the border where they are made visible (see `visible`):
what a result holds is a line of ours unless it says otherwise, and nothing in a table's cell can start a new
cell or row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from muxpilot.errors import MuxpilotError
from muxpilot.mcp import visible


@dataclass(frozen=True, slots=True)
class Result:
    """`data` is left out where the text says it all (a capture): nothing is sent twice."""

    text: str
    data: Mapping[str, Any] | None = None
    form: Callable[[str], str] = visible.line
    """What the text is made of: `visible.line`, `visible.lines` or `visible.pane_text`."""

    def wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"content": [{"type": "text", "text": self.form(self.text)}]}
        if self.data is not None:
            wire["structuredContent"] = visible.facts(self.data)
        return wire


def details(facts: Mapping[str, Any]) -> Result:
    """One thing: a fact a line, empty ones left out of the text."""
    lines = [f"{name}\t{cell(value)}" for name, value in facts.items() if value not in (None, "")]
    return Result("\n".join(lines), facts, visible.lines)


def rows_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], data: Mapping[str, Any]) -> Result:
    """Many things: a table of them."""
    return Result(table(rows, columns), data, visible.lines)


def plainly(error: MuxpilotError) -> str:
    """The condition, what happened, what to do next."""
    return f"{error.condition}: {error}"


def error_wire(error: MuxpilotError, says: Callable[[MuxpilotError], str] = plainly) -> dict[str, Any]:
    """A tool error, in a tool's own words."""
    return {
        "content": [{"type": "text", "text": visible.line(says(error))}],
        "isError": True,
        "_meta": {"condition": error.condition},
    }


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Tab-separated, with a heading."""
    cells = zip(*(column_of([*map(itemgetter(name), rows)]) for name in columns), strict=True)
    return "\n".join(map("\t".join, [columns, *cells]))


def column_of(values: Sequence[Any]) -> Sequence[str]:
    """Looked at as a whole: nearly always it is of one kind, and nothing has to be made visible."""
    words: Sequence[str] = values
    try:
        plain = _is_plain(words)
    except TypeError:  # They are no words yet.
        plain = {*map(type, values)} <= {int}
        words = [*map(str if plain else _word, values)]
        plain = plain or _is_plain(words)
    return words if plain else [*map(visible.name, words)]


def _is_plain(words: Sequence[str]) -> bool:
    together = "".join(words)
    return together.isascii() and together.isprintable()


def cell(value: object) -> str:
    return column_of([value])[0]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
