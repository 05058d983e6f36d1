"""Rows as tables, ratios first: cells of text, for a terminal or as Markdown. Knows no files and no facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.rows import Gap, Row


@dataclass(frozen=True, slots=True)
class Table:
    """Headings, lines, and which columns hold words: those stand on the left."""

    headings: Sequence[str]
    lines: Sequence[Sequence[str]]
    words: frozenset[int]

    def plain(self) -> str:
        lines = [self.headings, *self.lines]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.headings))]
        return "\n".join("  ".join(self._aligned(line, widths)).rstrip() for line in lines)

    def markdown(self) -> str:
        rule = [":---" if column in self.words else "---:" for column in range(len(self.headings))]
        return "\n".join(f"| {' | '.join(line)} |" for line in [self.headings, rule, *self.lines])

    def _aligned(self, line: Sequence[str], widths: Sequence[int]) -> list[str]:
        return [
            cell.ljust(width) if column in self.words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]


class Footnotes:
    """Reasons for empty cells, each told once."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def mark(self, side: str, gap: Gap) -> str:
        reason = gap.reason if gap.reason.startswith(side) else f"{side} {gap.reason}"
        if reason not in self._told:
            self._told.append(reason)
        return f"[{self._told.index(reason) + 1}]"

    def lines(self) -> list[str]:
        return [f"[{number}] {reason}" for number, reason in enumerate(self._told, 1)]


def figures_table(rows: Sequence[Row], notes: Footnotes) -> Table:
    """Medians, with the 95th percentile behind them."""
    sides = sides_of(rows)
    ours, others = sides[0], sides[1:]
    headings = [f"x {side}" for side in others] + ["operation", "unit", ours, *others, "calls"]
    lines = [
        [ratio(row.ratio(side)) for side in others]
        + [row.name, row.unit, *(_cell(row, side, notes) for side in sides), str(row.ours.count)]
        for row in rows
    ]
    return Table(headings, lines, frozenset({len(others), len(others) + 1}))


def bytes_table(rows: Sequence[Row]) -> Table:
    """How long answers are: what an agent pays for in tokens."""
    sides = sides_of(rows)
    ours, others = sides[0], sides[1:]
    lines = [
        [_size_ratio(row, side) for side in others]
        + [row.name, *(number(_size(row, side)) for side in sides)]
        for row in rows
    ]
    return Table(
        [f"x {side}" for side in others] + ["answer of", ours, *others], lines, frozenset({len(others)})
    )


def curves_table(rows: Sequence[Row], notes: Footnotes) -> Table:
    """What the last point costs, in terms of the first; then all points."""
    curves: dict[str, list[Row]] = {}
    for row in rows:
        if row.point is not None:
            curves.setdefault(row.point.curve, []).append(row)
    sides = sides_of(rows)
    lines = [
        [*(_growth(points, side) for side in sides), name, _over(points)]
        + [" / ".join(_cell(row, side, notes, p95=False) for row in points) for side in sides]
        for name, points in curves.items()
    ]
    headings = [f"{side} grows" for side in sides] + ["operation", "over", *(f"{side}, ms" for side in sides)]
    return Table(headings, lines, frozenset({len(sides), len(sides) + 1}))


def sides_of(rows: Iterable[Row]) -> list[str]:
    """Everybody who is in one of them, ours first."""
    return list(dict.fromkeys(side for row in rows for side in row.sides))


def number(value: float | None) -> str:
    """Three digits that count; whole numbers, and large ones, without a fraction."""
    if value is None:
        return ""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.1f}x" if value >= 0.95 else f"{value:.2f}x"


def _cell(row: Row, side: str, notes: Footnotes, *, p95: bool = True) -> str:
    found = row.sides.get(side)
    if found is None:
        return ""
    if isinstance(found, Gap):
        return notes.mark(side, found)
    return number(found.median) + (f" ({number(found.p95)})" if p95 and found.p95 is not None else "")


def _size(row: Row, side: str) -> int | None:
    found = row.stat(side)
    return found.size if found else None


def _size_ratio(row: Row, side: str) -> str:
    ours, theirs = row.ours.size, _size(row, side)
    return ratio(theirs / ours) if ours and theirs else ""


def _growth(points: Sequence[Row], side: str) -> str:
    known = [found.median for row in points if (found := row.stat(side))]
    return ratio(known[-1] / known[0]) if len(known) == len(points) > 1 else ""


def _over(points: Sequence[Row]) -> str:
    known = [row.point for row in points if row.point]
    return f"{' / '.join(f'{point.at:,}' for point in known)} {known[0].over}"


Show = Callable[[Table], str]
