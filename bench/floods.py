"""A flood: a million lines kept whole, beside tmux showing them to nobody.

tmux alone works on a server of its own, where no client of ours could cost it time.
"""

from __future__ import annotations

import time

from bench.asks import Ask
from bench.bash_lab import bash_lab, bash_pane
from bench.measure import Act, Plan, Sample, timed_row
from bench.processes import peak_mb
from bench.rows import Row, figures
from bench.runs import whole
from bench.sides import OURS, sides_on
from bench.tmux_lab import Lab

LINES = 1_000_000
ROUNDS, SECONDS = 7, 30.0
COMMAND = f"seq {LINES}"
ALONE = "tmux alone"


async def measure(plan: Plan) -> tuple[list[Row], list[str]]:
    with bash_lab() as tmux, bash_lab() as alone, sides_on(tmux, []) as (ours,):
        ask = ours.dialect.run(COMMAND, None)
        assert isinstance(ask, Ask)
        acts = {OURS: ours.act(Ask(ask.request, whole(LINES))), ALONE: _alone(alone, await bash_pane(alone))}
        row = await timed_row("flood", COMMAND, plan.at_most(ROUNDS, SECONDS), acts)
        with ours.at_work() as server:
            peak = {OURS: peak_mb(server.pid)}
    return [row, *figures("flood", "peak memory of the server", "MB", peak)], []


def _alone(tmux: Lab, pane_id: str) -> Act:
    """From the keys to a word of the shell that it has come to the end."""

    async def act() -> Sample:
        started = time.perf_counter()
        tmux.run("send-keys", "-t", pane_id, f"{COMMAND}; tmux wait-for -S shown", "Enter")
        tmux.run("wait-for", "shown")
        seconds = time.perf_counter() - started
        await tmux.shown(pane_id, f"\n{LINES}\n")
        return Sample(seconds, 0)

    return act
