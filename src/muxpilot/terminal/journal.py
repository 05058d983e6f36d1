"""The lines of a journal that can be ours. A disk that was full, a crash or a stranger leaves others.

Each line is an object with the number of a command, and with things to know of it. One that holds anything
else, or a value of the wrong kind, is left out as a whole: it must not keep the rest from being read.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from types import NoneType
from typing import Any

Kinds = Mapping[str, tuple[type, ...]]

_TIME = (int, float)
_KINDS: Kinds = {
    "number": (int,),
    "command": (str,),
    "started": _TIME,
    "position": (int,),
    "cue": (dict,),
    "shell": (str,),
    "clock": _TIME,
    "cwd": (str, NoneType),
    "hidden": (bool,),
    "ended": _TIME,
    "seconds": (*_TIME, NoneType),
    "exit_code": (int, NoneType),
    "state": (str,),
    "reason": (str, NoneType),
    "lines": (int,),
    "end": (int,),
    "counts": (dict,),
    "missing": (str, NoneType),
}
_CUE: Kinds = {"nonce": (str,), "count": (int,), "by_line": (bool,), "sourced": (bool,), "joined": (bool,)}
_COUNTED = ("number", "position", "lines", "end")
_BEGINS = frozenset({"command", "started", "position", "shell"})
_LARGEST = 1 << 53
_PROCESS = re.compile(r"[0-9]{1,10}(\.[0-9]+)*")


def entries(data: bytes) -> list[dict[str, Any]]:
    """Oldest first."""
    found = []
    for line in data.decode("utf-8", "replace").split("\n"):
        with contextlib.suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict) and _is_sound(entry):
                found.append(entry)
    return found


def _is_sound(entry: dict[str, Any]) -> bool:
    if "number" not in entry or not _fit(entry, _KINDS) or entry["number"] < 1:
        return False
    if any(entry.get(name, 0) < 0 for name in _COUNTED):
        return False
    counts = entry.get("counts", {})
    if not _fit(counts, dict.fromkeys(counts, (int,))) or not _PROCESS.fullmatch(entry.get("shell", "0")):
        return False
    return "cue" not in entry or (
        entry.keys() >= _BEGINS and "nonce" in entry["cue"] and _fit(entry["cue"], _CUE)
    )


def _fit(values: dict[str, Any], kinds: Kinds) -> bool:
    """Whether each is known, and of its kind. (A bool is an int to Python, but not here.)"""
    return all(
        type(value) in kinds.get(name, ()) and (type(value) is not int or abs(value) < _LARGEST)
        for name, value in values.items()
    )
