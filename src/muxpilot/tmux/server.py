"""One tmux server: a connection while there is a session to attach to, single processes otherwise.

Rules it keeps:
- There is one quiet command connection, opened on first use and again after it was lost.
- It attaches where it disturbs least: to a session of ours, else to one that a person already watches,
  else to the one least recently used; never to one that tmux would destroy when we leave.
- Only commands that change nothing are sent a second time after a lost connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from muxpilot.errors import CommandFailed, ServerGone, TargetNotFound
from muxpilot.tmux import failure
from muxpilot.tmux.connection import Connection
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Reply
from muxpilot.tmux.formats import Columns
from muxpilot.tmux.oneshot import oneshot, program_version
from muxpilot.tmux.version import OLDEST, Version

Row = TypeVar("Row")
Command = Sequence[str]

HARMLESS = frozenset(
    {"capture-pane", "display-message", "has-session", "list-buffers", "list-clients", "list-panes"}
    | {"list-sessions", "list-windows", "show-buffer", "show-environment", "show-hooks", "show-options"}
)
"""Commands that may be sent twice: they change nothing that anybody could notice."""

BLOCKING = frozenset({"wait-for", "run-shell", "if-shell", "confirm-before", "command-prompt", "source-file"})
ENDING = frozenset({"kill-server", "kill-session", "detach-client", "attach-session", "switch-client"})
ALONE = BLOCKING | ENDING
"""Commands that need a process of their own: they would hold up the connection, or end it."""


@dataclass(frozen=True, slots=True)
class _Host:
    """A session seen as a place to attach to."""

    session_id: str
    session_name: str
    session_attached: bool
    session_activity: int
    destroyed_when_left: bool = field(metadata={"format": "#{destroy-unattached}"})
    version: str


_HOSTS = Columns(_Host)


class TmuxServer:
    """Talks to one tmux server. `close` it when done."""

    def __init__(self, endpoint: Endpoint, *, timeout: float = 5.0, home: str = "muxpilot") -> None:
        self.endpoint = endpoint
        self.timeout = timeout
        self._home = home
        self._connection: Connection | None = None
        self._opening = anyio.Lock()
        self._version: Version | None = None
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def connection(self) -> Connection | None:
        """The live command connection, if there is one."""
        return self._connection if self._connection is not None and self._connection.usable else None

    @property
    def in_use(self) -> bool:
        """Whether anything would be lost with this object: a connection, or one being opened or closed."""
        return self.connection is not None or self._opening.locked() or bool(self._leaving)

    async def call(self, *argv: str, timeout: float | None = None) -> Reply:
        """Run one command.

        Raises:
            CommandFailed: tmux refused it; the message is tmux's own.
            TmuxError: the server can't be reached, went away, or did not answer in time.
        """
        return (await self.call_all([argv], timeout=timeout))[0]

    async def call_all(self, commands: Sequence[Command], *, timeout: float | None = None) -> list[Reply]:
        """Run several commands in one round trip. The first that tmux refuses raises, after all have run."""
        replies = await self.replies(commands, timeout=timeout)
        for reply in replies:
            if not reply.ok:
                raise failure.translate(reply.text, self.endpoint)
        return replies

    async def replies(self, commands: Sequence[Command], *, timeout: float | None = None) -> list[Reply]:
        """Like `call_all`, but a refusal is a `Reply` like any other."""
        deadline = Deadline(self.timeout if timeout is None else timeout, self.endpoint)
        names = {argv[0] for argv in commands}
        if names & ALONE:
            return [await oneshot(self.endpoint, argv, deadline.left()) for argv in commands]
        while True:
            connection = await self._connected(deadline)
            if connection is None:
                return [await oneshot(self.endpoint, argv, deadline.left()) for argv in commands]
            try:
                return await connection.request_all(commands, deadline.left())
            except ServerGone:
                if not names <= HARMLESS:
                    raise

    async def rows(self, columns: Columns[Row], *argv: str, timeout: float | None = None) -> list[Row]:
        """Run a command that takes `-F`, and read its answer as typed rows."""
        request = columns.request()
        reply = await self.call(*argv, "-F", request.format, timeout=timeout)
        return request.read(reply.text, await self.server_version(timeout))

    async def server_version(self, timeout: float | None = None) -> Version:
        """The running server's version."""
        if self._version is None:
            await self._connected(Deadline(self.timeout if timeout is None else timeout, self.endpoint))
        assert self._version is not None
        return self._version

    async def start(self, *argv: str, timeout: float | None = None) -> Reply:
        """Run a command that starts the server where none runs (`new-session`)."""
        if self.connection is not None:
            return await self.call(*argv, timeout=timeout)
        deadline = Deadline(self.timeout if timeout is None else timeout, self.endpoint)
        Version.parse(await program_version(self.endpoint, deadline.left())).require()
        reply = await oneshot(self.endpoint, argv, deadline.left())
        if not reply.ok:
            raise failure.translate(reply.text, self.endpoint)
        return reply

    async def close(self) -> None:
        """Detach, and see every process of ours out."""
        self._retire()
        await asyncio.gather(*self._leaving)

    def _retire(self) -> None:
        """Let go of the connection; nobody waits while its process leaves."""
        connection, self._connection, self._version = self._connection, None, None
        if connection is not None:
            task = asyncio.create_task(connection.close())
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _connected(self, deadline: Deadline) -> Connection | None:
        if (connection := self.connection) is not None:
            return connection
        with deadline.enforced():
            await self._opening.acquire()
        try:
            if (connection := self.connection) is None:
                self._retire()
                connection = self._connection = await self._open(deadline)
            return connection
        finally:
            self._opening.release()

    async def _open(self, deadline: Deadline) -> Connection | None:
        """Attach somewhere; None where no session will have us."""
        while True:
            hosts = await self._hosts(deadline)
            self._version = Version.parse(hosts[0].version).require()
            host = best_host(hosts, self._home)
            if host is None:
                return None
            try:
                return await Connection.open(self.endpoint, host.session_id, deadline.left())
            except (CommandFailed, TargetNotFound):
                continue  # That session has just ended: choose again.

    async def _hosts(self, deadline: Deadline) -> list[_Host]:
        request = _HOSTS.request()
        reply = await oneshot(self.endpoint, ["list-sessions", "-F", request.format], deadline.left())
        if not reply.ok:
            raise failure.translate(reply.text, self.endpoint)
        hosts = request.read(reply.text, OLDEST)
        if not hosts:
            raise failure.not_running(self.endpoint)
        return hosts


def best_host(hosts: Sequence[_Host], home: str) -> _Host | None:
    """Where a quiet client disturbs least.

    A session that nobody is attached to should stay so: `tmux attach` prefers those, and among them the
    one last used.
    """
    candidates = [host for host in hosts if not host.destroyed_when_left]
    return min(
        candidates,
        key=lambda host: (host.session_name != home, not host.session_attached, host.session_activity),
        default=None,
    )
