"""A terminal's screen as values: what `capture-pane -e` printed, cut into runs of one look.

It knows SGR as tmux writes it, and nothing of SVG.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

Colour = int | str | None
"""A number of the palette, a `#rrggbb`, or None: the terminal's own."""

_SGR = re.compile(r"\x1b\[([\d;:]*)m|[\x0e\x0f]")
_FLAGS: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    7: {"reverse": True},
    22: {"bold": False, "dim": False},
    27: {"reverse": False},
}
_COLOURS: dict[int, tuple[Colour, bool]] = {
    first + number: (offset + number, back)
    for first, offset, back in ((30, 0, False), (90, 8, False), (40, 0, True), (100, 8, True))
    for number in range(8)
} | {39: (None, False), 49: (None, True)}
"""Numbers that set a colour, and whether it is that of the background."""


@dataclass(frozen=True, slots=True)
class Look:
    fg: Colour = None
    bg: Colour = None
    bold: bool = False
    dim: bool = False
    reverse: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one look, and the column where it begins."""

    column: int
    text: str
    look: Look = Look()


Row = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    rows: tuple[Row, ...]
    cursor: tuple[int, int] | None = None
    """Column and row; None: hidden."""


def parse(captured: str, cursor: tuple[int, int] | None = None) -> Screen:
    """The screen that `capture-pane -e -p` printed; a look goes on from row to row."""
    look = Look()
    rows: list[Row] = []
    for line in captured.split("\n"):
        runs, look = _row(line, look)
        rows.append(runs)
    return Screen(tuple(rows), cursor)


def _row(line: str, look: Look) -> tuple[Row, Look]:
    runs: list[Run] = []
    column = at = 0
    for found in [*_SGR.finditer(line), None]:
        text = line[at : found.start() if found else None]
        if text and (text.strip() or _visible(look)):
            runs.append(Run(column, text, look))
        column += len(text)
        if found:
            look, at = _changed(look, found.group(1)), found.end()
    return tuple(runs), look


def _visible(look: Look) -> bool:
    """Whether even spaces can be seen."""
    return look.bg is not None or look.reverse


def _changed(look: Look, parameters: str | None) -> Look:
    if parameters is None:
        return look
    numbers = iter([int(number or 0) for number in re.split("[;:]", parameters)])
    for number in numbers:
        look = _applied(look, number, numbers)
    return look


def _applied(look: Look, number: int, rest: Iterator[int]) -> Look:
    if number == 0:
        return Look()
    if number in _FLAGS:
        return replace(look, **_FLAGS[number])
    if number in {38, 48}:
        return _coloured(look, _extended(rest), back=number == 48)
    if number in _COLOURS:
        return _coloured(look, *_COLOURS[number])
    return look


def _coloured(look: Look, colour: Colour, back: bool) -> Look:
    return replace(look, bg=colour) if back else replace(look, fg=colour)


def _extended(rest: Iterator[int]) -> Colour:
    if next(rest, 5) == 5:
        return next(rest, 0)
    red, green, blue = (next(rest, 0) for _ in range(3))
    return f"#{red:02x}{green:02x}{blue:02x}"
