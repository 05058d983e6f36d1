"""The TypeScript SDK's clients, which most MCP clients are built on: one whole session each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import muxpilot
from tests.clients.programs import MUXPILOT, OFFERED, PACKAGES, Json, installed, muxpilot_environ, run_json
from tests.lab import Lab
from tests.mcp.client import LEGACY, MODERN

pytestmark = installed

SESSION = str(Path(__file__).with_name("session.mjs"))

CLIENTS = [
    pytest.param("v1", None, None, id="v1"),  # It does not tell which version it has agreed on.
    pytest.param("v2", "legacy", LEGACY, id="v2-legacy"),
    pytest.param("v2", "auto", MODERN, id="v2-auto"),
    pytest.param("v2", {"pin": MODERN}, MODERN, id="v2-modern"),
]


@pytest.mark.parametrize(("sdk", "mode", "version"), CLIENTS)
def test_a_whole_session(lab: Lab, sdk: str, mode: object, version: str | None) -> None:
    wanted = {"sdk": sdk, "mode": mode, "command": MUXPILOT, "env": muxpilot_environ(lab)}
    seen = run_json(lab, "node", SESSION, json.dumps({**wanted, "packages": str(PACKAGES)}))

    assert seen["server"] == {"name": "muxpilot", "version": muxpilot.__version__}
    assert seen.get("version") == version
    assert set(seen["tools"]) == OFFERED
    assert [one["session_name"] for one in seen["sessions"]["sessions"]] == ["here"]
    assert (seen["ran"]["output"], seen["ran"]["exit_code"]) == ("one\ntwo", 1)
    assert (seen["terminal"]["output"], seen["terminal"]["exit_code"]) == ("42", 0)
    assert "no session 'nowhere'" in seen["refused"]["content"][0]["text"]
    assert seen["refused"]["isError"]
    assert json.loads(seen["resource"][0]["text"])["session_name"] == "here"
    assert seen["prompts"]
    assert seen["change"] == {"method": "notifications/resources/updated", "uri": "tmux://sessions/here"}
    check_cancelled(seen["wait"])
    assert len(seen["afterwards"]["sessions"]) == 2  # Ours, and the one that `terminal` has made.


def check_cancelled(wait: Json) -> None:
    assert "enough" in wait["outcome"]
    assert wait["progress"][0]["total"] == 60
