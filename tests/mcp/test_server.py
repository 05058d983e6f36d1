"""The server as a process: both protocol eras, tiers, bad input, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import muxpilot
from muxpilot.config import Tier
from muxpilot.mcp.tools import ALL
from tests.lab import TMUX, Lab, children, eventually, running
from tests.mcp.client import LEGACY, MODERN, RawClient, ToolError, mcp_server


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_both_eras_are_served(lab: Lab, era: str) -> None:
    with mcp_server(lab, era=era) as client:
        assert len(client.request("tools/list")["tools"]) == sum(tool.tier <= Tier.MUTATING for tool in ALL)
        client.call("create_session", session_name="here")
        assert client.call("list_sessions")["sessions"][0]["session_name"] == "here"
        with pytest.raises(ToolError, match="no session 'x'"):
            client.call("capture_pane", target="x")


def test_the_server_introduces_itself(lab: Lab) -> None:
    with mcp_server(lab) as client:
        result = client.request(
            "initialize",
            {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
        )
    assert result["serverInfo"] == {"name": "muxpilot", "version": muxpilot.__version__}
    assert "tier: mutating" in result["instructions"]


def test_the_listing_is_small_and_every_tool_says_what_it_is_for(client: RawClient) -> None:
    tools = client.request("tools/list")["tools"]
    assert len(json.dumps(tools, separators=(",", ":"))) < 36_000
    assert all(len(tool["description"]) > 20 for tool in tools)


def test_a_tier_hides_and_forbids_what_is_above_it(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, safety="readonly") as client:
        listed = {tool["name"] for tool in client.request("tools/list")["tools"]}
        assert "send_keys" not in listed
        assert "capture_pane" in listed
        with pytest.raises(ToolError, match="not allowed.*MUXPILOT_SAFETY=mutating"):
            client.call("send_keys", target="%0", keys="x")
        assert client.text("capture_pane", target="%0") == ""


def test_a_safety_tier_that_is_none_stops_the_start(lab: Lab) -> None:
    environ = {**lab.environ, "MUXPILOT_SAFETY": "anything"}
    done = subprocess.run(
        [sys.executable, "-m", "muxpilot"],
        env=environ,
        input=b"",
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert b"MUXPILOT_SAFETY is 'anything'. It must be readonly, mutating or destructive" in done.stderr


def test_an_unknown_tool_is_named(client: RawClient) -> None:
    with pytest.raises(ToolError, match="no tool 'kill_everything'"):
        client.call("kill_everything")


def test_rubbish_on_the_wire_does_not_stop_the_server(client: RawClient) -> None:
    for rubbish in (b"not json\n", b"{}\n", b"[]\n", b"\xff\xfe\n", b"\n", b'{"jsonrpc":"2.0"}\n'):
        client.send(rubbish)
    assert client.call("list_sessions")["sessions"]


def test_half_a_character_is_refused_by_an_answer(client: RawClient) -> None:
    number = client.start("tools/call", {"name": "capture_pane", "arguments": {"target": "\ud800"}})
    error = client.wait(number)["error"]
    assert error["code"] == -32600
    assert "surrogate" in error["message"]


@pytest.mark.parametrize(("line", "code"), [(b"{", -32700), (b'{"jsonrpc":"2.0","id":7,"method":3}', -32600)])
def test_a_message_that_is_none_is_refused_by_an_answer(client: RawClient, line: bytes, code: int) -> None:
    client.send(line + b"\n")
    number = 7 if code == -32600 else None
    error = client.wait(number)["error"]  # type: ignore[arg-type]
    assert error["code"] == code


def test_three_hundred_calls_at_once_are_all_answered(client: RawClient) -> None:
    numbers = [client.start("tools/call", {"name": "list_panes", "arguments": {}}) for _ in range(300)]
    for number in numbers:
        assert client.wait(number)["result"]["structuredContent"]["panes"]


def test_many_large_answers_at_once_are_all_whole(lab: Lab) -> None:
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "history-limit", "50000")
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "seq 20000; exec sleep 1000")
    eventually(lambda: "20000" in lab.screen(pane))
    with mcp_server(lab) as client:
        client.call("list_panes")
        asked = {"name": "capture_pane", "arguments": {"target": pane, "start": -30000, "max_lines": None}}
        numbers = [client.start("tools/call", asked) for _ in range(60)]
        for number in numbers:
            text = client.wait(number)["result"]["content"][0]["text"]
            assert text.split("\n") == [str(line) for line in range(1, 20001)]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="without pidfds a thread waits for each child")
def test_no_thread_sleeps_for_each_tmux_process(client: RawClient) -> None:
    client.call("search_panes", pattern="anything")  # By processes of its own, beside the connection.
    assert len([*Path(f"/proc/{client.process.pid}/task").iterdir()]) == 1


def test_a_large_argument_is_typed_or_refused_not_lost(client: RawClient) -> None:
    with pytest.raises(ToolError, match="no session"):
        client.call("capture_pane", target="x" * 1_000_000)
    assert client.call("list_sessions")["sessions"]


def test_a_stopped_tmux_is_named_within_the_timeout_and_works_again(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, timeout="2") as client:
        assert client.call("list_sessions")["sessions"]
        with lab.stopped_server():
            started = time.monotonic()
            with pytest.raises(ToolError) as refused:
                client.call("list_sessions")
            assert refused.value.condition == "server_unresponsive"
            assert time.monotonic() - started < 5
        assert client.call("list_sessions")["sessions"]


def test_a_cancelled_call_leaves_the_server_working(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, timeout="20") as client:
        assert client.call("list_sessions")["sessions"]
        with lab.stopped_server():
            number = client.start("tools/call", {"name": "list_sessions", "arguments": {}})
            client.send(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            )
        assert client.call("list_sessions")["sessions"]


@pytest.mark.parametrize("how", ["eof", "SIGTERM", "SIGINT", "SIGKILL"])
def test_however_it_ends_nothing_of_ours_is_left(lab: Lab, how: str) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, fresh=True) as client:
        client.call("list_sessions")
        ours = children(client.process.pid)
        assert len(ours) == 1
        if how == "eof":
            assert client.process.stdin is not None
            client.process.stdin.close()
        else:
            os.kill(client.process.pid, getattr(signal, how))
        code = client.process.wait(10)
        assert code == {"eof": 0, "SIGTERM": 0, "SIGINT": 0, "SIGKILL": -9}[how]
        eventually(lambda: not any(running(pid) for pid in ours))
    eventually(lambda: lab.tmux("list-clients") == "")
    assert lab.tmux("list-sessions", "-F", "#{session_name}") == "main"


def test_sigterm_while_tmux_is_stopped_leaves_no_client(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, fresh=True) as client:
        client.call("list_sessions")
        with lab.stopped_server():
            client.start("tools/call", {"name": "list_sessions", "arguments": {}})
            os.kill(client.process.pid, signal.SIGTERM)
            assert client.process.wait(10) == 0
    eventually(lambda: lab.tmux("list-clients") == "")


def run_with(lab: Lab, stdin: bytes | int, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """The server with all its input there from the start, and then at its end."""
    environ = {**lab.environ, "MUXPILOT_SOCKET": "lab", "MUXPILOT_TMUX_BIN": TMUX, **settings}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "muxpilot"],
        env=environ,
        stdin=stdin if isinstance(stdin, int) else None,
        input=None if isinstance(stdin, int) else stdin,
        capture_output=True,
        timeout=30,
        check=False,
    )


PIPED = b"".join(
    json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
    for message in (
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": LEGACY,
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "list_sessions", "arguments": {}}},
        {
            "id": 3,
            "method": "tools/call",
            "params": {"name": "capture_pane", "arguments": {"target": "main"}},
        },
    )
)


def test_calls_that_are_piped_in_are_answered_before_the_end(lab: Lab) -> None:
    lab.new_session("main", "cat")
    done = run_with(lab, PIPED)
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert answers[2]["result"]["structuredContent"]["sessions"]
    assert answers[3]["result"]["content"]
    assert done.stderr == b""


def test_a_large_answer_is_written_whole_before_the_end(lab: Lab) -> None:
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "history-limit", "50000")
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "seq -f %050.0f 20000; exec cat")
    eventually(lambda: "20000" in lab.screen(pane))
    call = {"name": "capture_pane", "arguments": {"target": pane, "start": -40000, "max_lines": None}}
    line = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call}).encode() + b"\n"
    done = run_with(lab, PIPED + line)
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[9]["result"]["content"][0]["text"].count("\n") == 19_999


def test_without_a_client_it_ends_at_once(lab: Lab) -> None:
    for stdin in (b"", subprocess.DEVNULL):
        assert run_with(lab, stdin).returncode == 0


def test_a_socket_name_that_can_be_none_is_told_in_one_line(lab: Lab) -> None:
    done = run_with(lab, b"", MUXPILOT_SOCKET="a/b")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"neither a name nor an absolute path" in done.stderr


def test_a_client_that_closes_its_reading_end_ends_the_server(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab) as client:
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.start("tools/call", {"name": "list_sessions", "arguments": {}})
        assert client.process.wait(10) == 0


def test_a_client_that_never_reads_does_not_stop_the_end(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab) as client:
        for _ in range(2000):
            client.start("tools/call", {"name": "list_panes", "arguments": {}})
        os.kill(client.process.pid, signal.SIGTERM)
        assert client.process.wait(10) == 0


@pytest.mark.parametrize("offset", [2**53 + 1, 2**63, 10**40])
def test_a_number_that_no_answer_could_hold_is_refused(client: RawClient, offset: int) -> None:
    with pytest.raises(ToolError) as refused:
        client.call("search_panes", pattern="x", offset=offset)
    assert refused.value.condition == "bad_input"
