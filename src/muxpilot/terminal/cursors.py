"""Cursors: places in a pane's output that an agent comes back to, to read only what is new.

A cursor is short: what it stands for is kept here, for the pane that it was made for. While cursors of a
pane are in use, its output is counted as it comes, so that no line which tmux drops is lost in silence.
A cursor that was forgotten (after a restart, or for many others) still names its pane; what it costs is
certainty.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass, replace

import anyio

from muxpilot.errors import BadInput, PaneEnded, TargetNotFound
from muxpilot.terminal.changes import Change, change_since
from muxpilot.terminal.output import UNKNOWN, Meter, Reading
from muxpilot.terminal.sight import Eye, Place, Sight, living_place, without_blank_end
from muxpilot.tmux import Ended, Output, PaneEvent, PaneStream, TmuxServer

KEPT_CURSORS = 500
WATCHED_PANES = 50
LEASE_SECONDS = 600.0
"""How long a pane's output is still counted after its cursor was last used."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is new, and the cursor to go on from."""

    place: Place
    cursor: str
    lines: list[str]
    missed: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    watch: _Watch
    seen: Sight
    """What the last answer showed."""
    base: Sight
    """The last sight of the ordinary screen: a program that took the screen gives it back like that."""
    reading: Reading
    """The meter when `base` was seen."""


class Cursors:
    """All cursors of one muxpilot. `close` it before the servers."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._watches: OrderedDict[tuple[TmuxServer, str], _Watch] = OrderedDict()
        self._opening = anyio.Lock()
        self._run = secrets.token_hex(2)
        self._count = 0

    def close(self) -> None:
        for watch in self._watches.values():
            watch.close()
        self._watches.clear()
        self._kept.clear()

    def server_of(self, cursor: str) -> TmuxServer | None:
        """The server that a cursor was made on, if it is still known."""
        kept = self._kept.get(cursor)
        return kept.watch.server if kept is not None else None

    async def begin(self, server: TmuxServer, pane_id: str) -> Glimpse:
        """The screen as it is, and a cursor at its end."""
        watch = await self._watch(server, await living_place(server, pane_id))
        reading = watch.meter.reading

        def then() -> None:
            nonlocal reading
            reading = watch.meter.reading

        sight = await watch.eye.look(then)
        return self._glimpse(_Kept(watch, sight, sight, reading), list(sight.lines), missed=False)

    async def go_on(self, server: TmuxServer, cursor: str) -> Glimpse:
        """What came after the cursor.

        Raises:
            BadInput: this is no cursor, or one of another server.
            PaneEnded: its pane is gone, dead, or runs another process now.
        """
        pane_id, pid = pane_and_pid(cursor)
        try:
            place = await living_place(server, pane_id)
        except TargetNotFound:
            raise PaneEnded(f"pane {pane_id} of this cursor is gone", hint=_START_OVER) from None
        if place.pane_pid != pid:
            raise PaneEnded(f"pane {pane_id} was respawned since this cursor was made", hint=_START_OVER)
        watch = await self._watch(server, place)
        kept = self._kept.get(cursor)
        if kept is None:
            return replace(await self.begin(server, pane_id), missed=True)
        if kept.watch.server is not server:
            raise BadInput("this cursor was made on another server", hint="Give the same server as then")
        change = await self._change(watch, kept)
        return self._glimpse(_after(watch, kept, change), [one.text for one in change.lines], change.missed)

    async def _change(self, watch: _Watch, kept: _Kept) -> Change:
        if kept.watch is watch:
            meter, reading = watch.meter, kept.reading
        else:
            meter, reading = watch.meter, UNKNOWN
        change = await change_since(watch.eye, kept.base, reading, meter)
        if change.sight.place.alternate_on and kept.seen.place.alternate_on:
            change = await change_since(watch.eye, kept.seen, reading, meter)
        return change

    def _glimpse(self, kept: _Kept, lines: list[str], missed: bool) -> Glimpse:
        self._count += 1
        place = kept.seen.place
        cursor = f"{place.pane_id}.{place.pane_pid}.{self._run}{self._count:x}"
        self._kept[cursor] = kept
        while len(self._kept) > KEPT_CURSORS:
            self._kept.popitem(last=False)
        text = [line.rstrip() for line in without_blank_end(lines)]
        return Glimpse(place, cursor, text, missed)

    async def _watch(self, server: TmuxServer, place: Place) -> _Watch:
        key = (server, place.pane_id)
        async with self._opening:
            watch = self._watches.get(key)
            if watch is None or not watch.still_of(place):
                if watch is not None:
                    watch.close()
                watch = self._watches[key] = await _Watch.open(server, place)
        watch.renew()
        self._watches.move_to_end(key)
        while len(self._watches) > WATCHED_PANES:
            self._watches.popitem(last=False)[1].close()
        return watch


class _Watch:
    """A pane whose output is counted, as long as somebody comes back to it."""

    def __init__(self, server: TmuxServer, place: Place) -> None:
        self.server = server
        self.meter = Meter()
        self._place = place
        self._alive = True
        self._stream: PaneStream | None = None
        self._lease: asyncio.TimerHandle | None = None

    @classmethod
    async def open(cls, server: TmuxServer, place: Place) -> _Watch:
        watch = cls(server, place)
        watch._stream = await server.watcher.open(place.session_id, place.pane_id, watch._on_event)
        watch.eye = Eye(server, place.pane_id, watch._stream)
        return watch

    eye: Eye

    def still_of(self, place: Place) -> bool:
        """Whether this is the same process, and still in the session whose output we get."""
        same = (self._place.pane_pid, self._place.session_id) == (place.pane_pid, place.session_id)
        return self._alive and same

    def renew(self) -> None:
        if self._lease is not None:
            self._lease.cancel()
        self._lease = asyncio.get_running_loop().call_later(LEASE_SECONDS, self.close)

    def close(self) -> None:
        self._alive = False
        if self._lease is not None:
            self._lease.cancel()
        if self._stream is not None:
            self._stream.close()

    def _on_event(self, event: PaneEvent) -> None:
        if isinstance(event, Output):
            self.meter.feed(event.data)
        elif isinstance(event, Ended):
            self.close()
        else:
            self.meter.miss()


_CURSOR = re.compile(r"(%(?:0|[1-9][0-9]{0,9}))\.([0-9]{1,10})\.[0-9A-Za-z]{1,40}")
_START_OVER = "Call capture_since without a cursor to begin again"


def pane_and_pid(cursor: str) -> tuple[str, int]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise BadInput(f"{cursor!r:.80} is no cursor", hint=_START_OVER)
    return found[1], int(found[2])


def _after(watch: _Watch, kept: _Kept, change: Change) -> _Kept:
    if change.sight.place.alternate_on and not kept.base.place.alternate_on:
        reading = kept.reading if kept.watch is watch else UNKNOWN
        return _Kept(watch, change.sight, kept.base, reading)
    return _Kept(watch, change.sight, change.sight, change.reading)
