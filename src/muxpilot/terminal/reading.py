"""Reading a pane by line numbers: 0 is the top of the screen, scrollback counts down from -1."""

from __future__ import annotations

from dataclasses import dataclass

from muxpilot.errors import BadInput
from muxpilot.terminal.describe import facts_of_pane
from muxpilot.tmux import Columns, TmuxServer, read_pane


@dataclass(frozen=True, slots=True)
class _Extent:
    pane_id: str
    history_size: int
    pane_height: int


_EXTENT = Columns(_Extent)


async def capture(server: TmuxServer, pane_id: str, start: int | None, end: int | None) -> list[str]:
    """The lines from `start` (default: top of the screen) to `end` (default: its bottom), blank ones at the
    end left out.

    Raises:
        BadInput: the pane has no such lines. tmux itself would answer with others.
    """
    extent = await facts_of_pane(server, _EXTENT, pane_id)
    top, bottom = -extent.history_size, extent.pane_height - 1
    first, last = 0 if start is None else start, bottom if end is None else end
    if end is not None and last < first:
        raise BadInput(f"end ({last}) is before start ({first})", hint="Lines count downwards")
    if first > bottom or last < top:
        raise BadInput(
            f"lines {first} to {last} are outside of pane {pane_id}", hint=f"It has {top} to {bottom}"
        )
    text = await read_pane(server, pane_id, start=max(first, top), end=min(last, bottom))
    return text.rstrip("\n").split("\n")
