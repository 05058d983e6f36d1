"""Bytes that a program wrote to its terminal become text, as a terminal of unlimited width would keep it.

Reads UTF-8 and escape sequences, which may be cut anywhere; what they do to the screen is in cells.py.
No I/O. Plain and coloured lines, the bulk of all output, are never looked at one character at a time: what
shows nothing is taken out of a whole chunk at once, and only a chunk that moves the cursor is read in tokens.
"""

from __future__ import annotations

import codecs
import copy
import re
from collections.abc import Callable
from functools import lru_cache

from muxpilot.terminal.cells import Screen
from muxpilot.terminal.row import Row

LONGEST_SEQUENCE = 64 * 1024
_CHUNK = 64 * 1024


def _sequence(aborted: str) -> str:
    """Any sequence, given what is ahead where one ends too early. The ST after a string is one of its own."""
    return (
        rf"\x1b(?:\[[^@-~\x18\x1a\x1b]*(?:[@-~\x18\x1a]|{aborted})"  # CSI
        rf"|\][^\x07\x18\x1a\x1b]*(?:[\x07\x18\x1a]|{aborted})"  # OSC
        rf"|[PX^_k][^\x18\x1a\x1b]*(?:[\x18\x1a]|{aborted})"  # DCS, SOS, PM, APC, title
        r"|[ -/]+[0-~]|[0-OQ-WYZ\\`-jl-~]"  # the short ones
        rf"|[ -/]*(?:(?=[^ -~])|{aborted}))"  # a lone ESC
    )


_COLOUR = r"\x1b\[[0-9;:]{0,256}m"
_INERT = re.compile(
    rf"{_COLOUR}|\x1b\(B|[\x00-\x07\x0f-\x1a\x1c-\x1f\x7f-\x9f]|\x1b\[\?(?!6[hl]|47|104[79])[0-9]{{1,4}}[hl]"
    r"|\x1b\][^\x00-\x1f\x7f-\x9f]{0,4096}(?:\x07|\x1b\\)|\x1b[=>]|\r(?=\r)"
)
"""Shows and changes nothing, as long as line drawing was not chosen."""
_INERT_AT_END = re.compile(rf"{_INERT.pattern}|\x1b\[0?[JK]")
"""The same, while the cursor has nothing to its right and nothing below."""
_ERASED = re.compile(rf"\r(?!\r)(?:{_INERT.pattern})*\x1b\[0?[JK]")
"""Erasing behind a carriage return, where there is something to the right."""
_FINISHED = re.compile(_sequence(r"(?=\x1b)"))
_TOKEN = re.compile(
    rf"((?:[^\x00-\x08\x0a-\x1f\x7f-\x9f]+|\r\n|{_COLOUR})+)"  # lines of text
    r"|((?:\r(?!\n)[ -~]*)+)"  # frames of a progress bar
    r"|(" + _sequence(r"(?=\x1b)|\Z") + r")"
    r"|[\x00-\x1f\x7f-\x9f]"
)
_LINES, _FRAMES, _SEQUENCE = 1, 2, 3
_COLOURS = re.compile(_COLOUR)
_ASCII_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\r"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NOT_PRINTABLE = re.compile(r"[^ -~]")
_NUMBERS = re.compile(r"[0-9;]*")
_INVALID = re.compile("[\udc80-\udcff]")
_ENDS = {"[": re.compile(r"[@-~\x18\x1a\x1b]")} | dict.fromkeys("]PX^_k", re.compile(r"[\x07\x18\x1a\x1b]"))

_ALTERNATE, _ORIGIN, _INSERT = "?a", "?o", "i"
_NAMED = {"?1049": _ALTERNATE, "?1047": _ALTERNATE, "?47": _ALTERNATE, "?6": _ORIGIN, "4": _INSERT}
"""Modes that change what is kept."""
_ON, _OFF = "hl"
LINE_DRAWING = str.maketrans("_`abcdefghijklmnopqrstuvwxyz{|}~", " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")


