"""What a server keeps in memory, and the most it ever had."""

from __future__ import annotations

import re
from pathlib import Path

_NOW, _PEAK = (re.compile(rf"^{name}:\s+(\d+) kB$", re.MULTILINE) for name in ("VmRSS", "VmHWM"))


def resident_mb(pid: int) -> float | None:
    """Resident memory of the process and its children (our control client, for one), in MB.

    None where the system does not say.
    """
    try:
        return sum(_kb(one, _NOW) for one in _family(pid)) / 1000
    except OSError:
        return None


def peak_mb(pid: int) -> float | None:
    """The most that the process alone ever had, in MB; None where the system does not say."""
    try:
        return _kb(pid, _PEAK) / 1000
    except OSError:
        return None


def _kb(pid: int, figure: re.Pattern[str]) -> int:
    found = figure.search(Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def _family(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [pid, *(one for child in children for one in _family(child))]
