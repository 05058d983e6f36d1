"""Lines in, messages out: whatever stands in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.mcp import jsonrpc
from muxpilot.mcp.jsonrpc import Call, Notice, Refused, Reply, Unreadable, read

texts = st.text(st.characters(exclude_categories=["Cs"]))
numbers = texts | st.integers(-(2**53), 2**53)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)
objects = st.dictionaries(texts, values, max_size=3)


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


@given(numbers, texts, objects)
def test_a_request_comes_out_as_it_was_sent(number: str | int, method: str, params: dict[str, Any]) -> None:
    assert read(line(id=number, method=method, params=params)) == Call(number, method, params)
    assert read(line(method=method, params=params)) == Notice(method, params)


def test_params_may_be_left_out_or_null() -> None:
    assert (
        read(line(id=1, method="ping")) == read(line(id=1, method="ping", params=None)) == Call(1, "ping", {})
    )


def test_an_answer_to_a_question_that_we_never_ask_means_nothing() -> None:
    assert read(line(id=1, result={})) == read(line(id=1, error={"code": 1})) == Reply()


@given(st.binary(max_size=40))
def test_no_line_does_anything_but_be_read_or_refused(rubbish: bytes) -> None:
    try:
        read(rubbish)
    except Unreadable as refused:
        json.loads(jsonrpc.error(refused.number, refused))


@pytest.mark.parametrize(
    ("rubbish", "number", "code"),
    [
        (b"{", None, -32700),
        (b"[" * 100_000, None, -32700),
        (b"NaN", None, -32700),
        (b"[]", None, -32600),
        (b"{}", None, -32600),
        (line(id=7), 7, -32600),
        (line(id=7, method=3), 7, -32600),
        (line(id=7, method="x", params=[]), 7, -32600),
        (line(id="s", method="x", params="y"), "s", -32600),
        (b'{"id":7,"method":"x"}', 7, -32600),
        (line(id=None, method="x"), None, -32600),
        (line(id=True, method="x"), None, -32600),
        (line(id=1.5, method="x"), None, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\\ud800"}}', 7, -32600),
    ],
)
def test_what_can_not_be_read_is_told_to_the_request_that_it_was(
    rubbish: bytes, number: int | str | None, code: int
) -> None:
    with pytest.raises(Unreadable) as refused:
        read(rubbish)
    assert (refused.value.number, refused.value.code) == (number, code)


@given(numbers, objects)
def test_an_answer_is_one_line(number: str | int, result: dict[str, Any]) -> None:
    for written in (
        jsonrpc.result(number, result),
        jsonrpc.notification("n", result),
        jsonrpc.error(number, Refused(-1, "no", result)),
    ):
        assert written.endswith(b"\n")
        assert written.count(b"\n") == 1
    assert json.loads(jsonrpc.result(number, result)) == {"jsonrpc": "2.0", "id": number, "result": result}
