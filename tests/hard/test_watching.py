"""Watching: lines 29 to 33 of the hard cases, over real stdio."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError
from tests.terminal.pen import Pen


def while_waiting(
    client: RawClient, step: Callable[[], object], /, tool: str = "wait_for_text", **given: Any
) -> Any:
    """The answer of a wait during which something is done: once it has told that it has begun."""
    params = {"name": tool, "arguments": given, "_meta": {"progressToken": "begun"}}
    client.notifications.clear()
    number = client.start("tools/call", params)
    client.notification("notifications/progress")
    step()
    return client.wait(number)["result"]


def test_29_output_that_comes_a_millisecond_after_the_call(
    client: RawClient, lab: Lab, tmp_path: Path
) -> None:
    pen = Pen(lab, tmp_path)
    timer = threading.Timer(0.001, pen.write, ["ready\n"])
    client.call("list_sessions")
    arguments = {"target": "pen", "patterns": "ready", "timeout": 3}
    number = client.start("tools/call", {"name": "wait_for_text", "arguments": arguments})
    timer.start()
    found = client.wait(number)["result"]["structuredContent"]
    timer.join()
    assert found["found"] or found["matched_at_entry"]


def test_29_output_between_typing_and_waiting_is_new_in_a_pane_with_a_full_scrollback(
    client: RawClient, lab: Lab
) -> None:
    lab.new_session("busy", "seq 5000; exec sh")
    eventually(lambda: lab.screen("busy").rstrip().endswith(("$", "#")))
    client.call("send_keys", target="busy", keys="echo rea''dy")
    eventually(lambda: "ready" in lab.screen("busy").split("\n"))
    assert client.call("wait_for_text", target="busy", patterns="ready", timeout=0.5)["found"]


def test_29_where_rows_were_dropped_meanwhile_what_came_is_new_and_what_was_there_is_not(
    client: RawClient, lab: Lab
) -> None:
    lab.new_session("busy", "seq 5000; echo old; exec sh")
    eventually(lambda: lab.screen("busy").rstrip().endswith(("$", "#")))
    client.call("send_keys", target="busy", keys="seq -f n%g 900; echo rea''dy")
    eventually(lambda: "ready" in lab.screen("busy").split("\n"))
    assert client.call("wait_for_text", target="busy", patterns=["n1"], regex=False, timeout=0.5)["found"]
    client.call("send_keys", target="busy", keys="echo rea''dy")
    eventually(lambda: lab.screen("busy").split("\n").count("ready") == 2)
    assert not client.call("wait_for_text", target="busy", patterns=["n900", "old"], timeout=0.5)["found"]


def test_29_output_that_came_before_the_call_is_said_to(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    pen = Pen(lab, tmp_path)
    pen.settle("ready\n")
    found = client.call("wait_for_text", target="pen", patterns="ready", timeout=0.3)
    assert (found["found"], found["matched_at_entry"]) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ready", id="on the cursor's own line"),
        pytest.param("x" * 78 + "ready\n", id="wrapped"),
        pytest.param("ready\n", id="equal to what stands there"),
        pytest.param("\033[31mre\033[0mady\n", id="coloured"),
    ],
)
def test_29_output_is_seen(client: RawClient, lab: Lab, tmp_path: Path, text: str) -> None:
    pen = Pen(lab, tmp_path)
    pen.settle("ready\n" * (text == "ready\n") or "before\n")
    found = while_waiting(client, lambda: pen.write(text), target="pen", patterns="ready")[
        "structuredContent"
    ]
    assert (found["found"], found["matched_at_entry"]) == (True, False)


def test_29_output_split_over_two_writes_is_seen(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    pen = Pen(lab, tmp_path)

    def write() -> None:
        pen.settle("rea")
        pen.write("dy\n")

    assert while_waiting(client, write, target="pen", patterns="ready")["structuredContent"]["found"]


def test_29_the_echo_of_what_was_typed_is_not_output(client: RawClient) -> None:
    client.call("send_keys", target="%1", keys="sleep 0.5; echo READY")
    started = time.monotonic()
    found = client.call("wait_for_text", target="%1", patterns="READY")
    assert found["matched_lines"] == ["READY"]
    assert time.monotonic() - started > 0.3


@pytest.mark.parametrize(
    "tool", ["wait_for_text", "wait_for_content_change", "wait_for_idle", "wait_for_exit"]
)
@pytest.mark.parametrize("how", ["kill-pane", "respawn-pane", "kill-server"])
def test_30_a_wait_ends_with_its_pane_and_says_so(
    client: RawClient, lab: Lab, tmp_path: Path, tool: str, how: str
) -> None:
    pane_id = Pen(lab, tmp_path).pane_id
    end = {
        "kill-pane": ("kill-pane", "-t", pane_id),
        "respawn-pane": ("respawn-pane", "-k", "-t", pane_id, "cat"),
        "kill-server": ("kill-server",),
    }[how]
    given: dict[str, dict[str, Any]] = {
        "wait_for_text": {"patterns": "never"},
        "wait_for_idle": {"quiet_seconds": 60},
        "wait_for_exit": {"pane": True},
    }
    started = time.monotonic()
    result = while_waiting(
        client, lambda: lab.tmux(*end), tool, target=pane_id, timeout=60, **given.get(tool, {})
    )
    assert time.monotonic() - started < 10
    text = result["content"][0]["text"]
    if how == "kill-server":
        assert result["isError"]
        assert result["_meta"]["condition"] in {"server_gone", "server_not_running"}
    else:
        assert ("respawned" if how == "respawn-pane" else "exited") in text
        assert result.get("isError", False) == (tool == "wait_for_content_change")


@pytest.mark.parametrize("limit", [0, 100, 50_000])
def test_31_no_line_is_lost_in_silence(client: RawClient, lab: Lab, tmp_path: Path, limit: int) -> None:
    lab.tmux("set-option", "-g", "history-limit", str(limit))
    pen = Pen(lab, tmp_path)
    cursor = client.call("capture_since", target="pen")["cursor"]
    at = 0
    for count in (3, 40, 200, 0, 17):
        lines = [f"line {at + number}" for number in range(count)]
        pen.settle("".join(f"{line}\n" for line in lines))
        if count == 40:
            lab.tmux("resize-window", "-t", "pen", "-x", "40", "-y", "20")
        seen = client.call("capture_since", cursor=cursor, max_lines=None)
        assert seen["lines_missed"] or seen["lines"] == lines
        assert not (limit == 50_000 and seen["lines_missed"])
        cursor, at = seen["cursor"], at + count


def test_31_what_was_seen_costs_nothing(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    pen = Pen(lab, tmp_path)
    pen.settle("".join(f"line {number} {'x' * 60}\n" for number in range(2000)))
    cursor = client.call("capture_since", target="pen")["cursor"]
    result = client.request("tools/call", {"name": "capture_since", "arguments": {"cursor": cursor}})
    assert len(json.dumps(result)) < 400


def test_32_a_literal_is_a_literal_and_wrapped_lines_are_whole(
    client: RawClient, lab: Lab, tmp_path: Path
) -> None:
    pen = Pen(lab, tmp_path)
    pen.settle("a.b*[c](d)|^$\nadb\n" + "y" * 75 + "wrapped here\n")
    for pattern in ("a.b*[c](d)|^$", "wrapped here", "[c]("):
        found = client.call("search_panes", pattern=pattern)
        assert [len(match["matched_lines"]) for match in found["matches"]] == [1], pattern
    assert client.call("search_panes", pattern="a.b")["total_panes_matched"] == 1


def test_33_ten_megabytes_of_argument_are_answered_and_so_is_everybody_else(client: RawClient) -> None:
    number = client.start("tools/call", {"name": "search_panes", "arguments": {"pattern": "x" * 10_000_000}})
    assert client.call("list_sessions")["sessions"]
    result = client.wait(number)["result"]
    assert result["isError"]
    assert len(result["content"][0]["text"]) < 1000


def test_33_a_null_byte_and_half_a_character_are_refused(client: RawClient) -> None:
    for arguments in ({"target": "%0", "keys": "a\0b"}, {"target": "%0\0", "keys": "x"}):
        with pytest.raises(ToolError) as refused:
            client.call("send_keys", **arguments)
        assert refused.value.condition in {"bad_input", "bad_target"}
    line = '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"send_keys","arguments":'
    client.send((line + '{"target":"%0","keys":"\\ud800"}}}\n').encode())
    assert "half a character" in client.wait(77)["error"]["message"]
    eventually(lambda: client.call("list_sessions")["sessions"])
