"""A pane that prints as fast as it may, and what calls cost beside it.

It offers 50 MB/s; how much tmux takes is told. While it takes it, tmux itself has little time for anybody.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.measure import Plan, timed_row
from bench.peers import Contender
from bench.pen import pen
from bench.rows import Row
from bench.sides import acts, sides_on
from bench.tmux_lab import PANE, Lab, lab
from bench.waits import reacting

OFFERED_MB = 50
ROUNDS = 10
_WRITER = """
import os, sys, time
path, rate = sys.argv[1], float(sys.argv[2]) * 1e6
chunk, written, started = (b"x" * 199 + b"\\n") * 327, 0, time.monotonic()
with open(path, "w", buffering=1) as told:
    while True:
        written += os.write(1, chunk)
        told.seek(0)
        told.write(f"{written}\\n")
        ahead = written / rate - (time.monotonic() - started)
        if ahead > 0:
            time.sleep(ahead)
"""


async def measure(plan: Plan, contenders: Sequence[Contender]) -> tuple[list[Row], list[str]]:
    beside = f"beside a pane that prints {OFFERED_MB} MB/s"
    with lab() as tmux, pen(tmux) as ours, sides_on(tmux, contenders) as sides:
        await tmux.filled()
        told = _noise(tmux)
        before, started = _written(told), time.monotonic()
        few = plan.at_most(ROUNDS, plan.seconds)
        sessions = acts(sides, lambda side: side.dialect.sessions)
        screen = acts(sides, lambda side: side.dialect.capture(PANE, 0))
        reaction = {side.name: reacting(side, ours) for side in sides}
        rows = [
            await timed_row("crowd", f"list_sessions {beside}", plan, sessions),
            await timed_row("crowd", f"capture_pane {beside}", plan, screen),
            await timed_row("crowd", f"wait reaction {beside}", few, reaction),
        ]
        taken = (_written(told) - before) / (time.monotonic() - started) / 1e6
    return rows, [f"the pane offered {OFFERED_MB} MB/s beside these calls; tmux took {taken:.1f} MB/s of it"]


def _noise(tmux: Lab) -> Path:
    """Starts it, in the same session as all else; returns where it tells how much it has written."""
    writer, told = tmux.folder / "noise.py", tmux.folder / "noise"
    writer.write_text(_WRITER)
    told.touch()
    command = f"exec {sys.executable} {writer} {told} {OFFERED_MB}"
    tmux.run("new-window", "-d", "-t", "lab:", command)
    return told


def _written(told: Path) -> int:
    return int(told.read_text().partition("\n")[0] or 0)
