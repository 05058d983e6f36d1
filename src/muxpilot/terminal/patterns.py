"""Patterns that an agent wrote, on RE2: linear in time, so that no pattern can freeze the server.

The one place where such a pattern is compiled. Python's own `re` never sees one.
A pattern is looked for in lines. A whole text is searched at once only with a form of the pattern that can't
leave its line (`never_nl`): so it finds what a look at each line would, and in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from muxpilot.errors import BadInput
from muxpilot.tmux import encode

LONGEST = 10_000
MEMORY = 8 << 20

_LINE_BY_LINE = re.compile(r"\\[ACQz]|\(\?[a-zA-Z]*-")
"""Edges of the text, any byte, a quote that may have no end, a flag taken back: what has such a thing in it,
or looks as if, would not mean the same as a part of another pattern."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something to look for in a line."""

    text: str
    _in_line: Any
    _in_text: Any | None
    _run: Any | None

    def found_in(self, line: str) -> bool:
        return self._in_line.search(line.encode()) is not None

    def found_beyond(self, line: str, start: int) -> bool:
        """Whether something in this line matches that goes beyond its first `start` characters."""
        if start == 0:
            return self.found_in(line)
        known = len(line[:start].encode())
        return any(match.end() > known for match in self._in_line.finditer(line.encode()))

    def may_be_in(self, text: str) -> bool:
        """A quick look at many lines: False where none of them can match."""
        return self._in_text is None or self._in_text.search(text.encode()) is not None

    def lines_in(self, text: bytes) -> Iterator[bytes]:
        """The lines of this UTF-8 text that match."""
        if self._in_text is None or self._run is None:
            return (line for line in text.split(b"\n") if self._in_line.search(line))
        return _lines_of_runs(self._in_text, self._run, text + b"\n")


def _lines_of_runs(in_text: Any, run: Any, text: bytes) -> Iterator[bytes]:
    """Lines that follow each other come at once: a call for each would cost far more than the looking."""
    end = 0
    while end < len(text) and (found := in_text.search(text, end, len(text) - 1)):
        start = text.rfind(b"\n", 0, found.start()) + 1
        several = run.match(text, start)  # None for a match inside a character: then it is one line.
        end = several.end() if several else text.index(b"\n", start) + 1
        yield from text[start : end - 1].split(b"\n")


def compile_pattern(text: str, *, regex: bool = False, match_case: bool = False) -> Pattern:
    """A literal, or with `regex` an RE2 expression.

    Raises:
        BadInput: it is empty, too long, or no RE2 expression; the message says where.
    """
    raw = _checked(text)
    expression = raw if regex else re2.escape(raw)
    options = re2.Options()
    options.case_sensitive = match_case
    options.log_errors = False
    options.max_mem = MEMORY
    options.never_capture = True
    try:
        in_line = re2.compile(expression, options)
        if regex and _LINE_BY_LINE.search(text):
            return Pattern(text, in_line, None, None)
        options.never_nl = True
        in_text = re2.compile(b"(?m)" + expression, options)
        # The one thing that `never_nl` lets out of a line is \C, any byte; after $ it is the newline.
        return Pattern(
            text, in_line, in_text, re2.compile(rb"(?m)(?:^.*(?:" + expression + rb").*$\C)+", options)
        )
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise BadInput(
            f"the pattern {text!r:.80} is no valid regular expression: {reason}",
            hint="RE2 syntax has no look-around and no back-references; or leave out regex for plain text",
        ) from None


def _checked(text: str) -> bytes:
    if not text:
        raise BadInput("the pattern is empty", hint="Give the text to look for")
    if len(text) > LONGEST:
        raise BadInput(f"the pattern has {len(text)} characters", hint=f"At most {LONGEST} are allowed")
    if "\0" in text:
        raise BadInput("the pattern has a NUL character", hint="No terminal shows one; leave it out")
    return encode(text)
