"""Document A: a small server with sessions by name (`MUXPILOT_TOOLSETS=mini`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import Json, RawClient, ToolError, mcp_server

SEVEN = [
    *("list_sessions", "has_session", "list_windows", "capture_pane", "new_session", "send_keys"),
    "kill_session",
]


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    with mcp_server(lab, toolsets="mini", safety="destructive") as client:
        yield client


def refused(client: RawClient, tool: str, **arguments: object) -> str:
    with pytest.raises(ToolError) as error:
        client.call(tool, **arguments)
    return str(error.value)


def schema(client: RawClient, tool: str) -> Json:
    (found,) = [one for one in client.request("tools/list")["tools"] if one["name"] == tool]
    listed: Json = found["inputSchema"]
    return listed


def test_the_seven_are_listed_and_no_other(client: RawClient) -> None:
    assert sorted(one["name"] for one in client.request("tools/list")["tools"]) == sorted(SEVEN)


def test_new_session_takes_what_it_took(client: RawClient) -> None:
    listed = schema(client, "new_session")
    assert list(listed["properties"]) == ["name", "command", "cwd"]
    assert listed["required"] == ["name"]


def test_a_session_with_a_command_in_a_folder(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    made = client.call("new_session", name="train", command="pwd && echo it=$((6*7))", cwd=str(tmp_path))
    assert made["name"] == "train"
    assert made["cwd"] == str(tmp_path)
    assert made["command"] == "pwd && echo it=$((6*7))"
    assert made["status"] == "running"
    assert 'capture_pane name="train"' in made["hint"]
    assert "attach -t =train" in made["hint"]
    eventually(lambda: "it=42" in client.text("capture_pane", name="train"))
    shown = client.text("capture_pane", name="train")
    assert str(tmp_path) in shown.replace("\n", "")
    assert shown.count("echo it=") == 1, "typed once, behind the prompt"
    assert client.call("has_session", name="train") == {"name": "train", "exists": True}, "it survives"


def test_a_shell_without_a_command(client: RawClient) -> None:
    made = client.call("new_session", name="plain")
    assert (made["cwd"], made["command"]) == (None, None)
    assert client.text("has_session", name="plain") == json.dumps({"name": "plain", "exists": True}, indent=2)


def test_a_name_that_exists_is_refused(client: RawClient) -> None:
    client.call("new_session", name="train")
    said = refused(client, "new_session", name="train")
    assert said == 'session "train" already exists. Use kill_session first or pick a different name.'
    assert client.call("list_sessions")["count"] == 1


@pytest.mark.parametrize("name", ["a.b", "a:b", "a|b", "a b", "a\tb", "a\nb"])
def test_a_bad_name_is_refused(client: RawClient, name: str) -> None:
    assert refused(client, "new_session", name=name) == "name cannot contain '.', ':', '|', or whitespace"


def test_no_name_and_a_long_one_are_refused(client: RawClient) -> None:
    assert refused(client, "new_session", name="") == "name is required (non-empty string)"
    assert refused(client, "new_session", name="x" * 101) == "name too long (max 100)"
    assert client.call("new_session", name="x" * 100)["status"] == "running"
    assert "'name' is required" in refused(client, "new_session")


def test_a_folder_that_is_not_there_is_refused(client: RawClient, tmp_path: Path) -> None:
    said = refused(client, "new_session", name="lost", cwd=str(tmp_path / "none"))
    assert said.startswith("cwd ")
    assert client.call("has_session", name="lost")["exists"] is False


def test_an_argument_that_it_never_had_is_refused(client: RawClient) -> None:
    assert "unknown argument 'shell'" in refused(client, "new_session", name="x", shell="zsh")


def test_the_life_of_a_session(client: RawClient) -> None:
    assert client.call("list_sessions") == {"count": 0, "sessions": []}
    assert client.call("has_session", name="work")["exists"] is False
    client.call("new_session", name="work")
    (found,) = client.call("list_sessions")["sessions"]
    assert (found["name"], found["windows"], found["attached"]) == ("work", 1, False)
    (window,) = client.call("list_windows", name="work")["windows"]
    assert (window["index"], window["active"], window["panes"]) == (0, True, 1)
    assert client.call("send_keys", name="work", keys="echo so=$((2+3))")["status"] == "sent"
    eventually(lambda: "so=5" in client.text("capture_pane", name="work", lines=50))
    assert client.call("kill_session", name="work") == {"name": "work", "status": "killed"}
    assert client.call("has_session", name="work")["exists"] is False


@pytest.mark.parametrize("name", ["missing", "$0", "%0", "wor", "=work", "work:0", "*"])
def test_a_session_is_known_by_its_whole_name_alone(client: RawClient, name: str) -> None:
    client.call("new_session", name="work")
    assert client.call("has_session", name=name)["exists"] is False
    for tool, more in (("kill_session", {}), ("capture_pane", {}), ("send_keys", {"keys": "x"})):
        assert refused(client, tool, name=name, **more).startswith(f'session "{name}" does not exist')


def test_killing_needs_its_tier(lab: Lab) -> None:
    with mcp_server(lab, toolsets="mini") as client:
        assert "kill_session" not in {one["name"] for one in client.request("tools/list")["tools"]}
        client.call("new_session", name="work")
        assert "MUXPILOT_SAFETY=destructive" in refused(client, "kill_session", name="work")


def test_beside_our_own_its_names_count(lab: Lab) -> None:
    with mcp_server(lab, toolsets="core,mini") as client:
        listed = {one["name"]: one for one in client.request("tools/list")["tools"]}
        assert "run_command" in listed
        assert list(listed["capture_pane"]["inputSchema"]["properties"]) == ["name", "lines"]
