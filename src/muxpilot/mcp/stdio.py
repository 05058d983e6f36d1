"""MCP over standard input and output.

Rules it keeps:
- The wire is private: descriptors 0 and 1 are moved away, so neither a child nor a stray print can touch it.
- No thread sits in a blocking read, so SIGTERM and SIGINT end the server at once, cleaned up.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Iterator

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from muxpilot.mcp.context import Context

log = logging.getLogger("muxpilot")

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes that one message may have."""

Incoming = SessionMessage | Exception


async def serve(server: Server[Context]) -> None:
    """Serve one client until it closes its end, or until a signal says to stop."""
    options = server.create_initialization_options(NotificationOptions(tools_changed=False))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, tasks.cancel_scope)
        with _private_wire() as (stdin, stdout):
            async with _streams(stdin, stdout) as (incoming, outgoing):
                await server.run(incoming, outgoing, options)
        tasks.cancel_scope.cancel()


async def _stop_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for received in signals:
            log.info("stopping on %s", received.name)
            scope.cancel()
            return


@contextlib.contextmanager
def _private_wire() -> Iterator[tuple[int, int]]:
    stdin, stdout = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        yield stdin, stdout
    finally:
        for private, standard in ((stdin, 0), (stdout, 1)):
            with contextlib.suppress(OSError):
                os.dup2(private, standard)
                os.set_blocking(standard, True)


@contextlib.asynccontextmanager
async def _streams(
    stdin: int, stdout: int
) -> AsyncIterator[tuple[ObjectReceiveStream[Incoming], ObjectSendStream[SessionMessage]]]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(stdin, "rb"))
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(stdout, "wb")
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, reader, to_server, writer)
        tasks.start_soon(_write, writer, from_server)
        yield incoming, outgoing
        tasks.cancel_scope.cancel()


async def _read(
    reader: asyncio.StreamReader, to_server: ObjectSendStream[Incoming], writer: asyncio.StreamWriter
) -> None:
    async with to_server:
        while True:
            try:
                line = await reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as end:
                line = end.partial
                if not line:
                    return
            except asyncio.LimitOverrunError as error:
                await _skip_line(reader, error.consumed)
                writer.write(_refusal(None, f"a message may have {LINE_LIMIT} bytes at most"))
                continue
            if not line.strip():
                continue
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError as error:
                writer.write(_refusal(line, _reason(error)))
            else:
                await to_server.send(SessionMessage(message))


def _reason(error: ValueError) -> str:
    """Why a message could not be read, in one line without the message itself."""
    if isinstance(error, ValidationError):
        return "; ".join(
            dict.fromkeys(one["msg"] for one in error.errors(include_url=False, include_input=False))
        )
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


async def _skip_line(reader: asyncio.StreamReader, consumed: int) -> None:
    while True:
        await reader.readexactly(consumed)
        try:
            await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            consumed = error.consumed
        else:
            return


async def _write(writer: asyncio.StreamWriter, from_server: ObjectReceiveStream[SessionMessage]) -> None:
    async with from_server:
        async for message in from_server:
            writer.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            with contextlib.suppress(ConnectionError):
                await writer.drain()
