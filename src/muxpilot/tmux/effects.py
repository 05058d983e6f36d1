"""Which commands type into a pane, and which end something: known here once, from the command itself.

`TmuxServer` shows each such effect to its guard before tmux gets the command, so that no caller can forget to
ask. Only plain forms are let through: one target, which is an id exactly as tmux prints it. Another spelling
(`%01`) means the same pane to tmux, and would slip past a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.errors import TargetError
from muxpilot.tmux.quoting import IF

TYPING = frozenset({"send-keys", "send-prefix", "paste-buffer", IF})
"""`if-shell` is how we type on a condition: its target is the pane that is typed into."""
KILLING = frozenset({"kill-pane", "kill-window", "kill-session", "kill-server"})
RESTARTING = frozenset({"respawn-pane", "respawn-window"})
GUARDED = TYPING | KILLING | RESTARTING | {"unlink-window"}

_ID = re.compile(r"[%@$](?:0|[1-9][0-9]{0,9})")


@dataclass(frozen=True, slots=True)
class Effect:
    """`place` is the id of a pane, window or session; None is the whole server."""

    ends: bool
    place: str | None


def effects_of(commands: Sequence[Sequence[str]]) -> list[Effect]:
    """What these commands would type into or end.

    Raises:
        TargetError: it can't be told, because a target is not a plain id.
    """
    return [effect for argv in commands if argv[0] in GUARDED and (effect := _effect(argv)) is not None]


def _effect(argv: Sequence[str]) -> Effect | None:
    name = argv[0]
    if list(argv) == ["kill-server"]:
        return Effect(True, None)
    place = _target(argv)
    if name in KILLING and len(argv) != 3:
        raise TargetError(f"{name} with other flags than -t is not allowed", hint="Name one thing by its id")
    if name == "send-keys" and list(argv[1:4]) == ["-t", place, "-X"]:
        return None  # A command of copy mode: the program in the pane gets nothing.
    return Effect(name not in TYPING, place)


def _target(argv: Sequence[str]) -> str:
    flags = list(argv[1 : argv.index("--")]) if "--" in argv else list(argv[1:])
    found = [at for at, word in enumerate(flags) if word.startswith("-t")]
    if len(found) != 1 or flags[found[0]] != "-t":
        raise TargetError(f"{argv[0]} needs one target: nothing was done", hint="Name one thing by its id")
    return exact_id("".join(flags[found[0] + 1 :][:1]))


def exact_id(place: str) -> str:
    """The id itself, if it is written as tmux prints it; else `TargetError`."""
    if not _ID.fullmatch(place):
        raise TargetError(
            f"{place!r:.80} is not an id as tmux prints it: nothing was done",
            hint="Give an id as list_panes shows it, such as %1",
        )
    return place
