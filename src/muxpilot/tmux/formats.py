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
from collections.abc import Callable
from typing import Any, Generic, TypeVar, get_type_hints

from muxpilot.errors import ProtocolBroken
from muxpilot.tmux.version import Version

Row = TypeVar("Row")

_DOLLAR = re.compile(r"\\(\$(?=[A-Za-z_{]))")


def as_meant(text: str, version: Version) -> str:
    """What a command printed, without what this version adds to it."""
    return _DOLLAR.sub(r"\1", text) if version.escapes_dollars else text


def _flag(text: str) -> bool:
    return text not in {"", "0", "off"}


_TEXT = {str, str | None}
_CONVERTERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: lambda text: int(text or 0),
    bool: _flag,
    str | None: lambda text: text or None,
    int | None: lambda text: int(text) if text else None,
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
        self._plain_format = " ".join(formats[name] for name in plain)
        self._text_formats = [formats[name] for name in texts]
        self._converters = [_CONVERTERS[hints[name]] for name in names]
        self._order = [(plain + texts).index(name) for name in names]

    def request(self) -> Request[Row]:
        """One question: its `format` goes out, its `read` takes what came back."""
        return Request(self, f"<{secrets.token_hex(4)}>")

    def format(self, mark: str) -> str:
        return "".join(one + mark for one in (self._plain_format, *self._text_formats))

    def rows(self, text: str, mark: str) -> list[Row]:
        cells = text.split(mark)
        width = 1 + len(self._text_formats)
        if len(cells) % width != 1 % width or cells[-1] not in {"", "\n"}:
            raise ProtocolBroken("tmux's answer does not have the fields that were asked for")
        return [self._row(cells[at : at + width]) for at in range(0, len(cells) - 1, width)]

    def _row(self, cells: list[str]) -> Row:
        # A newline is left over from the row before.
        values = [*cells[0].removeprefix("\n").split(" "), *cells[1:]]
        try:
            converted = [
                convert(values[at]) for convert, at in zip(self._converters, self._order, strict=True)
            ]
        except (ValueError, IndexError) as error:
            raise ProtocolBroken(f"tmux sent a value of the wrong kind: {error}") from None
        return self._row_type(*converted)


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
