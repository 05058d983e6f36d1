"""What programs write to their panes, byte by byte, as it happens.

tmux sends a pane's output only to clients of its session, so each watched session has one connection of
its own, opened for the first watcher and closed after the last.

Rules it keeps:
- Panes that nobody watches are silenced, so they cost nothing.
- Nothing is queued: bytes go straight to the watchers' callbacks. If we fall ten seconds behind all the
  same, or an answer is late for it (`pulse`), what tmux held is dropped, and the watchers are told with
  `Paused` before the stream goes on.
- A watcher hears `Ended` exactly once when its stream can't go on (session, server or client gone).
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

import anyio

from muxpilot.tmux.connection import Connection
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.door import Door
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.session_watch import Listener, SessionListener, SessionWatch, Sink


class Watcher:
    """All that is watched on one tmux server."""

    def __init__(self, door: Door, endpoint: Endpoint, timeout: float) -> None:
        self._door = door
        self._endpoint = endpoint
        self._timeout = timeout
        self._sessions: dict[str, SessionWatch] = {}
        self._opening = anyio.Lock()

    @contextlib.asynccontextmanager
    async def pane(
        self,
        session_id: str,
        pane_id: str,
        sink: Sink,
        *,
        listener: Listener | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[PaneStream]:
        """`open`, and `close` at the end of the block."""
        stream = await self.open(session_id, pane_id, sink, listener=listener, timeout=timeout)
        try:
            yield stream
        finally:
            stream.close()

    async def open(
        self,
        session_id: str,
        pane_id: str,
        sink: Sink,
        *,
        listener: Listener | None = None,
        timeout: float | None = None,
    ) -> PaneStream:
        """Until the stream is closed, `sink` gets every byte that the pane's program writes.

        It may also get some that were written just before and were still on their way.
        `listener` gets the session's other notifications: windows, layouts, names.

        Raises:
            TargetNotFound: there is no such session, or no such pane in it.
            TmuxError: the server can't be reached, or did not answer in `timeout` seconds.
        """
        deadline = Deadline(self._timeout if timeout is None else timeout, self._endpoint)
        watch = await self._session(session_id, deadline)
        watch.expect(pane_id, sink, listener)

        def leave() -> None:
            watch.remove(pane_id, sink, listener)
            self._drop_idle(session_id, watch)

        try:
            await watch.turn_on(pane_id, deadline)
        except BaseException:
            leave()
            raise
        return PaneStream(watch.connection, leave)

    @contextlib.asynccontextmanager
    async def session(
        self, session_id: str, listener: SessionListener, *, timeout: float | None = None
    ) -> AsyncIterator[None]:
        """While this is open, `listener` hears what tmux announces to clients of this session (its layouts,
        and whatever concerns the whole server), and `SubscriptionChanged` for a pane of it whose facts have
        changed unannounced: program, title, folder, size, end. These tmux looks for once a second.

        It hears `Ended` once when there is nothing more to hear.

        Raises:
            TargetNotFound: there is no such session.
            TmuxError: the server can't be reached, or did not answer in `timeout` seconds.
        """
        deadline = Deadline(self._timeout if timeout is None else timeout, self._endpoint)
        watch = await self._session(session_id, deadline)
        watch.join(listener)
        try:
            await watch.report_facts(deadline)
            yield
        finally:
            watch.leave(listener)
            self._drop_idle(session_id, watch)

    @contextlib.asynccontextmanager
    async def hushed(self, pane_id: str, *, timeout: float | None = None) -> AsyncIterator[None]:
        """While this is open, nothing of this pane is on its way to us: watchers hear `Paused`.

        For what tmux does not survive otherwise: a pane given a new program (`respawn-pane`) while output of
        the old one is queued for a control client ends the server, in every version up to 3.7.
        """
        deadline = Deadline(self._timeout if timeout is None else timeout, self._endpoint)
        watches = [watch for watch in self._sessions.values() if watch.usable and watch.watches(pane_id)]
        for watch in watches:
            await watch.hush(pane_id, deadline)
        try:
            yield
        finally:
            for watch in watches:
                watch.resume(pane_id)

    async def close(self) -> None:
        async with self._opening:
            for watch in self._sessions.values():
                watch.close(self._door)
            self._sessions.clear()
        await self._door.closed()

    async def _session(self, session_id: str, deadline: Deadline) -> SessionWatch:
        with deadline.enforced():
            await self._opening.acquire()
        try:
            watch = self._sessions.get(session_id)
            if watch is None or not watch.usable:
                watch = await SessionWatch.open(session_id, self._door, deadline)
                self._sessions[session_id] = watch
            return watch
        finally:
            self._opening.release()

    def _drop_idle(self, session_id: str, watch: SessionWatch) -> None:
        if watch.idle:
            if self._sessions.get(session_id) is watch:
                del self._sessions[session_id]
            watch.close(self._door)


class PaneStream:
    """A pane's output as it comes, and a way to ask tmux in step with it.

    What tmux answers here describes the pane after all output that came before the answer, and
    before all that comes behind it.
    """

    def __init__(self, connection: Connection, leave: Callable[[], None]) -> None:
        self.connection = connection
        self._leave: Callable[[], None] | None = leave

    def close(self) -> None:
        """Nothing more comes. Closing twice is allowed."""
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()
