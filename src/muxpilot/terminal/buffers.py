"""Text on its way into a pane, in buffers of our own.

Buffers are shared by all who use a tmux server, and a person's clipboard often ends up in one. So ours
have names that nobody else has, no other can be read, pasted or deleted from here, and none is listed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from muxpilot.errors import BadInput, CommandFailed
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.ready import type_where_ready
from muxpilot.tmux import Reply, TmuxServer, showing, shown

_OURS = re.compile(r"muxpilot_[0-9a-f]{32}_[A-Za-z0-9_.-]{0,64}")
_LOGICAL = re.compile(r"[A-Za-z0-9_.-]{0,64}")


async def load_buffer(server: TmuxServer, content: str, logical_name: str | None) -> str:
    """A new buffer with this text; returns its name."""
    if not content:
        raise BadInput("the content is empty", hint="tmux keeps no empty buffers")
    if not _LOGICAL.fullmatch(logical_name or ""):
        raise BadInput(
            f"{logical_name!r} is no name for a buffer", hint="Letters, digits, _ . - (at most 64)"
        )
    name = f"muxpilot_{secrets.token_hex(16)}_{logical_name or ''}"
    await server.call("set-buffer", "-b", name, "--", content)
    return name


async def show_buffer(server: TmuxServer, name: str) -> str:
    check_ours(name)
    version = await server.server_version()
    if server.connection is None:  # A process prints a buffer as it is.
        body = (await _of_buffer(server, ["show-buffer", "-b", name]))[0].body
    else:
        body = shown(await _of_buffer(server, *showing(name, version)), version)
    return body.decode("utf-8", "backslashreplace")


async def delete_buffer(server: TmuxServer, name: str) -> None:
    check_ours(name)
    await _of_buffer(server, ["delete-buffer", "-b", name])


async def paste_buffer(
    server: TmuxServer, name: str, pane_id: str, attention: Attention, *, bracket: bool = True
) -> None:
    """Into a pane, as a person would paste it: bracketed where the program asks for that."""
    text = await show_buffer(server, name)
    paste = ["paste-buffer", *(["-p"] if bracket else []), "-b", name, "-t", pane_id]
    with _buffer_missing():
        await type_where_ready(server, pane_id, [paste], attention, text)


async def paste_text(
    server: TmuxServer, text: str, pane_id: str, attention: Attention, *, bracket: bool = True
) -> None:
    """The same in one go, with a buffer that is gone afterwards."""
    if not text:
        raise BadInput("the text is empty", hint="Give something to paste")
    name = f"muxpilot_{secrets.token_hex(16)}_"
    load, drop = ["set-buffer", "-b", name, "--", text], ["delete-buffer", "-b", name]
    paste = ["paste-buffer", "-d", *(["-p"] if bracket else []), "-b", name, "-t", pane_id]
    await type_where_ready(server, pane_id, [paste], attention, text, before=[load], instead=[drop])


def check_ours(name: str) -> None:
    if not _OURS.fullmatch(name):
        raise BadInput(f"{name!r:.80} is no buffer of ours", hint="Use a name that load_buffer returned")


async def _of_buffer(server: TmuxServer, *commands: list[str]) -> list[Reply]:
    with _buffer_missing():
        return await server.call_all(commands)


@contextmanager
def _buffer_missing() -> Iterator[None]:
    try:
        yield
    except CommandFailed as error:
        if "no buffer" in error.message:
            raise BadInput(
                error.message, hint="It may have been deleted; load_buffer makes another"
            ) from None
        raise
