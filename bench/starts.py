"""Starting: from the process to its first answers, each start a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from bench.asks import LISTING, Ask
from bench.measure import Act, Plan, Sample, stat, timed_row
from bench.peers import Contender
from bench.rows import Gap, Row, Stat
from bench.rpc import StdioServer
from bench.sides import Side, sides_on
from bench.tmux_lab import lab

STARTS, SECONDS = 7, 30.0


async def measure(plan: Plan, contenders: Sequence[Contender]) -> tuple[list[Row], list[str]]:
    few = plan.at_most(STARTS, SECONDS)
    with lab() as tmux, sides_on(tmux, contenders, started=False) as sides:
        await tmux.filled()
        greetings: dict[str, list[Sample]] = {side.name: [] for side in sides}
        listed = await _row("start to tools/list", few, sides, lambda _: LISTING, greetings)
        greeted = _greeted(listed, greetings)
        answered = await _row("start to first answer", few, sides, lambda side: side.dialect.sessions, {})
    return [greeted, listed, answered], []


async def _row(
    name: str,
    plan: Plan,
    sides: Sequence[Side],
    ask: Callable[[Side], Ask],
    greetings: dict[str, list[Sample]],
) -> Row:
    acts = {side.name: side.gap or _start(side, ask(side), greetings.get(side.name, [])) for side in sides}
    return await timed_row("server", name, plan, acts)


def _start(side: Side, ask: Ask, greeting: list[Sample]) -> Act:
    """A start up to one answer; `greeting` gets how long the handshake's took."""

    async def act() -> Sample:
        started = time.perf_counter()
        with StdioServer(side.command) as server:
            server.initialize()
            greeting.append(Sample(time.perf_counter() - started, None))
            answer = server.request(ask.request.method, ask.request.params)
            return Sample(time.perf_counter() - started, ask.gist(answer.result))

    return act


def _greeted(listed: Row, greetings: dict[str, list[Sample]]) -> Row:
    """The same starts, up to the handshake; without the ones that warmed up."""
    figures: dict[str, Stat | Gap] = {
        side: stat(greetings[side][1:]) if isinstance(found, Stat) else found
        for side, found in listed.sides.items()
    }
    return Row("server", "start to initialize", "ms", figures)
