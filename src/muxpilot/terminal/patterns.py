"""Patterns that an agent wrote, on RE2: linear in time, and bounded in number, length and compiled size.

The one place where such a pattern is compiled. Python's own `re` never sees one. RE2 gives up Python's lock
while it compiles and while it matches, so whatever may take long goes to a thread (see `matching`).
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

MOST = 20
"""Patterns in one call."""
LONGEST = 1000
"""Characters of a pattern."""
MOST_CLASSES = 20
"""Unicode classes (\\pL) in a pattern: RE2 builds each anew, and one takes as long as 500 letters."""
MEMORY = 128 << 10
"""Bytes that RE2 may use for one form of a pattern. A program of more than some 5,000 steps does not fit."""
SHORT = 64
"""Characters of a literal that RE2 surely looks for at full speed, whatever the text is."""

_LINE_BY_LINE = re.compile(r"\\[ACQz]|\(\?[a-zA-Z]*-")
"""Edges of the text, any byte, a quote that may have no end, a flag taken back: what has such a thing in it,
or looks as if, would not mean the same as a part of another pattern."""
_CLASS = re.compile(r"\\[pP]")
_COSTLY = re.compile(r"\\[pP]|\{")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something to look for in a line."""

    text: str
    steps: int
    """The size of its compiled program. Per byte of text, matching takes at most some 12 ns for each."""
    is_fast: bool
    """Whether it costs next to nothing in any text: a short literal."""
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
    raw = _checked(text, regex)
    expression = raw if regex else re2.escape(raw)
    options = re2.Options()
    options.case_sensitive = match_case
    options.log_errors = False
    options.max_mem = MEMORY
    options.never_capture = True
    try:
        in_line = re2.compile(expression, options)
    except re2.error as error:
        raise _refusal(text, error) from None
    is_fast = not regex and len(text) <= SHORT
    forms = (None, None) if regex and _LINE_BY_LINE.search(text) else _text_forms(expression, options)
    return Pattern(text, in_line.programsize, is_fast, in_line, *forms)


def _text_forms(expression: bytes, options: Any) -> tuple[Any, Any]:
    """For a whole text, and for a run of lines that match; None where these would be too large."""
    options.never_nl = True
    try:
        in_text = re2.compile(b"(?m)" + expression, options)
        # The one thing that `never_nl` lets out of a line is \C, any byte; after $ it is the newline.
        return in_text, re2.compile(rb"(?m)(?:^.*(?:" + expression + rb").*$\C)+", options)
    except re2.error:
        return None, None


def _refusal(text: str, error: Exception) -> BadInput:
    reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
    if "too large" in reason:
        return BadInput(
            f"the pattern {text!r:.80} is too large once it is compiled",
            hint="Use smaller repeat counts ({1000}) and fewer classes, or look for a part of it",
        )
    return BadInput(
        f"the pattern {text!r:.80} is no valid regular expression: {reason}",
        hint="RE2 syntax has no look-around and no back-references; or leave out regex for plain text",
    )


def check_number(patterns: int) -> None:
    """Raises `BadInput` for more than a call may have."""
    if patterns > MOST:
        raise BadInput(
            f"there are {patterns} patterns", hint=f"A call takes {MOST} at most; join some with | (regex)"
        )


def is_quickly_compiled(text: str, *, regex: bool) -> bool:
    """Within a millisecond or so: a short literal, or an expression without counts and Unicode classes."""
    return len(text) <= SHORT and not (regex and _COSTLY.search(text))


def _checked(text: str, regex: bool) -> bytes:
    if not text:
        raise BadInput("the pattern is empty", hint="Give the text to look for")
    if len(text) > LONGEST:
        raise BadInput(f"the pattern has {len(text)} characters", hint=f"At most {LONGEST} are allowed")
    if regex and len(_CLASS.findall(text)) > MOST_CLASSES:
        raise BadInput(
            f"the pattern has more than {MOST_CLASSES} Unicode classes (\\p)",
            hint="Leave some out, or use \\w",
        )
    if "\0" in text:
        raise BadInput("the pattern has a NUL character", hint="No terminal shows one; leave it out")
    return encode(text)
