"""Looking for text in many panes: whole scrollbacks, wrapped lines joined.

Panes are read in batches, a few at a time: tmux reads one while we look through another. A batch bounds how
long tmux answers nobody else (some 10 ms for 20,000 lines), and how much text is in memory. A pattern that
may be slow is matched in pieces, in a thread, and for a bounded time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import anyio.lowlevel

from muxpilot.errors import BadInput
from muxpilot.terminal.matching import INLINE, Stop, matched
from muxpilot.terminal.model import SearchedPane
from muxpilot.terminal.patterns import Pattern
from muxpilot.tmux import TmuxServer, read_panes

LINES_AT_ONCE = 20_000
AT_ONCE = 4
LINES_A_TURN = 1000
"""Lines found in a row before others get their turn: a few milliseconds."""
PIECE = 25 * INLINE
"""Steps times bytes that a slow pattern is matched against in one go: some 50 ms at worst."""
SMALLEST_PIECE = 4096
MOST_IN_A_PANE = 200_000
"""Lines of one pane that are looked through, the last ones of more."""
MATCHING_SECONDS = 20.0
"""How long a slow pattern may take in all."""


@dataclass(frozen=True, slots=True)
class Match:
    """A pane and its matching lines; `left_out` counts those beyond the limit."""

    pane: SearchedPane
    lines: list[str]
    left_out: int


async def search(
    server: TmuxServer,
    panes: Sequence[SearchedPane],
    pattern: Pattern,
    *,
    start: int | None = None,
    end: int | None = None,
    most: int = 50,
) -> list[Match]:
    """The panes whose text matches, in their order. One that ends meanwhile is left out. Of one that has more
    than `MOST_IN_A_PANE` lines, the last are looked through: see `partly_searched`.

    Raises:
        BadInput: the pattern takes too long in so much text.
    """
    first = _first(start, end)
    end_of_time = asyncio.get_running_loop().time() + MATCHING_SECONDS
    gate = asyncio.Semaphore(AT_ONCE)

    async def look(batch: list[SearchedPane]) -> list[Match]:
        async with gate:
            found: list[Match] = []
            texts = await read_panes(
                server,
                [pane.pane_id for pane in batch],
                start=first,
                end=end,
                lines=sum(_lines_from(pane, first) for pane in batch),
            )
            for pane, text in zip(batch, texts, strict=True):
                if text is not None and pattern.is_fast:
                    found += await _matched(pane, pattern.lines_in(text), most)
                elif text is not None:
                    found += await _slowly_matched(pane, pattern, text, most, end_of_time)
            return found

    looks = [asyncio.create_task(look(batch)) for batch in batches(panes, first)]
    try:
        return [match for found in await asyncio.gather(*looks) for match in found]
    finally:
        for one in looks:
            one.cancel()


def _first(start: int | None, end: int | None) -> int:
    most = min(0, end or 0) - MOST_IN_A_PANE
    return most if start is None else max(start, most)


def partly_searched(panes: Sequence[SearchedPane], start: int | None, end: int | None) -> dict[str, int]:
    """The panes of which lines were left out, and the last of these."""
    first = _first(start, end)
    if first == start:
        return {}
    return {pane.pane_id: first - 1 for pane in panes if pane.history_size > -first}


def batches(panes: Sequence[SearchedPane], start: int | None) -> Iterator[list[SearchedPane]]:
    """All panes in their order, `LINES_AT_ONCE` together, or one that has more."""
    batch: list[SearchedPane] = []
    lines = 0
    for pane in panes:
        lines += _lines_from(pane, start)
        if batch and lines > LINES_AT_ONCE:
            yield batch
            batch, lines = [], _lines_from(pane, start)
        batch.append(pane)
    if batch:
        yield batch


def _lines_from(pane: SearchedPane, start: int | None) -> int:
    history = pane.history_size if start is None else min(pane.history_size, max(0, -start))
    return history + pane.pane_height


async def _matched(pane: SearchedPane, lines: Iterator[bytes], most: int) -> list[Match]:
    shown: list[str] = []
    count = 0
    await anyio.lowlevel.checkpoint()
    for count, line in enumerate(lines, 1):
        if count <= most:
            shown.append(line.decode())
        if count % LINES_A_TURN == 0:
            await anyio.lowlevel.checkpoint()
    return [Match(pane, shown, count - len(shown))] if count else []


async def _slowly_matched(
    pane: SearchedPane, pattern: Pattern, text: bytes, most: int, end_of_time: float
) -> list[Match]:
    shown: list[str] = []
    count = 0
    await anyio.lowlevel.checkpoint()
    for piece in _pieces(text, max(SMALLEST_PIECE, PIECE // pattern.steps)):
        if asyncio.get_running_loop().time() > end_of_time:
            raise BadInput(
                f"the pattern {pattern.text!r:.80} took more than {MATCHING_SECONDS:g} seconds",
                hint="Search fewer panes (target) or fewer lines (content_start), or use a simpler pattern",
            )

        def look(stop: Stop, piece: bytes = piece) -> list[bytes]:
            return _until(stop, pattern.lines_in(piece))

        lines = await matched(look, pattern.steps, len(piece))
        shown += [line.decode() for line in lines[: most - len(shown)]]
        count += len(lines)
    return [Match(pane, shown, count - len(shown))] if count else []


def _until(stop: Stop, lines: Iterator[bytes]) -> list[bytes]:
    return [line for line in lines if not stop()]


def _pieces(text: bytes, size: int) -> Iterator[bytes]:
    """Whole lines, about `size` bytes together, or one that is longer."""
    start = 0
    while start <= len(text):
        end = text.find(b"\n", start + size)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1
