"""A limit for all that is kept on disk: the oldest outputs go first.

Rules it keeps:
- The output of a command that runs, and the tape that it is read from, are never touched.
- What was removed is said in that command's journal, and to the caller whose command needed the room.
- Looking at every file is rare: what this process writes is counted. The folder is walked only where that
  reaches the limit, or after `LOOK_SECONDS`, because other processes write too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from muxpilot.terminal.shelf import Shelf, number_of

LOOK_SECONDS = 600.0


@dataclass(frozen=True, slots=True, order=True)
class _File:
    written: float
    size: int
    folder: Path
    name: str


class DiskLimit:
    """`folder` holds one folder for each pane."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self.limit = limit
        self._total: int | None = None
        self._looked = 0.0

    @property
    def largest_tape(self) -> int:
        return self.limit // 2

    @property
    def largest_output(self) -> int:
        return self.limit // 4

    @property
    def shown(self) -> str:
        return f"the limit on disk (MUXPILOT_DISK_LIMIT, {self.limit / 1e6:,.0f} MB)"

    def begin_with(self, total: int) -> None:
        """Bytes that there are, as somebody has just counted."""
        self._total, self._looked = total, time.monotonic()

    def add(self, size: int) -> str | None:
        """Count what a command has written; what to tell its caller where older outputs had to go for it."""
        if self._total is not None:
            self._total += size
            if self._total <= self.limit and time.monotonic() - self._looked < LOOK_SECONDS:
                return None
        removed = self._make_room()
        if not removed:
            return None
        return f"outputs of older commands ({removed}) were removed to stay below {self.shown}"

    def _make_room(self) -> int:
        """Down to a tenth below the limit, so that this is not for every command; returns how many went."""
        files = sorted(self._files())
        self._total, self._looked = sum(file.size for file in files), time.monotonic()
        if self._total <= self.limit:
            return 0
        goal = self.limit - self.limit // 10
        removed = self._remove_outputs(files, goal)
        if self._total > goal:
            self._empty_tapes(files, goal)
        return removed

    def _remove_outputs(self, files: list[_File], goal: int) -> int:
        assert self._total is not None
        removed = 0
        ended: dict[Path, set[int]] = {}
        for file in files:
            if self._total <= goal:
                break
            number = number_of(file.name)
            if number is None or not file.size:
                continue
            if file.folder not in ended:
                commands = Shelf(file.folder).commands()
                ended[file.folder] = {one.number for one in commands if one.ended is not None}
            if number in ended[file.folder]:
                why = f"its output was removed to stay below {self.shown}"
                self._total -= Shelf(file.folder).lose_output(number, why)
                removed += 1
        return removed

    def _empty_tapes(self, files: list[_File], goal: int) -> None:
        assert self._total is not None
        for file in files:
            if self._total <= goal:
                return
            if file.name == "tape" and file.size:
                shelf = Shelf(file.folder)
                with shelf.locked_now() as alone:
                    if alone and shelf.is_idle:
                        shelf.tape.empty()
                        self._total -= file.size

    def _files(self) -> Iterator[_File]:
        for folder in _entries(self._folder):
            if folder.is_dir(follow_symlinks=False):
                for entry in _entries(folder.path):
                    with contextlib.suppress(OSError):  # Gone meanwhile.
                        facts = entry.stat(follow_symlinks=False)
                        yield _File(facts.st_mtime, facts.st_size, Path(folder.path), entry.name)


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
