"""What the audit log may show of a call."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.mcp.redact import CLEAR, redacted

DIGEST = {"len": 7, "sha256_prefix": "f52fbd32b2b3"}
"""Of `hunter2`."""

SECRET = st.text(st.sampled_from("QXZ\u6f22\u2028\n\"\\ '"), min_size=4, max_size=40).filter(str.strip)
"""Characters that no line holds by itself."""


def text(value: object) -> str:
    """All that is in a value, names too, as a reader gets to see it."""
    if isinstance(value, dict):
        return " ".join(f"{name} {text(one)}" for name, one in value.items())
    return " ".join(map(text, value)) if isinstance(value, list) else str(value)


def test_what_is_called_sensitive_has_not_even_a_digest() -> None:
    secret = {"target": "%1", "keys": "hunter2", "sensitive": True}
    shown = {"target": "%1", "keys": "(sensitive)", "sensitive": True}
    assert redacted(secret) == shown
    assert redacted({"operations": [secret, {"keys": "hunter2"}]}) == {
        "operations": [shown, {"keys": DIGEST}]
    }
    assert redacted({**secret, "sensitive": "yes"})["keys"] == "(sensitive)"


@pytest.mark.parametrize(
    "name", ["keys", "text", "value", "content", "shell", "command", "kyes", "keys ", "Keys"]
)
def test_what_is_typed_is_a_length_and_a_digest(name: str) -> None:
    (shown,) = redacted({name: "hunter2"}).values()
    assert shown == DIGEST


def test_an_environment_shows_its_names() -> None:
    assert redacted({"environment": {"TOKEN": "hunter2", "name": "hunter2"}}) == {
        "environment": {"TOKEN": DIGEST, "name": DIGEST}
    }


def test_calls_within_a_call_are_redacted_by_name() -> None:
    operations = [{"tool": "send_keys", "arguments": {"target": "%1", "keys": "hunter2", "enter": True}}]
    assert redacted({"operations": operations, "on_error": "stop"}) == {
        "operations": [{"tool": "send_keys", "arguments": {"target": "%1", "keys": DIGEST, "enter": True}}],
        "on_error": "stop",
    }


def test_below_a_hidden_name_all_is_hidden() -> None:
    below = {"operations": [{"target": "hunter2", "name": ["hunter2"]}]}
    assert redacted({"env": below}) == {"env": {"operations": [{"target": DIGEST, "name": [DIGEST]}]}}


def test_filters_show_what_they_look_for() -> None:
    assert redacted({"filters": {"session_name__contains": "dev", "other": "hunter2"}}) == {
        "filters": {"session_name__contains": "dev", "other": DIGEST}
    }


def test_a_long_value_is_cut_and_its_length_said() -> None:
    assert redacted({"target": "x" * 1000}) == {"target": "x" * 200 + "… (1000 characters)"}


def test_a_number_under_an_unknown_name_is_hidden() -> None:
    assert redacted({"pin": 1234, "timeout": 5, "enter": False}) == {
        "pin": {"len": 4, "sha256_prefix": "03ac674216f3"},
        "timeout": 5,
        "enter": False,
    }


def test_numbers_that_json_can_not_hold_are_text() -> None:
    odd = redacted({"timeout": math.inf, "limit": math.nan, "offset": 10**5000, "start": -5, "interval": 0.5})
    assert (odd["timeout"], odd["limit"], odd["start"], odd["interval"]) == ("inf", "nan", -5, 0.5)
    assert odd["offset"].startswith("0x")


def test_an_argument_name_that_is_none_is_hidden() -> None:
    (name,) = redacted({"export TOKEN=hunter2": "x"})
    assert name.startswith("sha256:")


def test_many_entries_and_deep_ones_are_cut() -> None:
    deep: Any = "end"
    for _ in range(100):
        deep = [deep]
    shown = redacted({"operations": [{"target": str(n)} for n in range(1000)], "target": deep})
    assert len(shown["operations"]) == 51
    assert len(json.dumps(shown["target"])) < 100


SCALAR = SECRET | st.integers() | st.floats() | st.booleans() | st.none() | st.just(10**400)
NO_NAME = SECRET.map("={}".format)
HIDDEN_NAME = (
    st.sampled_from(["keys", "text", "value", "content", "shell", "command", "envirnoment"]) | NO_NAME
)
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(sorted(CLEAR)) | NO_NAME, inner)
)


@given(name=HIDDEN_NAME, value=VALUE, secret=SECRET, wrapped=st.sampled_from(["", "arguments", "operations"]))
def test_no_secret_is_ever_shown(name: str, value: Any, secret: str, wrapped: str) -> None:
    hidden: dict[str, Any] = {name: [value, {"target": secret}, secret]}
    shown = redacted({wrapped: [hidden]} if wrapped else hidden)
    assert not set("QXZ\u6f22\u2028") & set(text(shown))
    assert secret not in text(shown)
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
