"""One run of one fault, and what is kept of it.

Rules it keeps:
- A fault is named once, by the decorator of its test; once every day, `RUNS` times in the long run.
- Recovery is counted from the moment at which the fault is over. What is asserted is our part of it: the
  time in which our process or tmux stood ready and had no processor is the machine's.
- Every run that is made leaves a line where `MUXPILOT_TEST_RECORD` says, whichever way it ended.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

RUNS = 20
RECOVERY = 1.0
"""Seconds in which what is ours to recover has recovered."""
RECORD = "MUXPILOT_TEST_RECORD"

Test = TypeVar("Test", bound=Callable[..., None])


@dataclass
class Trial:
    """What one run has shown.

    `losses`: calls that ended with a named condition instead of a result, and outputs that were said to be
    incomplete. `recovery`: seconds; for `machine` of them there was no processor for us.
    """

    fault: str
    where: str
    """Which test it is: tests are sorted by that."""
    run: int
    losses: int = 0
    recovery: float | None = None
    machine: float = 0.0
    failed: bool = False
    skipped: bool = False

    def lost(self, count: int = 1) -> None:
        self.losses += count

    @contextmanager
    def recovering(self, *pids: int) -> Iterator[None]:
        """The fault is over; at the end of this block everything works again, by the work of `pids`."""
        before, began = sum(map(_without_processor, pids)), time.monotonic()
        yield
        took = time.monotonic() - began
        machine = max(sum(map(_without_processor, pids)) - before, 0.0)
        assert took - machine < RECOVERY, f"recovered after {took:.2f} s, {machine:.2f} of them the machine's"
        if self.recovery is None or took > self.recovery:
            self.recovery, self.machine = took, min(machine, took)


def fault(name: str, *, note: str = "", runs: int = RUNS, daily: int = 1) -> Callable[[Test], Test]:
    """A test of this fault, with the argument `run`; `note` says what of it is not ours to recover."""

    def decorated(test: Test) -> Test:
        often = [pytest.param(run, marks=pytest.mark.long) for run in range(daily, runs)]
        numbers: list[Any] = [*range(daily), *often]
        repeated: Test = pytest.mark.parametrize("run", numbers)(test)
        marked: Test = pytest.mark.fault(name, note)(repeated)
        return marked

    return decorated


def keep(trial: Trial, note: str) -> None:
    """A line for the record, if there is to be one."""
    if path := os.environ.get(RECORD):
        with Path(path).open("a") as file:
            file.write(json.dumps({**asdict(trial), "note": note}) + "\n")


def _without_processor(pid: int) -> float:
    """Seconds for which this process has been ready to run and did not run; 0 where nobody counts them."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
