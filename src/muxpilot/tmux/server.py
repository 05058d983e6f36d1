"""One tmux server: a connection while there is a session to attach to, single processes otherwise.

Rules it keeps:
- There is one quiet command connection, opened on first use and again after it was lost.
- Only commands that change nothing are sent a second time after a lost connection.
- What tmux announces to control clients is not done while one of ours comes or goes (see `door`).
- Whatever would type into a pane or end something is shown to the guard first (see `effects`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property

import anyio

from muxpilot.errors import ServerGone, ServerNotRunning, ServerUnresponsive, TargetNotFound
from muxpilot.tmux import failure
from muxpilot.tmux.announcements import Announcements, Opened
from muxpilot.tmux.bulk import BulkReads
from muxpilot.tmux.connection import QUIET, Connection
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.discovery import is_alive
from muxpilot.tmux.door import Door
from muxpilot.tmux.effects import GUARDED, Effect, effects_of
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Reply
from muxpilot.tmux.formats import as_meant
from muxpilot.tmux.host import HOSTS, Host, best_host
from muxpilot.tmux.oneshot import oneshot, oneshot_by_input, program_version
from muxpilot.tmux.quoting import IF
from muxpilot.tmux.session_watch import Ended
from muxpilot.tmux.version import OLDEST, Version
from muxpilot.tmux.watch import PaneStream, Watcher

Command = Sequence[str]
Identity = tuple[int, int]
"""A server's process and when it started: another one on the same socket has another."""

HARMLESS = frozenset(
    {"capture-pane", "display-message", "has-session", "list-buffers", "list-clients", "list-panes"}
    | {"list-sessions", "list-windows", "show-buffer", "show-environment", "show-hooks", "show-options"}
)
"""Commands that may be sent twice: they change nothing that anybody could notice."""

BLOCKING = frozenset({"wait-for", "run-shell", "confirm-before", "command-prompt", "source-file"})
ENDING = frozenset({"kill-server", "kill-session", "detach-client", "attach-session", "switch-client"})
ALONE = BLOCKING | ENDING
"""Commands that need a process of their own: they would hold up the connection, or end it."""

Guard = Callable[["TmuxServer", Effect], Awaitable[None]]

MOST_LOST = 5
"""Times that a server may hang up on us while it seems to be there."""
ASKING = 1.0
"""Seconds that a tmux program may take to say its version."""

ANNOUNCED = ENDING | {"new-session"}
ANNOUNCED_BUFFERS = frozenset({"set-buffer", "load-buffer", "delete-buffer", "paste-buffer", IF})
"""Commands after which tmux tells every control client something; what is run on a condition may be one."""


