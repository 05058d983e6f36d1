"""MCP over standard input and output.

Rules it keeps:
- The wire is private: descriptors 0 and 1 are moved away, so neither a child nor a stray print can touch it.
- No thread sits in a blocking read, so SIGTERM and SIGINT end the server at once, cleaned up.
- A message that can't be read is answered with an error, to the request that it was where that can be told.
- When the client closes its end, calls under way get a moment to finish, and answers are written out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from muxpilot.errors import BadInput
from muxpilot.mcp.context import Context

log = logging.getLogger("muxpilot")

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes that one message may have."""
FINISH_SECONDS = 2.0
"""How long calls under way may take after the client has closed its end."""
FLUSH_SECONDS = 1.0

STREAMS = frozenset({"subscriptions/listen"})
"""Requests that have no answer until somebody ends them: nobody waits for these."""

Incoming = SessionMessage | Exception
Streams = tuple[Any, Any]


async def serve(server: Server[Context]) -> None:
    """Serve one client until it closes its end, or until a signal says to stop."""
    changes = NotificationOptions(tools_changed=False, resources_changed=True)
    options = server.create_initialization_options(changes)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, tasks.cancel_scope)
        async with _wire() as (incoming, outgoing):
            await server.run(incoming, outgoing, options)
        tasks.cancel_scope.cancel()


async def _stop_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for received in signals:
            log.info("stopping on %s", received.name)
            scope.cancel()
            return


def _wire() -> AbstractAsyncContextManager[Streams]:
    """Our own transport for pipes, sockets and terminals; the SDK's, with its threads, for files."""
    try:
        modes = [os.fstat(fd).st_mode for fd in (0, 1)]
    except OSError:
        raise BadInput(
            "standard input or output is closed", hint="An MCP client starts muxpilot with a pipe on both"
        ) from None
    if all(stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) for mode in modes) or os.isatty(0):
        return _pipes()
    return stdio_server()


@contextlib.asynccontextmanager
async def _pipes() -> AsyncIterator[Streams]:
    with _private_wire() as (stdin, stdout):
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LINE_LIMIT)
        source, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(stdin, "rb")
        )
        sink, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(stdout, "wb")
        )
        sink.set_write_buffer_limits(high=0)  # Whoever drains waits until all is written.
        conversation = _Conversation(reader, asyncio.StreamWriter(sink, protocol, None, loop))
        try:
            async with anyio.create_task_group() as tasks:
                yield conversation.start(tasks)
                with anyio.move_on_after(FLUSH_SECONDS, shield=True):
                    await conversation.written.wait()
                tasks.cancel_scope.cancel()
        finally:
            source.close()
            if not sink.is_closing():
                sink.abort()


@contextlib.contextmanager
def _private_wire() -> Iterator[tuple[int, int]]:
    stdin, stdout = os.dup(0), os.dup(1)
    spares = os.dup(stdin), os.dup(stdout)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        yield stdin, stdout
    finally:
        for spare, standard in zip(spares, (0, 1), strict=True):
            os.set_blocking(spare, True)
            os.dup2(spare, standard)
            os.close(spare)


class _Conversation:
    """Lines in, messages out, and which requests still wait for their answer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._to_server, self._incoming = anyio.create_memory_object_stream[Incoming](0)
        self._outgoing, self._from_server = anyio.create_memory_object_stream[SessionMessage](0)
        self._unanswered: set[Any] = set()
        self._all_answered = anyio.Event()
        self.written = anyio.Event()

    def start(self, tasks: anyio.abc.TaskGroup) -> Streams:
        tasks.start_soon(self._read)
        tasks.start_soon(self._write)
        return self._incoming, self._outgoing

    async def _read(self) -> None:
        async with self._to_server:
            while (line := await self._line()) is not None:
                if line.strip():
                    await self._take(line)
            with anyio.move_on_after(FINISH_SECONDS):
                while self._unanswered:
                    self._all_answered = anyio.Event()
                    await self._all_answered.wait()

    async def _line(self) -> bytes | None:
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            return end.partial or None
        except asyncio.LimitOverrunError as error:
            await self._refuse(None, f"a message may have {LINE_LIMIT} bytes at most")
            return await self._after_overlong(error.consumed)

    async def _after_overlong(self, consumed: int) -> bytes | None:
        """Skip the rest of a line that is too long."""
        try:
            while True:
                await self._reader.readexactly(consumed)
                try:
                    await self._reader.readuntil(b"\n")
                except asyncio.LimitOverrunError as error:
                    consumed = error.consumed
                else:
                    return b"\n"
        except asyncio.IncompleteReadError:
            return None

    async def _take(self, line: bytes) -> None:
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as error:
            await self._refuse(line, _reason(error))
            return
        if isinstance(message, types.JSONRPCRequest) and message.method not in STREAMS:
            self._unanswered.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._answered((message.params or {}).get("requestId"))
        await self._to_server.send(SessionMessage(message))

    async def _refuse(self, line: bytes | None, reason: str) -> None:
        self._writer.write(_refusal(line, reason))
        await self._flush()

    async def _write(self) -> None:
        async with self._from_server:
            async for message in self._from_server:
                raw = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._writer.write(raw.encode() + b"\n")
                if not await self._flush():
                    break
                if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._answered(message.message.id)
        self.written.set()

    async def _flush(self) -> bool:
        """False where nobody reads any more: the client is gone, so there is nothing more to take in."""
        try:
            await self._writer.drain()
        except ConnectionError:
            self._reader.feed_eof()
            self._unanswered.clear()
            return False
        return True

    def _answered(self, number: Any) -> None:
        self._unanswered.discard(number)
        if not self._unanswered:
            self._all_answered.set()


def _reason(error: ValueError) -> str:
    """Why a message could not be read, in one line without the message itself."""
    if isinstance(error, ValidationError):
        problems = error.errors(include_url=False, include_input=False)
        return "; ".join(dict.fromkeys(one["msg"] for one in problems))
    return str(error)


def _refusal(line: bytes | None, reason: str) -> bytes:
    """A JSON-RPC error, to the request that it answers where its number can still be made out."""
    number, code = None, types.PARSE_ERROR
    with contextlib.suppress(ValueError, RecursionError):
        message = json.loads(line or b"")
        code = types.INVALID_REQUEST
        reason = "it holds half a character (a lone surrogate)" if _has_surrogates(message) else reason
        if isinstance(message, dict) and isinstance(message.get("id"), str | int):
            number = message["id"]
    error = {"code": code, "message": f"this message can't be read: {reason}"}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n"


def _has_surrogates(message: object) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
