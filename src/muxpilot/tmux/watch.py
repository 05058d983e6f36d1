"""What programs write to their panes, byte by byte, as it happens.

tmux sends a pane's output only to clients of its session, so each watched session has one connection of
its own, opened for the first watcher and closed after the last.

Rules it keeps:
- Panes that nobody watches are silenced, so they cost nothing.
- Nothing is queued: bytes go straight to the watchers' callbacks. If we fall ten seconds behind all the
  same, tmux drops what it held, and the watchers are told with `Paused` before the stream goes on.
- A watcher hears `Ended` exactly once when its stream can't go on (session, server or client gone).
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import anyio

from muxpilot.errors import TargetNotFound
from muxpilot.tmux.connection import Connection
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.door import Door
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Notification, Output, Paused, SessionChanged

FLAGS = "ignore-size,pause-after=10"


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come from this pane by this way."""


PaneEvent = Output | Paused | Ended
Sink = Callable[[PaneEvent], None]
Listener = Callable[[Notification], None]


class Watcher:
    """All that is watched on one tmux server."""

    def __init__(self, door: Door, endpoint: Endpoint, timeout: float) -> None:
        self._door = door
        self._endpoint = endpoint
        self._timeout = timeout
        self._sessions: dict[str, _SessionWatch] = {}
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

    async def close(self) -> None:
        async with self._opening:
            for watch in self._sessions.values():
                watch.close(self._door)
            self._sessions.clear()
        await self._door.closed()

    async def _session(self, session_id: str, deadline: Deadline) -> _SessionWatch:
        with deadline.enforced():
            await self._opening.acquire()
        try:
            watch = self._sessions.get(session_id)
            if watch is None or not watch.usable:
                watch = await _SessionWatch.open(session_id, self._door, deadline)
                self._sessions[session_id] = watch
            return watch
        finally:
            self._opening.release()

    def _drop_idle(self, session_id: str, watch: _SessionWatch) -> None:
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


class _SessionWatch:
    """One session's watching connection, and who wants what of it."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._connection: Connection | None = None
        self._sinks: dict[str, list[Sink]] = {}
        self._listeners: list[Listener] = []
        self._silenced: set[str] = set()

    @classmethod
    async def open(cls, session_id: str, door: Door, deadline: Deadline) -> _SessionWatch:
        watch = cls(session_id)
        watch._connection = await door.open(
            session_id, deadline, flags=FLAGS, on_notification=watch._on_notification
        )
        watch._connection.closed.add_done_callback(lambda _: watch._on_end())
        return watch

    @property
    def usable(self) -> bool:
        return self._connection is not None and self._connection.usable

    @property
    def connection(self) -> Connection:
        assert self._connection is not None
        return self._connection

    @property
    def idle(self) -> bool:
        return not self._sinks and not self._listeners

    def expect(self, pane_id: str, sink: Sink, listener: Listener | None) -> None:
        self._sinks.setdefault(pane_id, []).append(sink)
        if listener is not None:
            self._listeners.append(listener)

    async def turn_on(self, pane_id: str, deadline: Deadline) -> None:
        """Once this has returned, whatever the program writes reaches the sinks."""
        self._silenced.discard(pane_id)
        panes, _ = await self.connection.request_all(
            [
                ["list-panes", "-s", "-t", self._session_id, "-F", "#{pane_id}"],
                ["refresh-client", "-A", f"{pane_id}:on"],
            ],
            deadline.left(),
        )
        if pane_id not in panes.text.split():
            raise TargetNotFound(
                f"no pane {pane_id} in session {self._session_id}", hint="list_panes shows what exists"
            )

    def remove(self, pane_id: str, sink: Sink, listener: Listener | None) -> None:
        sinks = self._sinks.get(pane_id, [])
        if sink in sinks:
            sinks.remove(sink)
        if not sinks:
            self._sinks.pop(pane_id, None)
        if listener is not None and listener in self._listeners:
            self._listeners.remove(listener)

    def close(self, door: Door) -> None:
        if self._connection is not None:
            door.close(self._connection)

    def _on_notification(self, event: Notification) -> None:
        if isinstance(event, Output | Paused):
            self._on_pane(event)
            return
        if isinstance(event, SessionChanged) and event.session_id != self._session_id:
            # Our session is gone, and tmux has moved us to another (`detach-on-destroy off`).
            self._hang_up()
            return
        for listener in tuple(self._listeners):
            listener(event)

    def _on_pane(self, event: Output | Paused) -> None:
        sinks = self._sinks.get(event.pane_id)
        if isinstance(event, Paused):
            self._post(event.pane_id, "continue")
        if sinks is None:
            self._silence(event.pane_id)
            return
        for sink in tuple(sinks):
            sink(event)

    def _silence(self, pane_id: str) -> None:
        if pane_id not in self._silenced and self._post(pane_id, "off"):
            self._silenced.add(pane_id)

    def _post(self, pane_id: str, what: str) -> bool:
        """False while the connection is still being opened: there will be another occasion."""
        if self._connection is None:
            return False
        self._connection.post(["refresh-client", "-A", f"{pane_id}:{what}"])
        return True

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.hang_up()

    def _on_end(self) -> None:
        sinks = [sink for of_pane in self._sinks.values() for sink in of_pane]
        for sink in sinks:
            sink(Ended())
