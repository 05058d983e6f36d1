"""What a run comes to: rows of figures, side by side, and nothing about how they were taken.

They go to JSON and come back, so that what is shown can be made again without measuring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Stat:
    """One side of a row."""

    median: float
    p95: float | None = None
    count: int = 1
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there is no figure where one could stand."""

    reason: str

    @classmethod
    def of(cls, error: Exception) -> Gap:
        """The first line of it, without what its log says."""
        return cls(f"{error!s:.160}".partition("\n")[0])


@dataclass(frozen=True, slots=True)
class Point:
    """A place on a curve: what is done, over what (panes, lines), and how many of them."""

    curve: str
    over: str
    at: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. The first of `sides` is ours, and always a figure."""

    section: str
    name: str
    unit: str
    sides: Mapping[str, Stat | Gap]
    compared: bool = True
    point: Point | None = None

    @property
    def ours(self) -> Stat:
        first = next(iter(self.sides.values()))
        assert isinstance(first, Stat)
        return first

    def stat(self, side: str) -> Stat | None:
        found = self.sides.get(side)
        return found if isinstance(found, Stat) else None

    def ratio(self, side: str) -> float | None:
        """How many times as much they need. None: no figure, or no race (a count of tools)."""
        theirs = self.stat(side)
        if theirs is None or not self.compared or self.ours.median == 0:
            return None
        return theirs.median / self.ours.median

    def as_json(self) -> dict[str, Any]:
        others = list(self.sides)[1:]
        ratios = {side: ratio for side in others if (ratio := self.ratio(side)) is not None}
        return {**asdict(self), "ratios": ratios}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Row:
        known = {name: value for name, value in saved.items() if name != "ratios"}
        sides = {name: Gap(**one) if "reason" in one else Stat(**one) for name, one in known["sides"].items()}
        point = Point(**known["point"]) if known["point"] else None
        return cls(**{**known, "sides": sides, "point": point})


def figures(
    section: str,
    name: str,
    unit: str,
    values: Mapping[str, float | Gap | None],
    *,
    compared: bool = True,
    point: Point | None = None,
) -> list[Row]:
    """A row of plain numbers; none where ours is not known (another system does not say)."""
    if next(iter(values.values())) is None:
        return []
    sides = {side: _figure(value) for side, value in values.items()}
    return [Row(section, name, unit, sides, compared, point)]


def _figure(value: float | Gap | None) -> Stat | Gap:
    if value is None:
        return Gap("not known")
    return value if isinstance(value, Gap) else Stat(value)
