"""A raw MCP client over stdio: newline-delimited JSON-RPC, no SDK whose own cost would be measured too.

Time counts from before the request is written until the last byte of its answer is read; parsing does not.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from bench.errors import Refused, ServerFailed
from bench.progress import say

PROTOCOL = "2025-11-25"
PATIENCE = 60.0
"""Seconds for one answer."""
GRACE = 5.0
"""Seconds that a server gets to leave after its input has ended."""


@dataclass(frozen=True, slots=True)
class Command:
    """How a server is started."""

    name: str
    argv: Sequence[str]
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    seconds: float
    result: dict[str, Any]

    @property
    def size(self) -> int:
        """Bytes of the result as compact JSON, so that nobody's white space counts."""
        return len(json.dumps(self.result, separators=(",", ":"), ensure_ascii=False).encode())


class StdioServer:
    """A running MCP server. Use it in a `with` block, which sees its process out."""

    def __init__(self, command: Command) -> None:
        self._name = command.name
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._process = self._start(command)
        self._unread = bytearray()
        self._early: dict[int, tuple[dict[str, Any], float]] = {}
        self._id = 0

    def __enter__(self) -> StdioServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """See it out: asked by the end of its input, killed where it stays."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            say(f"{self._name} did not leave within {GRACE:.0f} s of the end of its input; killed")
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._log.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def initialize(self) -> dict[str, Any]:
        """The handshake; returns what the server says about itself."""
        client = {"name": "bench", "version": "0"}
        answer = self.request(
            "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
        )
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer.result

    def request(self, method: str, params: Mapping[str, Any]) -> Answer:
        """One request and its answer.

        Raises:
            ServerFailed: there is no answer, or it is an error, a tool's error included.
        """
        started = time.perf_counter()
        return self.finish(self.begin(method, params), started)

    def begin(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request; returns its number."""
        self._id += 1
        self._write({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self._id

    def finish(self, number: int, started: float) -> Answer:
        """The answer to a request, timed from `started`; requests may be answered in any order."""
        deadline = time.perf_counter() + PATIENCE
        while number not in self._early:
            self._keep(*self._read_line(deadline))
        reply, ended = self._early.pop(number)
        return Answer(ended - started, self._result(reply))

    def answered(self) -> set[int]:
        """The numbers of the requests that have been answered so far, and not finished; returns at once."""
        assert self._process.stdout is not None
        while select.select([self._process.stdout], [], [], 0)[0]:
            self._keep(*self._read_line(time.perf_counter() + PATIENCE))
        return set(self._early)

    def _keep(self, line: bytes, ended: float) -> None:
        reply = _message(line)
        if "id" in reply and "method" not in reply:
            self._early[reply["id"]] = reply, ended

    def _start(self, command: Command) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command.argv,
                env=command.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                bufsize=0,
            )
        except OSError as error:
            self._log.close()
            raise ServerFailed(f"could not be started: {error.strerror}") from error

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except BrokenPipeError:
            raise self._failed("ended") from None

    def _read_line(self, deadline: float) -> tuple[bytes, float]:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        searched = 0
        while (end := self._unread.find(b"\n", searched)) == -1:
            searched = len(self._unread)
            if not select.select([descriptor], [], [], max(0.0, deadline - time.perf_counter()))[0]:
                raise self._failed(f"did not answer within {PATIENCE:.0f} s")
            data = os.read(descriptor, 1 << 20)
            if not data:
                raise self._failed("ended")
            self._unread += data
        ended = time.perf_counter()
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line, ended

    def _result(self, reply: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] | None = reply.get("result")
        if result is None or result.get("isError"):
            raise Refused(f"answered with an error: {_complaint(reply):.300}")
        return result

    def _failed(self, what: str) -> ServerFailed:
        self._log.seek(0)
        log = self._log.read().decode("utf-8", "replace").strip()
        return ServerFailed(f"{what}\n{log[-2000:]}".strip())


def _message(line: bytes) -> dict[str, Any]:
    """Empty for a line that is none: some print other things, too."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _complaint(reply: dict[str, Any]) -> str:
    """What an error says, on one line."""
    told = reply.get("error", {}).get("message")
    content = reply.get("result", {}).get("content", [])
    text = told or " ".join(one.get("text", "") for one in content) or json.dumps(reply)
    return " ".join(text.split())
