"""Sizes and colours of the picture. It has a background of its own, so it reads in light and dark pages."""

from __future__ import annotations

from scripts.picture.screen import Colour

WIDTH, HEIGHT = 960, 510
PAD = 22
FONT = 'ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace'
CELL, LINE = 7.8, 18.2
"""A character of the terminal: text is fitted to this grid, whatever font there is."""
TERM_X, TERM_Y = 416.0, 60.0
"""Where the terminal's first cell begins."""
LETTER = 7.2
"""The width of a character of the calls."""
CALLS_Y, CARD, ANSWER = 73.0, 47.4, 17.5
"""The first call's base line, from one call to the next, from a call to its answer."""
CALL_X = PAD + 22.0
ROOM = 46
"""Characters that a line of a call has."""

PAGE, EDGE, TERMINAL = "#0d1117", "#30363d", "#05080d"
TEXT, SOFT, FAINT, ACTIVE = "#e6edf3", "#b3bdc8", "#8b949e", "#1b2430"
ACCENT, PERSON = "#79c0ff", "#d2a8ff"
KINDS = {"good": "#56d364", "bad": "#ff7b72", "waits": "#e3b341"}
PALETTE = (
    *("#0d1117", "#ff7b72", "#3fb950", "#e3b341", "#58a6ff", "#bc8cff", "#39c5cf", "#c9d1d9"),
    *("#6e7681", "#ffa198", "#56d364", "#f2cc60", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"),
)
_LEVELS = (0, 95, 135, 175, 215, 255)


def rgb(colour: Colour, own: str) -> str:
    """What a terminal's colour is here; `own` where it has none."""
    if colour is None:
        return own
    if isinstance(colour, str):
        return colour
    if colour < 16:
        return PALETTE[colour]
    if colour >= 232:
        return "#" + f"{8 + 10 * (colour - 232):02x}" * 3
    red, rest = divmod(colour - 16, 36)
    return "#" + "".join(f"{_LEVELS[part]:02x}" for part in (red, *divmod(rest, 6)))
