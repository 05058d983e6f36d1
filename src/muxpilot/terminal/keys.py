"""Typing into a pane: keys and text, where they will arrive, or a refusal that says why."""

from __future__ import annotations

import re

from muxpilot.errors import PaneRefused
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.hidden import hidden_paste, type_hidden
from muxpilot.terminal.ready import type_where_ready
from muxpilot.tmux import Identity, TmuxServer, Version

_MOVES = (
    r"Up|Down|Left|Right|Home|End|PageUp|PageDown|PgUp|PgDn|PPage|NPage|Insert|IC|Delete|DC"
    r"|F(?:1[0-2]?|[2-9])"
)
_WRITES = r"Enter|Escape|Tab|BTab|Space|BSpace|KPEnter|KP[0-9*+/.-]"
KEY = re.compile(rf"(?:[CMS]-)*(?:{_MOVES}|{_WRITES})|(?:[CMS]-)+[!-~]")
"""A key by its exact name. tmux itself is lax: it would press keys for the words `end`, `home` and `dc`."""

_PRESSED = re.compile(
    rf"(?:[CMS]-)*(?:{_MOVES})|(?:M-)?(?:{_WRITES}|[!-~])|(?:C-|C-M-|M-C-)(?:Space|[]A-Za-z;?@[\\^_])|C-[-/26]"
)
"""What every tmux presses. Of others it types the name, or does nothing, and says neither."""
_PRESSED_BY_NEW = re.compile(rf"(?:[CMS]-)*(?:Enter|Tab|BTab|Space|[^#$%&*])|(?:[MS]-)*(?:{_WRITES}|.)")
_SHIFTED_KEYPAD = re.compile(r"(?:[CM]-)*S-(?:[CMS]-)*KP.+")
_OTHER_NAMES = {"S-Tab": "BTab"}


async def send_keys(
    server: TmuxServer,
    pane_id: str,
    keys: str,
    attention: Attention,
    *,
    enter: bool = True,
    literal: bool = False,
    suppress_history: bool = False,
    hidden: bool = False,
) -> str:
    """Type into the pane, and say what was done. Unless `literal`, the exact name of a key (`C-c`, `Up`) is
    that key; anything else is text. With `suppress_history` a space comes first, for shells that then forget.
    What is `hidden` is kept nowhere on its way.

    Raises:
        PaneRefused: the keys would not arrive there, or not only there. Nothing is typed.
    """
    key = None if literal else key_named(keys, await server.server_version())
    pressed, keys = key is not None, key or keys
    if suppress_history and keys and not pressed:
        keys = f" {keys}"
    after = [_enter(pane_id)] if enter else []
    if hidden and keys and not pressed:
        with hidden_paste(pane_id, keys) as paste:
            await type_where_ready(
                server,
                pane_id,
                [paste.pasting, *after],
                attention,
                keys,
                before=[paste.loading],
                instead=[paste.dropping],
            )
    else:
        typed = [_typing(pane_id, keys, key=pressed)] if keys else []
        await type_where_ready(server, pane_id, [*typed, *after], attention, "" if pressed else keys)
    done = f"pressed {keys}" if pressed else f"typed {len(keys)} character{'s' * (len(keys) != 1)}"
    return f"{done}{' and pressed Enter' if enter else ''} in {pane_id}"


async def press(
    server: TmuxServer,
    pane_id: str,
    text: str,
    *,
    key: bool,
    enter: bool,
    hidden: bool = False,
    only: Identity | None = None,
) -> None:
    """The keys themselves, whatever is there; in `only` this server: in another the pane is another."""
    commands = []
    if hidden and text and not key:
        await type_hidden(server, pane_id, text, only)
    elif text:
        commands.append(_typing(pane_id, text, key=key))
    if enter:
        commands.append(_enter(pane_id))
    if commands:
        await server.call_all(commands, only=only)


def _typing(pane_id: str, text: str, *, key: bool) -> list[str]:
    return ["send-keys", "-t", pane_id, *([] if key else ["-l"]), "--", text]


def _enter(pane_id: str) -> list[str]:
    return ["send-keys", "-t", pane_id, "--", "Enter"]


def key_named(text: str, version: Version) -> str | None:
    """tmux's name of the key that this text names; None where it is a text.

    Raises:
        PaneRefused: that tmux can't press it.
    """
    if KEY.fullmatch(text) is None:
        return None
    name = _OTHER_NAMES.get(text, text)
    pressed = _PRESSED.fullmatch(name) or (version.presses_more and _PRESSED_BY_NEW.fullmatch(name))
    if pressed and not (version.swallows_shifted_keypad and _SHIFTED_KEYPAD.fullmatch(name)):
        return name
    raise PaneRefused(
        f"tmux {version} can't press {text}: nothing was typed", hint="As a text it goes with literal=true"
    )
