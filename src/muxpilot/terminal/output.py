"""Raw pane output, read as far as it can be read without a screen.

Enough to notice a line that came and went, and to count what went by; how things look in the end only tmux
knows. Sequences and lines may be split anywhere.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

LONGEST_LINE = 64 * 1024
LONGEST_SEQUENCE = 4096

_SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI
    rb"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    rb"|[PX^_k][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC, title
    rb"|[ -/]*[0-OQ-WYZ\\`-jl-~])"  # the short ones
)
_ROW_MOVES = rb"\x1b(?:\[[0-?]*[ -/]*[ABEFHLMSTdefrsu]|\[[23]J|\[\?(?:1049|1047|47)[hl]|[78DEMc])|[\x0b\x0c]"
_LEAVES_ROW = re.compile(_ROW_MOVES)
_LEAVES_COLUMN = re.compile(_ROW_MOVES + rb"|\x1b\[[0-?]*[ -/]*[@CDGIJPXZ`a]|\x08")
_MOVERS = (b"\x1b", b"\x08", b"\x0b", b"\x0c")
_WIPES = re.compile(rb"\x1b(?:\[3J|c)")
_UNSEEN = bytes({*range(32), 127} - {*b"\t\n\r"})
_ENDS = re.compile(r"\r*\n|\r")


class LineScanner:
    """Text as it was written: each piece that was surely printed in one go is a line of its own."""

    def __init__(self, begun: str = "") -> None:
        """`begun` is what stands already in the line that is written to."""
        self._rest = b""
        self.open_line = begun
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def feed(self, data: bytes) -> str:
        """All lines that this touched, the last of them as far as it has come."""
        data, self._rest = _whole(self._rest + data)
        if any(one in data for one in _MOVERS):
            data = _SEQUENCE.sub(b"", _LEAVES_COLUMN.sub(b"\n", data))
        data = data.translate(None, _UNSEEN)
        text = self.open_line + self._decoder.decode(data)
        if "\r" in text:
            text = _ENDS.sub("\n", text)
        self.open_line = text[text.rfind("\n") + 1 :][-LONGEST_LINE:]
        return text


def moves_cursor(data: bytes) -> bool:
    """Whether the cursor went to another row by anything but a line feed."""
    return any(one in data for one in _MOVERS) and _LEAVES_ROW.search(data) is not None


def edits_line(data: bytes) -> bool:
    """Whether text in this may have become part of something that stood there before."""
    return any(one in data for one in _MOVERS) and _LEAVES_COLUMN.search(data) is not None


def _whole(data: bytes) -> tuple[bytes, bytes]:
    """What can be read, and an unfinished sequence at the end, which may itself end in an unfinished one."""
    oldest = max(0, len(data) - LONGEST_SEQUENCE)
    end = len(data)
    start = data.rfind(b"\x1b", oldest)
    while start >= 0 and not _SEQUENCE.match(data, start):
        end = start
        start = data.rfind(b"\x1b", oldest, start)
    return data[:end], data[end:]


@dataclass(frozen=True, slots=True)
class Reading:
    """How much a program has written up to some moment, or between two."""

    written: int = 0
    feeds: int = 0
    moves: int = 0
    """How often the cursor was moved: then line feeds say nothing about rows."""
    wipes: int = 0
    """How often the program cleared the scrollback, or reset the terminal."""
    gaps: int = 0
    """How often some output did not reach us."""

    def since(self, base: Reading) -> Reading:
        return Reading(
            self.written - base.written,
            self.feeds - base.feeds,
            self.moves - base.moves,
            self.wipes - base.wipes,
            self.gaps - base.gaps,
        )

    @property
    def plain(self) -> bool:
        """Text and line feeds only: each line feed made a line."""
        return not (self.moves or self.wipes or self.gaps)


UNKNOWN = Reading(gaps=-1)
"""Where counting began too late: there is a gap between this and any reading."""
UNCOUNTED = Reading(moves=-1)
"""Where counting began a moment too late: line feeds since then say nothing."""


class Meter:
    """Counts what a program writes."""

    def __init__(self) -> None:
        self.reading = Reading()
        self._tail = b""

    def feed(self, data: bytes) -> None:
        seen = self._tail + data
        last = self.reading
        self.reading = Reading(
            last.written + len(data),
            last.feeds + data.count(b"\n"),
            last.moves + moves_cursor(seen),
            last.wipes + (b"\x1b" in seen and _WIPES.search(seen) is not None),
            last.gaps,
        )
        start = seen.rfind(b"\x1b", -16)
        self._tail = seen[start:] if start >= 0 else b""

    def miss(self) -> None:
        self.reading = replace(self.reading, gaps=self.reading.gaps + 1)
