"""Waiting for text that is new.

Rules it keeps:
- New is what came after the agent last typed, waited or read in that pane; what was there before is only
  reported.
- The echo of what it typed is not output.
- Output is looked at as it comes, so nothing goes by unseen, however little tmux keeps. Where a program
  paints, and where an echo may be meant, tmux's own screen decides.
- Patterns that take long are looked for in a thread; where even that is too slow for what is written, the
  answer says that some was missed.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from functools import partial

import anyio

from muxpilot.errors import ServerGone, TargetNotFound
from muxpilot.terminal.attention import Attention, Echo, Mark
from muxpilot.terminal.changes import Change, Line, change_since
from muxpilot.terminal.hunt import MOST_MATCHES, Hit, Hunt
from muxpilot.terminal.matching import Patience, Stop, in_thread, never
from muxpilot.terminal.output import UNCOUNTED, UNKNOWN, LineScanner, Meter, edits_line
from muxpilot.terminal.sight import MOST_ROWS, Eye, Place, Sight, without_blank_end
from muxpilot.terminal.vigil import Ending, Interest, Progress, Vigil, check_seconds, watching
from muxpilot.tmux import TmuxServer

TAIL_LINES = 15
LONGEST_TAIL = 4000
MOST_UNSCANNED = 1 << 20
"""Bytes of output that may wait until slow patterns have been looked for in them."""
LAST_LOOK = 0.5
"""Seconds that the last look may take when the time is up."""


@dataclass(frozen=True, slots=True)
class TextWait:
    """How it came out. `tail` is the end of the screen, where nothing matched; `missed`: some of the output
    could not be looked through."""

    outcome: str
    hit: Hit | None
    at_entry: bool
    new_output: bool
    alternate_screen: bool
    ending: Ending | None
    tail: list[str]
    elapsed: float
    missed: bool = False


def _more_than(before: Sight, change: Change) -> list[Line]:
    """Where rows can't be followed: lines that were not there, or not so often."""
    left = Counter(line.rstrip() for line in before.context)
    fresh = []
    for line in change.lines:
        text = line.text.rstrip()
        left[text] -= 1
        if left[text] < 0:
            fresh.append(line)
    return fresh


async def wait_for_text(
    server: TmuxServer,
    pane_id: str,
    hunt: Hunt,
    seconds: float,
    attention: Attention,
    progress: Progress | None = None,
) -> TextWait:
    """Wait until something matches that is new to the agent, or until nothing can come any more.

    Raises:
        TargetNotFound: there is no such pane.
        TmuxError: the server went away.
    """
    check_seconds("timeout", seconds)
    before = await Eye(server, pane_id).look()
    vigil = Vigil(server, before.place, seconds, progress)
    wait = _Wait(hunt, vigil, before, attention.mark(server, pane_id))
    while True:
        async with watching(vigil, wait.on_output, wait.on_gap) as eye:
            result = await wait.run(eye)
        if result is not None:
            attention.saw(server, wait.last_place)
            return result


