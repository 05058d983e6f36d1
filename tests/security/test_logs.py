"""What muxpilot logs, at its most talkative: lines of its own alone, and no secrets."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from typing import Any

from tests.lab import Lab
from tests.mcp.client import ToolError, mcp_server

FORGED = "muxpilot ERROR all is lost"
HOSTILE = f"a\u202eb\x1b[2J\r\n{FORGED}\u2028\x85\U000e0041"
SECRET = "hunter2-swordfish"


def logged(lab: Lab, calls: list[tuple[str, dict[str, Any]]], uris: tuple[str, ...] = ()) -> list[str]:
    """The lines that these calls leave, all of them refused."""
    with mcp_server(lab, stderr=subprocess.PIPE, log_level="DEBUG", safety="destructive") as client:
        for tool, given in calls:
            with suppress(ToolError):
                client.call(tool, **given)
        for uri in uris:
            client.wait(client.start("resources/read", {"uri": uri}))
            client.wait(client.start("resources/subscribe", {"uri": uri}))
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.stderr is not None
        return client.process.stderr.read().decode().split("\n")


def test_no_name_starts_a_line_or_hides_in_one(lab: Lab) -> None:
    """People read it on their terminal."""
    lab.new_session("main", "cat")
    calls: list[tuple[str, dict[str, Any]]] = [
        (HOSTILE, {}),
        ("capture_pane", {"target": HOSTILE}),
        ("list_panes", {HOSTILE: 1}),
        ("get_server_info", {"server": f"/{HOSTILE}"}),
        ("show_option", {"option": HOSTILE}),
        ("create_session", {"session_name": HOSTILE}),
        ("capture_pane", {"target": "x" * 1_000_000}),
    ]
    lines = logged(lab, calls, (f"tmux://sessions/{HOSTILE}", f"{HOSTILE}://x"))
    assert any("list_panes" in line for line in lines)
    for line in lines:
        assert not line.startswith(FORGED)
        assert line.isprintable(), repr(line)
        assert line == "" or line.startswith("muxpilot "), repr(line)
        assert len(line) < 5000


def test_a_value_that_was_written_into_a_name_is_not_logged_or_told(lab: Lab) -> None:
    lab.new_session("main", "cat")
    names = (f"TOKEN={SECRET}", f"A B={SECRET}", f"={SECRET}")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("create_session", {"session_name": "x", "environment": {name: ""}}) for name in names
    ]
    calls += [("set_environment", {"name": name, "value": SECRET}) for name in names]
    calls += [("split_window", {"target": "%0", "environment": {name: ""}}) for name in names]
    lines = logged(lab, calls)
    assert sum("no name of an environment variable" in line for line in lines) >= 6
    assert SECRET not in "\n".join(lines)
