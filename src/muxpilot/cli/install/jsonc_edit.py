"""Put a value into JSON with comments, or take one out, and leave every other byte as it is.

New text looks like its surroundings: their line ends and indentation, one line where they are one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from muxpilot.cli.install import jsonc
from muxpilot.cli.install.clients import Keys
from muxpilot.cli.install.failure import Malformed
from muxpilot.cli.install.jsonc import Member, Node

Splice = tuple[int, int, str]
"""From, to, and what comes there instead."""

SPACE = " \t\r\n"
_INDENT = re.compile(r"[ \t]*")
_OUR_INDENT = "  "


def parse(text: str) -> dict[str, object]:
    root = jsonc.read(text)
    return _fields(text, root, "the file") if root else {}


def put(text: str, keys: Keys, value: object) -> str:
    """The text with the value there; objects on the way are made where they are missing."""
    edit = _Edit(text)
    holder, left = edit.root, list(keys)
    while len(left) > 1 and (found := holder.member(left[0])):
        _fields(edit.text, found.node, f'"{found.key}"')
        holder = found.node
        del left[0]
    for key in reversed(left[1:]):
        value = {key: value}
    member = holder.member(left[0])
    return edit.replace(holder, member, value) if member else edit.insert(holder, left[0], value)


def drop(text: str, keys: Keys) -> str:
    """The text without that key, however often it is there."""
    while holder := (edit := _Edit(text)).holder(keys):
        at = next(at for at, member in enumerate(holder.members) if member.key == keys[-1])
        text = edit.remove(holder, at)
    return text


def _fields(text: str, node: Node, what: str) -> dict[str, object]:
    if not isinstance(node.value, dict):
        raise Malformed.at(text, node.start, f"{what} must be an object, {{...}}")
    return node.value


def _with_an_object(text: str) -> str:
    newline = _newline(text)
    gap = newline if text.strip(SPACE + jsonc.BOM) and not text.endswith("\n") else ""
    return f"{text}{gap}{{}}{newline}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


class _Edit:
    """One change to one text, which holds an object, or gets one."""

    def __init__(self, text: str) -> None:
        root = jsonc.read(text)
        if root is None:
            text = _with_an_object(text)
            root = jsonc.read(text)
        assert root is not None
        _fields(text, root, "the file")
        self.text, self.root = text, root
        self._newline = _newline(text)
        self._unit = self._indent_unit()

    def holder(self, keys: Keys) -> Node | None:
        """The object that holds the last key, if it does."""
        node: Node | None = self.root
        for key in keys[:-1]:
            member = node.member(key) if node else None
            node = member.node if member else None
        return node if node and node.member(keys[-1]) else None

    def replace(self, holder: Node, member: Member, value: object) -> str:
        written = self._written(value, self._line_indent(member.start), lines=self._has_lines(holder))
        return self._apply([(member.node.start, member.node.end, written)])

    def insert(self, holder: Node, key: str, value: object) -> str:
        """Behind the last member, and behind the comments that follow it."""
        last = holder.members[-1] if holder.members else None
        if last and not self._has_lines(holder):
            return self._insert_in_line(last, key, value)
        indent = self._members_indent(holder)
        comma = "," if last and last.comma is not None else ""
        member = f"{self._newline}{indent}{self._member(key, value, indent)}{comma}"
        brace = holder.end - 1
        end = len(self.text[:brace].rstrip(SPACE))
        splices = [(last.node.end, last.node.end, ",")] if last and last.comma is None else []
        if "\n" in self.text[end:brace]:
            return self._apply([*splices, (end, end, member)])
        closing = f"{self._newline}{self._line_indent(holder.start)}"
        return self._apply([*splices, (end, brace, member + closing)])

    def remove(self, holder: Node, at: int) -> str:
        """The member with one comma: its own, else the one before it. Comments around it stay."""
        member, before = holder.members[at], holder.members[at - 1] if at else None
        end, splices = member.node.end, []
        if member.comma == end:
            end += 1
        elif member.comma is not None:
            splices = [(member.comma, member.comma + 1, "")]
        elif before and before.comma is not None:
            splices = [(before.comma, before.comma + 1, "")]
        splices += [(*self._with_its_space(member.start, end, last=member is holder.members[-1]), "")]
        return self._without_empty_lines(holder, splices)

    def _insert_in_line(self, last: Member, key: str, value: object) -> str:
        member = f"{json.dumps(key, ensure_ascii=False)}: {self._written(value, '', lines=False)}"
        if last.comma is None:
            return self._apply([(last.node.end, last.node.end, f", {member}")])
        return self._apply([(last.comma + 1, last.comma + 1, f" {member},")])

    def _with_its_space(self, start: int, end: int, *, last: bool) -> tuple[int, int]:
        """Its whole lines where they hold nothing else; else the space on one side."""
        text = self.text
        line, tail = self._line_start(start), end + len(_spaces(text, end))
        alone = not text[line:start].strip(SPACE) and line > 0
        if alone and text[tail : tail + 1] in {"\r", "\n"}:
            return line - (2 if text[line - 2 : line] == "\r\n" else 1), tail
        if alone or not last:
            return start, tail
        return len(text[:start].rstrip(" \t")), end

    def _without_empty_lines(self, holder: Node, splices: list[Splice]) -> str:
        """An object that nothing is left in is `{}`."""
        inner = [(0, holder.start + 1, ""), *splices, (holder.end - 1, len(self.text), "")]
        if self._apply(inner).strip(SPACE):
            return self._apply(splices)
        return self._apply([(holder.start + 1, holder.end - 1, "")])

    def _apply(self, splices: Iterable[Splice]) -> str:
        parts, at = [], 0
        for start, end, new in sorted(splices, key=lambda splice: splice[:2]):
            parts += [self.text[at:start], new]
            at = end
        return "".join([*parts, self.text[at:]])

    def _member(self, key: str, value: object, indent: str) -> str:
        return f"{json.dumps(key, ensure_ascii=False)}: {self._written(value, indent, lines=True)}"

    def _written(self, value: object, indent: str, *, lines: bool) -> str:
        if not lines:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, ensure_ascii=False, indent=self._unit)
        return text.replace("\n", self._newline + indent)

    def _has_lines(self, node: Node) -> bool:
        return "\n" in self.text[node.start : node.end]

    def _members_indent(self, holder: Node) -> str:
        for member in reversed(holder.members):
            if self._starts_its_line(member.start):
                return self._line_indent(member.start)
        return self._line_indent(holder.start) + self._unit

    def _indent_unit(self) -> str:
        for member in self.root.members:
            indent = self._line_indent(member.start)
            if indent and self._starts_its_line(member.start):
                return indent
        return _OUR_INDENT

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _starts_its_line(self, at: int) -> bool:
        return not self.text[self._line_start(at) : at].strip(SPACE)

    def _line_indent(self, at: int) -> str:
        return _spaces(self.text, self._line_start(at))


def _spaces(text: str, at: int) -> str:
    found = _INDENT.match(text, at)
    return found[0] if found else ""
