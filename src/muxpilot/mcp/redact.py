"""A call's arguments as they may stand in a log.

Only what is known to be harmless is shown; all else becomes a length and a digest. So the list below is one
of names to show, not of names to hide: `kyes`, which an agent misspelled, hides what was to be typed, and a
parameter that nobody thought of hides its value. Whatever lies below a hidden name is hidden.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

LONGEST = 200
"""Characters of a value that are shown."""
MOST = 50
"""Entries of a list or an object that are shown."""
DEEPEST = 6

CLEAR = frozenset(
    {
        *("target", "source", "server", "socket_name", "socket_path", "source_pane_id", "target_pane_id"),
        *("pane_id", "window_id", "session_id", "session_name", "session", "window", "window_index", "name"),
        *("window_name", "new_name", "title", "direction", "size", "width", "height", "x", "y", "layout"),
        *("corner", "destination_session", "destination_index", "start_directory", "output_path"),
        *("start", "end", "max_lines", "max_bytes", "content_start", "content_end", "limit", "offset"),
        *("max_matched_lines_per_pane", "scroll_up", "timeout", "interval", "seconds", "cursor", "on_error"),
        *("pattern", "patterns", "stop", "format_string", "option", "scope", "hook_name", "channel"),
        *("buffer_name", "logical_name", "extra_socket_paths", "terminal_id", "tool", "number"),
        *("pane_title", "pane_current_command", "pane_current_path"),
        *("uri", "type", "resourceSubscriptions"),
    }
)
OPEN = frozenset({"arguments", "operations", "filters", "ref", "argument", "context", "notifications"})
"""Objects whose entries are named like arguments. All others, `environment` first of all, show names only."""

SENSITIVE = "(sensitive)"
"""What a call says is sensitive has not even a digest: a short password is soon guessed from one."""
_NOT_SECRET = (None, False)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def redacted(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without what might be secret; JSON, whatever they were, and of bounded size."""
    return _entries(arguments, hidden=False, depth=DEEPEST)


def shown(value: object, longest: int = LONGEST) -> Any:
    """A text or number as it is, cut where it is long."""
    if (isinstance(value, int) and value.bit_length() <= 64) or (
        isinstance(value, float) and math.isfinite(value)
    ):
        return value
    text = _text(value)
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"


def _entries(entries: Mapping[str, Any], *, hidden: bool, depth: int) -> dict[str, Any]:
    secret = entries.get("sensitive") not in _NOT_SECRET
    few = islice(entries.items(), MOST)
    found = {_name(name): _value(name, value, hidden, depth, secret) for name, value in few}
    return found if len(entries) <= MOST else {**found, "…": f"{len(entries) - MOST} more"}


def _name(name: str) -> str:
    """What is no name may be anything."""
    return name if _NAME.fullmatch(name) else f"sha256:{_digest(name)['sha256_prefix']}"


def _value(name: str, value: object, hidden: bool, depth: int, secret: bool) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, list | dict) and depth == 0:
        return {"len": len(value)}
    if isinstance(value, dict):
        return _entries(value, hidden=hidden or name not in OPEN, depth=depth - 1)
    if isinstance(value, list):
        items = [_value(name, item, hidden, depth - 1, secret) for item in value[:MOST]]
        return items if len(value) <= MOST else [*items, f"… {len(value) - MOST} more"]
    if hidden or not _is_clear(name):
        return SENSITIVE if secret else _digest(_text(value))
    return shown(value)


def _is_clear(name: str) -> bool:
    """A filter is a field with a lookup: `session_name__contains`."""
    return name.partition("__")[0] in CLEAR


def _text(value: object) -> str:
    """Python refuses to write a very long number in decimal."""
    return hex(value) if isinstance(value, int) and value.bit_length() > 64 else str(value)


def _digest(text: str) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"len": len(text), "sha256_prefix": digest[:12]}
