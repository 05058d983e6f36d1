"""Document B: `tmux_list_sessions`, its text, its structure and its friendly errors (toolset `classic`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.lab import Lab
from tests.mcp.client import RawClient, ToolError, mcp_server
from tests.tmux.people import person_attached


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    with mcp_server(lab, toolsets="classic", safety="destructive") as client:
        yield client


def test_it_takes_no_arguments_and_only_reads(client: RawClient) -> None:
    (listed,) = [one for one in client.request("tools/list")["tools"] if one["name"] == "tmux_list_sessions"]
    assert listed["inputSchema"] == {"type": "object", "properties": {}}
    assert listed["annotations"]["readOnlyHint"] is True
    with pytest.raises(ToolError, match="unknown argument 'all'"):
        client.call("tmux_list_sessions", all=True)


def test_sessions_are_counted_and_told_in_text_and_structure(client: RawClient, lab: Lab) -> None:
    lab.new_session("work", "cat")
    lab.tmux("new-window", "-d", "-t", "work:", "cat")
    lab.new_session("play", "cat")
    found = client.call("tmux_list_sessions")
    assert found["count"] == 2
    by_name = {one["name"]: one for one in found["sessions"]}
    assert by_name["work"]["windows"] == 2
    assert by_name["play"]["windows"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z", by_name["work"]["created"])
    assert {one["attached"] for one in found["sessions"]} == {False}
    assert client.text("tmux_list_sessions") == json.dumps(found, indent=2)


def test_attached_means_that_a_person_is(client: RawClient, lab: Lab) -> None:
    lab.new_session("work", "cat")
    with person_attached(lab, "work", 80, 24), person_attached(lab, "work", 80, 24):
        assert client.call("tmux_list_sessions")["sessions"][0]["attached"] is True


def test_names_with_a_bar_in_them_stay_whole(client: RawClient, lab: Lab) -> None:
    lab.new_session("a|9|b", "cat")
    assert client.call("tmux_list_sessions")["sessions"][0]["name"] == "a|9|b"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (
            "tmux_list_sessions",
            {},
            "tmux server is not running. Start a session first with tmux_create_session.",
        ),
        (
            "tmux_list_windows",
            {"session": "x"},
            "Error: tmux server is not running. Start a session first with tmux_create_session.",
        ),
    ],
)
def test_without_a_server(client: RawClient, tool: str, arguments: dict[str, str], said: str) -> None:
    with pytest.raises(ToolError) as error:
        client.call(tool, **arguments)
    assert str(error.value) == said
    assert error.value.condition == "server_not_running"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (
            "tmux_list_windows",
            {"session": "none"},
            "Session not found. Use tmux_list_sessions to see available sessions.",
        ),
        (
            "tmux_select_window",
            {"target": "work:9"},
            "Window not found. Use tmux_list_windows to see available windows.",
        ),
        (
            "tmux_select_pane",
            {"target": "%99"},
            "Pane not found. Use tmux_list_panes to see available panes.",
        ),
    ],
)
def test_what_is_not_there_is_said_kindly(
    client: RawClient, lab: Lab, tool: str, arguments: dict[str, str], said: str
) -> None:
    lab.new_session("work", "cat")
    with pytest.raises(ToolError) as error:
        client.call(tool, **arguments)
    assert str(error.value) == f"Error: {said}"
