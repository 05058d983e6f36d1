"""What a call may say, and what it is told when it says something else."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from muxpilot.errors import BadInput
from muxpilot.mcp.aliases import canonical
from muxpilot.mcp.arguments import Arguments
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field


async def act(
    context: Context,
    target: Annotated[str, Field(description="where")],
    count: Annotated[int, Field(ge=1)] = 1,
    note: str | None = None,
    server: str | None = None,
) -> Result:
    raise NotImplementedError


ACT = Arguments(act)


def test_the_schema_holds_nothing_that_a_model_does_not_need() -> None:
    assert ACT.schema() == {
        "type": "object",
        "properties": {
            "target": {"type": "string", "description": "where"},
            "count": {"type": "integer", "minimum": 1, "default": 1},
            "note": {"type": "string"},
            "server": {"type": "string"},
        },
        "required": ["target"],
    }


def test_arguments_come_out_typed_with_defaults() -> None:
    assert ACT.check({"target": "%1", "note": None}) == {
        "target": "%1",
        "count": 1,
        "note": None,
        "server": None,
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"target": "%1", "cuont": 2}, "unknown argument 'cuont' \\(did you mean 'count'\\?\\)"),
        ({}, "'target' is required"),
        ({"target": 5}, "'target' is wrong: input should be a valid string"),
        ({"target": "%1", "count": 0}, "'count' is wrong: input should be greater than or equal to 1"),
        ({"target": "%1", "count": "many"}, "'count' is wrong"),
        ({"zzz": 1}, "'target' is required; unknown argument 'zzz'. act takes target, count, note, server"),
    ],
)
def test_wrong_arguments_are_named_with_the_way_out(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        ACT.check(arguments)


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ({"pane_id": "%1"}, "%1"),
        ({"window_id": "@2"}, "@2"),
        ({"session_id": "$3"}, "$3"),
        ({"session_name": "dev"}, "dev"),
        ({"session": "dev"}, "dev"),
        ({"name": "dev"}, "dev"),
        ({"session_name": "dev", "window_index": "1"}, "dev:1"),
        ({"session_name": "dev", "window_index": 1}, "dev:1"),
        ({"session_id": "$3", "window": "editor"}, "$3:editor"),
        ({"pane_id": "%1", "session_name": "dev"}, "%1"),
        ({"pane_id": None, "session_name": "dev"}, "dev"),
    ],
)
def test_other_servers_words_become_one_target(given: dict[str, Any], target: str) -> None:
    assert canonical(given, ["target", "server"]) == {"target": target}


def test_socket_name_is_server() -> None:
    assert canonical({"socket_name": "work"}, ["server"]) == {"server": "work"}


def test_a_parameter_of_that_very_name_is_left_alone() -> None:
    assert canonical({"session_name": "new"}, ["session_name", "target"]) == {"session_name": "new"}


def test_an_alias_that_contradicts_the_target_is_refused() -> None:
    with pytest.raises(BadInput, match="say different things"):
        canonical({"target": "%1", "pane_id": "%2"}, ["target"])
    assert canonical({"target": "%1", "pane_id": "%1"}, ["target"]) == {"target": "%1"}


def test_the_flag_that_gemini_leaks_is_dropped_and_nothing_else() -> None:
    assert canonical({"target": "%1", "wait_for_previous": True}, ["target"]) == {"target": "%1"}
    assert canonical({"wait_for_previous": False}, ["wait_for_previous"]) == {"wait_for_previous": False}
    for mistake in ({"wait_for_previous": "yes"}, {"wait_for_next": True}):
        with pytest.raises(BadInput, match="unknown argument 'wait_for_"):
            ACT.check({"target": "%1", **mistake})
