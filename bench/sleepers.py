"""A hundred waits asleep in one server: what they cost, and what they cost others.

They can't take turns with another side's: each has the machine to itself while its waits sleep.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from bench.asks import Ask
from bench.errors import BenchError, Mismatch
from bench.measure import Act, Plan, stat
from bench.peers import Contender
from bench.pen import Pen, pen
from bench.progress import say
from bench.rows import Gap, Row, Stat
from bench.rpc import StdioServer
from bench.sides import OURS, Side, sides_on
from bench.tmux_lab import Lab, lab
from bench.waits import idle_cpu, reacting

WAITS = 100
WAIT_SECONDS = 60.0
"""Longer than all that is measured beside them."""
SETTLE = 3.0
"""Seconds until all have begun."""
IDLE_SECONDS, LEAST_SECONDS = 10.0, 3.0
ROUNDS = 8

CPU = f"{WAITS} waits asleep, CPU of server and tmux"
MEMORY = f"{WAITS} waits asleep, memory"
REACTION = f"one more wait beside {WAITS} asleep, reaction"
SESSIONS = f"list_sessions beside {WAITS} waits asleep"
UNITS = {CPU: "% of a core", MEMORY: "MB", REACTION: "ms", SESSIONS: "ms"}

Figures = Mapping[str, Stat | Gap]


async def measure(plan: Plan, contenders: Sequence[Contender]) -> tuple[list[Row], list[str]]:
    with lab() as tmux, pen(tmux) as ours, sides_on(tmux, contenders) as sides:
        await tmux.grow(WAITS)
        panes = tmux.run("list-panes", "-s", "-t", "lab", "-F", "#{pane_id}").decode().split()
        awake = [pane for pane in panes if pane != ours.pane][:WAITS]
        found = {side.name: await _asleep(side, tmux, awake, ours, plan) for side in sides}
    return [
        Row("crowd", name, unit, {side: figures[name] for side, figures in found.items()})
        for name, unit in UNITS.items()
        if isinstance(found[OURS][name], Stat)
    ], []


async def _asleep(side: Side, tmux: Lab, panes: Sequence[str], pen: Pen, plan: Plan) -> Figures:
    """All figures of one side, or the reason why there are none."""
    asks = [side.gap or side.dialect.wait(pane, "never", WAIT_SECONDS) for pane in panes]
    missing = next((ask for ask in asks if isinstance(ask, Gap)), None)
    if missing is not None:
        return dict.fromkeys(UNITS, missing)
    try:
        return await _figures(side, tmux, [ask for ask in asks if isinstance(ask, Ask)], pen, plan)
    except BenchError as error:
        if side.name == OURS:
            raise
        return dict.fromkeys(UNITS, Gap.of(error))
    finally:
        side.close()


async def _figures(side: Side, tmux: Lab, asks: Sequence[Ask], pen: Pen, plan: Plan) -> Figures:
    say(f"crowd: {len(asks)} waits of {side.name}")
    with side.at_work() as server:
        numbers = [server.begin(ask.request.method, ask.request.params) for ask in asks]
        await asyncio.sleep(SETTLE)
        used = idle_cpu(server, tmux, max(LEAST_SECONDS, min(IDLE_SECONDS, plan.seconds)))
        _check(server, numbers)
        memory = side.memory()
    return {
        CPU: Gap("not known") if used is None else Stat(used),
        MEMORY: memory if isinstance(memory, Gap) else Stat(memory or 0.0),
        REACTION: await _repeated(reacting(side, pen), min(ROUNDS, plan.rounds)),
        SESSIONS: await _repeated(side.act(side.dialect.sessions), min(ROUNDS, plan.rounds)),
    }


def _check(server: StdioServer, numbers: Sequence[int]) -> None:
    """Who has answered was not asleep.

    Raises:
        Mismatch: some have.
    """
    answered = server.answered() & set(numbers)
    if answered:
        raise Mismatch(f"answered {len(answered)} of {len(numbers)} waits before anything happened")


async def _repeated(act: Act | Gap, rounds: int) -> Stat | Gap:
    return act if isinstance(act, Gap) else stat([await act() for _ in range(rounds)])
