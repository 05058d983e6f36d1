"""A long list, told as text and as JSON out of the words that tmux sent.

A hundred panes are more than a thousand values: made, put into dictionaries and written out again, they would
cost more than all the rest of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from muxpilot.mcp.results import Result, column_of
from muxpilot.tmux import Table

Words = Sequence[str]


def listing(kind: str, table: Table, columns: Sequence[str]) -> Result:
    """All of it as JSON, these columns as text."""
    return Result(_text(table, columns), {kind: _rows(table)})


def _text(table: Table, columns: Sequence[str]) -> str:
    cells = zip(*(_CELLS[table.kinds[name]](table.words[name]) for name in columns), strict=True)
    return "\n".join(map("\t".join, [columns, *cells]))


def _rows(table: Table) -> orjson.Fragment:
    row = ",".join(f'"{name}":{_PLACES[kind]}' for name, kind in table.kinds.items())
    values = zip(*(_VALUES[kind](table.words[name]) for name, kind in table.kinds.items()), strict=True)
    return orjson.Fragment(f"[{','.join(map(f'{{{row}}}'.__mod__, values))}]".encode())


def _escaped(words: Words) -> Words:
    """What stands between the quotes of a JSON string; nearly always there is nothing to escape."""
    together = "".join(words)
    if together.isprintable() and '"' not in together and "\\" not in together:
        return words
    return [orjson.dumps(word)[1:-1].decode() for word in words]


_PLACES = {str: '"%s"', int: "%s", bool: "%s", int | None: "%s"}
_VALUES: dict[Any, Callable[[Words], Words]] = {
    str: _escaped,
    int: lambda words: words,
    bool: lambda words: ["true" if word == "1" else "false" for word in words],
    int | None: lambda words: words if all(words) else [word or "null" for word in words],
}
_CELLS: dict[Any, Callable[[Words], Words]] = {
    str: column_of,
    int: lambda words: words,
    bool: lambda words: ["yes" if word == "1" else "no" for word in words],
    int | None: lambda words: words,
}
