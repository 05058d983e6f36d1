"""The audit log, as a server process writes it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import LEGACY, MODERN, RawClient, ToolError, mcp_server


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def start_with(lab: Lab, audit_log: str) -> subprocess.CompletedProcess[bytes]:
    environ = {**lab.environ, "MUXPILOT_AUDIT_LOG": audit_log}
    argv = [sys.executable, "-m", "muxpilot"]
    return subprocess.run(argv, env=environ, input=b"", capture_output=True, timeout=30, check=False)


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_every_call_leaves_a_line(lab: Lab, tmp_path: Path, era: str) -> None:
    lab.new_session("main", "cat")
    path = tmp_path / "audit"
    with mcp_server(lab, era=era, audit_log=str(path)) as client:
        client.call("send_keys", target="%0", keys="hunter2")
        for tool, arguments in [
            ("capture_pane", {"target": "%9"}),
            ("kill_server", {}),
            ("no_such_tool", {"keys": "hunter2"}),
            ("send_keys", {"target": "%0", "kyes": "hunter2"}),
        ]:
            with pytest.raises(ToolError):
                client.call(tool, **arguments)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "hunter2" not in path.read_text()
    found = records(path)
    told = [(one["tool"], one["tier"], one["outcome"], one.get("error_type")) for one in found]
    assert told == [
        ("send_keys", "mutating", "ok", None),
        ("capture_pane", "readonly", "error", "not_found"),
        ("kill_server", "destructive", "error", "bad_input"),
        ("no_such_tool", None, "error", "bad_input"),
        ("send_keys", "mutating", "error", "bad_input"),
    ]
    first = found[0]
    assert first["client"] == "tests/1"
    assert first["args"] == {"target": "%0", "keys": {"len": 7, "sha256_prefix": "f52fbd32b2b3"}}
    assert first["time"].endswith("Z")
    assert first["duration_ms"] > 0
    numbers = [one["request_id"] for one in found]
    assert numbers == list(range(numbers[0], numbers[0] + 5))


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_a_cancelled_call_is_told(lab: Lab, tmp_path: Path, era: str) -> None:
    lab.new_session("main", "cat")
    path = tmp_path / "audit"
    with mcp_server(lab, era=era, audit_log=str(path)) as client:
        call = {"name": "wait_for_channel", "arguments": {"channel": "never", "timeout": 60}}
        number = client.start("tools/call", call)
        client.call("list_sessions")
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        eventually(lambda: len(records(path)) == 2)
    cancelled = records(path)[1]
    assert (cancelled["tool"], cancelled["outcome"]) == ("wait_for_channel", "cancelled")
    assert cancelled["request_id"] == number


def test_several_servers_share_a_file(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("main", "cat")
    path = tmp_path / "audit"
    path.touch(0o640)
    with mcp_server(lab, audit_log=str(path)) as one, mcp_server(lab, audit_log=str(path)) as other:
        pairs: list[tuple[RawClient, int]] = [
            (
                client,
                client.start(
                    "tools/call", {"name": "list_panes", "arguments": {"filters": {"x": "y" * 500}}}
                ),
            )
            for _ in range(50)
            for client in (one, other)
        ]
        for client, number in pairs:
            client.wait(number)
    assert len(records(path)) == 100
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_line_is_bounded_whatever_the_call(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "audit"
    with mcp_server(lab, audit_log=str(path)) as client:
        names = {f"{'n' * 60}{number}": "\u2028" * 300 for number in range(500)}
        with pytest.raises(ToolError):
            client.call("\U0001f469\n" * 5000, operations=[names] * 50, target="\U0001f469\n" * 5000, **names)
    assert len(path.read_bytes()) <= 16_384
    assert len(records(path)) == 1


def test_stderr_gets_lines_too(lab: Lab) -> None:
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_sessions"}},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "muxpilot"],
        env={**lab.environ, "MUXPILOT_AUDIT_LOG": "stderr", "MUXPILOT_SOCKET": "lab"},
        input="".join(json.dumps(message) + "\n" for message in messages).encode(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    (line,) = done.stderr.splitlines()
    assert json.loads(line)["tool"] == "list_sessions"


def test_a_log_that_nobody_reads_holds_up_no_call(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("main", "cat")
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reading = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    with reading as reader, mcp_server(lab, audit_log=str(path)) as client:
        for _ in range(400):
            client.text("list_panes", target="x" * 200)
        written = len(reader.read().splitlines())
        client.call("list_sessions")
        last = json.loads(reader.read())
    assert 0 < written < 400
    assert written + last["lost"] == 400


def test_a_stderr_that_nobody_reads_holds_up_no_call(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, audit_log="stderr", stderr=subprocess.PIPE) as client:
        for _ in range(400):
            client.text("list_panes", target="x" * 200)
        assert client.process.stderr is not None
        data = os.read(client.process.stderr.fileno(), 1_000_000)
        client.call("list_sessions")
        last = json.loads(client.process.stderr.readline())
    assert len(data.splitlines()) + last["lost"] == 400


@pytest.mark.parametrize("where", ["/no/such/folder/audit", "/", "/dev/null/audit"])
def test_a_log_that_can_not_be_written_stops_the_start(lab: Lab, where: str) -> None:
    done = start_with(lab, where)
    assert done.returncode == 2
    assert f"MUXPILOT_AUDIT_LOG is '{where}', which can't be written".encode() in done.stderr
    assert b"in a folder that exists, or stderr" in done.stderr


def test_a_full_disk_is_told_once_and_stops_no_call(lab: Lab) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    lab.new_session("main", "cat")
    with mcp_server(lab, audit_log="/dev/full", stderr=subprocess.PIPE) as client:
        for _ in range(3):
            assert client.call("list_sessions")["sessions"]
        assert client.process.stdin is not None
        assert client.process.stderr is not None
        client.process.stdin.close()
        told = client.process.stderr.read()
    assert told.count(b"the audit log can't be written") == 1


TORN = """
import asyncio, resource, sys
from muxpilot.mcp.audit import Audit, Call

async def answer():
    return {}

async def main():
    audit = Audit(sys.argv[1])
    for room in (250, 250, resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        await audit.recorded(Call("a_tool", None, {}, 1, None), answer())

asyncio.run(main())
"""


def test_after_a_line_that_was_cut_off_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "audit"
    path.write_text("x" * 200)
    subprocess.run([sys.executable, "-c", TORN, str(path)], timeout=30, check=True)
    torn, whole = path.read_text().splitlines()
    assert len(torn) == 250
    assert json.loads(whole)["lost"] == 2