class Renderer:
    """What a program writes, as lines: all that `take_final` gave, then `pending`, is the whole output."""

    def __init__(self, height: int = 24) -> None:
        self.cleared = 0
        """How many lines the program itself dropped by clearing the scrollback."""
        self.dropped_handed_out = False
        """Whether some of them had been handed out already. The caller resets this."""
        self.full_screen = False
        """Whether it is on the alternate screen, where nothing that it draws is kept."""
        self._screen = Screen(height)
        self._handed_out = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._held: list[str] = []  # An unfinished sequence, or a CR that a line feed may follow.
        self._held_size = 0
        self._charsets = {"(": "B", ")": "B"}
        self._charset = "("
        self._saved = (dict(self._charsets), self._charset)

    def feed(self, data: bytes) -> None:
        for start in range(0, len(data), _CHUNK):
            self._read(self._decoder.decode(data[start : start + _CHUNK]))

    def take_final(self) -> str:
        """Lines that can no longer change, oldest first, each with its line feed and only once."""
        text = "".join(self._screen.final)
        self._screen.final.clear()
        self._handed_out += text.count("\n")
        return text

    def pending(self) -> str:
        """The rest, which may still change. Its last line has no line feed unless the cursor is below it."""
        begun, _ = self._decoder.getstate()
        if not begun:
            return self._screen.text()
        ended = copy.deepcopy(self)
        ended._read(ended._decoder.decode(b"", final=True))
        return ended._screen.text()

    def _read(self, text: str) -> None:
        text = self._hold_back(text)
        if _is_lines(text):
            self._show(text.replace("\r\n", "\n"))
        elif self._charset != "(" or self._draws_lines():
            self._read_tokens(text)
        elif (
            self._screen.is_at_end()
            and _is_lines(lines := _without(_INERT_AT_END, text))
            and not _ERASED.search(text)
        ):
            self._show(lines.replace("\r\n", "\n"))
        else:
            self._read_tokens(_without(_INERT, text))

    def _hold_back(self, text: str) -> str:
        """All that can be understood now, begun with what was kept; what needs more is kept for later."""
        if self._held:
            self._hold(text)
            ends = _ENDS.get(self._held[0][1:2])
            if ends and not ends.search(text) and self._held_size <= LONGEST_SEQUENCE:
                return ""
            text = "".join(self._held)
            self._held, self._held_size = [], 0
        start = text.rfind("\x1b")
        if start < 0 or _FINISHED.match(text, start):
            start = len(text) - text.endswith("\r")
        elif len(text) - start > LONGEST_SEQUENCE:
            return text
        self._hold(text[start:])
        return text[:start]

    def _hold(self, text: str) -> None:
        if text:
            self._held.append(text)
            self._held_size += len(text)

    def _read_tokens(self, text: str) -> None:
        place = 0
        while token := _TOKEN.match(text, place):
            kind, found = token.lastindex, token[0]
            place = token.end()
            if kind == _LINES:
                self._show(_COLOURS.sub("", found).replace("\r\n", "\n"))
            elif kind == _FRAMES:
                self._show_frames(found)
            elif kind != _SEQUENCE:
                self._control(found)
            elif len(found) > LONGEST_SEQUENCE:
                place = token.start() + LONGEST_SEQUENCE
            else:
                self._escape(found)

    def _show(self, text: str) -> None:
        if self.full_screen:
            return
        if self._draws_lines():
            text = text.translate(LINE_DRAWING)
        if not text.isascii():
            text = _INVALID.sub(lambda byte: rf"\x{ord(byte[0]) - 0xDC00:02x}", text)
        self._screen.write(text)

    def _show_frames(self, text: str) -> None:
        if not self.full_screen:
            text = text.translate(LINE_DRAWING) if self._draws_lines() else text
            pieces = text.split("\r")[1:]
            if self._screen.inserting:
                for piece in pieces:
                    self._screen.to_column(0)
                    self._screen.write(piece)
            else:
                self._screen.write_over(pieces)

    def _draws_lines(self) -> bool:
        return self._charsets[self._charset] == "0"

    def _control(self, character: str) -> None:
        if not self.full_screen and (action := _CONTROLS.get(character)):
            self._screen.settle()
            action(self)

    def _escape(self, sequence: str) -> None:
        kind, name = sequence[1:2], sequence[1:]
        if kind == "[":
            self._csi(sequence[2:])
        elif self.full_screen and name != "c":
            return
        elif kind in self._charsets and len(name) == 2:
            self._charsets[kind] = name[1]
        elif action := _ESCAPES.get(name):
            self._screen.settle()
            action(self)

    def _csi(self, body: str) -> None:
        if not body.isprintable():
            for character in body:
                self._control(character)
        name, first, second = _parsed(body)
        if name in {_ALTERNATE + _ON, _ALTERNATE + _OFF}:
            self.full_screen = name.endswith(_ON)
        elif self.full_screen:
            return
        elif counted := _COUNTED.get(name):
            self._screen.settle()
            counted(self._screen, first or 1)
        elif action := _CSI.get(name):
            self._screen.settle()
            action(self, first, second)

    def _save(self) -> None:
        self._screen.save()
        self._saved = (dict(self._charsets), self._charset)

    def _restore(self) -> None:
        self._screen.restore()
        charsets, self._charset = self._saved
        self._charsets = dict(charsets)

    def _shift(self, charset: str) -> None:
        self._charset = charset

    def _insert(self, on: bool) -> None:
        self._screen.inserting = on

    def _next_line(self) -> None:
        self._screen.to_column(0)
        self._screen.line_feed()

    def _to(self, row: int, column: int) -> None:
        self._screen.to_row(row - 1)
        self._screen.to_column(column - 1)

    def _erase_screen(self, which: int) -> None:
        if which == 3:
            self._drop_scrollback()
        elif which < 3:
            self._screen.erase_screen(before=which > 0, after=which != 1)

    def _erase_line(self, which: int) -> None:
        if which < 3:
            self._screen.erase_line(before=which > 0, after=which != 1)

    def _drop_scrollback(self) -> None:
        self.dropped_handed_out = self.dropped_handed_out or self._handed_out > 0
        self.take_final()
        self._screen.forget_final()
        self.cleared += self._handed_out
        self._handed_out = 0

    def _reset(self) -> None:
        self.full_screen = False
        self._charsets = dict.fromkeys(self._charsets, "B")
        self._charset = "("
        self._saved = (dict(self._charsets), self._charset)
        self._screen.reset()


