"""Streamable HTTP in front of muxpilot, for the conformance suite, which speaks nothing else. Loopback only.

What it must not do: change a message, or answer one. The older era gets one server process for each session,
the newer one, which has no sessions, one for all. Where the specification ties an HTTP status to an error, it
is taken from the SDK's table. The processes end when their input does: with the bridge.

usage: python -m tests.clients.bridge    (prints its address, serves until its input ends)
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS

from tests.mcp.client import LEGACY, MODERN, PATIENCE
from tests.mcp.nursery import Nursery

Json = dict[str, Any]

LOOPBACK = {"127.0.0.1", "localhost"}
PREFIX = "io.modelcontextprotocol"
OPENING: Json = {
    "jsonrpc": "2.0",
    "id": "opening",
    "method": "server/discover",
    "params": {"_meta": {f"{PREFIX}/protocolVersion": MODERN, f"{PREFIX}/clientCapabilities": {}}},
}


class Wire:
    """A muxpilot process: requests in, what belongs to each out, in order."""

    def __init__(self, nursery: Nursery) -> None:
        self._process = nursery.start(os.environ)
        self._waiting: dict[Any, queue.Queue[Json]] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, request: Json) -> Iterator[Json]:
        """What the server says about this request; the last is its answer, unless it falls silent."""
        mine: queue.Queue[Json] = queue.Queue()
        assert self._waiting.setdefault(request["id"], mine) is mine, "two requests with one id at a time"
        self.tell(request)
        message: Json = {"method": ""}
        with suppress(queue.Empty):
            while "method" in message:
                message = mine.get(timeout=PATIENCE)
                yield message

    def tell(self, message: Json) -> None:
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.stdin.close()

    def _read(self) -> None:
        for line in self._process.stdout:
            message = json.loads(line)
            for mine in self._whose(message):
                mine.put(message)

    def _whose(self, message: Json) -> list[queue.Queue[Json]]:
        """Those who wait for it: all of them where it names no request (`list_changed`, say)."""
        if "method" not in message:
            return [self._waiting.pop(message["id"])]
        params = message.get("params", {})
        named = params.get("progressToken", params.get("_meta", {}).get(f"{PREFIX}/subscriptionId"))
        return [self._waiting[named]] if named in self._waiting else list(self._waiting.values())


class Wires:
    """One for each session of the older era, one for all of the newer, ready."""

    def __init__(self) -> None:
        self._nursery = Nursery()
        self._one_at_a_time = threading.Lock()
        self.sessions: dict[str, Wire] = {}
        self.modern = self.new()
        list(self.modern.ask(OPENING))

    def new(self) -> Wire:
        with self._one_at_a_time:
            return Wire(self._nursery)


class Bridge(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wires: Wires

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._from_here():
            self._send(403)
        elif self.headers.get("MCP-Protocol-Version", LEGACY) > LEGACY:
            self._modern(message)
        else:
            self._legacy(message)

    def do_GET(self) -> None:
        self._send(405)

    def do_DELETE(self) -> None:
        wire = self.wires.sessions.pop(self.headers.get("Mcp-Session-Id", ""), None)
        self._send(200 if wire else 404)
        if wire:
            wire.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the suite tells what failed."""

    def _from_here(self) -> bool:
        """The guard against DNS rebinding that the specification asks of whoever listens on HTTP."""
        asked = [f"//{self.headers['Host']}", self.headers.get("Origin", "//localhost")]
        return all(urlsplit(one).hostname in LOOPBACK for one in asked)

    def _modern(self, message: Json) -> None:
        if "id" in message:
            self._answer(self.wires.modern.ask(message))
        else:
            self._send(202)

    def _legacy(self, message: Json) -> None:
        session = self.headers.get("Mcp-Session-Id")
        if session is None and message.get("method") == "initialize":
            session = str(uuid.uuid4())
            self.wires.sessions[session] = self.wires.new()
        wire = self.wires.sessions.get(session or "")
        if wire is None:
            self._send(400 if session is None else 404)
        elif "id" in message and "method" in message:
            self._answer(wire.ask(message), session)
        else:
            wire.tell(message)
            self._send(202)

    def _answer(self, messages: Iterator[Json], session: str | None = None) -> None:
        """A single answer as JSON, a stream of events where something comes before it."""
        more = {"Mcp-Session-Id": session} if session else {}
        first = next(messages)
        if "method" not in first:
            code = first.get("error", {}).get("code")
            status = 200 if session else ERROR_CODE_HTTP_STATUS.get(code, 200)
            self._send(status, json.dumps(first).encode(), {**more, "Content-Type": "application/json"})
            return
        self._head(200, {**more, "Content-Type": "text/event-stream", "Connection": "close"})
        self.close_connection = True
        with suppress(ConnectionError):  # Whoever has heard enough hangs up.
            for message in chain([first], messages):
                self.wfile.write(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")

    def _send(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self._head(status, {**(headers or {}), "Content-Length": str(len(body))})
        self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def main() -> None:
    Bridge.wires = Wires()
    with ThreadingHTTPServer(("127.0.0.1", 0), Bridge) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
