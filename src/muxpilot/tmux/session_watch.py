"""One session's watching connection, and who wants what of it.

Rules it keeps:
- A pane that nobody watches is silenced at its first output. It is paused, not turned `off`: tmux before 3.7
  dies of a pane that is turned off while output of it is on its way to us.
- What tmux announces to nobody (a pane's program, title, folder, its end where it stays on screen) it is
  asked to look for itself, once a second, only while somebody listens to the session.
- Nothing that a program chose can start a line of its own in what tmux reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from muxpilot.errors import TargetNotFound
from muxpilot.tmux.connection import Connection
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.door import Door
from muxpilot.tmux.events import Notification, Output, Paused, SessionChanged
from muxpilot.tmux.pulse import Pulse

FLAGS = "ignore-size,pause-after=10"

FACTS = "muxpilot-facts"
_PLAIN = ("pane_width", "pane_height", "pane_pid", "pane_dead", "pane_in_mode", "alternate_on")
_MOVING = ("cursor_x", "cursor_y", "history_size")
_CHOSEN = ("pane_current_command", "pane_title", "pane_current_path")
_FACTS_FORMAT = " ".join(
    [f"#{{{name}}}" for name in (*_PLAIN, *_MOVING)] + [f"#{{s/[^ -~]/?/:{name}}}" for name in _CHOSEN]
)
"""Programs, titles and folders may hold newlines: only printable ASCII is let through."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come by this way."""


PaneEvent = Output | Paused | Ended
Sink = Callable[[PaneEvent], None]
Listener = Callable[[Notification], None]
SessionEvent = Notification | Ended
SessionListener = Callable[[SessionEvent], None]


class SessionWatch:
    """One control client on one session, shared by all who watch something there."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._connection: Connection | None = None
        self._sinks: dict[str, list[Sink]] = {}
        self._listeners: list[Listener] = []
        self._residents: list[SessionListener] = []
        self._silenced: set[str] = set()
        self._hushed: set[str] = set()
        self._facts = False
        self._pulse: Pulse | None = None

    @classmethod
    async def open(cls, session_id: str, door: Door, deadline: Deadline) -> SessionWatch:
        watch = cls(session_id)
        watch._connection = await door.open(
            session_id, deadline, flags=FLAGS, on_notification=watch._on_notification
        )
        watch._connection.closed.add_done_callback(lambda _: watch._on_end())
        connection = watch._connection
        watch._pulse = Pulse(lambda: connection.waited, watch._drop, watch._nudge)
        return watch

    @property
    def connection(self) -> Connection:
        assert self._connection is not None
        return self._connection

    @property
    def usable(self) -> bool:
        return self._connection is not None and self._connection.usable

    @property
    def idle(self) -> bool:
        return not self._sinks and not self._listeners and not self._residents

    def expect(self, pane_id: str, sink: Sink, listener: Listener | None) -> None:
        self._sinks.setdefault(pane_id, []).append(sink)
        if listener is not None:
            self._listeners.append(listener)

    async def turn_on(self, pane_id: str, deadline: Deadline) -> None:
        """Once this has returned, whatever the program writes reaches the sinks."""
        panes, _ = await self.connection.request_all(
            [
                ["list-panes", "-s", "-t", self._session_id, "-F", "#{pane_id}"],
                ["refresh-client", "-A", f"{pane_id}:continue"],
            ],
            deadline.left(),
        )
        self._silenced.discard(pane_id)
        if pane_id not in panes.text.split():
            raise TargetNotFound(
                f"no pane {pane_id} in session {self._session_id}", hint="list_panes shows what exists"
            )

    def watches(self, pane_id: str) -> bool:
        return pane_id in self._sinks

    async def hush(self, pane_id: str, deadline: Deadline) -> None:
        """Once this has returned, nothing of the pane is queued for us. What was is lost, and said to be."""
        self._hushed.add(pane_id)
        await self.connection.request(["refresh-client", "-A", f"{pane_id}:pause"], deadline.left())
        for sink in tuple(self._sinks.get(pane_id, ())):
            sink(Paused(pane_id))

    def resume(self, pane_id: str) -> None:
        self._hushed.discard(pane_id)
        self._post(pane_id, "continue")

    def remove(self, pane_id: str, sink: Sink, listener: Listener | None) -> None:
        sinks = self._sinks.get(pane_id, [])
        if sink in sinks:
            sinks.remove(sink)
        if not sinks:
            self._sinks.pop(pane_id, None)
        if listener is not None and listener in self._listeners:
            self._listeners.remove(listener)

    def join(self, listener: SessionListener) -> None:
        self._residents.append(listener)

    async def report_facts(self, deadline: Deadline) -> None:
        """Once this has returned, tmux looks at the panes' facts every second."""
        if self._facts:
            return
        await self.connection.request(
            ["refresh-client", "-B", f"{FACTS}:%*:{_FACTS_FORMAT}"], deadline.left()
        )
        self._facts = True

    def leave(self, listener: SessionListener) -> None:
        self._residents.remove(listener)
        if not self._residents and self._facts and self._connection is not None:
            self._connection.post(["refresh-client", "-B", FACTS])
            self._facts = False

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
        for listener in (*self._listeners, *self._residents):
            listener(event)

    def _on_pane(self, event: Output | Paused) -> None:
        if isinstance(event, Paused) and event.pane_id in self._silenced | self._hushed:
            return  # As we asked.
        sinks = self._sinks.get(event.pane_id)
        if sinks is None:
            self._silence(event.pane_id)
            return
        if isinstance(event, Paused):
            self._post(event.pane_id, "continue")
        elif self._pulse is not None:
            self._pulse.heard(event.pane_id, event.behind_ms)
        for sink in tuple(sinks):
            sink(event)

    def _silence(self, pane_id: str) -> None:
        if pane_id not in self._silenced and self._post(pane_id, "pause"):
            self._silenced.add(pane_id)

    def _drop(self, pane_id: str) -> None:
        """What tmux holds of this pane for us is given up, its watchers hear so, and the rest goes on."""
        if pane_id in self._sinks and self._connection is not None:
            gap = Paused(pane_id)  # tmux tells it too, but within its reply.
            self._connection.post(["refresh-client", "-A", f"{pane_id}:pause"], lambda: self._on_pane(gap))

    def _nudge(self) -> None:
        """Whatever makes tmux write, and does nothing."""
        if self._connection is not None:
            self._connection.post(["has-session", "-t", self._session_id])

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
        if self._pulse is not None:
            self._pulse.stop()
        sinks = [sink for of_pane in self._sinks.values() for sink in of_pane]
        for hear in (*sinks, *self._residents):
            hear(Ended())
