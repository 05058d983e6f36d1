"""What parameters may be: lenient where nothing is lost, and never another value than was meant."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.mcp.shapes import Field, Problem, shape_of

WHOLE = shape_of(int)
MAYBE = shape_of(Annotated[int | None, Field(ge=1)])
EITHER = shape_of(str | int | None)
WORDS = shape_of(Annotated[list[str] | str, Field(description="x")])

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def checked(annotation: Any, value: object) -> Any:
    problems: list[Problem] = []
    found = shape_of(annotation).check(value, ("it",), problems)
    return problems if problems else found


@pytest.mark.parametrize(
    ("annotation", "value", "found"),
    [
        (int, "30", 30),
        (int, 30.0, 30),
        (float, "0.5", 0.5),
        (float, 3, 3.0),
        (bool, "true", True),
        (bool, "off", False),
        (bool, 0, False),
        (str | int | None, "5", "5"),
        (str | int | None, 5, 5),
        (str | int | None, None, None),
        (str | None, "null", "null"),
        (list[str] | str, "a", "a"),
        (dict[str, Any] | str | None, {"a": 1}, {"a": 1}),
        (Literal["up", "down"] | None, "up", "up"),
    ],
)
def test_what_is_meant_comes_out(annotation: Any, value: object, found: object) -> None:
    result = checked(annotation, value)
    assert result == found
    assert type(result) is type(found)


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (str, 5, "input should be a valid string"),
        (int, True, "input should be a valid integer"),
        (int, 1.5, "input should be a valid integer"),
        (int, "1" * 10_000, "input should be a valid integer"),
        (int, 2**53 + 1, "input should be an integer up to 9,007,199,254,740,992"),
        (int, -1e20, "input should be an integer up to 9,007,199,254,740,992"),
        (float, "nan", "input should be a valid number"),
        (float, 10**400, "input should be a valid number"),
        (bool, "maybe", "input should be a valid boolean"),
        (bool, 2, "input should be a valid boolean"),
        (Literal["up", "down"], "left", "input should be 'up' or 'down'"),
        (Literal["up", "down"], ["up"], "input should be 'up' or 'down'"),
        (str | int | None, 1.5, "input should be a string or an integer"),
        (Annotated[int | None, Field(ge=1)], 0, "input should be greater than or equal to 1"),
        (Annotated[float, Field(gt=0, le=60)], 61, "input should be less than or equal to 60"),
        (Annotated[str, Field(min_length=1)], "", "input should have at least 1 characters"),
        (Annotated[list[str], Field(max_length=1)], ["a", "b"], "input should have at most 1 items"),
    ],
)
def test_what_can_not_be_meant_is_told(annotation: Any, value: object, text: str) -> None:
    assert checked(annotation, value) == [Problem(("it",), text)]


def test_the_place_of_a_mistake_is_told() -> None:
    assert checked(list[dict[str, str]], [{"a": "b"}, {"a": 1}]) == [
        Problem(("it", 1, "a"), "input should be a valid string")
    ]


@given(anything)
def test_whatever_is_given_has_the_type_or_a_problem(value: object) -> None:
    for shape, types in ((WHOLE, int), (MAYBE, int | None), (EITHER, str | int | None), (WORDS, list | str)):
        problems: list[Problem] = []
        found = shape.check(value, (), problems)
        assert problems or (isinstance(found, types) and not isinstance(found, bool))
