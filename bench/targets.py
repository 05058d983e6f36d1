"""What muxpilot promises beside libtmux-mcp, and whether a run shows it. Each names the row that decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.peers import MAIN
from bench.rows import Row
from bench.sleepers import CPU
from bench.tables import Table, number, ratio


@dataclass(frozen=True, slots=True)
class Target:
    """`asked` and `told` are how the promise and the figure are worded; `figure` reads it off the row."""

    row: str
    asked: str
    bound: float
    figure: Callable[[Row], float | None]
    told: Callable[[float], str]
    most: bool = False

    def holds(self, figure: float) -> bool:
        return figure <= self.bound if self.most else figure >= self.bound


@dataclass(frozen=True, slots=True)
class Verdict:
    """`figure` is None where the run did not measure it: then it is not met either."""

    target: Target
    figure: float | None

    @property
    def met(self) -> bool:
        return self.figure is not None and self.target.holds(self.figure)

    def line(self) -> Sequence[str]:
        measured = "not measured" if self.figure is None else self.target.told(self.figure)
        told = "" if self.figure is None else "met" if self.met else "NOT MET"
        return (measured, self.target.asked, told, self.target.row)


def _their_ratio(row: Row) -> float | None:
    return row.ratio(MAIN)


def _share(row: Row) -> float | None:
    theirs = row.ratio(MAIN)
    return 1 / theirs if theirs else None


def _times(row: str, bound: float) -> Target:
    return Target(row, f"at least {bound:g}x", bound, _their_ratio, ratio)


def _at_most(row: str, bound: float) -> Target:
    def told(share: float) -> str:
        return f"{share:.2f} of theirs"

    return Target(row, f"at most {bound:g} of theirs", bound, _share, told, most=True)


def _under(row: str, bound: float, unit: str) -> Target:
    def told(figure: float) -> str:
        return f"{number(figure)}{unit}"

    return Target(row, f"under {bound:g}{unit}", bound, lambda row: row.ours.median, told, most=True)


SEARCH = "search_panes, 100 panes x 2,000 lines"
REACTION = "wait_for_text, from the bytes to the answer"
MEMORY = "memory after all of these calls"

TARGETS = (
    _times("list_sessions, 1 pane", 10),
    _times("list_sessions, 100 panes", 10),
    _times("list_panes, 100 panes", 10),
    _times("run_command true", 10),
    _times("capture_pane, a screen, 1 pane", 8),
    _times("send_keys, 1 pane", 8),
    _times(SEARCH, 50),
    _times(REACTION, 5),
    _times("start to tools/list", 3),
    _at_most(MEMORY, 0.8),
    _at_most("tools/list, in all", 0.25),
    _under(CPU, 1, "% of a core"),
)


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """One for each target, in their order."""
    found = {row.name: row for row in rows}
    return [
        Verdict(target, target.figure(found[target.row]) if target.row in found else None)
        for target in TARGETS
    ]


def targets_table(rows: Sequence[Row]) -> Table:
    lines = [verdict.line() for verdict in verdicts(rows)]
    return Table(("measured", "promised", "", "operation"), lines, frozenset({1, 2, 3}))


def asked_ratio(name: str) -> float | None:
    """What the ratio of a row must be; None where none is promised."""
    target = next((one for one in TARGETS if one.row == name), None)
    if target is None or target.row == CPU:
        return None
    return 1 / target.bound if target.most else target.bound
