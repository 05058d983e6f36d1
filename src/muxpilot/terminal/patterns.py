"""Patterns that an agent wrote, on RE2: linear in time, so that no pattern can freeze the server.

The one place where such a pattern is compiled. Python's own `re` never sees one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from muxpilot.errors import BadInput

LONGEST = 10_000
MEMORY = 8 << 20


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something to look for in a line."""

    text: str
    _in_line: Any
    _in_text: Any

    def found_in(self, line: str) -> bool:
        return self._in_line.search(line) is not None

    def found_beyond(self, line: str, start: int) -> bool:
        """Whether something in this line matches that goes beyond its first `start` characters."""
        if start == 0:
            return self.found_in(line)
        return any(match.end() > start for match in self._in_line.finditer(line))

    def may_be_in(self, text: str) -> bool:
        """A quick look at many lines: False where none of them can match."""
        return self._in_text.search(text) is not None

    def lines_in(self, text: str) -> Iterator[str]:
        """The lines of this text that match, in one pass: a look at each line would cost far more."""
        done = 0  # Where the first line starts that has not been dealt with.
        for match in self._in_text.finditer(text):
            if match.end() < done:
                continue
            start = text.rfind("\n", 0, max(match.start(), done)) + 1
            end = text.find("\n", match.end())
            end = len(text) if end == -1 else end
            # What a match spans may be several lines, of which any may match by itself, or none.
            yield from (line for line in text[max(start, done) : end].split("\n") if self.found_in(line))
            done = end + 1


def compile_pattern(text: str, *, regex: bool = False, match_case: bool = False) -> Pattern:
    """A literal, or with `regex` an RE2 expression.

    Raises:
        BadInput: it is empty, too long, or no RE2 expression; the message says where.
    """
    if not text:
        raise BadInput("the pattern is empty", hint="Give the text to look for")
    if len(text) > LONGEST:
        raise BadInput(f"the pattern has {len(text)} characters", hint=f"At most {LONGEST} are allowed")
    if "\0" in text:
        raise BadInput("the pattern has a NUL character", hint="No terminal shows one; leave it out")
    options = re2.Options()
    options.literal = not regex
    options.case_sensitive = match_case
    options.log_errors = False
    options.max_mem = MEMORY
    try:
        in_line = re2.compile(text, options)
        return Pattern(text, in_line, re2.compile(f"(?m:{text})", options) if regex else in_line)
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise BadInput(
            f"the pattern {text!r:.80} is no valid regular expression: {reason}",
            hint="RE2 syntax has no look-around and no back-references; or leave out regex for plain text",
        ) from None
