"""The text of a pane, read from tmux's own grid.

tmux before 3.6 never frees what `capture-pane -p` prints to a control client: reading a long scrollback
a hundred times costs the user's server as many times its size. There the text goes through a
buffer of our own, which three commands in one write make, show and delete.
"""

from __future__ import annotations

import re
import secrets

from muxpilot.errors import CommandFailed
from muxpilot.tmux import failure
from muxpilot.tmux.events import Reply
from muxpilot.tmux.server import TmuxServer

_PADDING = re.compile(r" +$", re.MULTILINE)
_VIS = re.compile(rb"\\(?:([0-7]{3})|(.))")
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


async def read_pane(
    server: TmuxServer,
    pane_id: str,
    *,
    start: int | str | None = None,
    end: int | str | None = None,
    join_wrapped: bool = False,
    keep_trailing_spaces: bool = False,
    escapes: bool = False,
    timeout: float | None = None,
) -> str:
    """The pane's lines, joined by newlines.

    `start` and `end` count as tmux does: 0 is the first visible line, negative ones are scrollback, `-` is
    the very first (start) or the last (end). Without them: what is visible.
    """
    flags = [
        flag
        for flag, wanted in (("-J", join_wrapped), ("-N", keep_trailing_spaces), ("-e", escapes))
        if wanted
    ]
    for flag, line in (("-S", start), ("-E", end)):
        if line is not None:
            flags += [flag, str(line)]
    capture = ["capture-pane", "-t", pane_id, *flags]
    version = await server.server_version(timeout)
    if server.connection is None or not version.leaks_captures:
        text = (await server.call(*capture, "-p", timeout=timeout)).text
    else:
        text = await _through_buffer(server, capture, timeout)
    padded = join_wrapped and not keep_trailing_spaces and version.pads_joined_lines
    return _PADDING.sub("", text) if padded else text


async def _through_buffer(server: TmuxServer, capture: list[str], timeout: float | None) -> str:
    name = f"muxpilot-{secrets.token_hex(8)}"
    captured, shown, _ = await server.replies(
        [[*capture, "-b", name], ["show-buffer", "-b", name], ["delete-buffer", "-b", name]], timeout=timeout
    )
    if not captured.ok:
        raise failure.translate(captured.text, server.endpoint)
    if not shown.ok:
        raise CommandFailed(f"the pane's text could not be read back: {shown.text}", hint="Try again")
    body = shown.body
    if (await server.server_version(timeout)).escapes_shown_buffers:
        body = unvis(body)
    return Reply(True, body.removesuffix(b"\n")).text


def unvis(body: bytes) -> bytes:
    """Undo what tmux does to a buffer that it shows: octal, C-style letters, `\\\\` and `\\$`."""
    if b"\\" not in body:
        return body
    return _VIS.sub(_plain, body)


def _plain(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 8)])
    return _VIS_LETTERS.get(escape[2][0], escape[2])
