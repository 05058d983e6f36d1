"""What a command has written, as text, in a private file; and as much of it as an answer has room for.

Rules it keeps:
- The file holds all of it, up to `largest` or to the end of the disk; what had no room is counted.
- An answer that leaves something out says how much.
- What was told once is not told again: a later look begins where the last one ended, apart from lines that
  may still change.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from muxpilot.terminal.private import empty_private, open_private, size_of
from muxpilot.terminal.render import Renderer

LARGEST = 256 << 20
BUDGET = 16_000
"""Bytes of output in an answer."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    text: str
    lines: int
    """Of all that it stands for."""
    truncated: bool = False


class Printout:
    """Feed it the bytes of a command; ask for an excerpt at any time."""

    def __init__(self, path: Path, height: int, largest: int = LARGEST, *, kept: bool = True) -> None:
        self.path = path
        self.kept = kept
        """Whether the file stays when the command has ended."""
        self._largest = largest
        self._file: int | None = None
        path.unlink(missing_ok=True)
        self._renderer = Renderer(height)
        self._size = 0
        self._lines = 0
        self._told = 0
        """Bytes of the file that were told, and behind them lines that could still change."""
        self._told_rest = ""
        self.cleared = 0
        """Lines that the program itself has cleared away, known at its end."""
        self.cut = 0
        """Bytes that had no room in the file."""
        self._kept = ""
        """The first of them: an answer can still show these."""

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self._size

    @property
    def gone(self) -> bool:
        """Whether somebody has taken the file away."""
        return self._size > 0 and not self.path.exists()

    @property
    def full_screen(self) -> bool:
        return self._renderer.full_screen

    @property
    def lines(self) -> int:
        return self._lines + _count(self._renderer.pending())

    @property
    def _rest(self) -> str:
        """What stands behind the file's end."""
        return self._kept + self._renderer.pending()

    @property
    def open_line(self) -> str:
        """What it has written last without a line feed: a prompt stands right behind that."""
        return self._renderer.pending().rpartition("\n")[2]

    def feed(self, data: bytes) -> None:
        self._renderer.feed(data)
        final = self._renderer.take_final()
        if self._renderer.dropped_handed_out:
            self._renderer.dropped_handed_out = False
            empty_private(self.path)
            self._size = self._lines = self._told = 0
            self._told_rest = self._kept = ""
        if final:
            self._write(final)

    def close(self, prompt: str = "") -> None:
        """Nothing more comes: the rest goes into the file as it is, without the prompt that ends it."""
        rest, _, last = self._renderer.pending().rpartition("\n")
        shown = prompt != "" and last.rstrip() == prompt
        self._write(rest if shown else self._renderer.pending())
        self.cleared = self._renderer.cleared
        self._renderer = Renderer()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def forget(self) -> None:
        """It has been told for the last time: remove the file of a sensitive command."""
        if not self.kept:
            self.path.unlink(missing_ok=True)

    def excerpt(self, max_lines: int | None = None, *, new: bool = False, partial: bool = False) -> Excerpt:
        """Head and tail of all, or of what is new; whole where there is room. `partial`: see `excerpt_of`."""
        start, rest = self._new() if new else (0, self._rest)
        lines = self.lines
        if new:
            lines = _count(_from(self.path, start, self._size) + rest) if self._size - start < BUDGET else -1
        lost = self.cut > len(self._kept.encode())
        given = {"cut": lost, "partial": partial, "kept": self.kept}
        found = excerpt_of(self.path, start, rest, lines, max_lines or 0, **given)
        self._told, self._told_rest = self._size, self._rest
        return found

    def _new(self) -> tuple[int, str]:
        """Where the new begins, in the file and in what may still change: behind what is as it was told."""
        rest = self._rest
        told = self._told_rest
        final = _from(self.path, self._told, min(self._size, self._told + 4 * len(told)))
        same = _same_lines(told, final + rest)
        if len(same) <= len(final):
            return self._told + len(same.encode("utf-8", "backslashreplace")), rest
        return self._size, rest[len(same) - len(final) :]

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        self._lines += _count(text)
        wrote = self._wrote(data[: max(self._largest - self._size, 0)]) if not self.cut else 0
        self._size += wrote
        if wrote < len(data):
            self.cut += len(data) - wrote
            self._kept += _text(data[wrote : wrote + BUDGET - len(self._kept)])

    def _wrote(self, data: bytes) -> int:
        """How much of it found room on the disk."""
        wrote = 0
        with contextlib.suppress(OSError):
            while wrote < len(data):
                wrote += os.write(self._opened(), data[wrote:])
        return wrote

    def _opened(self) -> int:
        """Made when there is something to put into it."""
        if self._file is None:
            self._file = open_private(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return self._file


def excerpt_of(
    path: Path,
    start: int,
    rest: str,
    lines: int,
    max_lines: int = 0,
    *,
    cut: bool = False,
    partial: bool = False,
    kept: bool = True,
) -> Excerpt:
    """Of a file from `start` on, with `rest` behind it; `lines` in all. `cut`: something is missing at its
    end, `partial`: anywhere. One that is not `kept` is not named."""
    held = size_of(path)
    size = max(held - start, 0) + len(rest)
    if size <= BUDGET and not cut and not 0 < max_lines < lines:
        return Excerpt((_from(path, start, held) + rest).removesuffix("\n"), lines)
    first, last = _ends(path, start, size, rest)
    if max_lines:
        first = first[: max_lines // 3]
        last = last[max(len(last) - (max_lines - max_lines // 3), 0) :]
    left_out = f"{max(lines - len(first) - len(last), 0):,} lines" if lines >= 0 else "some"
    whole = "what there was room for" if cut else "what is left of it" if partial else "the whole output"
    where = f"{whole} is in {path}" if kept else "the output of a sensitive command is not kept"
    note = f"[... {left_out} left out; {where} ...]"
    return Excerpt("\n".join([*first, note, *last]), lines, truncated=True)


def _from(path: Path, start: int, end: int) -> str:
    if end <= start or not path.exists():
        return ""
    with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
        file.seek(start)
        return _text(file.read(end - start))


def _ends(path: Path, start: int, size: int, rest: str) -> tuple[list[str], list[str]]:
    """Whole lines from both ends: of the budget a third, and the rest. A line that is longer is cut."""
    head, tail = BUDGET // 3, BUDGET - BUDGET // 3
    if size < BUDGET:  # Few bytes in too many lines.
        head, tail = size // 3, size - size // 3
    if not path.exists():
        first, last = rest[:head].split("\n"), rest[-tail:].removesuffix("\n").split("\n")
        return first[:-1] or first, last[1:] or last
    with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
        file.seek(start)
        first = (_text(file.read(head)) + rest)[:head].split("\n")
        file.seek(max(start, size_of(path) - tail))
        last = (_text(file.read()) + rest)[-tail:].removesuffix("\n").split("\n")
    return first[:-1] or first, last[1:] or last


def _text(data: bytes) -> str:
    """A character that was cut in two is left out."""
    return data.decode("utf-8", "ignore")


def last_line(data: bytes) -> str:
    """The line that the cursor is in after this."""
    renderer = Renderer()
    renderer.feed(data)
    return renderer.pending().rpartition("\n")[2].rstrip()


def _same_lines(told: str, now: str) -> str:
    """How much of what was told is there unchanged: all of it, or some whole lines."""
    if now.startswith(told):
        return told
    at = next((at for at, (one, other) in enumerate(zip(told, now, strict=False)) if one != other), len(now))
    return told[: told.rfind("\n", 0, at) + 1]


def _count(text: str) -> int:
    """Lines, a last one without its end too."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))
