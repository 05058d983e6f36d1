"""docs/tools.md says what the code says, and tools return what it says they return."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from muxpilot import errors
from muxpilot.errors import MuxpilotError, TmuxError
from muxpilot.mcp.tools import ALL
from tests.docs.pages import DOCS, ROOT, Json
from tests.lab import Lab
from tests.mcp.client import mcp_server
from tests.mcp.test_contract import CALLS, furnish

SCRIPT = ROOT / "scripts" / "reference"
INSTEAD: dict[str, Json] = {
    "wait_for_content_change": {"target": "%1", "timeout": 0.05},
    "wait_for_text": {"target": "%1", "patterns": "no", "timeout": 0.05},
    "wait_for_idle": {"target": "%1", "quiet_seconds": 0.05},
    "kill_session": {"target": "spare-2"},
    "kill_window": {"target": "@2"},
}
"""Calls that fit a tmux where the others were made before."""


def test_the_page_is_as_the_code_is() -> None:
    told = subprocess.run(
        [sys.executable, str(SCRIPT), "--print"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    stale = (DOCS / "tools.md").read_text() != told
    assert not stale, "docs/tools.md is stale: run `.venv/bin/python scripts/reference`"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_every_condition_is_told(script: dict[str, Any]) -> None:
    inner = {MuxpilotError.condition, TmuxError.condition}  # Those that the others are kinds of.
    assert (
        set(script["CONDITIONS"])
        == {
            one.condition
            for one in vars(errors).values()
            if isinstance(one, type) and issubclass(one, MuxpilotError)
        }
        - inner
    )


def test_tools_return_the_fields_that_the_page_names(
    script: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    returns, lab = script["RETURNS"], Lab(tmp_path)
    request.addfinalizer(lab.end)
    request.addfinalizer(lambda: lab.try_tmux("-L", "second", "kill-server"))
    furnish(lab)
    assert list(returns) == [tool.name for tool in ALL]
    with mcp_server(lab, safety="destructive") as client:
        wrong: dict[str, list[str]] = {}
        for tool in ALL:
            given = INSTEAD.get(tool.name, CALLS[tool.name])
            answer = client.request("tools/call", {"name": tool.name, "arguments": given})
            assert not answer.get("isError"), (tool.name, answer)
            real = frozenset(answer.get("structuredContent") or ())
            told = returns[tool.name]
            if not told.fields <= real <= told.fields | told.maybe:
                wrong[tool.name] = sorted(real)
    assert not wrong, "RETURNS in scripts/reference says something else"
