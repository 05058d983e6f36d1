"""One control client: commands go in, replies and notifications come out.

Rules it keeps:
- Replies come in the order of the commands. A caller that gave up (cancelled, or past its deadline)
  leaves its place in the queue, so nobody else's reply shifts.
- Nothing is stored for a reader that is slow: notifications go straight to `on_notification`.
- A connection that let a deadline pass is no longer `usable`; its owner opens another.
- Nothing that blocks in tmux is ever sent here (see `oneshot`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Sequence

import anyio

from muxpilot.errors import ProtocolBroken
from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Exit, Notification, Reply, SideBlock
from muxpilot.tmux.process import ClientProcess
from muxpilot.tmux.protocol import Parser
from muxpilot.tmux.quoting import command_line

log = logging.getLogger("muxpilot")

GRACE = 0.5
"""Seconds that our control client gets to leave by itself before it is killed."""

ARRIVING = 1.0
"""Seconds that a client which nobody waits for any more gets to arrive, so that it can leave."""

QUIET = "ignore-size,no-output"
"""Client flags: count for nobody's window size, and send no pane output."""

NotificationSink = Callable[[Notification], None]
Pending = tuple[asyncio.Future[Reply], Callable[[], None] | None, float | None]
"""Who waits, what is done the moment the reply is read, and since when it is waited for, if it is."""


