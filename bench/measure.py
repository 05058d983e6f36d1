"""How two sides are measured: in turns, in one run, with both answers checked to be the same.

Whatever slows the machine down for a moment so hits both sides, and neither is credited for work it left out.
The first round warms up and does not count; who goes first changes with each round.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bench.errors import Mismatch

FEWEST = 3
"""Rounds that are made even where time has run out."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One call: how long it took, what it came to (the same on both sides), its size where that counts."""

    seconds: float
    gist: object
    size: int | None = None


Act = Callable[[], Awaitable[Sample]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How often: so many rounds, or as many as fit into so many seconds, of so many calls in a row.

    Calls come in bursts because the first one after a turn pays for the other side: a process that has just
    ended keeps both cores and tmux busy for a while.
    """

    rounds: int
    seconds: float = 20.0
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Stat:
    """One side of a row."""

    median: float
    p95: float | None = None
    count: int = 1
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `theirs` is None where there was nobody to compare with."""

    section: str
    name: str
    unit: str
    ours: Stat
    theirs: Stat | None
    compared: bool = True

    @property
    def ratio(self) -> float | None:
        """How many times as much they need. None: nobody to compare with, or no race (a count of tools)."""
        if self.theirs is None or not self.compared or self.ours.median == 0:
            return None
        return self.theirs.median / self.ours.median


async def timed_row(section: str, name: str, plan: Plan, ours: Act, theirs: Act | None) -> Row:
    """A row in milliseconds.

    Raises:
        Mismatch: the answers differ.
    """
    sides = [ours] if theirs is None else [ours, theirs]
    samples = await _interleave(name, plan, sides)
    stats = [stat(one) for one in samples]
    return Row(section, name, "ms", stats[0], stats[1] if theirs is not None else None)


async def _interleave(name: str, plan: Plan, sides: Sequence[Act]) -> list[list[Sample]]:
    samples: list[list[Sample]] = [[] for _ in sides]
    await _round(name, sides, range(len(sides)), 1)
    end = time.perf_counter() + plan.seconds
    for number in range(plan.rounds):
        if number >= FEWEST and time.perf_counter() > end:
            break
        turn = range(len(sides)) if number % 2 == 0 else range(len(sides) - 1, -1, -1)
        for side, burst in (await _round(name, sides, turn, plan.burst)).items():
            samples[side] += burst
    return samples


async def _round(name: str, sides: Sequence[Act], turn: range, burst: int) -> dict[int, list[Sample]]:
    found = {side: [await sides[side]() for _ in range(burst)] for side in turn}
    gists = [sample.gist for samples in found.values() for sample in samples]
    if any(gist != gists[0] for gist in gists):
        raise Mismatch(f"{name}: {found[0][0].gist!r:.200} here, {found[1][0].gist!r:.200} there")
    return found


def stat(samples: Sequence[Sample]) -> Stat:
    """Median and 95th percentile (nearest rank), in milliseconds."""
    ordered = sorted(sample.seconds * 1000 for sample in samples)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return Stat(statistics.median(ordered), p95, len(ordered), samples[-1].size)
