"""The servers of one run at work on one tmux server: ours first, then each peer.

A side is started when it is first asked, and anew after it has failed, but not for ever: one that fails
again and again would eat the time of all.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from bench.asks import Ask, Result
from bench.dialects import MUXPILOT, Dialect
from bench.errors import BenchError, Mismatch, Refused, ServerFailed
from bench.measure import Act, Acts, Sample
from bench.peers import Contender
from bench.processes import resident_mb
from bench.rows import Gap
from bench.rpc import Answer, Command, StdioServer
from bench.tmux_lab import SOCKET, Lab, lab

Figure = TypeVar("Figure")

OURS = "muxpilot"
CHANCES = 3


class Side:
    """One MCP server, as it is asked here. Close it, or use `sides_on`."""

    def __init__(self, command: Command, dialect: Dialect, gap: Gap | None = None) -> None:
        self.command = command
        self.dialect = dialect
        self.gap = gap
        self._server: StdioServer | None = None
        self._failures = 0

    @property
    def name(self) -> str:
        return self.command.name

    @contextlib.contextmanager
    def at_work(self) -> Iterator[StdioServer]:
        """The running server; one that fails here is ended, so that the next asker gets a fresh one.

        Raises:
            ServerFailed: it could not be started, or has failed too often.
        """
        try:
            yield self._running()
        except Refused:
            raise
        except ServerFailed:
            self._failures += 1
            self.close()
            raise

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._server = None

    def act(self, ask: Ask | Gap) -> Act | Gap:
        """One call, ready to be measured."""
        if self.gap is not None:
            return self.gap
        if isinstance(ask, Gap):
            return ask
        request, gist = ask.request, ask.gist

        async def asked() -> Sample:
            with self.at_work() as server:
                answer = server.request(request.method, request.params)
            return Sample(answer.seconds, _read(gist, answer.result), answer.size)

        return asked

    def figure(self, take: Callable[[StdioServer], Figure]) -> Figure | Gap:
        """What `take` finds on the running server; a gap where that fails, unless it is ours."""
        if self.gap:
            return self.gap
        try:
            with self.at_work() as server:
                return take(server)
        except BenchError as error:
            if self.name == OURS:
                raise
            return Gap.of(error)

    def memory(self) -> float | Gap | None:
        """Of the server and its children, in MB."""
        if self._server is None:
            return self.gap or Gap("was not asked, or has failed")
        return resident_mb(self._server.pid)

    def _running(self) -> StdioServer:
        if self._failures >= CHANCES:
            raise ServerFailed("has failed before")
        if self._server is None:
            self._server = StdioServer(self.command)
            self._server.initialize()
        return self._server


@contextlib.contextmanager
def sides_on(tmux: Lab, contenders: Sequence[Contender], *, started: bool = True) -> Iterator[list[Side]]:
    """All of them on this tmux server, ours first, started and greeted, and seen out."""
    with contextlib.ExitStack() as stack:
        sides = [_ours(tmux), *(_theirs(tmux, one) for one in contenders)]
        for side in sides:
            stack.callback(side.close)
            if started:
                side.figure(lambda _: None)
        yield sides


def tried(contenders: Sequence[Contender]) -> list[Contender]:
    """The same after one answer of each: who gives none is out for the whole run, not once in every part."""
    with lab() as tmux, sides_on(tmux, contenders, started=False) as sides:
        return [
            replace(one, gap=found) if isinstance(found := side.figure(_answers(side)), Gap) else one
            for one, side in zip(contenders, sides[1:], strict=True)
        ]


def _answers(side: Side) -> Callable[[StdioServer], Answer]:
    request = side.dialect.sessions.request
    return lambda server: server.request(request.method, request.params)


def acts(sides: Sequence[Side], ask: Callable[[Side], Ask | Gap]) -> Acts:
    """The same asked of each."""
    return {side.name: side.act(ask(side)) for side in sides}


def _read(gist: Callable[[Result], object], result: Result) -> object:
    try:
        return gist(result)
    except (LookupError, StopIteration, TypeError, ValueError) as error:
        raise Mismatch(f"answered in another shape than expected: {error!r:.80}") from error


def _ours(tmux: Lab) -> Side:
    settings = {
        "MUXPILOT_SOCKET": SOCKET,
        "MUXPILOT_TMUX_CONFIG": os.devnull,
        "MUXPILOT_SAFETY": "destructive",
        "MUXPILOT_STATE_DIR": str(tmux.folder / "state"),
    }
    argv = [sys.executable, "-m", "muxpilot"]
    return Side(Command(OURS, argv, tmux.endpoint.child_environ() | settings), MUXPILOT)


def _theirs(tmux: Lab, contender: Contender) -> Side:
    peer = contender.peer
    environ = tmux.endpoint.child_environ() | dict(peer.environ(tmux))
    return Side(Command(peer.name, peer.argv(contender.home), environ), peer.dialect, contender.gap)