class Connection:
    """A live control client. Make one with `Connection.open`; `close` it when done."""

    def __init__(self, endpoint: Endpoint, on_notification: NotificationSink | None) -> None:
        self._endpoint = endpoint
        self._on_notification = on_notification
        self._loop = asyncio.get_running_loop()
        self._client = ClientProcess(self._on_bytes, self._on_end)
        self._parser = Parser()
        self._pending: deque[Pending] = deque()
        self._attached: asyncio.Future[SideBlock | None] = self._loop.create_future()
        self._broken: ProtocolBroken | None = None
        self._late = False
        self.closed: asyncio.Future[None] = self._loop.create_future()
        """Done as soon as the connection has ended, for whatever reason."""

    @classmethod
    async def open(
        cls,
        endpoint: Endpoint,
        session_id: str,
        timeout: float,
        *,
        flags: str = QUIET,
        on_notification: NotificationSink | None = None,
    ) -> Connection:
        """Attach quietly to a session: its size, its environment and its clients stay as they are.

        Raises:
            TargetNotFound: there is no such session.
            TmuxError: there is no such server, or it did not answer in `timeout` seconds.
        """
        connection = cls(endpoint, on_notification)
        arrival = asyncio.ensure_future(connection._attach(session_id, flags))
        try:
            with anyio.fail_after(timeout):
                await asyncio.shield(arrival)
        except TimeoutError:
            await connection._abandon(arrival, 0.0)
            raise failure.unresponsive(endpoint, timeout) from None
        except BaseException:
            await connection._abandon(arrival, ARRIVING)
            raise
        return connection

    async def _abandon(self, arrival: asyncio.Future[None], patience: float) -> None:
        """Leave, but not before having arrived: tmux may die of a client that is gone half-way (`door`)."""
        with anyio.CancelScope(shield=True):
            await asyncio.wait([arrival], timeout=patience)
            arrival.cancel()
            await asyncio.gather(arrival, return_exceptions=True)
            await self.close(grace=GRACE if patience else 0.0)

    async def _attach(self, session_id: str, flags: str) -> None:
        # -E: none of our environment in the user's session.
        attach = ("-C", "attach-session", "-E", "-t", session_id, "-f", flags)
        await self._client.start(self._endpoint, *attach, lasting=True)
        block = await self._attached
        if block is None:
            await asyncio.shield(self._client.exited)
            raise failure.translate(self._client.complaint or "lost server", self._endpoint)
        if not block.ok:
            raise failure.translate(block.body.decode("utf-8", "backslashreplace"), self._endpoint)

    @property
    def usable(self) -> bool:
        return not self._late and not self.closed.done()

    @property
    def waited(self) -> float:
        """Seconds for which somebody has waited for a reply."""
        since = (since for future, _, since in self._pending if since is not None and not future.done())
        now = self._loop.time()
        return now - next(since, now)

    @property
    def pid(self) -> int | None:
        return self._client.pid

    async def request(self, argv: Sequence[str], timeout: float) -> Reply:
        """Send one command and wait for its reply.

        Raises:
            ServerUnresponsive: no reply within `timeout` seconds; it may still come, to nobody.
            ServerGone: the connection ended first.
        """
        return (await self.request_all([argv], timeout))[0]

    async def request_all(
        self, commands: Sequence[Sequence[str]], timeout: float, then: Callable[[], None] | None = None
    ) -> list[Reply]:
        """Send several commands in one write: one round trip, replies in order.

        `then` is called the moment the last reply is read, before any notification that came behind it.
        """
        lines = [command_line(argv) for argv in commands]
        if self.closed.done():
            raise failure.gone(self._endpoint)
        futures = self._send(lines, then, self._loop.time())
        timer = self._loop.call_later(timeout, self._expire, futures, timeout)
        try:
            return [await future for future in futures]
        finally:
            timer.cancel()
            for future in futures:
                future.cancel()

    def post(self, argv: Sequence[str], then: Callable[[], None] | None = None) -> None:
        """Send one command whose reply nobody waits for; nothing happens on a closed connection."""
        if not self.closed.done():
            self._send([command_line(argv)], then)

    def hang_up(self) -> None:
        """End the conversation now; `close` sees the process out."""
        self._client.hang_up()

    async def close(self, *, grace: float = GRACE) -> None:
        """Detach. Afterwards no process of ours is left, whatever state the server is in."""
        await self._client.stop(grace)

    def _send(
        self, lines: list[bytes], then: Callable[[], None] | None = None, since: float | None = None
    ) -> list[asyncio.Future[Reply]]:
        parts: list[bytes] = []
        for line in lines:
            nonce = secrets.token_hex(8).encode()
            self._parser.expect(nonce)
            parts += (line, nonce, b"\n")
        futures: list[asyncio.Future[Reply]] = [self._loop.create_future() for _ in lines]
        self._pending.extend((future, then if future is futures[-1] else None, since) for future in futures)
        self._client.write(b"".join(parts))
        return futures

    def _expire(self, futures: list[asyncio.Future[Reply]], seconds: float) -> None:
        self._late = True
        for future in futures:
            _fail(future, failure.unresponsive(self._endpoint, seconds))

    def _on_bytes(self, data: bytes) -> None:
        try:
            events = self._parser.feed(data)
        except ProtocolBroken as error:
            self._broken = error
            self._client.hang_up()
            return
        for event in events:
            if isinstance(event, Reply):
                future, then, _ = self._pending.popleft()
                if not future.done():
                    future.set_result(event)
                    if then is not None:
                        self._tell(then)
            elif isinstance(event, SideBlock):
                if not self._attached.done():
                    self._attached.set_result(event)
            elif isinstance(event, Exit):
                self._client.hang_up()  # Newer clients stay after %exit until their input ends.
            elif self._on_notification is not None:
                self._tell(self._on_notification, event)

    def _tell(self, reader: Callable[..., None], *event: Notification) -> None:
        try:
            reader(*event)
        except Exception:  # A reader's mistake must not cost the replies that came behind.
            log.exception(
                "a reader failed on %s", ", ".join(type(one).__name__ for one in event) or "a reply"
            )

    def _on_end(self) -> None:
        if not self.closed.done():
            self.closed.set_result(None)
        if not self._attached.done():
            self._attached.set_result(None)
        while self._pending:
            _fail(self._pending.popleft()[0], self._broken or failure.gone(self._endpoint))


def _fail(future: asyncio.Future[Reply], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # Seen: where nobody waits any more, asyncio shall not complain.
