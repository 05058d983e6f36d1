"""What has come to a pane between two looks, and whether all of it can still be seen.

A row that tmux has dropped, or that was wiped away, can't be reported; then `missed` says so. Where rows may
have changed their numbers (a full scrollback, another width), what was written since tells how many lines to
go back; where that can't tell either, the old lines are looked for, and only a single place that fits counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.terminal.output import Meter, Reading
from muxpilot.terminal.sight import Eye, Look, Place, Sight, without_blank_end

ANCHOR = 30
"""Old lines that must be found again, at most."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that was written or rewritten; up to `fresh_from` it stood there before."""

    text: str
    fresh_from: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    lines: list[Line]
    missed: bool
    """Rows may have come and gone that are not among the lines."""
    sight: Sight
    """The screen at the moment up to which this goes."""
    reading: Reading
    """The meter at that moment."""


async def change_since(eye: Eye, before: Sight, base: Reading, meter: Meter) -> Change:
    """What came to the pane since `before`, when the meter stood at `base`."""
    end = base

    def then() -> None:
        nonlocal end
        end = meter.reading

    look = await eye.look_again(before, then)
    if look is not None:
        lines = _in_place(before, look, end.since(base))
        if lines is not None:
            return Change(lines, False, look.sight, end)
    look = await eye.everything(then)
    found = _found_again(before, look, end.since(base))
    if found is not None:
        return Change(found, False, look.sight, end)
    return Change(_all(look.sight.lines), True, look.sight, end)


def difference(before: Sequence[str], now: Sequence[str]) -> list[Line]:
    """From the first line that differs to the last; blank ones at the end are not told."""
    before, now = without_blank_end(before), without_blank_end(now)
    same = 0
    while same < min(len(before), len(now)) and before[same].rstrip() == now[same].rstrip():
        same += 1
    end = len(now)
    while len(before) == len(now) and end > same and before[end - 1].rstrip() == now[end - 1].rstrip():
        end -= 1
    return [Line(now[at], _common(before[at], now[at]) if at < len(before) else 0) for at in range(same, end)]


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return at


def _all(lines: Sequence[str]) -> list[Line]:
    return [Line(line) for line in without_blank_end(lines)]


def _in_place(before: Sight, look: Look, written: Reading) -> list[Line] | None:
    """The change, where rows are sure to have kept their numbers, and none to be gone."""
    now = look.sight.place
    if now.alternate_on != before.place.alternate_on:
        return _all(look.sight.lines) if now.alternate_on else None
    kept = look.context[: len(before.above)] == before.above and not _renumbered(before.place, now, written)
    gone = written.wipes or (written.plain and now.row - before.place.row < written.feeds)
    if not kept or gone or (written.gaps and not _familiar(before, look)):
        return None
    return difference(before.lines, look.lines)


def _familiar(before: Sight, look: Look) -> bool:
    """Where it is unknown what was written, what stood above the cursor must still be there, and telling."""
    at = before.cursor_line
    telling = len({line.strip() for line in (*before.above, *before.lines[:at])} - {""}) > 1
    return telling and before.lines[:at] == look.lines[:at]


def _renumbered(before: Place, now: Place, written: Reading) -> bool:
    if now.pane_width != before.pane_width or now.history_size < before.history_size:
        return True
    most = before.history_size + before.pane_height + written.feeds + written.written // before.pane_width
    return now.may_have_dropped and (not written.plain or most >= before.history_limit)


def _found_again(before: Sight, look: Look, written: Reading) -> list[Line] | None:
    """The change, if the place where it begins can be told in all that there is."""
    if written.wipes or look.sight.place.alternate_on != before.place.alternate_on:
        return None
    text = [line.rstrip() for line in look.lines]
    at = _by_count(before, look, text, written) if written.plain else _by_search(before, text)
    if at is None:
        return None
    return difference(before.lines[before.cursor_line :], look.lines[at:])


def _anchor(before: Sight) -> list[str]:
    """What stood above the cursor's line. The first may be the end of a longer line."""
    above = before.context[1 : len(before.above) + before.cursor_line]
    return [line.rstrip() for line in above[-ANCHOR:]]


def _by_count(before: Sight, look: Look, text: list[str], written: Reading) -> int | None:
    """Each line feed made a line, so the cursor's old line is that many above its new one."""
    at = len(text) - 1 - look.sight.place.rows_below - written.feeds
    if at < 0:
        return None
    anchor = _anchor(before)[-at:] if at else []
    return at if text[at - len(anchor) : at] == anchor else None


def _by_search(before: Sight, text: list[str]) -> int | None:
    anchor = _anchor(before)
    if not anchor:
        return None
    places = [
        at + len(anchor)
        for at in range(len(text) - len(anchor) + 1)
        if text[at] == anchor[0] and text[at : at + len(anchor)] == anchor
    ]
    return places[0] if len(places) == 1 else None
