from __future__ import annotations

from typing import Any

import pytest

from muxpilot.errors import BadInput
from muxpilot.terminal.filters import keep

ROWS = [
    {"name": "dev", "width": 80, "active": True, "code": None},
    {"name": "Development", "width": 120, "active": False, "code": 1},
    {"name": "true", "width": 8, "active": False, "code": 0},
]
FIELDS = ["name", "width", "active", "code"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (None, ["dev", "Development", "true"]),
        ({}, ["dev", "Development", "true"]),
        ({"name": "dev"}, ["dev"]),
        ({"active": "yes"}, ["dev"]),
        ({"active": "no"}, ["Development", "true"]),
        ({"name__exact": "dev"}, ["dev"]),
        ({"name__iexact": "DEV"}, ["dev"]),
        ({"name__contains": "ev"}, ["dev", "Development"]),
        ({"name__icontains": "DEV"}, ["dev", "Development"]),
        ({"name__startswith": "d"}, ["dev"]),
        ({"name__istartswith": "d"}, ["dev", "Development"]),
        ({"name__endswith": "ment"}, ["Development"]),
        ({"name__iendswith": "MENT"}, ["Development"]),
        ({"name__regex": "^D.v"}, ["Development"]),
        ({"name__iregex": "^d.v$"}, ["dev"]),
        ({"name": "true"}, ["true"]),
        ({"width": 80}, ["dev"]),
        ({"width": "80"}, ["dev"]),
        ({"active": True}, ["dev"]),
        ({"active": "1"}, ["dev"]),
        ({"active": "false"}, ["Development", "true"]),
        ({"code": ""}, ["dev"]),
        ({"name__contains": "e", "active": False}, ["Development", "true"]),
        ('{"name": "dev"}', ["dev"]),
        ({"name__contains": "no such"}, []),
    ],
)
def test_rows_pass_that_fit(filters: Any, names: list[str]) -> None:
    assert [row["name"] for row in keep(ROWS, filters, FIELDS)] == names


@pytest.mark.parametrize(
    ("filters", "complaint"),
    [
        ({"nam": "x"}, "no field 'nam'.*did you mean 'name'"),
        ({"name__like": "x"}, "no filter operator 'like'"),
        ({"name__regex": "("}, "no valid regular expression"),
        ({"name__regex": "(a+)+(?=b)"}, "look-around"),
        ("{", "is no JSON"),
        ("[1]", "is no JSON object"),
    ],
)
def test_what_means_nothing_is_an_error_not_an_empty_list(filters: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        keep(ROWS, filters, FIELDS)


def test_a_catastrophic_pattern_takes_no_time() -> None:
    rows = [{"name": "a" * 50_000 + "!"}]
    assert keep(rows, {"name__regex": "^(a+)+$"}, ["name"]) == []


def test_filters_nested_too_deeply_are_an_error_too() -> None:
    with pytest.raises(BadInput, match="is no JSON"):
        keep(ROWS, "[" * 100_000, FIELDS)
