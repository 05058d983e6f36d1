"""JSON with comments and trailing commas, read with the place of everything: an edit can spare the rest.

Of a key that is there twice the last one counts, as in every JSON parser.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from muxpilot.cli.install.failure import Malformed

DEEPEST = 200
"""Levels of nesting. Python's own stack would end somewhere behind it."""

BOM = "\ufeff"
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it is in the text."""

    start: int
    end: int
    value: object
    members: tuple[Member, ...] = ()
    """An object's, in order."""

    def member(self, key: str) -> Member | None:
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass(frozen=True, slots=True)
class Member:
    start: int
    key: str
    node: Node
    comma: int | None
    """Where the comma behind it is."""


def read(text: str) -> Node | None:
    """The value that the text holds; none where there is nothing but space and comments.

    Raises:
        Malformed: it is not JSON, not even with comments and trailing commas.
    """
    reader = _Reader(text)
    start = reader.skip(len(BOM) if text.startswith(BOM) else 0)
    if start == len(text):
        return None
    node = reader.value(start, 0)
    end = reader.skip(node.end)
    if end < len(text):
        raise Malformed.at(text, end, "something follows the end of the value")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """Behind the space and the comments."""
        found = _TRIVIA.match(self._text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise Malformed.at(self._text, at, f"nested more than {DEEPEST} levels deep")
        match self._text[at : at + 1]:
            case "{":
                return self._object(at, depth)
            case "[":
                return self._array(at, depth)
            case '"':
                return self._token(_STRING, at, "a string that ends on its line")
            case _:
                return self._token(_SCALAR, at, "a value")

    def _token(self, pattern: re.Pattern[str], at: int, wanted: str) -> Node:
        found = pattern.match(self._text, at)
        if found is None:
            raise self._unexpected(at, wanted)
        try:
            return Node(at, found.end(), json.loads(found[0]))
        except ValueError:
            raise self._unexpected(at, wanted) from None

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "}":
            if members and members[-1].comma is None:
                raise self._unexpected(at, "',' or '}'")
            members.append(self._member(at, depth))
            at = self.skip(_behind(members[-1]))
        value = {member.key: member.node.value for member in members}
        return Node(start, at + 1, value, tuple(members))

    def _member(self, at: int, depth: int) -> Member:
        key = self._token(_STRING, at, "a key in double quotes, or '}'")
        colon = self.skip(key.end)
        if self._text[colon : colon + 1] != ":":
            raise self._unexpected(colon, "':'")
        node = self.value(self.skip(colon + 1), depth + 1)
        return Member(at, str(key.value), node, self._comma(node.end))

    def _array(self, start: int, depth: int) -> Node:
        values: list[object] = []
        at, more = self.skip(start + 1), True
        while self._text[at : at + 1] != "]":
            if not more:
                raise self._unexpected(at, "',' or ']'")
            node = self.value(at, depth + 1)
            values.append(node.value)
            comma = self._comma(node.end)
            more = comma is not None
            at = self.skip(node.end if comma is None else comma + 1)
        return Node(start, at + 1, values)

    def _comma(self, end: int) -> int | None:
        at = self.skip(end)
        return at if self._text[at : at + 1] == "," else None

    def _unexpected(self, at: int, wanted: str) -> Malformed:
        found = repr(self._text[at]) if at < len(self._text) else "the end of the file"
        return Malformed.at(self._text, at, f"{found}, where {wanted} was expected")


def _behind(member: Member) -> int:
    return member.node.end if member.comma is None else member.comma + 1
