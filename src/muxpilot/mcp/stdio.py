"""MCP over standard input and output.

Rules it keeps:
- The wire is private: descriptors 0 and 1 are moved away, so neither a child nor a stray print can touch it.
- No thread sits in a blocking read, so SIGTERM and SIGINT end the server at once, cleaned up.
- A message that is too long is answered with an error, and skipped.
- When the client closes its end, calls under way get a moment to finish, and answers are written out.
- Who does not read our answers is not read from either: nothing piles up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from typing import Protocol

import anyio

from muxpilot.errors import BadInput
from muxpilot.mcp.conversation import Conversation, Service

log = logging.getLogger("muxpilot")

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes that one message may have."""
CHUNK = 256 * 1024
FINISH_SECONDS = 2.0
"""How long calls under way may take after the client has closed its end."""
FLUSH_SECONDS = 1.0


class _Source(Protocol):
    """Where lines come from: a transport of asyncio's, or a file."""

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def close(self) -> None: ...


class _Outbox(Protocol):
    """Where lines go: a pipe, or a file."""

    emptied: Callable[[], None]
    lost: Callable[[], None]

    def write(self, line: bytes) -> None: ...
    def unread(self) -> int: ...
    async def drain(self) -> None: ...
    def close(self) -> None: ...


async def serve(service: Service) -> None:
    """Serve one client until it closes its end, or until a signal says to stop."""
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    with _private_wire() as (stdin, stdout):
        outbox = await _outbox(stdout)
        lines = _Lines(outbox, over)
        conversation = lines.conversation = Conversation(service, lines)
        lines.source = await _source(stdin, lines)
        try:
            await over.wait()
            if lines.at_end:
                with anyio.move_on_after(FINISH_SECONDS):
                    await conversation.all_answered()
            else:
                log.info("stopping")
            await conversation.close()
            with anyio.move_on_after(FLUSH_SECONDS), contextlib.suppress(ConnectionError):
                await outbox.drain()
        finally:
            lines.source.close()
            outbox.close()
            await service.close()


@contextlib.contextmanager
def _private_wire() -> Iterator[tuple[int, int]]:
    try:
        stdin, stdout = os.dup(0), os.dup(1)
    except OSError:
        raise BadInput(
            "standard input or output is closed", hint="An MCP client starts muxpilot with a pipe on both"
        ) from None
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


def _can_be_watched(descriptor: int) -> bool:
    """Of files and of /dev/null the kernel does not tell when they can be read: they always can."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


async def _source(descriptor: int, lines: _Lines) -> _Source:
    if not _can_be_watched(descriptor):
        return _FileSource(descriptor, lines)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: lines, os.fdopen(descriptor, "rb"))
    return transport


async def _outbox(descriptor: int) -> _Outbox:
    if not _can_be_watched(descriptor):
        return _FileOutbox(descriptor)
    loop = asyncio.get_running_loop()
    transport, outbox = await loop.connect_write_pipe(_PipeOutbox, os.fdopen(descriptor, "wb"))
    transport.set_write_buffer_limits(high=0)  # Whoever drains waits until all is written.
    outbox.writer = asyncio.StreamWriter(transport, outbox, None, loop)
    return outbox


class _Lines(asyncio.Protocol):
    """Bytes in, lines out to the conversation, no faster than it takes them; a `Wire` to it."""

    conversation: Conversation
    source: _Source

    def __init__(self, outbox: _Outbox, over: asyncio.Event) -> None:
        self._outbox = outbox
        self._over = over
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False
        self._paused = False
        self.at_end = False
        """The client has closed its end, and everything that it sent before has been taken."""
        self.write, self.drain, self.unread = outbox.write, outbox.drain, outbox.unread
        outbox.emptied, outbox.lost = self._emptied, self._client_gone

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._feed()

    def connection_lost(self, _: Exception | None) -> None:
        """The end of the input; what stands there without an end of line is a line, too."""
        if self._buffer and not self._skipping:
            self._buffer += b"\n"
        self.at_end = True
        self._feed()

    def more(self) -> None:
        if self._paused:
            self._paused = False
            asyncio.get_running_loop().call_soon(self._resume)

    def _emptied(self) -> None:
        self.conversation.go_on()
        if not self.conversation.is_full:
            self.more()

    def _resume(self) -> None:
        self._feed()
        if not self._paused and not self.at_end:
            self.source.resume_reading()

    def _client_gone(self) -> None:
        self._buffer.clear()
        self._over.set()

    def _feed(self) -> None:
        while not self.conversation.is_full and (line := self._next()) is not None:
            if line.strip():
                self.conversation.take(line)
        if self.conversation.is_full:
            self._pause()
        if self.at_end and not self._paused:
            self._over.set()

    def _pause(self) -> None:
        self._paused = True
        if not self.at_end:
            self.source.pause_reading()

    def _next(self) -> bytearray | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if self._searched > LINE_LIMIT:
                self._skip()
            return None
        line = self._buffer[:end]
        del self._buffer[: end + 1]
        self._searched = 0
        if self._skipping:
            self._skipping = False
            return self._next()
        return line

    def _skip(self) -> None:
        """The rest of a line that is too long is not kept."""
        if not self._skipping:
            self.conversation.refuse(f"a message may have {LINE_LIMIT} bytes at most")
        self._skipping = True
        self._buffer.clear()
        self._searched = 0


class _PipeOutbox(asyncio.streams.FlowControlMixin):
    writer: asyncio.StreamWriter
    emptied: Callable[[], None]
    lost: Callable[[], None]

    def __init__(self) -> None:
        super().__init__()
        alone = sys.version_info < (3, 10, 6)  # Only one may wait at a time there.
        self._draining = asyncio.Lock() if alone else contextlib.nullcontext()

    def write(self, line: bytes) -> None:
        self.writer.write(line)

    def unread(self) -> int:
        return self.writer.transport.get_write_buffer_size()

    async def drain(self) -> None:
        async with self._draining:
            await self.writer.drain()

    def close(self) -> None:
        if not self.writer.transport.is_closing():
            self.writer.transport.abort()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.emptied()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost()


class _FileOutbox:
    """A file takes everything at once."""

    emptied: Callable[[], None]
    lost: Callable[[], None]

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "wb", buffering=0)

    def write(self, line: bytes) -> None:
        while line:
            line = line[self._file.write(line) :]

    def unread(self) -> int:
        return 0

    async def drain(self) -> None:
        return

    def close(self) -> None:
        self._file.close()


class _FileSource:
    """A file has everything at once; it is read in pieces, so that answers come in between."""

    def __init__(self, descriptor: int, lines: _Lines) -> None:
        self._descriptor = descriptor
        self._lines = lines
        self._paused = True
        self.resume_reading()

    def resume_reading(self) -> None:
        if self._paused:
            self._paused = False
            asyncio.get_running_loop().call_soon(self._read)

    def pause_reading(self) -> None:
        self._paused = True

    def close(self) -> None:
        self._paused = True
        os.close(self._descriptor)

    def _read(self) -> None:
        if self._paused:
            return
        if data := os.read(self._descriptor, CHUNK):
            asyncio.get_running_loop().call_soon(self._read)
            self._lines.data_received(data)
        else:
            self._lines.connection_lost(None)
