"""Two eras on one wire: each request is of the one that it shows."""

from __future__ import annotations

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import LEGACY, MODERN, PATIENCE, RawClient, mcp_server

PREFIX = "io.modelcontextprotocol"
HELLO = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}


def envelope(version: Any = MODERN, **more: Any) -> dict[str, Any]:
    return {"_meta": {f"{PREFIX}/protocolVersion": version, f"{PREFIX}/clientCapabilities": {}, **more}}


def ask(client: RawClient, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """As it stands: no envelope of the client's own."""
    client.era = LEGACY
    return client.wait(client.start(method, params))


@pytest.fixture
def stranger(lab: Lab) -> Any:
    """A client of the newer era, so that no handshake has been made."""
    lab.new_session("main", "cat")
    with mcp_server(lab, era=MODERN) as client:
        yield client


def test_who_asks_for_a_version_of_the_future_can_fall_back_to_the_handshake(stranger: RawClient) -> None:
    refused = ask(stranger, "server/discover", envelope("2027-01-01"))["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32022, [MODERN])
    assert ask(stranger, "initialize", HELLO)["result"]["protocolVersion"] == LEGACY
    assert "resultType" not in ask(stranger, "tools/list", {})["result"]


def test_a_version_that_is_not_served_is_answered_with_our_newest(stranger: RawClient) -> None:
    for asked, served in (("2024-11-05", "2024-11-05"), ("1999-01-01", LEGACY)):
        assert (
            ask(stranger, "initialize", {**HELLO, "protocolVersion": asked})["result"]["protocolVersion"]
            == served
        )


def test_before_any_handshake_only_a_ping_is_answered(stranger: RawClient) -> None:
    assert ask(stranger, "ping", {})["result"] == {}
    refused = ask(stranger, "tools/list", {})["error"]
    assert refused["code"] == -32602
    assert "initialize first" in refused["message"]


def test_what_calls_itself_modern_has_no_handshake(stranger: RawClient) -> None:
    assert ask(stranger, "initialize", {**HELLO, **envelope()})["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("method", "era", "known"),
    [
        ("ping", MODERN, False),
        ("resources/subscribe", MODERN, False),
        ("server/discover", MODERN, True),
        ("server/discover", LEGACY, False),
        ("subscriptions/listen", LEGACY, False),
        ("logging/setLevel", LEGACY, False),
        ("ping", LEGACY, True),
    ],
)
def test_each_era_has_its_own_methods(lab: Lab, method: str, era: str, known: bool) -> None:
    with mcp_server(lab, era=era) as client:
        answer = client.wait(client.start(method, {"uri": "tmux://sessions"}))
        assert ("result" in answer) is known
        assert known or answer["error"]["code"] == -32601


def test_an_answer_is_marked_complete_and_may_be_kept_in_the_newer_era_only(lab: Lab) -> None:
    with mcp_server(lab, era=MODERN) as client:
        listed = client.request("tools/list")
        assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
        assert listed["ttlMs"] == 3_600_000
        assert client.request("resources/read", {"uri": "tmux://sessions"})["ttlMs"] == 0
        assert listed["_meta"][f"{PREFIX}/serverInfo"]["name"] == "muxpilot"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"name": 5}, "params.name should be a string"),
        ({"name": "ping", "arguments": []}, "params.arguments should be an object"),
        ({"name": "ping", "_meta": {"progressToken": [1]}}, "token"),
        ({"name": "ping", "_meta": 5}, "params._meta should be an object"),
        ({"name": "ping", "inputResponses": {"a": 5}}, "params.inputResponses.a should be an object"),
    ],
)
def test_parameters_that_can_be_none_are_named(client: RawClient, params: dict[str, Any], said: str) -> None:
    error = client.wait(client.start("tools/call", params))["error"]
    assert error["code"] == -32602
    assert said in error["message"]


def test_a_cancelled_call_has_no_answer_whichever_way_its_number_is_written(client: RawClient) -> None:
    for written in (int, str):
        number = client.start("tools/call", {"name": "wait_for_text", "arguments": {"target": "%0"}})
        params = {"requestId": written(number)}
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        assert client.call("list_sessions")["sessions"]
        assert not client.has_answered(number)


def test_a_call_under_way_is_told_that_the_server_stops(client: RawClient) -> None:
    number = client.start("tools/call", {"name": "wait_for_text", "arguments": {"target": "%0"}})
    assert client.call("list_sessions")["sessions"]
    os.kill(client.process.pid, signal.SIGTERM)
    assert client.wait(number)["error"] == {"code": -32000, "message": "muxpilot is stopping"}
    assert client.process.wait(10) == 0


def call_of(number: int, tool: str, **arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def test_who_does_not_read_is_not_answered_until_it_does(lab: Lab) -> None:
    """Three thousand answers of 100 KB would be 300 MB: most are not made before somebody takes them."""
    lab.new_session("main", "cat")
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "seq -f %0300.0f 330; exec cat")
    eventually(lambda: "000330" in lab.screen(pane))
    numbers = range(1000, 4000)
    calls = [call_of(number, "capture_pane", target=pane, start=-2000, max_lines=None) for number in numbers]
    with mcp_server(lab) as client, ThreadPoolExecutor() as elsewhere:
        sent = elsewhere.submit(client.send, b"".join(calls))
        sent.result(PATIENCE)
        eventually(lambda: rests(client.process.pid), 30)
        status = Path(f"/proc/{client.process.pid}/status").read_text()
        assert int(status.partition("VmHWM:")[2].split()[0]) < 150 * 1024
        assert all(client.wait(number)["result"]["content"] for number in numbers)


def rests(pid: int) -> bool:
    """Whether it has done something, and does nothing more."""
    spent = Path(f"/proc/{pid}/schedstat")
    before = spent.read_text()
    time.sleep(0.5)
    return int(before.split()[0]) > 100_000_000 and before == spent.read_text()


def test_ten_thousand_calls_in_one_breath_are_all_answered(client: RawClient) -> None:
    numbers = range(10_000, 20_000)
    client.send(b"".join(call_of(number, "has_session", target="main") for number in numbers))
    assert all(client.wait(number)["result"]["structuredContent"]["exists"] for number in numbers)


def test_a_call_that_waits_for_its_turn_can_be_cancelled(client: RawClient) -> None:
    waiting = {"target": "%0", "timeout": 60}
    busy = [client.start("tools/call", {"name": "wait_for_text", "arguments": waiting}) for _ in range(256)]
    last = client.start("tools/call", {"name": "has_session", "arguments": {"target": "main"}})
    for number in (last, busy[0]):
        params = {"requestId": number}
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert client.call("has_session", target="main")["exists"]
    assert not client.has_answered(last)


def test_a_message_that_is_too_long_is_refused_and_the_next_one_is_read(client: RawClient) -> None:
    client.send(b'"' + b"x" * (65 << 20) + b'"\n')
    assert "67108864 bytes at most" in client.wait(None)["error"]["message"]  # type: ignore[arg-type]
    assert client.call("list_sessions")["sessions"]
