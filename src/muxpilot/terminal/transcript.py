"""One command on a tape: where its output begins and ends, and how it ended. Bytes in, no I/O of its own.

TYPED    sent to the shell                     UNFINISHED  the shell wants more
LOADED   in the shell's line                   OCCUPIED    a half-typed line was there: nothing was run
RUNNING  its output comes                      ENDED
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from muxpilot.terminal.marks import Mark, MarkScanner

MOST_ECHO = 1 << 20
MOST_HELD = 1 << 14
MOST_NONCES = 100
LONGEST_TAIL = 2048

_LINE_DONE = re.compile(rb"\x1b\[\?2004l\r*\n?")
"""A line editor has given the terminal back: the line was accepted, whatever becomes of it."""
_PROMPT = b"\x1b[?2004h"
"""A line editor has taken the terminal."""
_TITLE = b"\x1b]0;"


class Phase(Enum):
    TYPED = "typed"
    LOADED = "loaded"
    RUNNING = "running"
    ENDED = "ended"
    UNFINISHED = "unfinished"
    OCCUPIED = "occupied"


@dataclass(frozen=True, slots=True)
class Cue:
    """What tells one command's marks from all others.

    `by_line`: its output begins behind the typed line. `sourced`: its marks come from the line that ran it,
    and not from the shell's prompt, so an interrupt keeps the last one from coming. `joined`: somebody else
    started it, and it runs already.
    """

    nonce: str
    count: int = 0
    by_line: bool = False
    sourced: bool = False
    joined: bool = False


class Transcript:
    """`write` gets the output, byte for byte."""

    def __init__(self, cue: Cue, write: Callable[[bytes], None]) -> None:
        self.phase = Phase.RUNNING if cue.joined else Phase.TYPED
        self.status: int | None = None
        self.folder: str | None = None
        self.counts = {cue.nonce: cue.count}
        """The highest count of each nonce that was seen."""
        self.prompted = False
        """Whether a line editor has taken the terminal since the command began."""
        self.interrupted = False
        """Whether somebody has pressed Ctrl-C on our behalf: then no `read` waits any more."""
        self.wanting = False
        """Whether the shell has asked for more, if it was the shell that did."""
        self.inner: int | None = None
        """How the last command ended, as marks say that are not ours: those of a person's own integration,
        or of a shell that we can't reach (ssh, another user's). Any program can print them."""
        self.tail = b""
        self.after = b""
        """What came in one go with the end: the prompt."""
        self._cue = cue
        self._write = write
        self._scanner = MarkScanner()
        self._echo = b""
        self._echo_end: int | None = None
        self._held: bytes | None = None
        self._recent = b""  # The end of the output: a sequence may be cut between two reads.
        self._title: bytes | None = None

    @property
    def output_ended(self) -> bool:
        return self._held is not None

    def lose(self) -> None:
        """Some of the tape is gone, marks perhaps with it: that a prompt is there must do."""
        self.prompted = True
        if self.phase in {Phase.TYPED, Phase.LOADED}:
            self.phase = Phase.RUNNING

    def give_up_line(self) -> None:
        """The shell does want more."""
        self._held, self.phase = None, Phase.UNFINISHED

    @property
    def sourced(self) -> bool:
        return self._cue.sourced

    @property
    def joined(self) -> bool:
        return self._cue.joined

    @property
    def over(self) -> bool:
        return self.phase in {Phase.ENDED, Phase.UNFINISHED, Phase.OCCUPIED}

    def feed(self, data: bytes) -> None:
        for piece in self._scanner.feed(data):
            if isinstance(piece, Mark):
                self._on_mark(piece)
            elif self.phase not in {Phase.ENDED, Phase.OCCUPIED}:
                self._on_bytes(piece)
            else:
                self.after = (self.after + piece)[:LONGEST_TAIL]

    def abandon(self) -> None:
        """It has ended, whether or not a mark said so: what is held back was output."""
        if self.phase not in {Phase.ENDED, Phase.OCCUPIED}:
            self._release()
        if self.phase is not Phase.UNFINISHED:
            self.phase = Phase.ENDED

    def _on_bytes(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-LONGEST_TAIL:]
        if self.phase is Phase.RUNNING:
            self._on_output(data)
        elif self.phase is Phase.LOADED and self._cue.by_line:
            self._on_typed_line(data)
        else:
            self._echo = (self._echo + data)[-MOST_ECHO:]

    def _on_typed_line(self, data: bytes) -> None:
        end = data.find(b"\n")
        if end >= 0:
            self.phase = Phase.RUNNING
            self._on_output(data[end + 1 :])

    def _on_output(self, data: bytes) -> None:
        data = self._without_title(data)
        recent = self._recent + data
        self.prompted = self.prompted or _PROMPT in recent
        self._recent = recent[1 - len(_PROMPT) :]
        if self._held is None:
            self._write(data)
        else:
            self._held += data
            if len(self._held) > MOST_HELD:
                self._release()

    def _without_title(self, data: bytes) -> bytes:
        """fish first of all gives the terminal a title, with the command in it as it is."""
        if self._title is None:
            return data
        self._title += data
        begun = self._title.startswith(_TITLE)
        if begun and b"\x07" not in self._title and len(self._title) < MOST_ECHO:
            return b""
        if not begun and _TITLE.startswith(self._title):
            return b""
        title, self._title = self._title, None
        return title.partition(b"\x07")[2] if begun else title

    def _release(self) -> None:
        """What stood behind the end of the output was output after all."""
        held, self._held = self._held, None
        if held:
            self._write(held)

    def _on_mark(self, mark: Mark) -> None:
        if not mark.nonce:
            self.inner = mark.status if mark.kind == "D" else None if mark.kind == "C" else self.inner
            return
        if mark.count and mark.count <= self.counts.get(mark.nonce, 0):
            return  # Printed again by somebody.
        if len(self.counts) < MOST_NONCES or mark.nonce in self.counts:
            self.counts[mark.nonce] = max(self.counts.get(mark.nonce, 0), mark.count)
        if self.phase is Phase.TYPED and not self._cue.sourced and mark.kind not in "LTB":
            return  # Of a command that somebody else has typed there before.
        if mark.nonce == self._cue.nonce and self.phase not in {Phase.ENDED, Phase.OCCUPIED}:
            getattr(self, f"_on_{mark.kind.lower()}", self._ignore)(mark)

    def _ignore(self, mark: Mark) -> None:
        pass

    def _on_b(self, _: Mark) -> None:
        if self.phase is Phase.TYPED:
            self.phase = Phase.OCCUPIED

    def _on_l(self, _: Mark) -> None:
        if self.phase is Phase.TYPED:
            self.phase, self._echo, self._echo_end = Phase.LOADED, b"", None

    _on_t = _on_l

    def _on_c(self, _: Mark) -> None:
        if self.phase is not Phase.RUNNING:
            self.phase, self._title = Phase.RUNNING, b""
        self._release()

    def _on_p(self, _: Mark) -> None:
        if self.phase in {Phase.TYPED, Phase.LOADED}:
            self.phase = Phase.UNFINISHED
        self.wanting = self.wanting or (self._cue.by_line and self.phase is Phase.RUNNING)

    def _on_e(self, _: Mark) -> None:
        if self.phase is Phase.RUNNING:
            self._release()
            self._held = b""
        else:
            self._echo_end = len(self._echo)

    def _on_d(self, mark: Mark) -> None:
        if self.phase is Phase.TYPED or (self._cue.by_line and self.phase is Phase.LOADED):
            return  # An older prompt, drawn late or anew.
        if self.phase is Phase.LOADED:
            self._write(self._complaint())
        if self.phase is not Phase.UNFINISHED:
            self.phase = Phase.ENDED
        self.status, self.folder = mark.status, mark.folder

    def _complaint(self) -> bytes:
        """It was accepted and never began: what the shell said about it."""
        said = self._echo[: self._echo_end]
        done = _LINE_DONE.search(said)
        return said[done.end() :] if done else said.partition(b"\n")[2]
