"""Long scrollbacks: read whole, read at their end, and searched, each at several lengths.

Reading the screen costs the same however much is above it. Each search has a tmux server of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.measure import Acts, Plan, timed_row
from bench.peers import Contender
from bench.rows import Gap, Point, Row
from bench.sides import acts, sides_on
from bench.tmux_lab import lab

LENGTHS = (100, 2_000, 10_000)
PANES = 100
ROUNDS, FEW = 5, 1
"""A search takes the strongest peer 14 seconds at any length: what is promised is measured more often."""
PROMISED = 2_000


async def measure(
    plan: Plan, lengths: Sequence[int], contenders: Sequence[Contender]
) -> tuple[list[Row], list[str]]:
    """Curves over the length of the scrollback."""
    rows = await _captures(plan, lengths, contenders)
    out: dict[str, Gap] = {}
    for lines in lengths:
        often = replace(plan.at_most(ROUNDS), fewest=ROUNDS) if lines == PROMISED else plan.at_most(FEW)
        row = await _search(often, lines, contenders, out)
        out = {side: found for side, found in row.sides.items() if isinstance(found, Gap)}
        rows.append(row)
    return rows, []


async def _captures(plan: Plan, lengths: Sequence[int], contenders: Sequence[Contender]) -> list[Row]:
    rows = []
    with lab() as tmux, sides_on(tmux, contenders) as sides:
        for lines in lengths:
            (pane,) = await tmux.grow_long(1, lines)
            for name, asked in ((f"capture_pane, {lines:,} lines", lines), (_screen(lines), 0)):
                point = Point("capture_pane, " + ("all lines" if asked else "the screen"), "lines", lines)
                race = {side.name: side.act(side.dialect.capture(pane, asked)) for side in sides}
                rows.append(await timed_row("server", name, plan, race, point))
    return rows


def _screen(lines: int) -> str:
    return f"capture_pane, a screen below {lines:,} lines"


async def _search(plan: Plan, lines: int, contenders: Sequence[Contender], out: dict[str, Gap]) -> Row:
    """For a line that each pane has once, far up. Who failed at a shorter length is not asked again."""
    name, pattern = f"search_panes, {PANES:,} panes x {lines:,} lines", f"line {lines // 10:04}:"
    with lab() as tmux, sides_on(tmux, contenders) as sides:
        await tmux.grow_long(PANES, lines)
        race: Acts = {**acts(sides, lambda side: side.dialect.search(pattern, lines)), **out}
        point = Point(f"search_panes, {PANES:,} panes", "lines each", lines)
        return await timed_row("server", name, plan, race, point)
