"""What each tmux version does differently, as far as it concerns us. Facts, measured, in one table.

The version that counts is the running server's: a newer `tmux` program often talks to an older server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from muxpilot.errors import TmuxTooOld

_NUMBER = re.compile(r"(\d+)\.(\d+)([a-z]?)")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """Ordered as released: 3.3 < 3.3a < 3.4. A build with no number counts as the newest."""

    major: int
    minor: int
    patch: str = ""

    @classmethod
    def parse(cls, text: str) -> Version:
        """`tmux 3.3a`, `3.3a`, `next-3.8` (which has what 3.8 will have), `master`, `openbsd-7.9`."""
        found = _NUMBER.search(text)
        if found is None or "openbsd" in text:
            return NEWEST
        return cls(int(found[1]), int(found[2]), found[3])

    def __str__(self) -> str:
        return "master" if self == NEWEST else f"{self.major}.{self.minor}{self.patch}"

    def require(self) -> Version:
        """This version, or `TmuxTooOld` where client flags (`attach-session -f`) are missing."""
        if self < OLDEST:
            raise TmuxTooOld(
                f"tmux {self} is too old: muxpilot needs {OLDEST} or newer",
                hint="Install a newer tmux, or point MUXPILOT_TMUX_BIN at one",
            )
        return self

    def passes_files_to(self, server: Version) -> bool:
        """Whether a client of this version can hand its input and output to that server, without which there
        is no control mode: 3.6 says otherwise than before that files come along. Neither side notices."""
        return (self >= Version(3, 6)) == (server >= Version(3, 6))

    @property
    def sizes_new_sessions_wrongly(self) -> bool:
        """`new-session -d -x -y` takes the size of whoever asks instead."""
        return self < Version(3, 3)

    @property
    def crashes_on_arrivals(self) -> bool:
        """An announcement while a control client is being set up kills the server (see `door`)."""
        return self < Version(3, 7)

    @property
    def presses_more(self) -> bool:
        """`send-keys` presses keys that an old terminal can't tell apart (S-Enter, C-1) as far as it can."""
        return self >= Version(3, 5)

    @property
    def swallows_shifted_keypad(self) -> bool:
        """`send-keys S-KP0`, and what else has Shift and is on the keypad, does nothing, and says nothing."""
        return self >= Version(3, 7)

    @property
    def announces_buffers(self) -> bool:
        """Control clients are told of every buffer that is made."""
        return self >= Version(3, 4)

    @property
    def leaks_captures(self) -> bool:
        """`capture-pane -p` by a control client never frees its text in the server."""
        return self < Version(3, 6)

    @property
    def pads_joined_lines(self) -> bool:
        """`capture-pane -J` fills lines up with spaces."""
        return self < Version(3, 3)

    @property
    def escapes_shown_buffers(self) -> bool:
        """`show-buffer` prints control characters and backslashes as vis(3) does."""
        return self < Version(3, 4)

    @property
    def prints_past_buffers(self) -> bool:
        """`show-buffer` may print what happens to lie behind the buffer in memory, too."""
        return self >= Version(3, 4)

    @property
    def escapes_dollars(self) -> bool:
        """Whatever a command prints has a backslash before `$NAME`."""
        return Version(3, 4) <= self < Version(3, 5)

    @property
    def trims_history(self) -> bool:
        """A smaller history-limit takes lines from panes that have more."""
        return self >= Version(3, 7)


OLDEST = Version(3, 2)
NEWEST = Version(999, 0)