class TmuxServer:
    """Talks to one tmux server. `close` it when done."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float = 5.0,
        home: str = "muxpilot",
        on_connect: Callable[[TmuxServer], None] = lambda _: None,
        guard: Guard | None = None,
    ) -> None:
        """`guard` may refuse, by raising, what would type into a pane or end something."""
        self.endpoint = endpoint
        self.timeout = timeout
        self.door = Door(endpoint)
        self.announcements = Announcements()
        self.bulk = BulkReads()
        self._home = home
        self._on_connect = on_connect
        self._guard = guard
        self._connection: Connection | None = None
        self._opening = anyio.Lock()
        self._version: Version | None = None
        self._identity: Identity | None = None

    @property
    def connection(self) -> Connection | None:
        """The live command connection, if there is one."""
        return self._connection if self._connection is not None and self._connection.usable else None

    @property
    def identity(self) -> Identity | None:
        """Which server the last connection led to, for `only`; None where there never was one."""
        return self._identity

    @cached_property
    def watcher(self) -> Watcher:
        """What is watched on this server."""
        return Watcher(self.door, self.endpoint, self.timeout)

    async def call(self, *argv: str, timeout: float | None = None, only: Identity | None = None) -> Reply:
        """Run one command.

        Raises:
            CommandFailed: tmux refused it; the message is tmux's own.
            TmuxError: the server can't be reached, went away, or did not answer in time.
            ServerGone: it is not `only` this server that would get it: ids of one mean others in another.
        """
        return (await self.call_all([argv], timeout=timeout, only=only))[0]

    async def call_all(
        self, commands: Sequence[Command], *, timeout: float | None = None, only: Identity | None = None
    ) -> list[Reply]:
        """Run several commands in one round trip. The first that tmux refuses raises, after all have run."""
        replies = await self.replies(commands, timeout=timeout, only=only)
        for reply in replies:
            if not reply.ok:
                raise failure.translate(reply.text, self.endpoint)
        return replies

    async def replies_in_step(
        self, stream: PaneStream, commands: Sequence[Command], then: Callable[[], None]
    ) -> list[Reply]:
        """Ask by the connection that also brings a pane's output; `then` is called when the answer stands
        between what came before it and what comes behind."""
        deadline = self._deadline(None)
        names = {argv[0] for argv in commands}
        await self._guarded(names, commands)
        if self._announced(names):
            async with self.door.held(deadline):
                return await stream.connection.request_all(commands, deadline.left(), then)
        return await stream.connection.request_all(commands, deadline.left(), then)

    async def replies(
        self, commands: Sequence[Command], *, timeout: float | None = None, only: Identity | None = None
    ) -> list[Reply]:
        """Like `call_all`, but a refusal is a `Reply` like any other."""
        deadline = self._deadline(timeout)
        names = {argv[0] for argv in commands}
        while True:
            connection = None if names & ALONE else await self._connected(deadline)
            if connection is not None and only not in (None, self._identity):
                raise failure.replaced(self.endpoint)
            await self._guarded(names, commands)
            try:
                if self._announced(names):
                    async with self.door.held(deadline):
                        return await self._send(connection, commands, deadline)
                return await self._send(connection, commands, deadline)
            except ServerGone:
                if connection is None or not names <= HARMLESS:
                    raise

    async def text(self, *argv: str, timeout: float | None = None) -> str:
        """Run one command, and return what it printed as it was meant."""
        reply = await self.call(*argv, timeout=timeout)
        return as_meant(reply.text, await self.server_version(timeout))

    async def server_version(self, timeout: float | None = None) -> Version:
        """The running server's version."""
        while self._version is None:
            await self._connected(self._deadline(timeout))
        return self._version

    async def start(self, *argv: str, timeout: float | None = None) -> Reply:
        """Run a command that starts the server where none runs (`new-session`)."""
        deadline = self._deadline(timeout)
        if await self._is_tmux(deadline):
            return await self.call(*argv, timeout=deadline.left())
        Version.parse(await program_version(self.endpoint, deadline.left())).require()
        async with self.door.held(deadline):
            reply = await oneshot_by_input(self.endpoint, argv, deadline.left(), may_start=True)
        if not reply.ok:
            raise failure.translate(reply.text, self.endpoint)
        return reply

    async def _is_tmux(self, deadline: Deadline) -> bool:
        """Whether a connection stands. What a caller wrote is sent to whoever listens only after they have
        shown to be a tmux server: it might mean something to another program of the user's."""
        if self.connection is not None:
            return True
        if not is_alive(self.endpoint):
            return False
        with contextlib.suppress(ServerNotRunning):  # It has just ended.
            return await self._connected(deadline) is not None
        return False

    async def close(self) -> None:
        """Detach, and see every process of ours out."""
        if "watcher" in self.__dict__:
            await self.watcher.close()
        async with self._opening:
            self._retire()
        await self.door.closed()

    def _deadline(self, timeout: float | None) -> Deadline:
        return Deadline(self.timeout if timeout is None else timeout, self.endpoint)

    async def _guarded(self, names: set[str], commands: Sequence[Command]) -> None:
        if self._guard is not None and not names.isdisjoint(GUARDED):
            for effect in effects_of(commands):
                await self._guard(self, effect)

    def _announced(self, names: set[str]) -> bool:
        if self._version is not None and not self._version.crashes_on_arrivals:
            return False
        buffers = self._version is None or self._version.announces_buffers
        return bool(names & ANNOUNCED or (buffers and names & ANNOUNCED_BUFFERS))

    async def _send(
        self, connection: Connection | None, commands: Sequence[Command], deadline: Deadline
    ) -> list[Reply]:
        if connection is not None:
            return await connection.request_all(commands, deadline.left())
        return [await self._send_alone(argv, deadline) for argv in commands]

    async def _send_alone(self, argv: Command, deadline: Deadline) -> Reply:
        """By a process. What blocks or ends something names an id, a file or a channel. Anything else may
        hold a secret of the caller's, and goes where nobody can read it."""
        by = oneshot if argv[0] in ALONE else oneshot_by_input
        return await by(self.endpoint, argv, deadline.left())

    def _retire(self) -> None:
        """Let go of the connection."""
        connection, self._connection, self._version = self._connection, None, None
        if connection is not None:
            self.door.close(connection)

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
        with deadline.enforced():
            await self.door.closed()
        lost = 0
        while True:
            try:
                hosts = await self._hosts(deadline)
            except ServerGone:
                lost += 1
                if lost >= MOST_LOST and is_alive(self.endpoint):
                    raise failure.mismatch(self.endpoint, "it hangs up on this tmux program") from None
                continue  # It is on its way out: soon there is none, or another.
            version = hosts[0].version if hosts else await program_version(self.endpoint, deadline.left())
            self._version = Version.parse(version).require()
            host = best_host(hosts, self._home)
            if host is None:
                return None
            try:
                connection = await self.door.open(
                    host.session_id, deadline, flags=QUIET, on_notification=self.announcements.tell
                )
            except (TargetNotFound, ServerGone):
                continue  # That session has just ended: choose again.
            except ServerUnresponsive:
                await self._check_program(self._version)
                raise
            self._identity = (host.server_pid, host.start_time)
            connection.closed.add_done_callback(lambda _: self.announcements.tell(Ended()))
            self._on_connect(self)
            self.announcements.tell(Opened())
            return connection

    async def _check_program(self, server: Version) -> None:
        """`ServerMismatch` where it is no wonder that attaching led nowhere: the program was upgraded."""
        program = Version.parse(await program_version(self.endpoint, ASKING))
        if not program.passes_files_to(server):
            raise failure.mismatch(
                self.endpoint, f"the server is tmux {server}, the program {program}"
            ) from None

    async def _hosts(self, deadline: Deadline) -> list[Host]:
        request = HOSTS.request()
        reply = await oneshot(self.endpoint, ["list-sessions", "-F", request.format], deadline.left())
        if not reply.ok:
            # A tmux that is too old does not know our flags.
            Version.parse(await program_version(self.endpoint, deadline.left())).require()
            raise failure.translate(reply.text, self.endpoint)
        return request.read(reply.text, OLDEST)
