"""MCP Inspector's command line: one connection, one request."""

from __future__ import annotations

import pytest

from tests.clients.programs import (
    MUXPILOT,
    OFFERED,
    PATIENCE,
    Json,
    as_flags,
    installed,
    muxpilot_environ,
    run_json,
)
from tests.lab import Lab

pytestmark = installed

ERAS = ["legacy", "modern"]


def inspect(lab: Lab, method: str, *flags: str, era: str = "legacy") -> Json:
    environ = as_flags(muxpilot_environ(lab))
    asked = ["--method", method, "--protocol-era", era, *flags, "--format", "json", "--quiet"]
    patience = ["--connect-timeout", str(int(PATIENCE * 1000))]
    result: Json = run_json(lab, "mcp-inspector", "--cli", MUXPILOT, *environ, *asked, *patience)["result"]
    return result


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_is_listed_with_a_schema_that_any_client_can_take(lab: Lab, era: str) -> None:
    listing = inspect(lab, "tools/list", "--strict", era=era)
    assert {tool["name"] for tool in listing["tools"]} == OFFERED


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_is_called_with_typed_arguments(lab: Lab, era: str) -> None:
    arguments = '{"session_name": "here", "x": 120}'
    inspect(lab, "tools/call", "--tool-name", "create_session", "--tool-args-json", arguments, era=era)
    assert lab.tmux("list-sessions", "-F", "#{session_name} #{window_width}") == "here 120"


def test_resources_are_listed_and_read(lab: Lab) -> None:
    lab.new_session("main", "cat")
    uris = [resource["uri"] for resource in inspect(lab, "resources/list")["resources"]]
    assert "tmux://sessions/main" in uris
    (contents,) = inspect(lab, "resources/read", "--uri", "tmux://sessions/main")["contents"]
    assert '"session_name":"main"' in contents["text"]


def test_prompts_are_listed(lab: Lab) -> None:
    prompts = inspect(lab, "prompts/list")["prompts"]
    assert all(prompt["description"] for prompt in prompts)
    assert prompts
