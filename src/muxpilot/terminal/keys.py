"""Typing into a pane: keys and text, where they will arrive, or a refusal that says why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from muxpilot.errors import PaneRefused
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.describe import facts_of_pane
from muxpilot.terminal.hidden import type_hidden
from muxpilot.terminal.sight import Place
from muxpilot.tmux import Columns, Identity, TmuxServer, Version

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
_OTHER_NAMES = {"S-Tab": "BTab"}


@dataclass(frozen=True, slots=True)
class Readiness(Place):
    """What decides whether keys arrive in a pane, and only there."""

    pane_input_off: bool
    pane_synchronized: bool
    window_panes: int
    pane_mode: str


_READINESS = Columns(Readiness)


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
    place = await check_ready(server, pane_id)
    only = server.identity
    key = None if literal else key_named(keys, await server.server_version())
    pressed, keys = key is not None, key or keys
    if suppress_history and keys and not pressed:
        keys = f" {keys}"
    await attention.typing(server, place, "" if pressed else keys)
    await press(server, pane_id, keys, key=pressed, enter=enter, hidden=hidden, only=only)
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
        commands.append(["send-keys", "-t", pane_id, *([] if key else ["-l"]), "--", text])
    if enter:
        commands.append(["send-keys", "-t", pane_id, "Enter"])
    if commands:
        await server.call_all(commands, only=only)


def key_named(text: str, version: Version) -> str | None:
    """tmux's name of the key that this text names; None where it is a text.

    Raises:
        PaneRefused: that tmux can't press it.
    """
    if KEY.fullmatch(text) is None:
        return None
    name = _OTHER_NAMES.get(text, text)
    if _PRESSED.fullmatch(name) or (version.presses_more and _PRESSED_BY_NEW.fullmatch(name)):
        return name
    raise PaneRefused(
        f"tmux {version} can't press {text}: nothing was typed", hint="As a text it goes with literal=true"
    )


async def check_ready(server: TmuxServer, pane_id: str) -> Place:
    """`PaneRefused` where what is typed would be lost, or would go to other panes too."""
    pane = await facts_of_pane(server, _READINESS, pane_id)
    refuse_unready(pane)
    return pane


def refuse_unready(pane: Readiness) -> None:
    """The same, of facts that are known already."""
    pane_id = pane.pane_id
    if pane.pane_dead:
        raise PaneRefused(
            f"the program in pane {pane_id} has ended: nothing was typed", hint="Use another pane"
        )
    if pane.pane_mode:
        raise PaneRefused(
            f"pane {pane_id} is in {pane.pane_mode}, which would swallow the keys: nothing was typed",
            hint="A person may be reading there; `q` in that terminal leaves the mode",
        )
    if pane.pane_input_off:
        raise PaneRefused(
            f"pane {pane_id} has its input turned off: nothing was typed", hint="Use another pane"
        )
    if pane.pane_synchronized and pane.window_panes > 1:
        raise PaneRefused(
            f"pane {pane_id} is synchronized with others, which would get the keys too: nothing was typed",
            hint="Ask the user to turn synchronize-panes off",
        )
