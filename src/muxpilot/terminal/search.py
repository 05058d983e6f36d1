"""Looking for text in many panes: whole scrollbacks, wrapped lines joined, a few panes at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.errors import TargetNotFound
from muxpilot.terminal.model import Pane
from muxpilot.terminal.patterns import Pattern
from muxpilot.tmux import TmuxServer, read_pane

AT_ONCE = 8
"""Panes read at the same time: enough to keep tmux busy, few enough to keep their text in memory."""


@dataclass(frozen=True, slots=True)
class Match:
    """A pane and its matching lines; `left_out` counts those beyond the limit."""

    pane: Pane
    lines: list[str]
    left_out: int


async def search(
    server: TmuxServer,
    panes: Sequence[Pane],
    pattern: Pattern,
    *,
    start: int | None = None,
    end: int | None = None,
    most: int = 50,
) -> list[Match]:
    """The panes whose text matches, in their order. One that ends meanwhile is left out."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def look(pane: Pane) -> Match | None:
        async with gate:
            try:
                text = await read_pane(
                    server, pane.pane_id, start="-" if start is None else start, end=end, join_wrapped=True
                )
            except TargetNotFound:
                return None
            return _matched(pane, text, pattern, most)

    found = await asyncio.gather(*(look(pane) for pane in panes))
    return [match for match in found if match is not None]


def _matched(pane: Pane, text: str, pattern: Pattern, most: int) -> Match | None:
    lines = list(pattern.lines_in(text))
    return Match(pane, lines[:most], max(0, len(lines) - most)) if lines else None
