"""Waiting: how soon after the bytes reached the pane the answer comes, and what it costs until then."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Act, Plan, Row, Sample, Stat, timed_row
from bench.peer import Peer
from bench.progress import say
from bench.rpc import StdioServer
from bench.servers import commands_on, running
from bench.tmux_lab import Lab, lab

ROUNDS = 12
SETTLE = 1.2
"""Seconds that a wait gets to begin before there is something to see."""
IDLE_SECONDS = 5.0
TICK = os.sysconf("SC_CLK_TCK")


async def measure(plan: Plan, peer: Peer | None) -> tuple[list[Row], list[str]]:
    with lab() as tmux, contextlib.ExitStack() as stack:
        await tmux.filled()
        servers = stack.enter_context(running(commands_on(tmux, peer)))
        pane_id, pen = stack.enter_context(_pen(tmux))
        say("wait: reaction")
        acts = [_reaction(server, pane_id, pen) for server in servers]
        few = Plan(min(plan.rounds, ROUNDS), 60.0)
        rows = [
            await timed_row(
                "server",
                "wait_for_text, from the bytes to the answer",
                few,
                acts[0],
                acts[1] if len(acts) > 1 else None,
            )
        ]
        say("wait: idle")
        used = [_idle(server, pane_id, tmux.pid) for server in servers]
    stats = [Stat(one) for one in used]
    idle = "wait_for_text, CPU while nothing happens"
    return [*rows, Row("server", idle, "ms/s", stats[0], stats[1] if peer else None)], []


@contextlib.contextmanager
def _pen(tmux: Lab) -> Iterator[tuple[str, int]]:
    """A pane, and a descriptor: what is written to it shows in the pane."""
    with tempfile.TemporaryDirectory(prefix="mxb-") as folder:
        path = Path(folder) / "pen"
        os.mkfifo(path)
        made = tmux.run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "pen", f"exec cat {path}")
        pipe = os.open(path, os.O_WRONLY)
        try:
            yield made.decode().strip(), pipe
        finally:
            os.close(pipe)


def _reaction(server: StdioServer, pane_id: str, pen: int) -> Act:
    numbers = itertools.count()

    async def act() -> Sample:
        word = f"word-{server.pid}-{next(numbers)}"
        arguments = {"pane_id": pane_id, "patterns": [word], "timeout": 30}
        number = server.begin("tools/call", {"name": "wait_for_text", "arguments": arguments})
        await asyncio.sleep(SETTLE)
        os.write(pen, f"{word}\n".encode())
        answer = server.finish(number, time.perf_counter())
        return Sample(answer.seconds, answer.result["structuredContent"]["found"])

    return act


def _idle(server: StdioServer, pane_id: str, tmux_pid: int) -> float:
    """Milliseconds of CPU a second, of the server, its children and tmux, during a wait for nothing."""
    arguments = {"pane_id": pane_id, "patterns": ["never"], "timeout": IDLE_SECONDS + 2 * SETTLE}
    started = time.perf_counter()
    number = server.begin("tools/call", {"name": "wait_for_text", "arguments": arguments})
    time.sleep(SETTLE)
    before = _cpu(server.pid) + _cpu(tmux_pid)
    time.sleep(IDLE_SECONDS)
    used = _cpu(server.pid) + _cpu(tmux_pid) - before
    server.finish(number, started)
    return used * 1000 / IDLE_SECONDS


def _cpu(pid: int) -> float:
    """Seconds that a process, its children and those it has seen out have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(int(field) for field in fields[11:15]) / TICK
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(_cpu(int(child)) for child in children if Path(f"/proc/{child}").exists())
