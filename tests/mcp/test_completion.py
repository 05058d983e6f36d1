"""Completion over real stdio, in both eras: what exists now, the likely first; nothing where nothing is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import Lab
from tests.mcp.client import LEGACY, MODERN, Json, RawClient, mcp_server

WINDOW = "tmux://sessions/{session_name}/windows/{window_index}{?socket_name}"
PANE = "tmux://panes/{pane_id}{?socket_name}"


@pytest.fixture(params=[LEGACY, MODERN])
def client(request: pytest.FixtureRequest, lab: Lab) -> Iterator[RawClient]:
    for name in ("dev", "web dev", "Development"):
        lab.new_session(name, "cat")
    with mcp_server(lab, era=request.param) as client:
        yield client


def complete(client: RawClient, argument: str, typed: str, ref: str = WINDOW, **given: str) -> Json:
    """A template for a reference with a scheme; otherwise a prompt."""
    kind = {"type": "ref/resource", "uri": ref} if "://" in ref else {"type": "ref/prompt", "name": ref}
    params: Json = {"ref": kind, "argument": {"name": argument, "value": typed}}
    if given:
        params["context"] = {"arguments": given}
    found: Json = client.request("completion/complete", params)["completion"]
    return found


def test_sessions_by_prefix_first_then_by_what_they_contain(client: RawClient) -> None:
    found = complete(client, "session_name", "dev")
    assert found == {"values": ["dev", "Development", "web dev"], "total": 3, "hasMore": False}
    assert complete(client, "session_name", "b d")["values"] == ["web dev"]
    assert complete(client, "session_name", "none")["values"] == []


def test_windows_of_the_session_that_was_given(client: RawClient, lab: Lab) -> None:
    lab.tmux("new-window", "-d", "-t", "=dev:12", "cat")
    assert complete(client, "window_index", "", session_name="dev")["values"] == ["0", "12"]
    assert complete(client, "window_index", "", session_name="web dev")["values"] == ["0"]
    assert complete(client, "window_index", "1", session_name="dev")["values"] == ["12"]
    assert complete(client, "window_index", "", session_name="nobody")["values"] == []


def test_panes_with_their_sign_or_without(client: RawClient) -> None:
    assert complete(client, "pane_id", "", PANE)["values"] == ["%0", "%1", "%2"]
    assert complete(client, "pane_id", "%1", PANE)["values"] == ["%1"]
    assert complete(client, "pane_id", "2", PANE)["values"] == ["%2"]


def test_sockets_that_answer(client: RawClient, lab: Lab) -> None:
    lab.endpoint.socket_path.with_name("leftover").write_text("")
    assert complete(client, "socket_name", "", PANE)["values"] == ["lab"]


def test_names_of_the_server_that_was_given(client: RawClient) -> None:
    assert complete(client, "session_name", "", socket_name="lab")["total"] == 3
    assert complete(client, "session_name", "", socket_name="nowhere")["values"] == []


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("pane_id", ["%0", "%1", "%2"]),
        ("session_name", ["dev", "web dev", "Development"]),
        ("target", ["%0", "%1", "%2", "dev", "web dev", "Development"]),
        ("anything", []),
    ],
)
def test_arguments_of_prompts_by_their_name(client: RawClient, argument: str, values: list[str]) -> None:
    assert sorted(complete(client, argument, "", "some_prompt")["values"]) == sorted(values)


def test_more_than_a_hundred_are_counted(client: RawClient, lab: Lab) -> None:
    for number in range(100):
        lab.tmux("new-window", "-d", "-t", f"=dev:{number + 1}", "cat")
    found = complete(client, "window_index", "", session_name="dev")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 101, True)


def test_an_unknown_template_is_refused(client: RawClient) -> None:
    params = {
        "ref": {"type": "ref/resource", "uri": "file:///{x}"},
        "argument": {"name": "pane_id", "value": ""},
    }
    error = client.wait(client.start("completion/complete", params))["error"]
    assert error["code"] == -32602
    assert "tmux://panes/{pane_id}" in error["message"]


def test_no_server_is_no_error(lab: Lab) -> None:
    with mcp_server(lab) as client:
        for argument in ("session_name", "window_index", "pane_id", "target", "socket_name"):
            assert complete(client, argument, "") == {"values": [], "total": 0, "hasMore": False}
