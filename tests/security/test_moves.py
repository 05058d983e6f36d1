"""Moving the last window of a session away ends it, which takes the destructive tier."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import Lab
from tests.mcp.client import RawClient, ToolError, mcp_server

ENDING = (
    ("move_window", {"target": "@0", "destination_session": "other"}),
    ("move_window", {"target": "main:0", "destination_session": "$1", "destination_index": 7}),
    ("join_pane", {"source": "%0", "target": "%1"}),
    ("break_pane", {"target": "%0", "destination_session": "other"}),
)


@pytest.fixture
def stage(lab: Lab) -> Lab:
    """Two sessions of one window with one pane each."""
    lab.new_session("main", "cat")
    lab.new_session("other", "cat")
    return lab


@pytest.fixture
def client(stage: Lab) -> Iterator[RawClient]:
    with mcp_server(stage) as client:
        yield client


def sessions(lab: Lab) -> list[str]:
    return lab.tmux("list-sessions", "-F", "#{session_name}").split()


@pytest.mark.parametrize(("tool", "arguments"), ENDING)
def test_a_move_that_ends_a_session_is_refused(
    client: RawClient, lab: Lab, tool: str, arguments: dict[str, object]
) -> None:
    with pytest.raises(ToolError, match="MUXPILOT_SAFETY=destructive"):
        client.call(tool, **arguments)
    assert sessions(lab) == ["main", "other"]
    assert lab.tmux("display-message", "-p", "-t", "%0", "#{session_name}") == "main"


@pytest.mark.parametrize(("tool", "arguments"), ENDING)
def test_the_destructive_tier_allows_it(stage: Lab, tool: str, arguments: dict[str, object]) -> None:
    with mcp_server(stage, safety="destructive") as client:
        client.call(tool, **arguments)
    assert sessions(stage) == ["other"]


@pytest.mark.parametrize(("tool", "arguments"), ENDING)
def test_where_another_window_is_left_it_is_allowed(
    client: RawClient, lab: Lab, tool: str, arguments: dict[str, object]
) -> None:
    lab.tmux("new-window", "-d", "-t", "main", "cat")
    client.call(tool, **arguments)
    assert sessions(lab) == ["main", "other"]
    assert lab.tmux("display-message", "-p", "-t", "%0", "#{session_name}") == "other"


def test_two_moves_side_by_side_do_not_end_it_together(client: RawClient, lab: Lab) -> None:
    lab.tmux("new-window", "-d", "-t", "main", "cat")
    calls = [
        client.start(
            "tools/call",
            {"name": "move_window", "arguments": {"target": target, "destination_session": "other"}},
        )
        for target in ("@0", "@2")
    ]
    answers = [client.wait(number)["result"] for number in calls]
    assert [bool(answer.get("isError")) for answer in answers].count(True) == 1
    assert sessions(lab) == ["main", "other"]


def test_a_window_that_another_session_shows_too_ends_neither(client: RawClient, lab: Lab) -> None:
    lab.tmux("new-session", "-d", "-s", "third", "-t", "main")
    with pytest.raises(ToolError, match="third"):
        client.call("join_pane", source="%0", target="%1")
    assert sessions(lab) == ["main", "other", "third"]


def test_a_move_within_its_session_is_free(client: RawClient, lab: Lab) -> None:
    assert client.call("move_window", target="@0", destination_index=5)["window_index"] == 5
    lab.tmux("split-window", "-d", "-t", "%0", "cat")
    assert client.call("break_pane", target="%0")["session_id"] == "$0"
    assert client.call("join_pane", source="%0", target="%2")["session_id"] == "$0"
