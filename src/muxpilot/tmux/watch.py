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

from muxpilot.tmux.connection import Connection
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Notification, Output, Paused

FLAGS = "ignore-size,pause-after=10"


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come from this pane by this way."""


PaneEvent = Output | Paused | Ended
Sink = Callable[[PaneEvent], None]
Listener = Callable[[Notification], None]


class Watcher:
    """All that is watched on one tmux server."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        self._sessions: dict[str, _SessionWatch] = {}
        self._opening = anyio.Lock()

    @contextlib.asynccontextmanager
    async def pane(
        self, session_id: str, pane_id: str, sink: Sink, *, listener: Listener | None = None
    ) -> AsyncIterator[None]:
        """While this is open, `sink` gets every byte that the pane's program writes.

        It may also get some that were written just before and were still on their way.
        `listener` gets the session's other notifications: windows, layouts, names.
        """
        async with self._opening:
            watch = await self._session(session_id)
            await watch.add(pane_id, sink, listener)
        try:
            yield
        finally:
            watch.remove(pane_id, sink, listener)
            with anyio.CancelScope(shield=True):
                async with self._opening:
                    await self._drop_idle(session_id, watch)

    async def close(self) -> None:
        for watch in list(self._sessions.values()):
            await watch.close()
        self._sessions.clear()

    async def _session(self, session_id: str) -> _SessionWatch:
        watch = self._sessions.get(session_id)
        if watch is None or not watch.usable:
            watch = _SessionWatch(self._timeout)
            await watch.open(self._endpoint, session_id)
            self._sessions[session_id] = watch
        return watch

    async def _drop_idle(self, session_id: str, watch: _SessionWatch) -> None:
        if watch.idle:
            if self._sessions.get(session_id) is watch:
                del self._sessions[session_id]
            await watch.close()


class _SessionWatch:
    """One session's watching connection, and who wants what of it."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._connection: Connection | None = None
        self._sinks: dict[str, list[Sink]] = {}
        self._listeners: list[Listener] = []
        self._silenced: set[str] = set()

    async def open(self, endpoint: Endpoint, session_id: str) -> None:
        self._connection = await Connection.open(
            endpoint, session_id, self._timeout, flags=FLAGS, on_notification=self._on_notification
        )
        self._connection.closed.add_done_callback(lambda _: self._on_end())

    @property
    def usable(self) -> bool:
        return self._connection is not None and self._connection.usable

    @property
    def idle(self) -> bool:
        return not self._sinks and not self._listeners

    async def add(self, pane_id: str, sink: Sink, listener: Listener | None) -> None:
        assert self._connection is not None
        self._sinks.setdefault(pane_id, []).append(sink)
        if listener is not None:
            self._listeners.append(listener)
        try:
            # The reply is the promise: whatever the program writes from here on reaches the sink.
            await self._connection.request(["refresh-client", "-A", f"{pane_id}:on"], self._timeout)
        except BaseException:
            self.remove(pane_id, sink, listener)
            raise
        self._silenced.discard(pane_id)

    def remove(self, pane_id: str, sink: Sink, listener: Listener | None) -> None:
        sinks = self._sinks.get(pane_id, [])
        if sink in sinks:
            sinks.remove(sink)
        if not sinks:
            self._sinks.pop(pane_id, None)
        if listener is not None and listener in self._listeners:
            self._listeners.remove(listener)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    def _on_notification(self, event: Notification) -> None:
        if isinstance(event, Output | Paused):
            self._on_pane(event)
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
        if pane_id not in self._silenced:
            self._silenced.add(pane_id)
            self._post(pane_id, "off")

    def _post(self, pane_id: str, what: str) -> None:
        assert self._connection is not None
        self._connection.post(["refresh-client", "-A", f"{pane_id}:{what}"])

    def _on_end(self) -> None:
        sinks = [sink for of_pane in self._sinks.values() for sink in of_pane]
        for sink in sinks:
            sink(Ended())
