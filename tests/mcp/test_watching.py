"""Waits, cursors and batches over real stdio."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import LEGACY, MODERN, RawClient, ToolError, mcp_server


@pytest.fixture(params=[LEGACY, MODERN])
def client(lab: Lab, request: pytest.FixtureRequest) -> Iterator[RawClient]:
    """On `main`, which runs `cat` (%0), and `shell`, which runs bash (%1)."""
    lab.new_session("main", "cat")
    lab.new_session("shell", "bash", "--norc", "--noprofile")
    with mcp_server(lab, era=request.param) as client:
        yield client


def test_a_wait_ends_with_the_line_that_came(client: RawClient, lab: Lab) -> None:
    client.call("send_keys", target="%1", keys="read go; echo server listening on 80")
    arguments = {"patterns": ["listening", "started"], "stop": ["rror"], "target": "%1"}
    params = {"name": "wait_for_text", "arguments": arguments, "_meta": {"progressToken": 1}}
    number = client.start("tools/call", params)
    while not client.notifications:
        client.call("list_sessions")
    lab.tmux("send-keys", "-t", "%1", "Enter")
    found = client.wait(number)["result"]["structuredContent"]
    assert (found["found"], found["outcome"], found["matched_index"]) == (True, "matched", 0)
    assert found["matched_lines"] == ["server listening on 80"]
    assert found["matched_at_entry"] is False


def test_progress_is_told_to_those_who_ask(client: RawClient) -> None:
    params = {
        "name": "wait_for_text",
        "arguments": {"target": "%0", "patterns": "never", "timeout": 1.5},
        "_meta": {"progressToken": "mine"},
    }
    client.request("tools/call", params)
    told = [one["params"] for one in client.notifications if one["method"] == "notifications/progress"]
    assert len(told) >= 2
    assert {(one["progressToken"], one["total"]) for one in told} == {("mine", 1.5)}
    assert [one["progress"] for one in told] == sorted(one["progress"] for one in told)


def test_a_cancelled_wait_stops_and_others_go_on(client: RawClient, lab: Lab) -> None:
    arguments = {"target": "%0", "patterns": "never", "timeout": 60}
    params = {"name": "wait_for_text", "arguments": arguments, "_meta": {"progressToken": 1}}
    number = client.start("tools/call", params)
    while not client.notifications:
        client.call("list_sessions")
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    assert client.call("list_sessions")["sessions"]
    eventually(lambda: "pause-after" not in lab.tmux("list-clients", "-F", "#{client_flags}"))


def test_a_hundred_waits_side_by_side_each_get_their_own_line(client: RawClient) -> None:
    """The watch is shared, the answers are not."""
    numbers = [
        client.start(
            "tools/call",
            {
                "name": "wait_for_text",
                "arguments": {"target": "%1", "patterns": f"<{at}>", "timeout": 30},
                "_meta": {"progressToken": at + 1},
            },
        )
        for at in range(100)
    ]
    begun: set[int] = set()
    while len(begun) < 100:
        begun.add(client.notification("notifications/progress")["params"]["progressToken"])
    client.call("send_keys", target="%1", keys='for i in $(seq 0 99); do echo "<$i>"; done')
    for at, number in enumerate(numbers):
        found = client.wait(number)["result"]["structuredContent"]
        assert (found["found"], found["matched_lines"]) == (True, [f"<{at}>"])


def test_a_cursor_reads_on_where_the_last_call_ended(client: RawClient) -> None:
    first = client.call("capture_since", target="%0")
    client.call("send_keys", target="%0", keys="hello")
    client.call("wait_for_text", target="%0", patterns="hello")
    second = client.call("capture_since", cursor=first["cursor"])
    assert second["lines"] == ["hello", "hello"]
    assert not second["lines_missed"]
    assert client.call("capture_since", cursor=second["cursor"])["lines"] == []
    with pytest.raises(ToolError, match="of pane %0, not of %1"):
        client.call("capture_since", cursor=second["cursor"], pane_id="%1")


def test_long_output_is_cut_at_its_beginning_and_it_is_said(client: RawClient) -> None:
    cursor = client.call("capture_since", target="%1")["cursor"]
    client.call("send_keys", target="%1", keys="seq 1000; echo do''ne")
    client.call("wait_for_text", target="%1", patterns="done")
    found = client.call("capture_since", cursor=cursor, max_lines=10)
    assert "1000" in found["lines"]
    assert (found["truncated"], len(found["lines"])) == (True, 10)
    assert found["truncated_lines"] > 900
    found = client.call("capture_since", cursor=cursor, max_bytes=100)
    assert sum(len(line) + 1 for line in found["lines"]) <= 100
    assert found["truncated_bytes"] > 3000


def test_a_batch_reads_in_order_and_stops_where_told(client: RawClient) -> None:
    operations = [
        {"tool": "list_panes"},
        {"tool": "capture_pane", "arguments": {"target": "%9"}},
        {"tool": "has_session", "arguments": {"target": "main"}},
    ]
    done = client.call("batch_read", operations=operations, on_error="continue")
    assert [one["success"] for one in done["results"]] == [True, False, True]
    assert (done["succeeded"], done["failed"], done["stopped_at"]) == (2, 1, None)
    assert len(done["results"][0]["data"]["panes"]) == 2
    assert "no pane %9" in done["results"][1]["error"]
    assert [one["tool"] for one in done["results"]] == ["list_panes", "capture_pane", "has_session"]
    assert "[1] capture_pane: not_found: no pane %9" in client.text("batch_read", operations=operations)
    assert client.call("call_read_tools_batch", operations=operations)["stopped_at"] == 1


def test_a_batch_changes_nothing(client: RawClient) -> None:
    for tool in ("send_keys", "kill_server", "batch_read", "call_read_tools_batch", "nothing"):
        arguments = {"target": "%0", "keys": "x"} if tool == "send_keys" else {}
        done = client.call("batch_read", operations=[{"tool": tool, "arguments": arguments}])
        assert done["failed"] == 1, tool


def test_keys_go_to_many_panes_in_order(client: RawClient, lab: Lab) -> None:
    operations = [
        {"pane_id": "%0", "keys": "one"},
        {"target": "%0", "keys": "two", "enter": False},
        {"target": "%9", "keys": "three"},
        {"target": "%0", "keyz": "four"},
        {"target": "%0", "keys": "!", "literal": True},
    ]
    done = client.call("send_keys_batch", operations=operations, on_error="continue")
    assert [one["success"] for one in done["results"]] == [True, True, False, False, True]
    assert "did you mean 'keys'" in done["results"][3]["error"]
    eventually(lambda: "two!" in lab.screen("%0"))


def test_a_space_keeps_a_command_out_of_the_history(client: RawClient, lab: Lab) -> None:
    client.call("send_keys", target="%1", keys="HISTCONTROL=ignorespace; echo o''k")
    client.call("wait_for_text", target="%1", patterns="ok")
    client.call("send_keys", target="%1", keys="echo sec''ret", suppress_history=True)
    client.call("wait_for_text", target="%1", patterns="secret")
    client.call("send_keys", target="%1", keys="history; echo e''nd")
    client.call("wait_for_text", target="%1", patterns="end")
    assert "sec''ret" not in client.text("capture_pane", target="%1").split("history")[-1]


def test_what_a_pane_shows_since_it_was_made_is_new(client: RawClient, lab: Lab) -> None:
    pane_id = client.call("split_window", target="%0", shell="echo ready; cat")["pane_id"]
    eventually(lambda: "ready" in lab.screen(pane_id))
    found = client.call("wait_for_text", target=pane_id, patterns="ready")
    assert (found["found"], found["matched_at_entry"]) == (True, True)


@pytest.mark.parametrize("tool", ["capture_pane", "snapshot_pane", "capture_since"])
def test_what_has_been_read_is_not_new(client: RawClient, lab: Lab, tool: str) -> None:
    client.call("send_keys", target="%0", keys="ready")
    eventually(lambda: lab.screen("%0").split() == ["ready", "ready"])
    client.call(tool, target="%0")
    found = client.call("wait_for_text", target="%0", patterns="ready", timeout=0.3)
    assert (found["found"], found["matched_at_entry"]) == (False, True)


def test_where_nothing_runs_nothing_is_said_to_have_exited(client: RawClient) -> None:
    done = client.call("wait_for_exit", target="%0")
    assert (done["outcome"], done["exited"]) == ("nothing_running", False)


def test_errors_say_what_to_do(client: RawClient) -> None:
    with pytest.raises(ToolError, match=r"no pane is named\. Give target"):
        client.call("capture_since")
    with pytest.raises(ToolError, match="no pane %99"):
        client.call("capture_since", target="%99")
    with pytest.raises(ToolError) as refused:
        client.call("batch_read", operations=[{"name": "list_panes"}])
    assert "'operations.0.tool' is required" in str(refused.value)
    assert "did you mean" not in str(refused.value)


NO_PATTERNS = {
    "(": "no valid regular expression",
    "": "the pattern is empty",
    "a\0b": "NUL",
    "x" * 20_000: "characters",
    r"(?=x)y": "no valid regular expression",
    "(((a{1,100}){1,100}){1,100})": "no valid regular expression",
}


def test_a_pattern_that_is_none_is_refused(client: RawClient) -> None:
    for pattern, said in NO_PATTERNS.items():
        for tool, given in (("wait_for_text", {"target": "%0"}), ("search_panes", {})):
            with pytest.raises(ToolError, match=said):
                client.call(tool, pattern=pattern, regex=True, **given)


def test_a_catastrophic_pattern_freezes_nobody(client: RawClient) -> None:
    client.call("send_keys", target="%0", keys="a" * 2000, enter=False)
    started = time.monotonic()
    number = client.start(
        "tools/call",
        {
            "name": "wait_for_text",
            "arguments": {"target": "%0", "patterns": "(a+)+(a|aa)+$b", "regex": True, "timeout": 1},
        },
    )
    client.call("search_panes", pattern="(a*)*b", regex=True)
    client.call("list_sessions")
    assert client.wait(number)["result"]["structuredContent"]["found"] is False
    assert time.monotonic() - started < 10


def test_no_answer_holds_the_same_json_twice(client: RawClient) -> None:
    for tool, arguments in {
        "list_panes": {},
        "get_pane_info": {"target": "%0"},
        "capture_since": {"target": "%0"},
        "wait_for_idle": {"target": "%0", "quiet_seconds": 0.05},
        "batch_read": {"operations": [{"tool": "list_panes"}]},
    }.items():
        result = client.request("tools/call", {"name": tool, "arguments": arguments})
        assert json.dumps(result["structuredContent"]) not in result["content"][0]["text"]
        with pytest.raises(ValueError, match="Expecting|Extra"):
            json.loads(result["content"][0]["text"])
