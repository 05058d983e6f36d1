"""Text that nobody shall find later: it gets to tmux by a file in memory, never on a command line of tmux's.

tmux keeps the last commands of its clients, with all their arguments, and shows them to whoever asks
(`show-messages`). So what is secret is loaded into a buffer from a file, and pasted from there. The program
that reads it decides what becomes of it then: `exposure` says what to expect.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from muxpilot.errors import PaneRefused
from muxpilot.terminal.front import modes_of
from muxpilot.tmux import Identity, TmuxServer
from muxpilot.tmux.quoting import encode

TOLD = "(sensitive)"
"""What stands in place of it wherever something is kept."""
ECHOED = "the terminal shows what is typed: the secret is on the screen, and the program may keep it"
RAW = "the program reads single keys: it may show the secret on the screen, and keep it (a history, a log)"
UNSEEN = "whether the terminal shows what is typed can't be seen from here: the secret may be on the screen"


def exposure(tty: str) -> str | None:
    """What to say of a secret that is typed into this terminal as it is now.

    None for a password prompt: the terminal echoes nothing and collects a line itself (ECHO off, ICANON on).
    """
    modes = modes_of(tty)
    if modes is None:
        return UNSEEN
    if modes.echo:
        return ECHOED
    return None if modes.canonical else RAW


@dataclass(frozen=True, slots=True)
class Paste:
    """Commands: one loads a buffer of ours, one pastes it and drops it, one drops it alone."""

    loading: list[str]
    pasting: list[str]
    dropping: list[str]


@contextlib.contextmanager
def hidden_paste(pane_id: str, text: str) -> Iterator[Paste]:
    """How to type it, for as long as this lasts."""
    name = f"muxpilot_{secrets.token_hex(16)}_"
    with _in_memory(encode(text)) as path:
        yield Paste(
            ["load-buffer", "-b", name, "--", path],
            # -r: a line feed stays one, as when keys are sent.
            ["paste-buffer", "-d", "-r", "-b", name, "-t", pane_id],
            ["delete-buffer", "-b", name],
        )


async def type_hidden(server: TmuxServer, pane_id: str, text: str, only: Identity | None = None) -> None:
    """Type it (in `only` this server). Raises `PaneRefused` where it did not arrive."""
    with hidden_paste(pane_id, text) as paste:
        replies = await server.replies([paste.loading, paste.pasting], only=only)
    if not all(reply.ok for reply in replies):
        await server.replies([paste.dropping])
        raise PaneRefused("nothing was typed: tmux did not take it", hint="list_panes shows what exists")


@contextlib.contextmanager
def _in_memory(data: bytes) -> Iterator[str]:
    """A file that has no name on any disk, where the system can make one; else one that is gone at once."""
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("muxpilot"), "wb", buffering=0) as file:
            file.write(data)
            yield f"/proc/{os.getpid()}/fd/{file.fileno()}"
    else:
        with tempfile.NamedTemporaryFile(prefix="muxpilot-", buffering=0) as file:
            file.write(data)
            yield file.name
