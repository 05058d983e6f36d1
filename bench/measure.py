"""How sides are measured: in turns, in one run, with each answer checked to be the same as ours.

Whatever slows the machine down for a moment so hits all sides, and none is credited for work it left out.
The first round warms up and does not count; who goes first changes with each round. A side that fails, falls
silent or answers something else has a gap where its figure would be, and the others go on. Ours must not.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.errors import BenchError, Mismatch
from bench.progress import say
from bench.rows import Gap, Point, Row, Stat

TURNS = 6
"""Rounds that should fit into the time of a plan: where calls are slow, there are fewer in a row."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One call: how long it took, what it came to (the same on all sides), its size where that counts."""

    seconds: float
    gist: object
    size: int | None = None


Act = Callable[[], Awaitable[Sample]]
Acts = Mapping[str, Act | Gap]
"""Each side by its name, ours first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How often: so many rounds, or as many as fit into so many seconds, of so many calls in a row.

    Calls come in bursts because the first one after a turn pays for the other side: a process that has just
    ended keeps both cores and tmux busy for a while. `fewest` rounds are made even where time has run out.
    """

    rounds: int
    seconds: float = 12.0
    burst: int = 1
    fewest: int = 3

    def at_most(self, rounds: int, seconds: float | None = None) -> Plan:
        """The same with fewer rounds of single calls, for what takes long."""
        return replace(self, rounds=min(self.rounds, rounds), seconds=seconds or self.seconds, burst=1)


async def timed_row(section: str, name: str, plan: Plan, acts: Acts, point: Point | None = None) -> Row:
    """A row in milliseconds.

    Raises:
        BenchError: our own side failed.
    """
    say(f"{section}: {name}")
    race = _Race(name, acts)
    started = time.perf_counter()
    await race.round(list(race.acts), 1)
    burst = _burst(plan, time.perf_counter() - started)
    race.samples = {side: [] for side in race.acts}
    end = time.perf_counter() + plan.seconds
    for number in range(plan.rounds):
        if number >= plan.fewest and time.perf_counter() > end:
            break
        await race.round(list(race.acts)[:: 1 if number % 2 == 0 else -1], burst)
    return Row(section, name, "ms", race.figures(acts), point=point)


def _burst(plan: Plan, round_seconds: float) -> int:
    return max(1, min(plan.burst, int(plan.seconds / TURNS / round_seconds)))


class _Race:
    """The sides that are still in it, and what they have shown."""

    def __init__(self, name: str, acts: Acts) -> None:
        self._name = name
        self._ours = next(iter(acts))
        self.acts = {side: act for side, act in acts.items() if not isinstance(act, Gap)}
        self.samples: dict[str, list[Sample]] = {side: [] for side in self.acts}
        self.gaps: dict[str, Gap] = {}

    async def round(self, order: Sequence[str], burst: int) -> None:
        """One turn for each; who can't keep up is out."""
        found = {}
        for side in order:
            try:
                found[side] = [await self.acts[side]() for _ in range(burst)]
            except BenchError as error:
                self._out(side, error)
        for side in list(found):
            self._check(side, found[self._ours][0].gist, found[side])

    def figures(self, acts: Acts) -> dict[str, Stat | Gap]:
        """In the order of `acts`."""
        given = {side: act for side, act in acts.items() if isinstance(act, Gap)}
        stats = {side: stat(samples) for side, samples in self.samples.items() if side in self.acts}
        known: dict[str, Stat | Gap] = {**given, **self.gaps, **stats}
        return {side: known[side] for side in acts}

    def _check(self, side: str, expected: object, samples: list[Sample]) -> None:
        wrong = [one.gist for one in samples if one.gist != expected]
        if not wrong:
            self.samples[side] += samples
        else:
            self._out(side, Mismatch(f"answered {wrong[0]!r:.60} where ours was {expected!r:.60}"))

    def _out(self, side: str, error: BenchError) -> None:
        if side == self._ours:
            raise error
        say(f"{self._name}: {side} is out: {error!s:.300}")
        self.gaps[side] = Gap.of(error)
        del self.acts[side]


def stat(samples: Sequence[Sample]) -> Stat:
    """Median and 95th percentile (nearest rank), in milliseconds."""
    ordered = sorted(sample.seconds * 1000 for sample in samples)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return Stat(statistics.median(ordered), p95, len(ordered), samples[-1].size)
