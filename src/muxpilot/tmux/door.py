"""Control clients come and go one at a time.

tmux before 3.7 marks a client as a control client before it has set it up. Whatever it announces to all
control clients in that moment (a session made or ended, a client gone, a buffer changed) crashes the
server, with everything in it. We can't keep others from doing such things just then, but we can keep from
doing them ourselves: whoever opens or closes a connection, or does what tmux announces, holds the door.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from muxpilot.tmux.connection import Connection, NotificationSink
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.endpoint import Endpoint


class Door:
    """The one way in and out of one tmux server for control clients of ours."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._lock = anyio.Lock()
        self._leaving: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def held(self, deadline: Deadline) -> AsyncIterator[None]:
        """Nobody else comes or goes in this block. Raises `ServerUnresponsive` past the deadline."""
        with deadline.enforced():
            await self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()

    async def open(
        self,
        session_id: str,
        deadline: Deadline,
        *,
        flags: str,
        on_notification: NotificationSink | None = None,
    ) -> Connection:
        async with self.held(deadline):
            return await Connection.open(
                self._endpoint, session_id, deadline.left(), flags=flags, on_notification=on_notification
            )

    def close(self, connection: Connection) -> None:
        """See it out when the door is free. The caller does not wait; whoever comes in next does."""
        task = asyncio.create_task(self._see_out(connection))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def closed(self) -> None:
        """All that were leaving have left."""
        while self._leaving:
            await asyncio.wait(self._leaving)

    async def _see_out(self, connection: Connection) -> None:
        async with self._lock:
            await connection.close()
