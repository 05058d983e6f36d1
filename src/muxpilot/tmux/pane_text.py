"""The text of a pane, or of many, read from tmux's own grid.

tmux before 3.6 never frees what `capture-pane -p` prints to a control client: reading a long scrollback
a hundred times costs the user's server as many times its size. There the text goes through a
buffer of our own, which three commands in one write make, show and delete.
Many lines, or many panes, are read by a process, not on the connection: tmux hands a process its text at up
to three times the speed, as it is, and frees it; and nobody's call waits behind it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.errors import CommandFailed
from muxpilot.tmux import failure
from muxpilot.tmux.bulk import LINES_AT_ONCE
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Reply
from muxpilot.tmux.oneshot import oneshot, oneshot_script
from muxpilot.tmux.server import TmuxServer
from muxpilot.tmux.version import Version

_PADDING = re.compile(r" +$", re.MULTILINE)
_VIS = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))")
_VIS_LETTERS = {
    ord("n"): b"\n",
    ord("r"): b"\r",
    ord("b"): b"\b",
    ord("a"): b"\a",
    ord("v"): b"\v",
    ord("t"): b"\t",
    ord("f"): b"\f",
    ord("s"): b" ",
    ord("0"): b"\0",
}


@dataclass(frozen=True, slots=True)
class Capture:
    """Commands that read a pane's text, and how to read their answers: for use with others in one write."""

    commands: list[list[str]]
    version: Version
    flags: frozenset[str]

    @classmethod
    def of(
        cls,
        pane_id: str,
        version: Version,
        *,
        start: int | str | None = None,
        end: int | str | None = None,
        join_wrapped: bool = False,
        keep_trailing_spaces: bool = False,
        escapes: bool = False,
        by_connection: bool = True,
    ) -> Capture:
        """`start` and `end` count as tmux does: 0 is the first visible line, negative ones are scrollback,
        `-` is the very first (start) or the last (end). Without them: what is visible.
        """
        wanted = (("-J", join_wrapped), ("-N", keep_trailing_spaces), ("-e", escapes))
        flags = [flag for flag, on in wanted if on]
        capture = ["capture-pane", "-t", pane_id, *flags, *_range(start, end)]
        if by_connection and version.leaks_captures:
            name = f"muxpilot-{secrets.token_hex(8)}"
            commands = [[*capture, "-b", name], *showing(name, version), ["delete-buffer", "-b", name]]
        else:
            commands = [[*capture, "-p"]]
        return cls(commands, version, frozenset(flags))

    def read(self, replies: Sequence[Reply], endpoint: Endpoint) -> str:
        """The pane's lines, joined by newlines.

        Raises:
            TargetNotFound: there is no such pane.
            CommandFailed: tmux refused for another reason.
        """
        if not replies[0].ok:
            raise failure.translate(replies[0].text, endpoint)
        text = replies[0].text if len(self.commands) == 1 else self._shown(replies[1:-1])
        padded = self.version.pads_joined_lines and "-J" in self.flags and "-N" not in self.flags
        return _PADDING.sub("", text) if padded else text

    def _shown(self, replies: Sequence[Reply]) -> str:
        for reply in replies:
            if not reply.ok:
                raise CommandFailed(f"the pane's text could not be read back: {reply.text}", hint="Try again")
        return Reply(True, shown(replies, self.version).removesuffix(b"\n")).text


async def read_pane(
    server: TmuxServer,
    pane_id: str,
    *,
    start: int | str | None = None,
    end: int | str | None = None,
    join_wrapped: bool = False,
    keep_trailing_spaces: bool = False,
    escapes: bool = False,
    by_process: int = 0,
    timeout: float | None = None,
) -> str:
    """The pane's lines, joined by newlines; see `Capture.of`. Many lines, about as many as this, are read
    faster `by_process`, and in turn with other long reads."""
    version = await server.server_version(timeout)
    by_connection = server.connection is not None and not by_process
    capture = Capture.of(
        pane_id,
        version,
        start=start,
        end=end,
        join_wrapped=join_wrapped,
        keep_trailing_spaces=keep_trailing_spaces,
        escapes=escapes,
        by_connection=by_connection,
    )
    if by_connection:
        replies = await server.replies(capture.commands, timeout=timeout)
    else:
        (command,) = capture.commands
        patience = server.timeout if timeout is None else timeout
        async with server.bulk.turn(by_process):
            replies = [await oneshot(server.endpoint, command, patience)]
    return capture.read(replies, server.endpoint)


async def read_panes(
    server: TmuxServer,
    pane_ids: Sequence[str],
    *,
    start: int | str | None = None,
    end: int | str | None = None,
    lines: int = LINES_AT_ONCE,
    timeout: float | None = None,
) -> list[bytes | None]:
    """The text of each pane, wrapped lines joined, in UTF-8; None for one that does not exist.

    tmux does nothing else meanwhile, and keeps all of it in memory: not too much at once, please. These are
    about so many `lines`, read in turn with other long reads.
    """
    capture = ["capture-pane", "-p", "-J", *_range(start, end)]
    marks = [secrets.token_hex(8) for _ in pane_ids]  # One each, unknown to anybody until it is printed.
    commands = [
        command
        for pane_id, mark in zip(pane_ids, marks, strict=True)
        for command in ([*capture, "-t", pane_id], ["display-message", "-p", "--", mark])
    ]
    version = await server.server_version(timeout)
    timeout = server.timeout if timeout is None else timeout
    async with server.bulk.turn(lines):
        printed, complaint = await oneshot_script(server.endpoint, commands, timeout)
    bodies = _before_each(marks, printed)
    if len(bodies) < len(marks):
        raise failure.translate(complaint or "lost server", server.endpoint)
    return [_lines(body, version) if body else None for body in bodies]


def _range(start: int | str | None, end: int | str | None) -> list[str]:
    return [
        word for flag, line in (("-S", start), ("-E", end)) if line is not None for word in (flag, str(line))
    ]


def _before_each(marks: Sequence[str], printed: bytes) -> list[bytes]:
    """What stands before each of these lines, as far as they are there."""
    bodies: list[bytes] = []
    at = 0
    for mark in marks:
        line = mark.encode() + b"\n"
        found = printed.find(line, at)
        if found == -1:
            break
        bodies.append(printed[at:found])
        at = found + len(line)
    return bodies


def _lines(body: bytes, version: Version) -> bytes:
    """A captured text (there is a newline at its end, if nothing else) as it was meant."""
    text = body.removesuffix(b"\n")
    if version.pads_joined_lines:
        text = b"\n".join(line.rstrip(b" ") for line in text.split(b"\n"))
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return Reply(True, text).text.encode()
    return text


def showing(name: str, version: Version) -> list[list[str]]:
    """Commands that print a buffer; `shown` reads what they printed."""
    show = ["show-buffer", "-b", name]
    if not version.prints_past_buffers:
        return [show]
    return [["list-buffers", "-F", "#{buffer_size}", "-f", f"#{{==:#{{buffer_name}},{name}}}"], show]


def shown(replies: Sequence[Reply], version: Version) -> bytes:
    """A buffer's content."""
    body = replies[-1].body
    if version.prints_past_buffers:
        return body[: int(replies[0].text or 0)]
    return unvis(body) if version.escapes_shown_buffers else body


def unvis(body: bytes) -> bytes:
    """Undo what tmux does to a buffer that it shows: octal, C-style letters, `\\\\` and `\\$`."""
    if b"\\" not in body:
        return body
    return _VIS.sub(_plain, body)


def _plain(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 8)])
    return _VIS_LETTERS.get(escape[2][0], escape[2])
