"""Prompts, toolsets and instructions as a client of a real server gets them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.lab import Lab
from tests.mcp.client import LEGACY, MODERN, RawClient, ToolError, mcp_server

PROMPTS = ["run_and_wait", "diagnose_failing_pane", "build_dev_workspace", "interrupt_gracefully"]
CALL = re.compile(r'run_command\(command=("(?:[^"\\]|\\.)*"), target="%0", timeout=20.0\)')


def prompt(client: RawClient, name: str, **arguments: str) -> str:
    result = client.request("prompts/get", {"name": name, "arguments": arguments})
    (message,) = result["messages"]
    assert message["role"] == "user"
    text: str = message["content"]["text"]
    return text


def tools_of(client: RawClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.request("tools/list")["tools"]
    return found


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_prompts_are_listed_and_filled_in(lab: Lab, era: str) -> None:
    with mcp_server(lab, era=era) as client:
        assert "prompts" in client.open()["capabilities"]
        listed = client.request("prompts/list")["prompts"]
        assert [one["name"] for one in listed] == PROMPTS
        assert [(one["name"], one["required"]) for one in listed[0]["arguments"]] == [
            ("command", True),
            ("pane_id", True),
            ("timeout", False),
        ]
        assert 'snapshot_pane(target="%1")' in prompt(client, "diagnose_failing_pane", pane_id="%1")


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_a_prompt_that_can_not_be_filled_in_is_an_error_of_the_parameters(lab: Lab, era: str) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"name": "run_and_wait"}, "'command' is required; 'pane_id' is required"),
        ({"name": "run", "arguments": {}}, "no prompt 'run'"),
        ({"name": "interrupt_gracefully", "arguments": {"pane": "%1"}}, "unknown argument 'pane'"),
    ]
    with mcp_server(lab, era=era) as client:
        for params, complaint in wrong:
            error = client.wait(client.start("prompts/get", params))["error"]
            assert error["code"] == -32602
            assert complaint in error["message"]


def test_run_and_wait_works_as_it_is_written(lab: Lab) -> None:
    lab.new_session("main", "sh")
    with mcp_server(lab) as client:
        text = prompt(client, "run_and_wait", command="echo $((6 * 7))", target="%0", timeout="20")
        found = CALL.search(text)
        assert found
        done = client.call("run_command", command=json.loads(found[1]), target="%0", timeout=20)
        assert (done["exit_code"], done["output"]) == (0, "42")


def test_prompts_come_as_tools_where_asked_for(lab: Lab) -> None:
    with mcp_server(lab) as client:
        assert not {"list_prompts", "get_prompt"} & {one["name"] for one in tools_of(client)}
    with mcp_server(lab, prompts_as_tools="1", safety="readonly", toolsets="reading") as client:
        assert {"list_prompts", "get_prompt"} <= {one["name"] for one in tools_of(client)}
        assert [one["name"] for one in client.call("list_prompts")["prompts"]] == ["diagnose_failing_pane"]
        filled = client.text("get_prompt", name="diagnose_failing_pane", arguments={"pane_id": "%1"})
        assert 'snapshot_pane(target="%1")' in filled
        with pytest.raises(ToolError, match="bad_input: 'pane_id' is required"):
            client.call("get_prompt", name="diagnose_failing_pane")


@pytest.mark.parametrize(("toolset", "most"), [("core", 12_000), ("terminal", 5_000), ("reading", 4_000)])
def test_a_toolset_makes_the_listing_small(lab: Lab, toolset: str, most: int) -> None:
    with mcp_server(lab, toolsets=toolset, safety="destructive") as client:
        assert 0 < len(json.dumps(tools_of(client), separators=(",", ":"))) <= most


def test_a_tool_outside_the_toolsets_can_not_be_called(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, toolsets="core,buffers", exclude_tools="paste_text") as client:
        with pytest.raises(ToolError, match="the toolsets are core,buffers.*TOOLSETS=core,buffers,panes"):
            client.call("respawn_pane", target="%0")
        with pytest.raises(ToolError, match="paste_text is not allowed: it is excluded"):
            client.call("paste_text", text="x", target="%0")
        assert client.call("list_panes")["panes"]


def test_the_other_servers_toolsets_start_us_and_allow_no_more(lab: Lab) -> None:
    lab.environ["LIBTMUX_TOOLSETS"] = "inspect,manage,teardown"
    with mcp_server(lab) as client:
        listed = {one["name"] for one in tools_of(client)}
        assert {"list_panes", "rename_window", "clear_pane"} <= listed
        assert not {"send_keys", "create_session", "kill_server"} & listed
        with pytest.raises(ToolError, match="send_keys is not allowed"):
            client.call("send_keys", target="%0", keys="x")


def test_no_tool_at_all_is_possible_and_told(lab: Lab) -> None:
    lab.environ["LIBTMUX_TOOLSETS"] = ""
    with mcp_server(lab, stderr=subprocess.PIPE) as client:
        assert tools_of(client) == []
        assert client.process.stdin is not None
        assert client.process.stderr is not None
        client.process.stdin.close()
        assert b"the settings leave no tool: toolsets none" in client.process.stderr.read()


@pytest.mark.parametrize(
    ("setting", "value", "complaint"),
    [
        (
            "TOOLSETS",
            "cor",
            "MUXPILOT_TOOLSETS names 'cor'. Did you mean 'core'? There are full, core, terminal",
        ),
        ("EXCLUDE_TOOLS", "kil_pane", "MUXPILOT_EXCLUDE_TOOLS names 'kil_pane'. Did you mean 'kill_pane'?"),
        ("PROMPTS_AS_TOOLS", "perhaps", "MUXPILOT_PROMPTS_AS_TOOLS is 'perhaps'. It must be 1 or 0"),
    ],
)
def test_a_setting_that_means_nothing_stops_the_start(
    lab: Lab, setting: str, value: str, complaint: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "muxpilot"],
        env={**lab.environ, f"MUXPILOT_{setting}": value},
        input="",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_instructions_know_the_terminal_around_us(lab: Lab, era: str) -> None:
    with mcp_server(lab, era=era) as client:
        assert "is_caller" not in client.open()["instructions"]
    lab.environ |= {"TMUX": f"{lab.endpoint.socket_path},1,0", "TMUX_PANE": "%3"}
    with mcp_server(lab, era=era, toolsets="core") as client:
        told = client.open()["instructions"]
    assert f"You run in pane %3 of the tmux server at {lab.endpoint.socket_path}" in told
    assert "Toolsets: core." in told
    assert len(told.encode()) < 1_500
