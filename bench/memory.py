"""What a server keeps in memory: its process and the ones it holds open (our control client, for one)."""

from __future__ import annotations

import re
from pathlib import Path

_RSS = re.compile(r"^VmRSS:\s+(\d+) kB$", re.MULTILINE)


def resident_mb(pid: int) -> float | None:
    """Resident memory of the process and its children, in MB; None where the system does not say."""
    try:
        return sum(_resident_kb(one) for one in _family(pid)) / 1000
    except OSError:
        return None


def _resident_kb(pid: int) -> int:
    found = _RSS.search(Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def _family(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [pid, *(one for child in children for one in _family(child))]
