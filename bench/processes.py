"""What a process and its children use, as Linux tells it: memory and processor time."""

from __future__ import annotations

import os
import re
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
_NOW, _PEAK = (re.compile(rf"^{name}:\s+(\d+) kB$", re.MULTILINE) for name in ("VmRSS", "VmHWM"))


def resident_mb(pid: int) -> float | None:
    """Resident memory of the process and its children (our control client, for one), in MB.

    Pages that they share count for each. None where the system does not say.
    """
    try:
        return sum(_kb(one, _NOW) for one in family(pid)) / 1000
    except OSError:
        return None


def peak_mb(pid: int) -> float | None:
    """The most that the process alone ever had, in MB; None where the system does not say."""
    try:
        return _kb(family(pid)[0], _PEAK) / 1000
    except OSError:
        return None


def cpu_seconds(pid: int) -> float | None:
    """What the process, its children and those that it has seen out have used; None as above."""
    try:
        return sum(_cpu(one) for one in family(pid))
    except OSError:
        return None


def family(pid: int) -> list[int]:
    """The process, its children, theirs, and so on: whichever of its threads started them.

    Raises:
        OSError: there is no such process, or the system does not say.
    """
    tasks = list(Path(f"/proc/{pid}/task").iterdir())
    children = [int(child) for task in tasks for child in _read(task / "children").split()]
    return [pid, *(one for child in children for one in _still(child))]


def _still(pid: int) -> list[int]:
    try:
        return family(pid)
    except OSError:
        return []


def _read(path: Path) -> str:
    """Empty where the process has just ended: what it used is then its parent's to tell."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _kb(pid: int, figure: re.Pattern[str]) -> int:
    found = figure.search(_read(Path(f"/proc/{pid}/status")))
    return int(found[1]) if found else 0


def _cpu(pid: int) -> float:
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / TICK
