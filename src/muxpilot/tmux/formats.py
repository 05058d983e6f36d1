"""`-F` field lists to typed rows and back.

A row type is a frozen dataclass whose fields are named like tmux's format variables and typed `str`, `int`,
`bool`, or one of these with `| None` (empty, then). Text is free: a path may hold tabs and newlines. So each
text stands between fresh random marks, made for this request alone, which no value can contain. Numbers,
flags and ids can't hold a space, and are separated by one: a mark for each would be most of the answer.
"""

from __future__ import annotations

import dataclasses
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import Any, Generic, TypeVar, get_type_hints

from muxpilot.errors import ProtocolBroken
from muxpilot.tmux.version import Version

Row = TypeVar("Row")


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """Rows by column, in words: for long lists, which are only passed on.

    Of a number that has no value the word is empty, of a flag it is 1 or 0. In one that `is_plain` every
    word is of printable ASCII, without quotes and backslashes.
    """

    words: Mapping[str, Sequence[str]]
    kinds: Mapping[str, Any]
    is_plain: bool = False

    def only(self, kept: Sequence[bool]) -> Table:
        """The rows for which this is true."""
        words = {name: list(compress(column, kept)) for name, column in self.words.items()}
        return dataclasses.replace(self, words=words)

    def with_flags(self, name: str, flags: Iterable[bool]) -> Table:
        column = ["1" if flag else "0" for flag in flags]
        return Table({**self.words, name: column}, {**self.kinds, name: bool}, self.is_plain)


_DOLLAR = re.compile(r"\\(\$(?=[A-Za-z_{]))")


def as_meant(text: str, version: Version) -> str:
    """What a command printed, without what this version adds to it."""
    return _DOLLAR.sub(r"\1", text) if version.escapes_dollars else text


def _numbers(column: Sequence[str]) -> list[int]:
    try:
        return list(map(int, column))  # Nearly always: none is empty.
    except ValueError:
        return [int(text or 0) for text in column]


def _numbers_or_none(column: Sequence[str]) -> list[int | None]:
    return _numbers(column) if all(column) else [int(text) if text else None for text in column]  # type: ignore[return-value]


_PLAIN = bytes(byte for byte in range(0x20, 0x7F) if byte not in b'"\\') + b"\n"
_NUMBERS = b"0123456789%@$ "
_OFF = frozenset({"", "0", "off"})
_TEXT = {str, str | None}
_CONVERTERS: dict[Any, Callable[[Sequence[str]], Sequence[Any]]] = {
    str: lambda column: column,
    int: _numbers,
    bool: lambda column: [text not in _OFF for text in column],
    str | None: lambda column: [text or None for text in column],
    int | None: _numbers_or_none,
}
"""A whole column at a time: a thousand panes have some ten thousand values."""


def _digits(column: Sequence[str], nothing: str) -> Sequence[str]:
    return [str(int(text)) if text else nothing for text in column]


_IN_WORDS: dict[Any, Callable[[Sequence[str]], Sequence[str]]] = {
    str: lambda column: column,
    int: lambda column: _digits(column, "0"),
    bool: lambda column: ["0" if text in _OFF else "1" for text in column],
    int | None: lambda column: _digits(column, ""),
}


class Columns(Generic[Row]):
    """The fields of one row type, ready to ask for and to read back."""

    def __init__(self, row_type: type[Row]) -> None:
        hints = get_type_hints(row_type)
        names = [field.name for field in dataclasses.fields(row_type)]  # type: ignore[arg-type]
        texts = [name for name in names if hints[name] in _TEXT and not name.endswith("_id")]
        plain = [name for name in names if name not in texts]
        formats = _formats(row_type)
        self._row_type = row_type
        self._plain_count = len(plain) or 1  # Where there are none, an empty one stands in their place.
        self._width = 1 + len(texts)
        asked = [" ".join(formats[name] for name in plain), *(formats[name] for name in texts)]
        self._format = "".join(f"{one}\0" for one in asked)
        self._kinds = {name: hints[name] for name in names}
        self._flags = {name: kind for name, kind in self._kinds.items() if kind is bool}
        places = (plain or [""]) + texts
        self._order = [places.index(name) for name in names]

    def request(self) -> Request[Row]:
        """One question: its `format` goes out, its `read` takes what came back."""
        return Request(self, f"<{secrets.token_hex(4)}>")

    def format(self, mark: str) -> str:
        return self._format.replace("\0", mark)

    def rows(self, text: str, mark: str) -> list[Row]:
        return [self._row_type(*values) for values in zip(*self._columns(text, mark), strict=True)]

    def table(self, text: str, mark: str) -> Table:
        """The same by columns, each word looked at and hardly any converted."""
        plain, cells = self._split(text, mark)
        columns = dict(zip(self._kinds, self._by_column(plain, cells), strict=True))
        kinds = self._flags if _are_numbers(plain) else self._kinds
        with _told():
            columns |= {name: _IN_WORDS[kind](columns[name]) for name, kind in kinds.items()}
        return Table(columns, self._kinds, _is_of(_PLAIN, text))

    def _columns(self, text: str, mark: str) -> list[Sequence[Any]]:
        with _told():
            columns = zip(self._kinds.values(), self._words(text, mark), strict=True)
            return [_CONVERTERS[kind](words) for kind, words in columns]

    def _words(self, text: str, mark: str) -> list[Sequence[str]]:
        """By column, in the order of the names."""
        return self._by_column(*self._split(text, mark))

    def _split(self, text: str, mark: str) -> tuple[str, list[str]]:
        """What is no text of all rows, with spaces between, and all cells."""
        cells = text.split(mark)
        width = self._width
        if len(cells) % width != 1 % width or cells.pop() not in {"", "\n"}:
            raise ProtocolBroken("tmux's answer does not have the fields that were asked for")
        # In all but the first, a newline is left over from the row before.
        return " ".join(cells[::width]).replace("\n", ""), cells

    def _by_column(self, together: str, cells: list[str]) -> list[Sequence[str]]:
        if not cells:
            return [[] for _ in self._order]
        plain, count, width = together.split(" "), self._plain_count, self._width
        if len(plain) * width != count * len(cells):
            raise ProtocolBroken("tmux sent another number of values than were asked for")
        columns = [*(plain[at::count] for at in range(count)), *(cells[at::width] for at in range(1, width))]
        return [columns[at] for at in self._order]


def _are_numbers(plain: str) -> bool:
    """Whether none is missing, and all are numbers, or ids: nearly always."""
    return _is_of(_NUMBERS, plain) and "  " not in plain and plain.strip(" ") == plain


def _is_of(characters: bytes, text: str) -> bool:
    """Whether it has no others. This is the fastest way to ask."""
    return text.isascii() and not text.encode().translate(None, characters)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ProtocolBroken(f"tmux sent a value of the wrong kind: {error}") from None


def _formats(row_type: type[Any]) -> dict[str, str]:
    return {
        field.name: field.metadata.get("format", f"#{{{field.name}}}")
        for field in dataclasses.fields(row_type)
    }


@dataclasses.dataclass(frozen=True, slots=True)
class Request(Generic[Row]):
    """A format with its own mark."""

    columns: Columns[Row]
    mark: str

    @property
    def format(self) -> str:
        return self.columns.format(self.mark)

    def read(self, text: str, version: Version) -> list[Row]:
        return self.columns.rows(as_meant(text, version), self.mark)

    def read_table(self, text: str, version: Version) -> Table:
        return self.columns.table(as_meant(text, version), self.mark)
