"""Lines for people: what is logged may quote a name that somebody chose, and stands on a real terminal."""

from __future__ import annotations

import logging
from typing import Any

from muxpilot.mcp import visible

LONGEST = 2000
"""Characters of a message."""


class LogFormatter(logging.Formatter):
    """A message is one line of visible characters; only a trace has more."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (Python's own name)
        text = record.message
        cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"
        record.message = visible.line(cut)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return visible.lines(super().formatException(ei))
