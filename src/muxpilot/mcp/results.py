"""What a tool returns: compact text for reading, and the same facts as typed structure.

Pane content, names and titles are hostile: in a table, nothing in a cell can start a new cell or row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from muxpilot.errors import MuxpilotError

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Result:
    """`data` is left out where the text says it all (a capture): nothing is sent twice."""

    text: str
    data: Mapping[str, Any] | None = None

    def wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"content": [{"type": "text", "text": self.text}]}
        if self.data is not None:
            wire["structuredContent"] = self.data
        return wire


def details(facts: Mapping[str, Any]) -> Result:
    """One thing: a fact a line, empty ones left out of the text."""
    lines = [f"{name}\t{cell(value)}" for name, value in facts.items() if value not in (None, "")]
    return Result("\n".join(lines), facts)


def plainly(error: MuxpilotError) -> str:
    """The condition, what happened, what to do next."""
    return f"{error.condition}: {error}"


def error_wire(error: MuxpilotError, says: Callable[[MuxpilotError], str] = plainly) -> dict[str, Any]:
    """A tool error, in a tool's own words."""
    return {
        "content": [{"type": "text", "text": says(error)}],
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
        plain = "".join(words).isprintable()
    except TypeError:  # They are no words yet.
        plain = {*map(type, values)} <= {int}
        words = [*map(str if plain else _word, values)]
        plain = plain or "".join(words).isprintable()
    return words if plain else [_CONTROL.sub(_visible, word) for word in words]


def cell(value: object) -> str:
    return column_of([value])[0]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _visible(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode("ascii")
