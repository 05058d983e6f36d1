"""One client's conversation: lines in, lines out, each request in a task of its own. No I/O.

Rules it keeps:
- Every request is answered once, unless its client has cancelled it: then never.
- A handshake counts for whatever stands behind it in the same breath.
- No more than `MOST` requests are under way at a time, and none is begun while the client leaves too much
  unread; the others wait, a bounded number of them, and can be cancelled meanwhile.
- What a request has begun ends with it; what lasts longer ends with the conversation.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from muxpilot.mcp import eras, jsonrpc
from muxpilot.mcp.context import Context
from muxpilot.mcp.eras import Speaker
from muxpilot.mcp.jsonrpc import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Refused
from muxpilot.mcp.requests import Handler, Request

log = logging.getLogger("muxpilot")

MOST = 256
"""Requests of one client at a time: what tmux is asked at once, it must answer within a call's deadline."""
MOST_WAITING, MOST_HELD = 10_000, 32 * 1024 * 1024
"""Requests that may wait for their turn, and their bytes."""
UNREAD = 16 * 1024 * 1024
"""Bytes of answers that may lie there before no more is taken in."""
ENDING_SECONDS = 2.0
CLOSING_SECONDS = 3.0

STREAMS = frozenset({"subscriptions/listen"})
"""Requests that have no answer until somebody ends them: nobody waits for these."""


class Wire(Protocol):
    """Where answers go."""

    def write(self, line: bytes) -> None: ...

    async def drain(self) -> None:
        """Until all is written. Raises `ConnectionError` where nobody reads any more."""

    def unread(self) -> int: ...

    def more(self) -> None:
        """There is room for more requests again."""


@dataclass(frozen=True, slots=True)
class Service:
    """What is served: handlers by method, and how the server introduces itself."""

    handlers: Mapping[str, Handler]
    context: Context
    instructions: str

    async def close(self) -> None:
        """Leave nothing of ours in the user's tmux, whoever stops us."""
        with anyio.move_on_after(CLOSING_SECONDS, shield=True):
            await self.context.close()


@dataclass(slots=True, eq=False)
class _Running:
    method: str
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    task: asyncio.Task[None] | None = None
    cancelled: bool = False