def _is_lines(text: str) -> bool:
    """Whether it is text and tabs only, with ends of lines."""
    if text.isascii():
        controls = len(text.encode().translate(None, _ASCII_CONTROLS)) < len(text)
    else:
        controls = _CONTROL.search(text) is not None
    return not controls and text.count("\r") == text.count("\n") == text.count("\r\n")


def _without(inert: re.Pattern[str], text: str) -> str:
    """All that is not inert. Nothing is taken out where another sequence might be cut off by one of these."""
    left = inert.sub("", text)
    return text if "\x1b" in left else left


@lru_cache
def _parsed(body: str) -> tuple[str, int, int]:
    """The name of a control sequence and its first two numbers. No name: nothing to do."""
    body = _NOT_PRINTABLE.sub("", body)
    numbers, name = body[:-1], body[-1:]
    if name in {_ON, _OFF}:
        private = "?" * numbers.startswith("?")
        modes = [_NAMED.get(private + number) for number in numbers.lstrip("?").split(";")]
        return next(filter(None, modes), "") + name, 0, 0
    if not _NUMBERS.fullmatch(numbers):
        return "", 0, 0
    first, second = [*numbers.split(";"), ""][:2]
    return name, _number(first), _number(second)


def _number(digits: str) -> int:
    return int(digits.lstrip("0")[:9] or "0")


_CONTROLS: dict[str, Callable[[Renderer], None]] = {
    "\b": lambda it: it._screen.right(-1),
    "\t": lambda it: it._screen.write("\t"),
    **dict.fromkeys("\n\v\f", lambda it: it._screen.line_feed()),
    "\r": lambda it: it._screen.to_column(0),
    "\x0e": lambda it: it._shift(")"),
    "\x0f": lambda it: it._shift("("),
}
_ESCAPES: dict[str, Callable[[Renderer], None]] = {
    "7": Renderer._save,
    "8": Renderer._restore,
    "D": lambda it: it._screen.line_feed(),
    "E": lambda it: it._next_line(),
    "M": lambda it: it._screen.reverse_line_feed(),
    "c": lambda it: it._reset(),
}
_COUNTED: dict[str, Callable[[Screen, int], None]] = {
    "A": lambda screen, count: screen.down(-count),
    **dict.fromkeys("Be", Screen.down),
    **dict.fromkeys("Ca", Screen.right),
    "D": lambda screen, count: screen.right(-count),
    "E": lambda screen, count: screen.down(count, column=0),
    "F": lambda screen, count: screen.down(-count, column=0),
    **dict.fromkeys("G`", lambda screen, count: screen.to_column(count - 1)),
    "d": lambda screen, count: screen.to_row(count - 1),
    "@": lambda screen, count: screen.edit(Row.insert, count),
    "P": lambda screen, count: screen.edit(Row.delete, count),
    "X": lambda screen, count: screen.edit(Row.erase, count),
    "L": Screen.insert_lines,
    "M": Screen.delete_lines,
    "S": Screen.scroll_up,
    "T": Screen.scroll_down,
    "Z": Screen.back_tab,
    "b": Screen.repeat,
}
"""Sequences with a count, which is 1 where none is given."""
_CSI: dict[str, Callable[[Renderer, int, int], None]] = {
    **dict.fromkeys("Hf", lambda it, row, column: it._to(row, column)),
    _INSERT + _ON: lambda it, *_: it._insert(True),
    _INSERT + _OFF: lambda it, *_: it._insert(False),
    _ORIGIN + _ON: lambda it, *_: it._screen.count_from_region(True),
    _ORIGIN + _OFF: lambda it, *_: it._screen.count_from_region(False),
    "J": lambda it, which, _: it._erase_screen(which),
    "K": lambda it, which, _: it._erase_line(which),
    "r": lambda it, top, bottom: it._screen.set_region(max(top, 1) - 1, (bottom or LONGEST_SEQUENCE) - 1),
    "s": lambda it, *_: it._save(),
    "u": lambda it, *_: it._restore(),
}
