"""A raw MCP client: a real server process, one JSON object a line, a deadline on every read."""

from __future__ import annotations

import atexit
import functools
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.lab import TMUX, Lab
from tests.mcp.nursery import Forked, Nursery

PATIENCE = 30.0
LEGACY, MODERN = "2025-11-25", "2026-07-28"

Json = dict[str, Any]


class ToolError(Exception):
    """The tool said no; `condition` as programs read it."""

    def __init__(self, result: Json) -> None:
        super().__init__(result["content"][0]["text"])
        self.condition = result["_meta"]["condition"]


class RawClient:
    def __init__(self, process: subprocess.Popen[bytes] | Forked, era: str) -> None:
        self.process = process
        self.era = era
        self._count = 0
        self._buffer = b""
        self._answers: dict[int, Json] = {}
        self.notifications: list[Json] = []
        self.greeting: Json = {}

    def open(self) -> Json:
        """The handshake of the older era; the newer one has none."""
        if self.era == MODERN:
            return self.request("server/discover")
        client = {"name": "tests", "version": "1"}
        result = self.request(
            "initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool: str, /, **arguments: Any) -> Json:
        """Call a tool; returns its structured content, or its text where it has none."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise ToolError(result)
        found: Json = result.get("structuredContent") or {"text": result["content"][0]["text"]}
        return found

    def text(self, tool: str, /, **arguments: Any) -> str:
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text: str = result["content"][0]["text"]
        return text

    def request(self, method: str, params: Json | None = None) -> Json:
        answer = self.wait(self.start(method, params))
        assert "error" not in answer, answer
        result: Json = answer["result"]
        return result

    def start(self, method: str, params: Json | None = None) -> int:
        """Send a request without waiting for its answer."""
        self._count += 1
        self.send(
            {"jsonrpc": "2.0", "id": self._count, "method": method, "params": self._enveloped(params or {})}
        )
        return self._count

    def _enveloped(self, params: Json) -> Json:
        if self.era != MODERN:
            return params
        prefix = "io.modelcontextprotocol"
        meta = {
            f"{prefix}/protocolVersion": MODERN,
            f"{prefix}/clientInfo": {"name": "tests", "version": "1"},
            f"{prefix}/clientCapabilities": {},
        }
        return {**params, "_meta": {**params.get("_meta", {}), **meta}}

    def send(self, message: Json | bytes) -> None:
        assert self.process.stdin is not None
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def wait(self, number: int) -> Json:
        while number not in self._answers:
            self._take(self._line())
        return self._answers.pop(number)

    def has_answered(self, number: int) -> bool:
        """Whether its answer is among what has been read so far."""
        return number in self._answers

    def notification(self, method: str = "") -> Json:
        """The next notification (of this method) that nobody has taken yet."""
        while True:
            for message in self.notifications:
                if method in {"", message["method"]}:
                    self.notifications.remove(message)
                    return message
            self._take(self._line())

    def silent_for(self, seconds: float) -> bool:
        """Whether no notification comes in this time; what does come is kept."""
        end = time.monotonic() + seconds
        while not self.notifications and (left := end - time.monotonic()) > 0:
            if b"\n" in self._buffer or self._readable(left):
                self._take(self._line())
        return not self.notifications

    def _readable(self, seconds: float) -> bool:
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            return bool(selector.select(seconds))

    def _take(self, line: bytes) -> None:
        message = json.loads(line)
        if "id" in message and "method" not in message:
            self._answers[message["id"]] = message
        else:
            self.notifications.append(message)

    def _line(self) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self._buffer:
            assert self._readable(PATIENCE), "the server did not answer"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"the server is gone: {self.process.wait()}"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


@functools.cache
def _nursery() -> Nursery:
    nursery = Nursery()
    atexit.register(nursery.close)
    return nursery


def _fresh(environ: dict[str, str], stderr: int | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "muxpilot"],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


@contextmanager
def mcp_server(
    lab: Lab, *, era: str = LEGACY, stderr: int | None = None, fresh: bool = False, **settings: str
) -> Iterator[RawClient]:
    """A muxpilot process on the lab's tmux server, greeted, until the block ends.

    `fresh`: started as a client would, not forked from one that has imported everything.
    """
    environ = {
        **lab.environ,
        "MUXPILOT_SOCKET": "lab",
        "MUXPILOT_TMUX_BIN": TMUX,
        "MUXPILOT_TMUX_CONFIG": "/dev/null",
        **{f"MUXPILOT_{name.upper()}": value for name, value in settings.items()},
    }
    process = _fresh(environ, stderr) if fresh or stderr is not None else _nursery().start(environ)
    client = RawClient(process, era)
    try:
        client.greeting = client.open()
        yield client
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.stdout.close()
            if process.stderr is not None:
                process.stderr.close()
