"""Put a value into TOML, or take one out, and leave every other line as it is.

tomlkit reads, and changes values in their place. Tables are added and taken out line by line: for tomlkit the
comments above a table are part of the table before it, and would go with that one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from muxpilot.cli.install.clients import Keys
from muxpilot.cli.install.failure import Malformed

BOM = "\ufeff"
SERVER = 2
"""Keys to a server, `mcp_servers.NAME`. It gets a table of its own; what it is made of gets lines there."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def parse(text: str) -> dict[str, object]:
    return dict(_document(text.removeprefix(BOM)).unwrap())


def put(text: str, keys: Keys, value: object) -> str:
    """The text with the value there; a table of its own where nothing is there yet."""
    plain = text.removeprefix(BOM)
    config = parse(plain)
    _check(plain, config, keys)
    in_line = _has(config, keys) or _is_written_in_line(plain, config, keys[:-1])
    if not in_line and len(keys) == SERVER and isinstance(value, Mapping):
        return _like(text, _with_table(plain, keys, value))
    if not in_line and (section := _section(plain, keys[:-1])):
        return _like(text, _with_lines(plain, section.last + 1, [_pair(keys[-1], value)]))
    return _like(text, _put_in_place(plain, keys, value))


def drop(text: str, keys: Keys) -> str:
    plain = text.removeprefix(BOM)
    while section := _section(plain, keys, exactly=False):
        plain = _without_lines(plain, section)
    return _like(text, _drop_in_place(plain, keys))


def _document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        message = str(error).partition(" at line ")[0].rstrip(".")
        raise Malformed(message, error.line, error.col + 1) from None
    except TOMLKitError as error:
        raise Malformed(str(error), 1, 1) from None


@dataclass(frozen=True, slots=True)
class _Section:
    """A table under its header, as line numbers."""

    keys: Keys
    header: int
    last: int
    """The last line that says something: comments behind it may belong to what follows."""


def _section(text: str, keys: Keys, *, exactly: bool = True) -> _Section | None:
    """The table with these keys; or, not exactly, that one or the first table within it."""
    fits = (section for section in _sections(text) if section.keys[: len(keys)] == keys)
    return next((section for section in fits if not exactly or section.keys == keys), None)


def _sections(text: str) -> list[_Section]:
    lines = _LINE.findall(text)
    headers = [(number, keys) for number, line in enumerate(lines) if (keys := _header(line))]
    ends = [*(number for number, _ in headers[1:]), len(lines)]
    return [
        _Section(keys, number, max(at for at in range(number, end) if at == number or _says(lines[at])))
        for (number, keys), end in zip(headers, ends, strict=False)
    ]


def _header(line: str) -> Keys:
    """The keys of `[a.b."c"]`; none for another line."""
    if not line.lstrip().startswith("["):
        return ()
    try:
        table: object = tomlkit.parse(line).unwrap()
    except TOMLKitError:
        return ()
    keys: list[str] = []
    while isinstance(table, Mapping) and table:
        [(key, table)] = table.items()
        keys.append(str(key))
    return tuple(keys)


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _with_table(text: str, keys: Keys, value: Mapping[str, object]) -> str:
    """At the end: nothing can come behind that would be taken for a part of it."""
    gap = [""] if text.strip() else []
    lines = [f"[{tomlkit.key(keys).as_string()}]", *(_pair(key, field) for key, field in value.items())]
    return _with_lines(text, len(_LINE.findall(text)), [*gap, *lines])


def _pair(key: str, value: object) -> str:
    return f"{tomlkit.key(key).as_string()} = {_written(value)}"


def _written(value: object) -> str:
    if not isinstance(value, Mapping):
        return tomlkit.item(value).as_string()
    pairs = ", ".join(_pair(key, field) for key, field in value.items())
    return f"{{ {pairs} }}" if pairs else "{}"


def _with_lines(text: str, at: int, new: list[str]) -> str:
    lines = _LINE.findall(text)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    return "".join([*lines[:at], *(f"{line}\n" for line in new), *lines[at:]])


def _without_lines(text: str, section: _Section) -> str:
    """One gap stays where there were two, and none at the end of the file."""
    lines = _LINE.findall(text)
    before, behind = lines[: section.header], lines[section.last + 1 :]
    while before and not before[-1].strip() and (not behind or not behind[0].strip()):
        before.pop()
    if not before:
        behind = behind[next((at for at, line in enumerate(behind) if line.strip()), len(behind)) :]
    return "".join(before + behind)


def _put_in_place(text: str, keys: Keys, value: object) -> str:
    document = _document(text)
    holder: MutableMapping[str, object] = document
    for key in keys[:-1]:
        holder = _table(holder.setdefault(key, tomlkit.inline_table()))
    holder[keys[-1]] = _item(value)
    return tomlkit.dumps(document)


def _drop_in_place(text: str, keys: Keys) -> str:
    document = _document(text)
    if not _has(document, keys):
        return text
    holder: MutableMapping[str, object] = document
    for key in keys[:-1]:
        holder = _table(holder[key])
    del holder[keys[-1]]
    return tomlkit.dumps(document)


def _item(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _table(value: object) -> MutableMapping[str, object]:
    assert isinstance(value, MutableMapping)
    return value


def _has(config: Mapping[str, object], keys: Keys) -> bool:
    value: object = config
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True


def _check(text: str, config: Mapping[str, object], keys: Keys) -> None:
    value: object = config
    for at, key in enumerate(keys[:-1]):
        value = value.get(key, {}) if isinstance(value, Mapping) else value
        if not isinstance(value, Mapping):
            found = re.search(rf"^[ \t]*[\"']?{re.escape(key)}", text, re.MULTILINE)
            message = f"{'.'.join(keys[: at + 1])} must be a table"
            raise Malformed.at(text, found.start() if found else 0, message)


def _is_written_in_line(text: str, config: Mapping[str, object], keys: Keys) -> bool:
    """Whether the table is there, but under no header: `servers = { ... }` can't be added to from outside."""
    return _has(config, keys) and _section(text, keys, exactly=False) is None


def _like(text: str, changed: str) -> str:
    """With the byte order mark and the line ends of the text."""
    if "\r\n" in text and text.count("\n") == text.count("\r\n"):
        changed = changed.replace("\r\n", "\n").replace("\n", "\r\n")
    return BOM + changed if text.startswith(BOM) else changed
