"""What a pane shows at one moment, in whole lines: wrapped rows are joined.

Rows are counted from the first one that tmux still holds, so that a row keeps its number while the pane
scrolls; it changes only when tmux drops or reflows its scrollback. Everything in one look is of the same
instant: facts and text come from commands that tmux runs in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from muxpilot.errors import PaneEnded
from muxpilot.terminal.describe import check_found, facts_of_pane
from muxpilot.tmux import Capture, Columns, Endpoint, PaneStream, Reply, Request, TmuxServer, Version

CONTEXT = 50
"""Rows of scrollback above the screen that are looked at too: they tell whether rows kept their numbers."""

MOST_ROWS = 50_000
"""Rows of scrollback that are looked at in one go. tmux answers nobody else meanwhile: some 0.1 seconds."""

TRIES = 5

Range = tuple[int, int | None]
Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pane is, how far it has come, and whether it lives."""

    pane_id: str
    session_id: str
    pane_pid: int
    history_size: int
    history_limit: int
    pane_width: int
    pane_height: int
    cursor_x: int
    cursor_y: int
    alternate_on: bool
    pane_dead: bool
    pane_dead_status: int | None
    pane_dead_signal: int | None

    @property
    def exit_status(self) -> int | None:
        """Of a dead pane, as shells count it. tmux may know it a moment after the end, or never."""
        return self.pane_dead_status if self.pane_dead_signal is None else 128 + self.pane_dead_signal

    def is_of_process(self, pid: int) -> bool:
        """Whether this one runs, or ran, there. tmux from 3.8 on no longer knows that of a dead pane."""
        return pid == self.pane_pid or not self.pane_pid

    @property
    def row(self) -> int:
        """The row that the cursor is in."""
        return self.history_size + self.cursor_y

    @property
    def rows_below(self) -> int:
        return self.pane_height - 1 - self.cursor_y

    @property
    def may_have_dropped(self) -> bool:
        """Whether so much scrollback is there that some may be gone: a tenth goes when it is full."""
        return self.history_size >= self.history_limit - max(1, self.history_limit // 10)


@dataclass(frozen=True, slots=True)
class Sight:
    """The screen, and what is right above it."""

    place: Place
    lines: Lines
    """The screen down to its bottom, blank lines too. The first may be the end of a longer one."""
    context: Lines
    """The same, with some of the scrollback before it."""

    @property
    def first(self) -> int:
        """The row that `context` begins at."""
        return max(0, self.place.history_size - CONTEXT)

    @property
    def top(self) -> int:
        return self.place.history_size

    @property
    def above(self) -> Lines:
        """Lines that are wholly above the screen."""
        return self.context[: len(self.context) - len(self.lines)]

    @property
    def cursor_line(self) -> int:
        """Which of the lines the cursor is in. Below it, rows are hardly ever wrapped."""
        return max(0, len(self.lines) - 1 - self.place.rows_below)


@dataclass(frozen=True, slots=True)
class Look:
    """The lines that were asked for (with those above them), and the screen at the same instant."""

    lines: Lines
    context: Lines
    sight: Sight


_PLACE = Columns(Place)
SCREEN: tuple[Range, Range] = ((0, None), (-CONTEXT, None))
"""What a `Sight` is made of."""

PlaceRow = TypeVar("PlaceRow", bound=Place)


@dataclass(frozen=True, slots=True)
class Reading(Generic[PlaceRow]):
    """Commands that read facts and rows of a pane at one instant: for use with others in one write."""

    pane_id: str
    request: Request[PlaceRow]
    captures: list[Capture]
    version: Version

    @classmethod
    def of(
        cls,
        pane_id: str,
        columns: Columns[PlaceRow],
        ranges: Sequence[Range],
        version: Version,
        *,
        by_connection: bool,
    ) -> Reading[PlaceRow]:
        captures = [
            Capture.of(pane_id, version, start=start, end=end, join_wrapped=True, by_connection=by_connection)
            for start, end in ranges
        ]
        return cls(pane_id, columns.request(), captures, version)

    @property
    def commands(self) -> list[list[str]]:
        facts = ["display-message", "-p", "-t", self.pane_id, "--", self.request.format]
        return [facts, *(command for capture in self.captures for command in capture.commands)]

    def read(self, replies: Sequence[Reply], endpoint: Endpoint) -> tuple[PlaceRow, list[Lines]]:
        """Raises `TargetNotFound` where there is no such pane."""
        left = iter(replies)
        (place,) = self.request.read(next(left).text, self.version)
        check_found(place.pane_id, self.pane_id, "pane")
        own = ([next(left) for _ in capture.commands] for capture in self.captures)
        texts = [capture.read(some, endpoint) for capture, some in zip(self.captures, own, strict=True)]
        return place, [tuple(text.split("\n")) for text in texts]


def _nothing() -> None:
    pass


async def place_of(server: TmuxServer, pane_id: str) -> Place:
    """Raises `TargetNotFound` where there is no such pane."""
    return await facts_of_pane(server, _PLACE, pane_id)


async def living_place(server: TmuxServer, pane_id: str) -> Place:
    """Raises `PaneEnded` too, where its program is not there any more."""
    place = await place_of(server, pane_id)
    if place.pane_dead:
        raise PaneEnded(
            f"the program in pane {pane_id} has ended", hint="capture_pane shows what it left behind"
        )
    return place


class Eye:
    """Looks at one pane, in step with its output where there is a stream of it.

    `then` is called at the very moment of a look, each time that one had to be repeated.
    """

    def __init__(self, server: TmuxServer, pane_id: str, stream: PaneStream | None = None) -> None:
        self._server = server
        self._pane_id = pane_id
        self._stream = stream

    async def place(self, then: Callable[[], None] = _nothing) -> Place:
        return (await self._read([], then))[0]

    async def look(self, then: Callable[[], None] = _nothing) -> Sight:
        """The screen, and the scrollback right above it."""
        place, (lines, context) = await self._read(SCREEN, then)
        return Sight(place, lines, context)

    async def look_again(self, before: Sight, then: Callable[[], None] = _nothing) -> Look | None:
        """The rows of an earlier sight and all below; None where they are gone or too many, or move too
        fast."""
        place = before.place
        for _ in range(TRIES):
            history = place.history_size
            if not -MOST_ROWS <= before.top - history < place.pane_height:
                return None
            old: list[Range] = [(before.top - history, None), (before.first - history, None)]
            place, texts = await self._read([*old, *SCREEN], then)
            if place.history_size == history:
                return Look(texts[0], texts[1], Sight(place, *texts[2:]))
        return None

    async def look_from(self, row: int, place: Place) -> tuple[Place, Lines] | None:
        """The lines from this row on; None where it is gone or too far up, or moves too fast."""
        for _ in range(TRIES):
            history = place.history_size
            if not -min(history, MOST_ROWS) <= row - history < place.pane_height:
                return None
            place, texts = await self._read([(row - history, None)], _nothing)
            if place.history_size == history:
                return place, texts[0]
        return None

    async def everything(self, then: Callable[[], None] = _nothing) -> Look:
        """All lines that tmux holds, or the last ones."""
        place, texts = await self._read([(-MOST_ROWS, None), *SCREEN], then)
        return Look(texts[0], texts[0], Sight(place, *texts[1:]))

    async def _read(self, ranges: Sequence[Range], then: Callable[[], None]) -> tuple[Place, list[Lines]]:
        version = await self._server.server_version()
        by_connection = self._stream is not None or self._server.connection is not None
        reading = Reading.of(self._pane_id, _PLACE, ranges, version, by_connection=by_connection)
        return reading.read(await self._ask(reading.commands, then), self._server.endpoint)

    async def _ask(self, commands: list[list[str]], then: Callable[[], None]) -> list[Reply]:
        if self._stream is not None:
            return await self._server.replies_in_step(self._stream, commands, then)
        replies = await self._server.replies(commands)
        then()
        return replies


def without_blank_end(lines: Sequence[str]) -> Lines:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[:end])
