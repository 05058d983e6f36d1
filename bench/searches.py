"""Searching many long scrollbacks: ours beside the peer's, each size on a tmux server of its own."""

from __future__ import annotations

from bench.errors import ServerFailed
from bench.measure import Plan, Row
from bench.operations import search
from bench.peer import Peer
from bench.servers import commands_on, measured, running
from bench.tmux_lab import lab

SIZES = ((100, 2_000), (100, 10_000))
"""Panes, and lines in each."""

ROUNDS = 5
"""A call takes up to seconds: more would tell nothing new."""


async def measure(plan: Plan, peer: Peer | None) -> tuple[list[Row], list[str]]:
    """A row for each size, and what could not be measured."""
    few = Plan(min(plan.rounds, ROUNDS), plan.seconds, burst=1)
    rows: list[Row] = []
    notices: list[str] = []
    for panes, lines in SIZES:
        try:
            rows.append(await _row(panes, lines, few, peer))
        except ServerFailed as failed:
            if peer is None:
                raise
            notices.append(f"{panes:,} panes x {lines:,} lines, our own figure only: {failed!s:.240}")
            rows.append(await _row(panes, lines, few, None))
    return rows, notices


async def _row(panes: int, lines: int, plan: Plan, peer: Peer | None) -> Row:
    with lab() as tmux:
        await tmux.grow_long(panes, lines)
        with running(commands_on(tmux, peer)) as servers:
            return await measured(search(panes, lines), 1, plan, servers)
