"""Hints: what clients let an agent do unasked. True for every tool, cautious where nothing is said."""

from __future__ import annotations

from typing import Any

import pytest

from muxpilot.config import Tier
from muxpilot.mcp.compat import SETS
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.tool import tool
from muxpilot.mcp.tools import ALL
from tests.lab import Lab
from tests.mcp.client import LEGACY, MODERN, mcp_server

ASSUMED = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
"""What the protocol has a client assume where nothing is said."""

LOOKS = {"readOnlyHint": True, "openWorldHint": False}
ARRANGES = {"destructiveHint": False, "openWorldHint": False}
RESETS = {**ARRANGES, "idempotentHint": True}
WORST: dict[str, bool] = {}
ENDS = {"openWorldHint": False}
C_STARTS = {"destructiveHint": False}
C_SETS = {"destructiveHint": False, "idempotentHint": True}

C = "document C's own table, line 4480; openWorldHint says the rest"
READS = "shows what tmux holds"
HINTS: dict[str, tuple[dict[str, bool], str]] = {
    **dict.fromkeys(
        (
            *("list_commands", "list_sessions", "get_session_info", "has_session", "list_windows"),
            *("get_window_info", "list_panes", "get_pane_info", "find_pane_by_position", "capture_pane"),
            *("capture_since", "snapshot_pane", "search_panes", "batch_read", "wait_for_text"),
            *("wait_for_content_change", "wait_for_idle", "wait_for_exit", "list_servers", "get_server_info"),
            *(
                "list_clients",
                "display_message",
                "show_option",
                "show_environment",
                "show_hooks",
                "show_hook",
            ),
            "show_buffer",
        ),
        (LOOKS, READS),
    ),
    "terminal": (WORST, "runs any command"),
    "run_command": (WORST, "runs any command"),
    "interrupt": (WORST, "ends what runs; force sends SIGKILL"),
    "send_keys_batch": (WORST, "types into many panes, which runs commands"),
    "paste_text": (WORST, "a shell runs what is pasted"),
    "paste_buffer": (WORST, "a shell runs what is pasted"),
    "pipe_pane": (WORST, "writes a file"),
    "respawn_pane": (WORST, "ends what ran there and runs a command"),
    "send_keys": (C_STARTS, C),
    "create_session": (C_STARTS, C),
    "create_window": (C_STARTS, C),
    "split_window": (C_STARTS, C),
    "set_option": (C_SETS, C),
    "set_environment": (C_SETS, C),
    "clear_pane": (RESETS, C),
    "rename_session": (RESETS, C),
    "rename_window": (RESETS, C),
    "resize_pane": (RESETS, C),
    "resize_window": (RESETS, C),
    "set_pane_title": (RESETS, C),
    "select_layout": (RESETS, C),
    "exit_copy_mode": (RESETS, "ends a view, no program"),
    "select_window": (ARRANGES, "moves the focus"),
    "select_pane": (ARRANGES, "moves the focus"),
    "swap_pane": (ARRANGES, "moves panes"),
    "enter_copy_mode": (ARRANGES, "begins a view"),
    "load_buffer": (ARRANGES, "makes a buffer of its own, overwrites none"),
    "wait_for_channel": (ARRANGES, "takes a signal; nothing runs"),
    "signal_channel": (C_STARTS, "overwrites nothing, but whoever waits goes on"),
    "move_window": (ENDS, "may end the session that it leaves"),
    "break_pane": (ENDS, "may end the session that it leaves"),
    "join_pane": (ENDS, "may end the session that it leaves"),
    "delete_buffer": (ENDS, "drops a buffer"),
    "kill_pane": (ENDS, "ends a pane"),
    "kill_window": (ENDS, "ends a window"),
    "kill_session": (ENDS, "ends a session"),
    "kill_server": (ENDS, "ends a server"),
}
COMPAT: dict[str, dict[str, dict[str, bool]]] = {
    "classic": {
        **dict.fromkeys(
            ("tmux_list_sessions", "tmux_list_windows", "tmux_list_panes", "tmux_read_pane"), LOOKS
        ),
        **dict.fromkeys(("tmux_rename_session", "tmux_rename_window"), RESETS),
        **dict.fromkeys(("tmux_select_window", "tmux_select_pane", "tmux_resize_pane"), ARRANGES),
        **dict.fromkeys(
            ("tmux_create_session", "tmux_create_window", "tmux_split_window", "tmux_send_keys"), WORST
        ),
        "tmux_kill": ENDS,
    },
    "mini": {
        **dict.fromkeys(("list_sessions", "has_session", "list_windows", "capture_pane"), LOOKS),
        **dict.fromkeys(("new_session", "send_keys"), WORST),
        "kill_session": ENDS,
    },
}
MOST_BYTES, MOST_BYTES_OF_CORE = 38_000, 12_000


def test_the_hints_of_every_tool_are_those_of_the_table() -> None:
    assert {one.name: one.listing()["annotations"] for one in ALL} == {
        name: hints for name, (hints, _) in HINTS.items()
    }
    assert all(reason for _, reason in HINTS.values())


@pytest.mark.parametrize("name", SETS)
def test_the_hints_of_other_servers_tools_are_true_too(name: str) -> None:
    assert {one.name: one.listing()["annotations"] for one in SETS[name]} == COMPAT[name]


def test_only_what_differs_from_the_protocols_assumption_is_sent() -> None:
    for one in (*ALL, *SETS["classic"], *SETS["mini"]):
        for hint, value in one.listing()["annotations"].items():
            assert ASSUMED[hint] is not value, (one.name, hint)


def test_what_only_reads_needs_no_more_than_the_tier_for_it() -> None:
    """And what does more never says that it only reads."""
    for one in (*ALL, *SETS["classic"], *SETS["mini"]):
        assert one.hints.read_only == (one.tier is Tier.READONLY), one.name
        assert one.tier is not Tier.DESTRUCTIVE or one.hints.destructive, one.name


@pytest.mark.parametrize("tier", Tier)
def test_a_tool_that_says_nothing_is_taken_for_the_worst(tier: Tier) -> None:
    @tool(tier)
    async def forgotten(_: Context) -> Result:
        """Do something."""
        return Result("")

    assert forgotten.listing()["annotations"] == {}


@pytest.mark.parametrize("era", [LEGACY, MODERN])
@pytest.mark.parametrize(("toolsets", "most"), [("full", MOST_BYTES), ("core", MOST_BYTES_OF_CORE)])
@pytest.mark.parametrize("safety", ["mutating", "destructive"])
def test_the_listing_stays_short(lab: Lab, era: str, toolsets: str, most: int, safety: str) -> None:
    with mcp_server(lab, era=era, toolsets=toolsets, safety=safety) as client:
        number = client.start("tools/list")
        answer: dict[str, Any] = {}
        while not answer:
            line = client._line()
            answer = {"bytes": len(line)} if f'"id":{number},'.encode() in line else {}
    assert answer["bytes"] <= most


def test_every_tool_has_a_short_title(lab: Lab) -> None:
    with mcp_server(lab, safety="destructive", toolsets="full,classic") as client:
        titles = {one["name"]: one["title"] for one in client.request("tools/list")["tools"]}
    assert titles["capture_pane"] == "Capture pane"
    assert titles["tmux_read_pane"] == "Read pane"
    assert all(0 < len(title.split()) <= 5 and len(title) <= 30 for title in titles.values())
