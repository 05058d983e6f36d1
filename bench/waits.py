"""Waiting: how soon after the bytes reached the pane the answer comes, and what it costs until then."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Sequence

from bench.measure import Act, Plan, Sample, timed_row
from bench.peers import Contender
from bench.pen import Pen, pen
from bench.processes import cpu_seconds
from bench.progress import say
from bench.rows import Gap, Row, figures
from bench.rpc import StdioServer
from bench.sides import Side, sides_on
from bench.tmux_lab import Lab, lab

ROUNDS, SECONDS = 15, 40.0
SETTLE = 0.7
"""Seconds that a wait gets to begin before there is something to see, at least."""
SPREAD = 0.3
"""And as much more by chance: who looks every quarter of a second is met at any moment of it."""
IDLE_SECONDS = 5.0


async def measure(plan: Plan, contenders: Sequence[Contender]) -> tuple[list[Row], list[str]]:
    with lab() as tmux, pen(tmux) as ours, sides_on(tmux, contenders) as sides:
        await tmux.filled()
        reaction = {side.name: reacting(side, ours) for side in sides}
        name = "wait_for_text, from the bytes to the answer"
        row = await timed_row("server", name, plan.at_most(ROUNDS, SECONDS), reaction)
        say("server: an idle wait")
        idle = {side.name: _idle(side, tmux, ours.pane) for side in sides}
    return [row, *figures("server", "wait_for_text, CPU while nothing happens", "% of a core", idle)], []


def reacting(side: Side, pen: Pen) -> Act | Gap:
    """A wait, a word some time later, and how long the answer took from there."""
    numbers = itertools.count()
    gap = side.gap or side.dialect.wait(pen.pane, "", 0)
    if isinstance(gap, Gap):
        return gap

    async def act() -> Sample:
        word = f"word-{id(side)}-{next(numbers)}"
        ask = side.dialect.wait(pen.pane, word, 30)
        assert not isinstance(ask, Gap)
        with side.at_work() as server:
            number = server.begin(ask.request.method, ask.request.params)
            await asyncio.sleep(SETTLE + random.random() * SPREAD)
            pen.write(word)
            answer = server.finish(number, time.perf_counter())
        return Sample(answer.seconds, ask.gist(answer.result), answer.size)

    return act


def idle_cpu(server: StdioServer, tmux: Lab, seconds: float) -> float | None:
    """What the server, its children and tmux use while nothing is asked, in hundredths of a core."""
    before = _both(server, tmux)
    time.sleep(seconds)
    after = _both(server, tmux)
    return None if before is None or after is None else (after - before) * 100 / seconds


def _both(server: StdioServer, tmux: Lab) -> float | None:
    used = [cpu_seconds(pid) for pid in (server.pid, tmux.pid)]
    return None if None in used else sum(one for one in used if one is not None)


def _idle(side: Side, tmux: Lab, pane: str) -> float | Gap | None:
    ask = side.gap or side.dialect.wait(pane, "never", IDLE_SECONDS + 2 * SETTLE)
    if isinstance(ask, Gap):
        return ask
    request = ask.request

    def take(server: StdioServer) -> float | None:
        started = time.perf_counter()
        number = server.begin(request.method, request.params)
        time.sleep(SETTLE)
        used = idle_cpu(server, tmux, IDLE_SECONDS)
        server.finish(number, started)
        return used

    return side.figure(take)
