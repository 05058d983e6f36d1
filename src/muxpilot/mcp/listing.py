"""A long list, told as text and as JSON out of the words that tmux sent.

A hundred panes are more than a thousand values: made, put into dictionaries and written out again, they would
cost more than all the rest of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

import orjson

from muxpilot.mcp import visible
from muxpilot.mcp.results import Result, column_of
from muxpilot.tmux import Table

Words = Sequence[str]


def listing(kind: str, table: Table, columns: Sequence[str]) -> Result:
    """All of it as JSON, these columns as text."""
    return Result(_text(table, columns), {kind: _rows(table)}, visible.lines)


def _text(table: Table, columns: Sequence[str]) -> str:
    cells = zip(*(_told(_CELLS, table, name) for name in columns), strict=True)
    return "\n".join(map("\t".join, [columns, *cells]))


def _rows(table: Table) -> orjson.Fragment:
    """What stands before each value is the same in every row: the pieces are joined, nothing is formatted."""
    heads, end = _between(tuple(table.kinds.items()))
    pieces: list[Iterable[str]] = []
    for head, name in zip(heads, table.kinds, strict=True):
        pieces += (repeat(head), _told(_VALUES, table, name))
    rows = map("".join, zip(*pieces, repeat(end)))
    return orjson.Fragment(f"[{','.join(rows)}]".encode())


def _told(ways: Mapping[Any, Callable[[Words], Words]], table: Table, name: str) -> Words:
    kind, words = table.kinds[name], table.words[name]
    return words if kind is str and table.is_plain else ways[kind](words)


@lru_cache
def _between(kinds: tuple[tuple[str, Any], ...]) -> tuple[list[str], str]:
    """What stands before each value of a row, and behind the last."""
    heads, before = [], "{"
    for name, kind in kinds:
        quote = '"' if kind is str else ""
        heads.append(f'{before}"{name}":{quote}')
        before = f"{quote},"
    return heads, f"{before.removesuffix(',')}}}"


def _escaped(words: Words) -> Words:
    """What stands between the quotes of a JSON string; nearly always there is nothing to escape."""
    together = "".join(words)
    if together.isascii() and together.isprintable() and '"' not in together and "\\" not in together:
        return words
    return [orjson.dumps(visible.name(word))[1:-1].decode() for word in words]


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
