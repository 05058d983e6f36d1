"""Reading a pane by line numbers: 0 is the top of the screen, scrollback counts down from -1."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from muxpilot.errors import BadInput
from muxpilot.terminal.sight import Place, place_of
from muxpilot.tmux import TmuxServer, read_pane

MANY = 2000
"""Lines from which on it is worth a process of its own."""


MOST = 200_000
"""Lines that are read at once, the last of more. tmux answers nobody else meanwhile, for some 0.2 seconds."""

Turn = Callable[[], AbstractAsyncContextManager[None]]


async def capture(
    server: TmuxServer, pane_id: str, start: int | None, end: int | None, turn: Turn = nullcontext
) -> tuple[Place, list[str], int]:
    """Where the pane was just before, and its lines from `start` (default: top of the screen) to `end`
    (default: its bottom), blank ones at the end left out; of more than `MOST` the last, and how many
    stand above them. `turn` is awaited before many are read.

    Raises:
        BadInput: the pane has no such lines. tmux itself would answer with others.
    """
    place = await place_of(server, pane_id)
    first, last = _within(place, start, end)
    above = 0
    if last - first <= place.pane_height:
        text = await read_pane(server, pane_id, start=first, end=last)
    elif last - first <= MANY:
        async with server.bulk.turn(last - first):
            text = await read_pane(server, pane_id, start=first, end=last)
    else:
        async with turn():
            place = await place_of(server, pane_id)
            top, last = _within(place, start, end)
            first = max(top, last - MOST + 1)
            text = await read_pane(server, pane_id, start=first, end=last, by_process=last - first)
            above = first - top
    return place, text.rstrip("\n").split("\n"), above


def _within(place: Place, start: int | None, end: int | None) -> tuple[int, int]:
    """The first and the last line, of those that there are."""
    top, bottom = -place.history_size, place.pane_height - 1
    first, last = 0 if start is None else start, bottom if end is None else end
    if end is not None and last < first:
        raise BadInput(f"end ({last}) is before start ({first})", hint="Lines count downwards")
    if first > bottom or last < top:
        raise BadInput(
            f"lines {first} to {last} are outside of pane {place.pane_id}", hint=f"It has {top} to {bottom}"
        )
    return max(first, top), min(last, bottom)
