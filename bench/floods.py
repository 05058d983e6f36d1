"""A flood: a million lines kept whole, beside tmux showing them to nobody.

tmux alone works on a server of its own, where no client of ours could cost it time.
"""

from __future__ import annotations

import time

from bench.bash_lab import bash_lab, bash_pane
from bench.measure import Act, Plan, Row, Sample, timed_row
from bench.memory import peak_mb
from bench.progress import say
from bench.rpc import StdioServer
from bench.runs import run, whole
from bench.servers import commands_on, figures, running
from bench.tmux_lab import Lab

LINES = 1_000_000
ROUNDS = 7
COMMAND = f"seq {LINES}"


async def measure(plan: Plan) -> tuple[list[Row], list[str]]:
    with bash_lab() as tmux, bash_lab() as alone, running(commands_on(tmux, None)) as servers:
        say(f"flood: {COMMAND}")
        few = Plan(min(plan.rounds, ROUNDS), 120.0)
        acts = _ours(servers[0]), _theirs(alone, await bash_pane(alone))
        row = await timed_row("flood", COMMAND, few, *acts)
        peak = figures("peak memory of the server", "MB", [peak_mb(servers[0].pid)], section="flood")
    return [row, *peak], []


def _ours(server: StdioServer) -> Act:
    request, gist = run(COMMAND), whole(LINES)

    async def act() -> Sample:
        answer = server.request(request.method, request.params)
        return Sample(answer.seconds, gist(answer.result), answer.size)

    return act


def _theirs(tmux: Lab, pane_id: str) -> Act:
    """From the keys to a word of the shell that it has come to the end."""

    async def act() -> Sample:
        started = time.perf_counter()
        tmux.run("send-keys", "-t", pane_id, f"{COMMAND}; tmux wait-for -S shown", "Enter")
        tmux.run("wait-for", "shown")
        seconds = time.perf_counter() - started
        await tmux.shown(pane_id, f"\n{LINES}\n")
        return Sample(seconds, 0)

    return act
