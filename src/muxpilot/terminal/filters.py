"""Filters on lists, as libtmux-mcp's users write them: `{"session_name__contains": "dev"}`.

A key is a field, or a field and an operator. An unknown one is an error, never an empty list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from muxpilot.errors import BadInput
from muxpilot.terminal.matching import in_thread
from muxpilot.terminal.patterns import check_number, compile_pattern

Row = Mapping[str, Any]
Test = Callable[[str], bool]


def _regex(wanted: str, match_case: bool) -> Test:
    return compile_pattern(wanted, regex=True, match_case=match_case).found_in


def _folded(test: Callable[[str, str], bool]) -> Callable[[str], Test]:
    """Without case. What is wanted may be long, and there may be many rows: it is folded once."""

    def make(wanted: str) -> Test:
        folded = wanted.casefold()
        return lambda text: test(text.casefold(), folded)

    return make


_OPERATORS: dict[str, Callable[[str], Test]] = {
    "exact": lambda wanted: lambda text: text == wanted,
    "iexact": _folded(str.__eq__),
    "contains": lambda wanted: lambda text: wanted in text,
    "icontains": _folded(str.__contains__),
    "startswith": lambda wanted: lambda text: text.startswith(wanted),
    "istartswith": _folded(str.startswith),
    "endswith": lambda wanted: lambda text: text.endswith(wanted),
    "iendswith": _folded(str.endswith),
    "regex": lambda wanted: _regex(wanted, True),
    "iregex": lambda wanted: _regex(wanted, False),
}


async def kept(
    rows: Sequence[Row], filters: Mapping[str, Any] | str | None, fields: Sequence[str]
) -> list[Row]:
    """`keep`, in a thread where a filter is a regular expression."""
    wanted = _parsed(filters)
    if any(key.endswith("regex") for key in wanted):
        return await in_thread(lambda _: keep(rows, wanted, fields))
    return keep(rows, wanted, fields)


def keep(rows: Iterable[Row], filters: Mapping[str, Any] | str | None, fields: Sequence[str]) -> list[Row]:
    """The rows that pass every filter.

    Raises:
        BadInput: a key names no field or no operator, or the filters are no JSON object, or too many.
    """
    check_number(len(_parsed(filters)))
    tests = [_test(key, wanted, fields) for key, wanted in _parsed(filters).items()]
    return [row for row in rows if all(any(map(test, _spellings(row[field]))) for field, test in tests)]


def _parsed(filters: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    """Some clients send an object as its JSON text."""
    if not filters:
        return {}
    if not isinstance(filters, str):
        return filters
    try:
        parsed = json.loads(filters)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"filters is no JSON: {error}", hint='Give an object: {"field__contains": "x"}'
        ) from None
    if not isinstance(parsed, dict):
        raise BadInput("filters is no JSON object", hint='Give an object: {"field__contains": "x"}')
    return parsed


def _test(key: str, wanted: Any, fields: Sequence[str]) -> tuple[str, Test]:
    field, _, operator = key.partition("__")
    if field not in fields:
        close = get_close_matches(field, fields, 1)
        meant = f"did you mean {close[0]!r}? " if close else ""
        raise BadInput(f"no field {field!r} to filter by", hint=f"{meant}There are: {', '.join(fields)}")
    if (operator or "exact") not in _OPERATORS:
        raise BadInput(f"no filter operator {operator!r}", hint=f"There are: {', '.join(_OPERATORS)}")
    return field, _OPERATORS[operator or "exact"](_spellings(wanted)[0])


def _spellings(value: Any) -> tuple[str, ...]:
    """How a value may be written; a flag as tmux does, as JSON does, or as our tables do."""
    if isinstance(value, bool):
        return ("1", "true", "yes") if value else ("0", "false", "no")
    return ("" if value is None else str(value),)
