"""tmux's control protocol, sans I/O: bytes in, replies and notifications out.

Rules it keeps:
- A reply is a block, `%begin T N 1` ... `%end T N 1` (or `%error`), and its body is printed raw: a
  program can put lines that look like any of these into its pane. So every command is followed by a
  line that is no command but a nonce, and only tmux's complaint about it (a block `parse error: unknown
  command: NONCE`), which no program can forge, closes a reply. The body ends at the last line equal to
  the block's own `%end` before that point. (Complaining costs tmux 5 microseconds and leaves no entry in
  the user's message log; a `display-message -p NONCE` costs 18 and does.)
- Blocks with flags 0 answer nobody: the attach itself, and commands run by the user's hooks.
- A command that runs others (`if-shell`) has one reply: what all of them printed, or the first that failed.
  Their blocks stand between its own and the nonce, and must not hold what a program has printed.
- Everything else is a notification, a line each. `%output` is escaped by tmux, so it can't forge a line.
- Any way of cutting the stream into pieces gives the same events.
"""

from __future__ import annotations

import re
from collections import deque

from muxpilot.errors import ProtocolBroken
from muxpilot.tmux.events import Event, Reply, SideBlock, parse_notification

_BEGIN = re.compile(rb"%begin (\d+ \d+ (\d+))")


class Parser:
    """Feed it what tmux wrote; it returns what that meant.

    Call `expect(nonce)` for each command before its bytes go out, in the same order.
    """

    def __init__(self, *, inside_reply: bool = False) -> None:
        self._inside_reply = inside_reply
        self._buffer = bytearray()
        self._nonces: deque[bytes] = deque()
        self._block: _OpenBlock | None = None

    def expect(self, nonce: bytes) -> None:
        """A command is about to be sent, with this nonce on a line of its own behind it."""
        self._nonces.append(nonce)

    def feed(self, data: bytes) -> list[Event]:
        """All events that are complete with these bytes.

        Raises:
            ProtocolBroken: a nonce came back without the block that it closes.
        """
        self._buffer += data
        events: list[Event] = []
        while self._step(events):
            pass
        return events

    def _step(self, events: list[Event]) -> bool:
        if self._block is None:
            return self._read_lines(events)
        if self._block.nonce is None:
            return self._read_side_block(events)
        return self._read_reply(events)

    def _read_lines(self, events: list[Event]) -> bool:
        """Consume notifications up to the next block, or to the end of what is there."""
        buffer, start = self._buffer, 0
        while (end := buffer.find(b"\n", start)) != -1:
            line = bytes(buffer[start:end])
            start = end + 1
            if line.startswith(b"%begin ") and (begin := _BEGIN.fullmatch(line)):
                self._open(begin)
                break
            events.append(parse_notification(line))
        del buffer[:start]
        return self._block is not None

    def _open(self, begin: re.Match[bytes]) -> None:
        answers_us = begin[2] == b"1"
        if answers_us and not self._nonces and not self._inside_reply:
            raise ProtocolBroken("tmux answered a command that was never sent")
        nonce = self._nonces.popleft() if answers_us and self._nonces else None
        self._block = _OpenBlock(begin[1], answers_us, nonce)

    def _read_side_block(self, events: list[Event]) -> bool:
        block = self._block
        assert block is not None
        found = _first_closing(self._buffer, block)
        if found is None:
            return False
        ok, end, after = found
        events.append((Reply if block.answers_us else SideBlock)(ok, bytes(self._buffer[:end])))
        del self._buffer[:after]
        self._block = None
        return True

    def _read_reply(self, events: list[Event]) -> bool:
        block = self._block
        assert block is not None
        assert block.nonce is not None
        needle = block.nonce + b"\n%error "
        at = self._buffer.find(needle, block.scanned)
        if at == -1:
            # The nonce may be cut in two: look again from just before the end.
            block.scanned = max(0, len(self._buffer) - len(needle))
            return False
        after = self._buffer.find(b"\n", at + len(needle))
        if after == -1:
            block.scanned = at
            return False
        complaint = self._buffer.rfind(b"\n", 0, at)
        region = bytes(self._buffer[: self._buffer.rfind(b"\n", 0, max(0, complaint)) + 1])
        del self._buffer[: after + 1]
        self._block = None
        self._close(region, block, events)
        return True

    def _close(self, region: bytes, block: _OpenBlock, events: list[Event]) -> None:
        """Split what stood before the nonce's own block into the body and what followed it."""
        found = _last_closing(region, block)
        if found is None:
            raise ProtocolBroken("tmux's reply has no end where one must be")
        ok, end, after = found
        reply = Reply(ok, region[:end])
        if after == len(region):
            events.append(reply)
            return
        behind = Parser(inside_reply=True).feed(region[after:])
        events.append(_together([reply, *(one for one in behind if isinstance(one, Reply))]))
        events.extend(one for one in behind if not isinstance(one, Reply))


def _together(replies: list[Reply]) -> Reply:
    """Of a command and those that it ran."""
    failed = next((one for one in replies if not one.ok), None)
    return failed or Reply(True, b"\n".join(one.body for one in replies if one.body))


class _OpenBlock:
    __slots__ = ("answers_us", "error", "good", "nonce", "scanned")

    def __init__(self, numbers: bytes, answers_us: bool, nonce: bytes | None) -> None:
        self.answers_us = answers_us
        self.good = b"%end " + numbers + b"\n"
        self.error = b"%error " + numbers + b"\n"
        self.nonce = nonce
        self.scanned = 0


_Found = tuple[bool, int, int]
"""Whether it ended well, where the body ends, where the next line starts."""


def _first_closing(text: bytearray, block: _OpenBlock) -> _Found | None:
    found = [
        at for line, ok in ((block.good, True), (block.error, False)) if (at := _line_at(text, line, ok))
    ]
    return min(found, key=lambda one: one[1], default=None)


def _line_at(text: bytearray, line: bytes, ok: bool) -> _Found | None:
    at = 0 if text.startswith(line) else text.find(b"\n" + line) + 1
    if at == 0 and not text.startswith(line):
        return None
    return ok, max(0, at - 1), at + len(line)


def _last_closing(text: bytes, block: _OpenBlock) -> _Found | None:
    if text.endswith(block.good):  # Nearly always: nothing came between.
        found = len(text) - len(block.good)
        if found == 0 or text[found - 1] == 10:
            return True, max(0, found - 1), len(text)
    candidates = [_last_line_at(text, block.good, True), _last_line_at(text, block.error, False)]
    return max((one for one in candidates if one), key=lambda one: one[1:], default=None)


def _last_line_at(text: bytes, line: bytes, ok: bool) -> _Found | None:
    at = text.rfind(b"\n" + line) + 1
    if at == 0 and not text.startswith(line):
        return None
    return ok, max(0, at - 1), at + len(line)
