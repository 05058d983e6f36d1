"""Ten thousand calls by ten agents: nothing grows, and nobody sees what is another's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from muxpilot.terminal.shelf import MOST_COMMANDS
from tests.lab import Lab, children, eventually, rss_mb
from tests.mcp.client import mcp_server
from tests.soak.agents import Agent

AGENTS, CALLS = 10, 10_000
SHARES = (0.1, 0.4, 0.5)
"""Of all calls, before each measurement: at 10%, 50% and 100%."""

MORE_MB = 6.0
"""For a server process, or tmux: what malloc keeps for later, and 500 cursors that are kept on purpose."""
CONNECTIONS = 2
"""Of a server process to tmux: one for commands, and one that watches, which comes and goes."""
FDS = 3
"""Of a connection, at either end."""
MORE_FDS = 2
"""Of a process that has ended a moment ago."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Of each server process, and of tmux last: memory, descriptors, children; of tmux, what it holds."""

    memory: tuple[float, ...]
    fds: tuple[int, ...]
    children: tuple[int, ...]
    buffers: int
    sessions: int
    panes: int
    clients: int
    files: int

    def without_connections(self) -> list[int]:
        """Descriptors but those of connections, whose number is bounded by itself."""
        connections = [*self.children[:AGENTS], self.clients]
        return [fds - FDS * count for fds, count in zip(self.fds, connections, strict=True)]


class House:
    """One tmux with a pane for each agent, and their server processes."""

    def __init__(self, lab: Lab, folder: Path, stack: contextlib.ExitStack) -> None:
        self._lab = lab
        self._folder = folder
        keep = ["set-option", "-g", "history-limit", "5000"]
        lab.tmux("start-server", ";", *keep, ";", "new-session", "-d", "-s", "soak", "sh")
        for _ in range(AGENTS - 1):
            lab.tmux("new-window", "-d", "-t", "soak", "sh")
        panes = lab.tmux("list-panes", "-s", "-t", "soak", "-F", "#{pane_id}").split()
        clients = [stack.enter_context(mcp_server(lab, safety="destructive")) for _ in panes]
        self.agents = [Agent(number, clients[number], pane) for number, pane in enumerate(panes)]
        self._pids = [client.process.pid for client in clients]

    def work(self, calls: int) -> None:
        with ThreadPoolExecutor(AGENTS) as pool:
            for done in [pool.submit(agent.work, calls // AGENTS) for agent in self.agents]:
                done.result()

    def measure(self) -> Measure:
        pids = [*self._pids, self._lab.server_pid]
        eventually(
            lambda: all(len(children(pid)) <= CONNECTIONS for pid in self._pids)
        )  # A process takes a moment to end.
        return Measure(
            memory=tuple(rss_mb(pid) for pid in pids),
            fds=tuple(sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()) for pid in pids),
            children=tuple(len(children(pid)) for pid in pids),
            buffers=self._count("list-buffers"),
            sessions=self._count("list-sessions"),
            panes=self._count("list-panes", "-a"),
            clients=self._count("list-clients"),
            files=sum(1 for path in (self._folder / ".local").rglob("*") if path.is_file()),
        )

    def _count(self, *listing: str) -> int:
        return len(self._lab.tmux(*listing).splitlines())


@pytest.fixture
def house(lab: Lab, tmp_path: Path) -> Iterator[House]:
    with contextlib.ExitStack() as stack:
        yield House(lab, tmp_path, stack)


@pytest.mark.long
@pytest.mark.timeout(360)
def test_ten_thousand_calls_leave_nothing_behind_and_cross_nowhere(house: House) -> None:
    measures = []
    for share in SHARES:
        house.work(int(CALLS * share))
        measures.append(house.measure())
    assert sum(agent.calls for agent in house.agents) >= CALLS
    assert min(agent.commands for agent in house.agents) > 2 * MOST_COMMANDS
    print(*measures, sep="\n")
    first, half, last = measures
    for before, after in ((first, half), (half, last)):
        assert max(map(float.__sub__, after.memory, before.memory)) < MORE_MB
        assert max(map(int.__sub__, after.without_connections(), before.without_connections())) <= MORE_FDS
        assert (after.buffers, after.sessions, after.panes) == (before.buffers, before.sessions, before.panes)
        assert max(after.children[:AGENTS]) <= CONNECTIONS
        assert after.children[AGENTS] <= before.children[AGENTS]
        assert after.clients <= AGENTS * CONNECTIONS
    # The oldest go when there are twice as many as are kept; every agent has run more than that.
    assert last.files <= AGENTS * (2 * MOST_COMMANDS + 10)
