"""What a client is sent can be seen: the one place that decides which characters are shown escaped.

Names, titles, paths, programs and messages are one line of visible characters: control characters, and those
that turn text around, hide it or hide in it, become `\\u202e`. So a name can't pass for anything but a name.
Text that a pane shows stays as it is, apart from two kinds that no terminal shows: those that control the
direction of text, and tag characters.

Joiners and variation selectors are part of how some scripts and emoji are written. Between the characters
that need them, they stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

TEXT_FIELDS = frozenset(
    {"output", "content", "lines", "matched_lines", "tail", "text", "command", "value", "variables"}
)
"""Fields of an answer that hold what a pane shows, what was typed there, or the value of a variable: text of
any number of lines. In every other one is a name."""

_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_TAGS = "\U000e0000-\U000e007f"
_HIDDEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NON_JOINER, _JOINER, _AS_TEXT, _AS_PICTURE = "\u200c\u200d\ufe0e\ufe0f"
_DEPENDENT = _NON_JOINER + _JOINER + _AS_TEXT + _AS_PICTURE

_IN_PANES = re.compile(f"[{_DIRECTIONS}{_TAGS}]")
_IN_LINES = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_DIRECTIONS}{_HIDDEN}{_DEPENDENT}]")
_IN_NAMES = re.compile(f"[\x00-\x1f\x7f-\x9f{_DIRECTIONS}{_HIDDEN}{_DEPENDENT}]")

_JOINED_LETTER = re.compile(
    "[\u0600-\u109f\u1780-\u180a\u1810-\u18af\u1a20-\u1c4f\ua840-\ua8ff\ua930-\uabff\U00010a00-\U00011fff]"
)
"""Of scripts whose letters change their shape beside each other: Arabic, the Indic ones, their neighbours."""
_PICTURE = re.compile("[\u00a9\u00ae\u203c-\u27ff\u2900-\u3299\U0001f000-\U0001faff]")
_MAY_BE_PICTURE = re.compile(f"{_PICTURE.pattern}|[#*0-9]")

_DIRECTION_CHARACTERS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TAGS_IN_UTF8 = (b"\xf3\xa0\x80", b"\xf3\xa0\x81")


def name(text: str) -> str:
    """A name or a message: one line, every character of which can be seen."""
    if text.isascii() and text.isprintable():
        return text
    return _IN_NAMES.sub(_shown, text)


def lines(text: str) -> str:
    """Lines and columns that we have made ourselves, of names: line feeds and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _IN_LINES.sub(_shown, text)


def line(text: str) -> str:
    """One line that we have made ourselves; a line feed in it is not ours."""
    return lines(text).replace("\n", "\\n")


def pane_text(text: str) -> str:
    """What a pane shows. A quick look first: captures are long, and nearly all are of ASCII."""
    if text.isascii() or not _may_mislead(text):
        return text
    return _IN_PANES.sub(_escaped, text)


def facts(value: Any) -> Any:
    """An answer's structure, each string in it by the field that it is in."""
    return value if _is_plain(value) else _facts(value, is_text=False)


def _is_plain(value: Any) -> bool:
    """Nearly always. To write it as JSON and look at that is far faster than to look at each string."""
    try:
        raw = orjson.dumps(value)
    except orjson.JSONEncodeError:
        return False
    return raw.isascii() and b"\\" not in raw and b"\x7f" not in raw


def _facts(value: Any, is_text: bool) -> Any:
    if isinstance(value, str):
        return pane_text(value) if is_text else name(value)
    if isinstance(value, Mapping):
        return {name(key): _facts(one, is_text or key in TEXT_FIELDS) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_facts(one, is_text) for one in value]
    return value


def _may_mislead(text: str) -> bool:
    """Whether any of the characters is in it: a search for each is faster than one for all of them."""
    if any(one in text for one in _DIRECTION_CHARACTERS):
        return True
    raw = text.encode("utf-8", "surrogatepass")
    return any(one in raw for one in _TAGS_IN_UTF8)


def _shown(found: re.Match[str]) -> str:
    return found[0] if found[0] in _DEPENDENT and _is_needed(found) else _escaped(found)


def _is_needed(found: re.Match[str]) -> bool:
    at, text = found.start(), found.string
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if found[0] in (_AS_TEXT, _AS_PICTURE):
        return _MAY_BE_PICTURE.match(before) is not None
    if _JOINED_LETTER.match(before) and _JOINED_LETTER.match(after):
        return True
    pictures = (before == _AS_PICTURE or _PICTURE.match(before)) and _PICTURE.match(after)
    return found[0] == _JOINER and bool(pictures)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