class Conversation:
    """A `Client`, as requests see it."""

    def __init__(self, service: Service, wire: Wire) -> None:
        self.kept: dict[str, Any] = {}
        self._service = service
        self._wire = wire
        service.context.large.drained = wire.drain
        self._speaker: Speaker | None = None
        self._running: dict[jsonrpc.Number, _Running] = {}
        self._tasks: set[_Running] = set()
        self._waiting: deque[tuple[jsonrpc.Call, int]] = deque()
        self._held = 0
        self._callbacks: list[Callable[[], Awaitable[None]]] = []
        self._quiet = asyncio.Event()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= MOST_WAITING or self._held > MOST_HELD

    def take(self, line: bytes | bytearray | memoryview) -> None:
        """A line that the client has sent."""
        try:
            message = jsonrpc.read(line)
        except jsonrpc.Unreadable as refused:
            self._wire.write(jsonrpc.error(refused.number, refused))
            return
        if isinstance(message, jsonrpc.Notice):
            self._hear(message)
        elif isinstance(message, jsonrpc.Call):
            self._hold(message, len(line))
            self.go_on()

    def go_on(self) -> None:
        """Begin what may begin now."""
        while self._waiting and len(self._tasks) < MOST and self._wire.unread() <= UNREAD:
            call, size = self._waiting.popleft()
            self._held -= size
            self._begin(call)

    def refuse(self, reason: str) -> None:
        """Of a line that was not even taken in."""
        self._wire.write(jsonrpc.error(None, jsonrpc.Unreadable(jsonrpc.PARSE_ERROR, reason)))

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._wire.write(jsonrpc.notification(method, params))
        await self._wire.drain()

    def at_end(self, callback: Callable[[], Awaitable[None]]) -> None:
        self._callbacks.append(callback)

    async def all_answered(self) -> None:
        """Until nothing is under way that will have an answer by itself."""
        while self._waiting or any(one.method not in STREAMS for one in self._tasks):
            self._quiet.clear()
            await self._quiet.wait()

    async def close(self) -> None:
        """End what is under way, with a word to whoever waits for it."""
        for call, _ in self._waiting:
            self._wire.write(jsonrpc.error(call.number, _stopping()))
        self._waiting.clear()
        for one in self._tasks:
            one.scope.cancel()
        if tasks := [one.task for one in self._tasks if one.task]:
            await asyncio.wait(tasks, timeout=ENDING_SECONDS)
        for callback in self._callbacks:
            await callback()

    def _hear(self, notice: jsonrpc.Notice) -> None:
        if notice.method != "notifications/cancelled":
            return
        number = str(notice.params.get("requestId"))  # Some clients cancel "7" where they asked 7.
        for known, one in self._running.items():
            if str(known) == number:
                one.cancelled = True
                one.scope.cancel()
        kept = [(call, size) for call, size in self._waiting if str(call.number) != number]
        self._waiting, self._held = deque(kept), sum(size for _, size in kept)
        if not self.is_full:
            self._wire.more()

    def _hold(self, call: jsonrpc.Call, size: int) -> None:
        if call.method == "initialize" and not eras.has_envelope(call.params.get("_meta")):
            self._wire.write(self._greeted(call))
        else:
            self._waiting.append((call, size))
            self._held += size

    def _begin(self, call: jsonrpc.Call) -> None:
        running = _Running(call.method)
        self._running[call.number] = running
        self._tasks.add(running)
        running.task = asyncio.get_running_loop().create_task(self._run(call, running))

    def _greeted(self, call: jsonrpc.Call) -> bytes:
        """At once: whatever comes next is of the version agreed on here."""
        try:
            self._speaker = eras.greeted(call.params)
        except Refused as refused:
            return jsonrpc.error(call.number, refused)
        return jsonrpc.result(call.number, eras.greeting(self._speaker, self._service.instructions))

    async def _run(self, call: jsonrpc.Call, running: _Running) -> None:
        answer: bytes | None = None
        try:
            with running.scope:
                answer = await self._answer(call)
            if not running.cancelled:
                self._wire.write(answer or jsonrpc.error(call.number, _stopping()))
        finally:
            self._forget(call, running)

    def _forget(self, call: jsonrpc.Call, running: _Running) -> None:
        was_full = self.is_full
        self._tasks.discard(running)
        if self._running.get(call.number) is running:
            del self._running[call.number]
        self._quiet.set()
        self.go_on()
        if was_full and not self.is_full:
            self._wire.more()

    async def _answer(self, call: jsonrpc.Call) -> bytes:
        try:
            request = self._request(call)
            answer = await self._handler(request)(request)
            return jsonrpc.result(call.number, eras.shaped(request.speaker, call.method, answer))
        except Refused as refused:
            return jsonrpc.error(call.number, refused)
        except Exception as error:  # The border: nothing may pass it unnamed.
            log.exception("unexpected failure in %s", call.method)
            problem = f"unexpected {type(error).__name__} in {call.method}"
            hint = "The trace is in muxpilot's log (stderr)"
            return jsonrpc.error(call.number, Refused(INTERNAL_ERROR, f"{problem}. {hint}"))

    def _handler(self, request: Request) -> Handler:
        """Raises `Refused` where there is none in the request's era."""
        handler = self._service.handlers.get(request.method)
        if handler is None or not request.speaker.may(request.method):
            raise Refused(METHOD_NOT_FOUND, "Method not found", request.method)
        return handler

    def _request(self, call: jsonrpc.Call) -> Request:
        """Raises `Refused` for a request of no era that we know, or with a token that can be none."""
        meta = call.params.get("_meta", {})
        token = meta.get("progressToken", "") if isinstance(meta, dict) else None
        if not isinstance(token, str | int) or isinstance(token, bool):
            raise Refused(INVALID_PARAMS, "params._meta should be an object, its token a string or integer")
        speaker = eras.opened(meta) if eras.has_envelope(meta) else self._speaker
        if speaker is None:
            if call.method != "ping" and call.method in self._service.handlers:
                raise eras.too_early()
            speaker = Speaker(eras.HANDSHAKE[-1], None)
        return Request(call.number, call.method, call.params, speaker, self._service.context, self)


def _stopping() -> Refused:
    return Refused(CONNECTION_CLOSED, "muxpilot is stopping")
