"""How far an agent knows a pane: what came after it last typed, waited, read or began there is new to it.

The text that it typed is remembered for one purpose: its echo is not taken for output.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from muxpilot.terminal.changes import Line
from muxpilot.terminal.model import Pane
from muxpilot.terminal.sight import Place, Sight
from muxpilot.tmux import TmuxServer

MOST_PANES = 1000
MOST_SEARCHED = 20_000
"""Lines of scrollback in which a place is looked for."""
LONGEST_ECHO = 4000
SHORTEST_REPEAT = 3
"""Shorter lines are not taken for a shell that shows once more what was typed too early."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A row and a column, the lines that were typed there, and what must be the same for them to mean this.

    A process or a width of None: whichever it is.
    """

    pid: int | None
    row: int
    column: int
    history_size: int
    width: int | None
    typed: tuple[str, ...] = ()
    seen: Sight | None = None
    """What the pane showed then: where rows get other numbers, it can be found again by that."""

    def holds(self, now: Place) -> bool:
        """Whether its row still has that number."""
        grown = now.history_size >= self.history_size and not now.may_have_dropped
        return grown and self.is_of(now)

    def sight_in(self, now: Place) -> Sight | None:
        """What to look for, where its row may have another number by now."""
        return self.seen if self.is_of(now) and now.history_size <= MOST_SEARCHED else None

    def is_of(self, now: Place) -> bool:
        """Whether rows below its own are new: those that go away at the top only lower the numbers."""
        same = self.pid is None or now.is_of_process(self.pid)
        return same and self.width in (None, now.pane_width) and not now.alternate_on


class Attention:
    """The marks of one muxpilot, the latest of each pane."""

    def __init__(self) -> None:
        self._marks: OrderedDict[tuple[TmuxServer, str], Mark] = OrderedDict()

    def typed(self, server: TmuxServer, place: Place, text: str, seen: Sight | None = None) -> None:
        """It has typed this where the pane was then, and has `seen` it if its scrollback may be full soon."""
        lines = tuple(line for line in text[:LONGEST_ECHO].splitlines() if line.strip())
        self._put(server, place, lines, seen)

    def saw(self, server: TmuxServer, place: Place) -> None:
        """It has been told what the pane shows."""
        self._put(server, place)

    def made(self, server: TmuxServer, pane_id: str) -> None:
        """It has made this pane: all that is there is new."""
        self._keep(server, pane_id, Mark(None, 0, 0, 0, None))

    def respawned(self, server: TmuxServer, pane: Pane) -> None:
        """It has started the program in this pane anew: all that comes below the scrollback is new."""
        self._keep(server, pane.pane_id, Mark(pane.pane_pid, pane.history_size, 0, pane.history_size, None))

    def mark(self, server: TmuxServer, pane_id: str) -> Mark | None:
        return self._marks.get((server, pane_id))

    def _put(
        self, server: TmuxServer, place: Place, typed: tuple[str, ...] = (), seen: Sight | None = None
    ) -> None:
        if place.alternate_on:  # A program has the screen: its rows are nobody's scrollback.
            self._marks.pop((server, place.pane_id), None)
            return
        where = (place.row, place.cursor_x, place.history_size, place.pane_width)
        self._keep(server, place.pane_id, Mark(place.pane_pid, *where, typed, seen))

    def _keep(self, server: TmuxServer, pane_id: str, mark: Mark) -> None:
        self._marks[server, pane_id] = mark
        self._marks.move_to_end((server, pane_id))
        while len(self._marks) > MOST_PANES:
            self._marks.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Echo:
    """Typed lines whose echo may still come: as they were typed, and once more behind a prompt."""

    direct: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()

    @classmethod
    def of(cls, mark: Mark | None) -> Echo:
        typed = mark.typed if mark is not None else ()
        return cls(typed, tuple(line for line in typed if len(line.strip()) >= SHORTEST_REPEAT))

    def strip(self, lines: Sequence[Line]) -> tuple[list[Line], Echo]:
        """The lines with their echoes marked as not fresh, and the echoes that have not come yet."""
        echo, kept = self, []
        for line in lines:
            stripped, echo = echo._strip_one(line)
            kept.append(stripped)
        last = max((at for at, line in enumerate(kept) if line.text.strip()), default=None)
        if last is not None and echo._begins_in(kept[last].text.rstrip()):
            kept[last] = Line(kept[last].text, len(kept[last].text))
        return kept, echo

    def _begins_in(self, text: str) -> bool:
        """Whether this line, the last one, ends with an echo that is still being written."""
        return any(
            text.endswith(typed.strip()[:length])
            for typed in self.repeated
            for length in range(SHORTEST_REPEAT, min(len(typed.strip()), len(text) + 1))
        )

    def may_be(self, text: str) -> bool:
        """Whether this could be an echo, or a part of one that is still being written."""
        text = text.strip()
        return any(_overlap(text, typed.strip()) for typed in {*self.direct, *self.repeated})

    def _strip_one(self, line: Line) -> tuple[Line, Echo]:
        fresh = line.text[line.fresh_from :].lstrip()
        for typed in self.direct:
            if fresh.startswith(typed.strip()):
                end = line.text.index(typed.strip(), line.fresh_from) + len(typed.strip())
                return Line(line.text, end), replace(self, direct=_without(self.direct, typed))
        for typed in self.repeated:
            text = line.text.rstrip()
            if text.endswith(typed.strip()) and text != typed.strip():
                return Line(line.text, len(line.text)), replace(self, repeated=_without(self.repeated, typed))
        return line, self


def _without(lines: tuple[str, ...], one: str) -> tuple[str, ...]:
    at = lines.index(one)
    return lines[:at] + lines[at + 1 :]


def _overlap(text: str, typed: str) -> bool:
    if not text or text in typed or typed in text:
        return True
    return any(text.endswith(typed[:length]) for length in range(min(len(text), len(typed)), 0, -1))
