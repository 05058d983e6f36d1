"""Marks that shells print around their commands: OSC 133 sequences, which show nothing on any screen.

Rules it keeps:
- Ours carry a nonce, so that no program prints one by chance or by design, and a count that only rises, so
  that one which is printed again (a program that shows an old recording) means nothing.
- A mark may be cut anywhere between two reads.

    B  a line stands there half typed: nothing was loaded
    L  the command is loaded into the line          C  it begins: what follows is its output
    E  its output ends (what follows is the shell's) D  it has ended: status, folder
    P  the shell wants more (PS2)                    T  all that was typed has been read
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 8192
"""Bytes that a mark may have: a folder's path is in it."""

_OPENING = b"\x1b]133;"
_MARK = re.compile(rb"\x1b\]133;([A-Z])((?:;[^\x07\x1b;]*)*)(?:\x07|\x1b\\)")
_NONCE = re.compile(rb"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Mark:
    """`nonce` is empty where a mark is not of our making: a shell's own integration."""

    kind: str
    status: int | None = None
    nonce: str = ""
    count: int = 0
    folder: str | None = None

    def encode(self) -> bytes:
        status = "" if self.status is None else f";{self.status}"
        return f"\x1b]133;{self.kind}{status};{self.nonce};{self.count}\x07".encode()


class MarkScanner:
    """Takes a stream apart: what was written, and the marks in it."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[bytes | Mark]:
        data, done, start = self._rest + data, 0, 0
        while (found := data.find(_OPENING, start)) >= 0:
            mark = _MARK.match(data, found)
            if mark is not None and mark.end() - found <= LONGEST:
                if found > done:
                    yield data[done:found]
                yield _read(mark)
                done = start = mark.end()
            elif len(data) - found < LONGEST and not _ended(data, found):
                break
            else:
                start = found + len(_OPENING)
        end = found if found >= 0 else max(done, len(data) - _begun(data))
        self._rest = data[end:]
        if end > done:
            yield data[done:end]


def _ended(data: bytes, start: int) -> bool:
    """Whether whatever starts here has come to an end, and is no mark."""
    rest = data[start + len(_OPENING) :]
    return b"\x07" in rest or b"\x1b" in rest[:-1]


def _begun(data: bytes) -> int:
    """How many bytes at the end may be the beginning of a mark."""
    return next((size for size in range(len(_OPENING) - 1, 0, -1) if data.endswith(_OPENING[:size])), 0)


def _read(found: re.Match[bytes]) -> Mark:
    kind: str = found[1].decode()
    parts: list[bytes] = found[2].split(b";")[1:]
    status = int(parts.pop(0)) if kind == "D" and parts and parts[0].isdigit() and len(parts[0]) < 6 else None
    if len(parts) < 2 or not _NONCE.fullmatch(parts[0]) or not parts[1].isdigit():
        return Mark(kind, status)
    folder = b";".join(parts[2:]).decode("utf-8", "surrogateescape") or None
    return Mark(kind, status, parts[0].decode(), int(parts[1][:18]), folder)
