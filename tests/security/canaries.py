"""A tmux server full of traps, and what must not change on it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from muxpilot.tmux import Reply, TmuxServer, literal_format
from tests.lab import Lab

ANSWER_SECONDS = 1.0
"""In which another client is answered, whatever is going on."""


class TrappedServer:
    """Options, a title, a name and the environment hold commands; `canary` exists once anybody ran one."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.canary = folder / "canary"
        run = f"#(touch {self.canary})"
        lab.new_session("dev", "cat")
        lab.new_session("spare", "cat")
        lab.tmux("set-option", "-g", "@evil", run)
        lab.tmux("set-option", "-g", "@again", "#{E:@evil}")
        lab.tmux("set-option", "-g", "@plain", "100% plain")
        lab.tmux("set-environment", "-g", "EVIL", run)
        lab.tmux("select-pane", "-t", "dev", "-T", literal_format(run))
        lab.tmux("rename-window", "-t", "dev", literal_format(f"#{{E:@evil}}{run}"))
        self._before, self._options = self._state(), self.options()

    def _state(self) -> list[str]:
        """Panes, their processes, sessions, hooks, buffers, keys and the environment."""
        names = (
            "pid",
            "session_id",
            "session_name",
            "window_id",
            "pane_id",
            "pane_pid",
            "pane_dead",
            "pane_title",
        )
        return [
            self.lab.tmux("list-panes", "-a", "-F", " ".join(f"#{{{name}}}" for name in names)),
            *(self.lab.tmux("show-hooks", *scope) for scope in ([], ["-w"], ["-p"], ["-g"], ["-gw"])),
            self.lab.tmux("show-environment", "-g"),
            self.lab.tmux("list-buffers"),
            self.lab.tmux("list-keys"),
        ]

    def options(self) -> set[str]:
        """A line for each that is set globally or for the first session."""
        scopes = (["-s"], ["-g"], ["-gw"], ["-t", "dev"], ["-w", "-t", "dev"], ["-p", "-t", "dev"])
        return {
            f"{scope} {line}"
            for scope in scopes
            for line in self.lab.tmux("show-options", *scope).split("\n")
        }

    def nothing_ran(self) -> None:
        assert not self.canary.exists()

    def check(self, but: Collection[str] = ()) -> None:
        """Nothing ran and nothing changed, except options of these names."""
        self.lab.tmux("run-shell", "true")  # tmux starts commands in order: what came before has begun.
        self.nothing_ran()
        assert self._state() == self._before
        changed = {line.partition("] ")[2] for line in self.options() ^ self._options}
        assert {line.partition(" ")[0].partition("[")[0] for line in changed if line} <= {*but}


class TwoClients:
    """One runs commands; the other asks right behind them, and must be answered in time."""

    def __init__(self, portal: BlockingPortal, lab: Lab) -> None:
        self._portal = portal
        self._first, self._second = TmuxServer(lab.endpoint), TmuxServer(lab.endpoint)

    def run(self, commands: Sequence[Sequence[str]]) -> list[Reply]:
        return self._portal.call(self._run, commands)

    async def _run(self, commands: Sequence[Sequence[str]]) -> list[Reply]:
        replies: list[Reply] = []

        async def run() -> None:
            replies.extend(await self._first.replies(commands))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.lowlevel.checkpoint()
            await self._answered()
        return replies

    def answered(self) -> None:
        """The other client is, in time."""
        self._portal.call(self._answered)

    async def _answered(self) -> None:
        start = time.monotonic()
        await self._second.call("display-message", "-p", "--", "answered")
        assert time.monotonic() - start < ANSWER_SECONDS

    def call(self, function: Callable[[TmuxServer], Awaitable[None]]) -> None:
        """Something that our code does with a server."""
        self._portal.call(function, self._first)

    async def open(self) -> None:
        """Connected, so that only answers are measured."""
        for one in (self._first, self._second):
            await one.call("display-message", "-p", "--", "hello", timeout=20)

    async def close(self) -> None:
        await self._first.close()
        await self._second.close()


@contextmanager
def two_clients(lab: Lab) -> Iterator[TwoClients]:
    with start_blocking_portal() as portal:
        clients = TwoClients(portal, lab)
        try:
            portal.call(clients.open)
            yield clients
        finally:
            portal.call(clients.close)
