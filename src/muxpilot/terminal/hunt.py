"""What a wait looks for in the lines of a pane, and what it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.terminal.changes import Line
from muxpilot.terminal.matching import Stop, matched, never, weight_of
from muxpilot.terminal.patterns import Pattern

MOST_MATCHES = 20


@dataclass(frozen=True, slots=True)
class Hit:
    """Which pattern, on which lines. `stop`: it was one that ends the wait as failed."""

    index: int
    lines: list[str]
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Hunt:
    """What is looked for; nothing at all means any output."""

    wanted: Sequence[Pattern]
    stop: Sequence[Pattern]

    def may_be_in(self, text: str) -> bool:
        return not self.wanted or any(one.may_be_in(text) for one in (*self.wanted, *self.stop))

    @property
    def weight(self) -> int:
        return weight_of((*self.wanted, *self.stop))

    async def judged(self, lines: Sequence[Line]) -> Hit | None:
        """`judge`, without holding up the loop."""
        size = sum(4 * len(line.text) for line in lines)  # A character has up to 4 bytes.
        return await matched(lambda stop: self.judge(lines, stop), self.weight, size)

    def judge(self, lines: Sequence[Line], is_over: Stop = never) -> Hit | None:
        """The first line that decides."""
        for at, line in enumerate(lines):
            if is_over():
                return None
            for stop, patterns in ((False, self.wanted), (True, self.stop)):
                for index, pattern in enumerate(patterns):
                    if pattern.found_beyond(line.text, line.fresh_from):
                        return Hit(index, _matching(pattern, lines[at:], is_over), stop)
        if not self.wanted:
            fresh = [line.text for line in lines if line.text[line.fresh_from :].strip()]
            return Hit(0, fresh[:MOST_MATCHES]) if fresh else None
        return None


def _matching(pattern: Pattern, lines: Sequence[Line], is_over: Stop) -> list[str]:
    left = (line for line in lines if not is_over())
    found = (line.text.rstrip() for line in left if pattern.found_beyond(line.text, line.fresh_from))
    return [text for text, _ in zip(found, range(MOST_MATCHES), strict=False)]
