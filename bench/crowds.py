"""Many at once: ten agents that each run a command, and a hundred waits that sleep.

Agents share one server over HTTP, and have a server each over stdio: both are measured. A crowd can't take
turns with another: each side has the machine to itself while its waits sleep.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from bench.asks import Ask, call, facts
from bench.bash_lab import bash_lab, bash_pane
from bench.errors import ServerFailed
from bench.measure import Act, Plan, Sample, timed_row
from bench.peers import Contender
from bench.processes import resident_mb
from bench.progress import say
from bench.rows import Gap, Row, figures
from bench.rpc import StdioServer
from bench.sides import OURS, Side, sides_on
from bench.tmux_lab import Lab

AGENTS = 10
ROUNDS, SECONDS = 12, 20.0


async def measure(plan: Plan, contenders: Sequence[Contender]) -> tuple[list[Row], list[str]]:
    few = plan.at_most(ROUNDS, SECONDS)
    with bash_lab() as tmux, sides_on(tmux, contenders) as sides, contextlib.ExitStack() as stack:
        asks = {side.name: await _asks(tmux, side) for side in sides}
        shared = {side.name: _shared(side, asks[side.name]) for side in sides}
        rows = [await timed_row("crowd", f"{AGENTS} agents run true, one server", few, shared)]
        teams = {side.name: _team(side, asks[side.name], stack) for side in sides}
        each = {name: one if isinstance(one, Gap) else _apart(one, asks[name]) for name, one in teams.items()}
        rows.append(await timed_row("crowd", f"{AGENTS} agents run true, a server each", few, each))
        sizes = {name: one if isinstance(one, Gap) else _memory(one) for name, one in teams.items()}
        rows += figures("crowd", f"memory of {AGENTS} servers", "MB", sizes)
    return rows, []


async def _asks(tmux: Lab, side: Side) -> list[Ask] | Gap:
    """One for each agent, in a pane of its own: ours in terminals of ours, as an agent has them."""
    panes = _terminals(side) if side.name == OURS else [await bash_pane(tmux) for _ in range(AGENTS)]
    asks = [side.dialect.run("true", pane) for pane in panes]
    return (
        side.gap
        or [ask for ask in asks if isinstance(ask, Ask)]
        or Gap("has no call that waits for a command's end")
    )


def _terminals(side: Side) -> list[str]:
    requests = [call("terminal", terminal_id=f"agent-{number}", command="true") for number in range(AGENTS)]
    with side.at_work() as server:
        answers = [server.request(one.method, one.params) for one in requests]
    return [facts(answer.result)["pane_id"] for answer in answers]


def _shared(side: Side, asks: list[Ask] | Gap) -> Act | Gap:
    """All asked at once of one server, up to the last answer."""
    if isinstance(asks, Gap):
        return asks

    async def act() -> Sample:
        with side.at_work() as server:
            return _at_once([server] * len(asks), asks)

    return act


def _apart(team: Sequence[StdioServer], asks: list[Ask] | Gap) -> Act | Gap:
    """The same, with a server for each."""
    if isinstance(asks, Gap):
        return asks

    async def act() -> Sample:
        return _at_once(team, asks)

    return act


def _at_once(servers: Sequence[StdioServer], asks: Sequence[Ask]) -> Sample:
    pairs = list(zip(servers, asks, strict=True))
    started = time.perf_counter()
    numbers = [server.begin(ask.request.method, ask.request.params) for server, ask in pairs]
    answers = [server.finish(number, started) for server, number in zip(servers, numbers, strict=True)]
    gists = [ask.gist(answer.result) for ask, answer in zip(asks, answers, strict=True)]
    return Sample(max(answer.seconds for answer in answers), gists)


def _team(side: Side, asks: list[Ask] | Gap, stack: contextlib.ExitStack) -> list[StdioServer] | Gap:
    """A server for each agent, started side by side."""
    if isinstance(asks, Gap):
        return asks
    say(f"crowd: {AGENTS} servers of {side.name}")
    try:
        team = [stack.enter_context(StdioServer(side.command)) for _ in range(AGENTS)]
        for server in team:
            server.initialize()
    except ServerFailed as failed:
        if side.name == OURS:
            raise
        return Gap.of(failed)
    return team


def _memory(team: Sequence[StdioServer]) -> float | None:
    sizes = [resident_mb(server.pid) for server in team]
    return None if None in sizes else sum(size for size in sizes if size is not None)
