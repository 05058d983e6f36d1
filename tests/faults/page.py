"""docs/reliability.md, from what was recorded: nothing on it that was not run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"

HEADING = """\
# Reliability

<!-- Made by scripts/reliability from runs of tests/faults. Do not edit. -->

Real faults on real processes, over real stdio, with a real tmux. After each of them every call under way has
ended by its deadline, with a true result or a named condition; the next call works; nothing of muxpilot's is
left running; no command ran twice; what was kept of commands can still be read. A run in which one of these
does not hold is counted as wrong.

- **said**: calls that ended with a named condition instead of a result, and outputs said to be incomplete.
- **wrong**: runs with a wrong result, a silent loss, a call past its deadline, or a process that was left.
- **recovery**: from the end of the fault to the next right answer, the worst of all runs; **ours**: without
  the time in which the machine had no processor for muxpilot and tmux. Ours must be below a second.

{date}, tmux {tmux}, Python {python}, {cores} cores, load {load}: {faults} faults, {runs} runs, {wrong} wrong.

"""
COLUMNS = ("fault", "runs", "said", "wrong", "recovery", "ours", "not ours to recover")


@dataclass(frozen=True)
class Row:
    """All runs of one fault."""

    fault: str
    note: str
    runs: int
    losses: int
    wrong: int
    recovery: float | None
    ours: float | None

    @classmethod
    def of(cls, trials: list[Mapping[str, Any]]) -> Row:
        timed = [one for one in trials if one["recovery"] is not None]
        return cls(
            trials[0]["fault"],
            trials[0]["note"],
            len(trials),
            sum(one["losses"] for one in trials),
            sum(one["failed"] for one in trials),
            max((one["recovery"] for one in timed), default=None),
            max((one["recovery"] - one["machine"] for one in timed), default=None),
        )

    def cells(self) -> tuple[str, ...]:
        times = [_milliseconds(self.recovery), _milliseconds(self.ours)]
        return (self.fault, str(self.runs), str(self.losses), str(self.wrong), *times, self.note)


def rows_of(lines: Iterable[str]) -> list[Row]:
    """In the order of the tests; a fault that could not be tried here has no row."""
    trials = [one for one in map(json.loads, lines) if not one["skipped"]]
    trials.sort(key=lambda one: (one["where"], one["run"]))
    faults = dict.fromkeys(one["fault"] for one in trials)
    return [Row.of([one for one in trials if one["fault"] == fault]) for fault in faults]


def page(rows: list[Row], facts: Mapping[str, object]) -> str:
    totals = {
        "faults": len(rows),
        "runs": sum(row.runs for row in rows),
        "wrong": sum(row.wrong for row in rows),
    }
    table = [COLUMNS, ("---", *["--:"] * 5, "---"), *(row.cells() for row in rows)]
    return HEADING.format(**facts, **totals) + "".join(f"| {' | '.join(cells)} |\n" for cells in table)


def faults_on(text: str) -> set[str]:
    """The faults that stand on a page."""
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {row[0].removeprefix("| ") for row in rows} - {"fault", "---"}


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{max(seconds, 0) * 1000:,.0f} ms"