class _Wait:
    def __init__(self, hunt: Hunt, vigil: Vigil, before: Sight, mark: Mark | None) -> None:
        self._hunt = hunt
        self._vigil = vigil
        self._mark = mark
        self._echo = Echo.of(mark)
        self._meter = Meter()
        self._base = UNCOUNTED
        self._before = self._sight = before
        self.last_place = before.place
        self._scanner: LineScanner | None = None
        self._patience = Patience(hunt.weight)
        self._unread: list[tuple[int, bytes]] = []
        self._unscanned: deque[bytes] = deque()
        self._put_off = 0
        self._certain: Hit | None = None
        self._doubtful: list[Line] = []
        self._unsure = False
        self._heard = ""
        self._was_there = False
        self._skipped = False  # Whether some output did not reach us.
        self._missed = False  # Whether it was not to be found anywhere else either.

    def on_output(self, data: bytes) -> Interest:
        if self._scanner is None:
            self._unread.append((self._meter.reading.written, data))
        self._meter.feed(data)
        return Interest.NONE if self._scanner is None else self._hear(self._scanner, data)

    def _hear(self, scanner: LineScanner, data: bytes) -> Interest:
        """At once, or later in a thread where the patterns may take long."""
        if self._patience.allows(len(scanner.open_line) + len(data)):
            return self._patience.timed(lambda: self._scan(scanner, data))
        self._unscanned.append(data)
        self._put_off += len(data)
        if self._put_off > MOST_UNSCANNED:
            self._unscanned.clear()
            self._put_off = 0
            self.on_gap()
        return Interest.SOON

    def on_gap(self) -> None:
        self._meter.miss()
        self._skipped |= not self._vigil.stream_ended

    async def run(self, eye: Eye) -> TextWait | None:
        """None where the pane has moved, and must be watched from another side."""
        with anyio.move_on_after(self._vigil.left + LAST_LOOK):
            return await self._until_decided(eye)
        self._missed = True  # A flood is in front of the last look.
        return self._result(self._certain)

    async def _until_decided(self, eye: Eye) -> TextWait | None:
        self._vigil.ring()
        if self._scanner is None:
            result = await self._enter(eye)
            if result is not None:
                return result
        while True:
            await self._vigil.sleep()
            hit = await self._decide(eye)
            if hit is not None:
                return self._result(hit)
            ending = await self._vigil.ending()
            if ending is not None or self._vigil.time_is_up:
                return self._result(None, ending)
            if self._vigil.stream_ended:
                return None

    async def _enter(self, eye: Eye) -> TextWait | None:
        """What came while we were getting ready, and what was there already: new to the agent, or old."""
        change = await change_since(eye, self._before, self._base, self._meter)
        visible, _ = self._echo.strip([Line(line) for line in self._before.lines])
        self._was_there = bool(self._hunt.wanted) and await self._hunt.judged(visible) is not None
        self._note_gaps(change)
        before, self._before, self._base = self._before, change.sight, change.reading
        self._start_scan(change)
        came = _more_than(before, change) if change.missed else change.lines
        hit = await self._hunt.judged(self._echo.strip(came)[0])
        if hit is not None:
            return self._result(hit)
        fresh, self._echo = self._echo.strip(await self._since_mark(eye, change.sight.place))
        hit = await self._hunt.judged(fresh)
        return None if hit is None else self._result(hit, at_entry=True)

    def _start_scan(self, change: Change) -> None:
        """From the moment of the first look on, output is read as it comes."""
        sight = self._see(change.sight)
        self._scanner = LineScanner(sight.lines[sight.cursor_line])
        for at, data in self._unread:
            if at >= change.reading.written:
                self._vigil.ring(self._hear(self._scanner, data))
        self._unread.clear()

    async def _since_mark(self, eye: Eye, now: Place) -> list[Line]:
        if self._mark is None:
            return []
        seen = self._mark.sight_in(now)
        if not self._mark.holds(now) and seen is not None:
            return await self._found_again(eye, seen)
        # Where rows may be gone, those below its number are new all the same; some above them may be, too.
        self._missed |= not self._mark.holds(now) and not now.alternate_on
        row = max(self._mark.row, now.history_size - MOST_ROWS)
        found = await eye.look_from(row, now) if self._mark.is_of(now) else None
        if found is None:
            return []
        self._missed |= row > self._mark.row
        self.last_place, lines = found
        typed_at = min(self._mark.column, len(lines[0])) if row == self._mark.row else 0
        return [Line(lines[0], typed_at), *(Line(line) for line in lines[1:])]

    async def _found_again(self, eye: Eye, seen: Sight) -> list[Line]:
        """What came after that sight, though rows may have other numbers by now; on the screen, at least."""
        change = await change_since(eye, seen, UNKNOWN, self._meter)
        self.last_place = change.sight.place
        self._missed |= change.missed
        return _more_than(seen, change) if change.missed else change.lines

    async def _catch_up(self) -> None:
        """Scan what was put off. Output that comes meanwhile is put off, too."""
        while self._scanner is not None and self._unscanned and self._certain is None:
            data = self._unscanned.popleft()
            self._put_off -= len(data)
            await in_thread(partial(self._scan, self._scanner, data))

    def _scan(self, scanner: LineScanner, data: bytes, is_over: Stop = never) -> Interest:
        stood = len(scanner.open_line)
        text = scanner.feed(data)
        self._heard = (self._heard + text[stood:])[-LONGEST_TAIL:]
        if self._hunt.may_be_in(text):
            lines = [Line(line, 0 if at else stood) for at, line in enumerate(text.split("\n"))]
            matching = [line for line in lines if not is_over() and self._hunt.judge([line])]
            self._doubtful += [line for line in matching if self._echo.may_be(line.text)]
            del self._doubtful[:-MOST_MATCHES]
            self._certain = self._certain or self._hunt.judge(
                [line for line in matching if not self._echo.may_be(line.text)], is_over
            )
            if matching:
                return Interest.NOW
        return Interest.SOON if self._unsure or edits_line(data) else Interest.NONE

    async def _decide(self, eye: Eye) -> Hit | None:
        """The screen decides, where it still has what was written; else what was heard."""
        before, started = self._before, self._vigil.elapsed
        await self._catch_up()
        try:
            change = await change_since(eye, before, self._base, self._meter)
        except (TargetNotFound, ServerGone):
            self._vigil.suspect()
            self._missed |= self._skipped
            return self._certain or await self._hunt.judged(self._echo.strip(self._doubtful)[0])
        self._vigil.looked(self._vigil.elapsed - started)
        self._see(change.sight)
        self._note_gaps(change)
        seen = self._heard_or_seen(before, change) if change.missed else change.lines
        hit = await self._hunt.judged(self._echo.strip(seen)[0]) or self._certain
        self._unsure = hit is None and await self._hunt.judged(seen) is not None
        return hit

    def _heard_or_seen(self, before: Sight, change: Change) -> list[Line]:
        seen = _more_than(before, change)
        shown = {line.text.rstrip() for line in seen}
        return [*(line for line in self._doubtful if line.text.rstrip() not in shown), *seen]

    def _note_gaps(self, change: Change) -> None:
        """What did not reach us, and is not in the scrollback either, has been looked at by nobody."""
        self._missed |= change.missed and change.reading.since(self._base).gaps > 0

    def _see(self, sight: Sight) -> Sight:
        self._sight, self.last_place = sight, sight.place
        return sight

    def _result(self, hit: Hit | None, ending: Ending | None = None, *, at_entry: bool = False) -> TextWait:
        alternate = self.last_place.alternate_on
        if hit is not None:
            outcome = "stopped" if hit.stop else "matched" if self._hunt.wanted else "any_output"
        elif ending is not None:
            outcome = ending.how
        else:
            outcome = "alternate_screen" if alternate else "timeout"
        return TextWait(
            outcome,
            hit,
            at_entry or (hit is None and self._was_there),
            self._meter.reading.written > self._base.written or (hit is not None and not at_entry),
            alternate,
            ending,
            [] if hit is not None else self._tail(ending),
            self._vigil.elapsed,
            hit is None and self._missed,
        )

    def _tail(self, ending: Ending | None) -> list[str]:
        shown = self._sight.lines if ending is None else ()
        lines = without_blank_end(shown or self._heard.split("\n"))
        return [line.rstrip() for line in lines[-TAIL_LINES:]]
