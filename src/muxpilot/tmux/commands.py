"""The flags of every tmux command that we use, and the rule that no other text becomes one.

A command is a list of words: its name, its flags with their values, then `--` and its arguments. tmux itself
would take an argument for a flag where it begins with `-`, so the three doors through which commands leave
(`quoting`) let only lists through that keep this rule. A list that does not is a mistake in our own code; it
shows with the first harmless value that is tried, not only with a hostile one.
"""

from __future__ import annotations

from collections.abc import Sequence

END_OF_FLAGS = "--"


def _flags(letters: str) -> frozenset[str]:
    return frozenset(f"-{letter}" for letter in letters)


_SWITCHES_AND_VALUES: dict[str, tuple[str, str]] = {
    "attach-session": ("E", "ft"),
    "break-pane": ("d", "nst"),
    "capture-pane": ("JNep", "ESbt"),
    "clear-history": ("", "t"),
    "copy-mode": ("", "t"),
    "delete-buffer": ("", "b"),
    "detach-client": ("", "t"),
    "display-message": ("p", "t"),
    "has-session": ("", "t"),
    "if-shell": ("F", "t"),
    "join-pane": ("bdhv", "lst"),
    "kill-pane": ("", "t"),
    "kill-server": ("", ""),
    "kill-session": ("", "t"),
    "kill-window": ("", "t"),
    "last-pane": ("", "t"),
    "last-window": ("", "t"),
    "list-buffers": ("", "Ff"),
    "list-clients": ("", "Ft"),
    "list-panes": ("as", "Ft"),
    "list-sessions": ("", "Ff"),
    "list-windows": ("a", "Ft"),
    "load-buffer": ("", "b"),
    "move-window": ("d", "st"),
    "new-session": ("dP", "Fcensxy"),
    "new-window": ("Pabd", "Fcent"),
    "next-window": ("", "t"),
    "paste-buffer": ("dpr", "bt"),
    "pipe-pane": ("", "t"),
    "previous-window": ("", "t"),
    "refresh-client": ("S", "AB"),
    "rename-session": ("", "t"),
    "rename-window": ("", "t"),
    "resize-pane": ("DLRUZ", "txy"),
    "resize-window": ("", "txy"),
    "respawn-pane": ("k", "cet"),
    "run-shell": ("b", ""),
    "select-layout": ("", "t"),
    "select-pane": ("DLRU", "Tt"),
    "select-window": ("", "t"),
    "send-keys": ("HRXl", "Nt"),
    "set-buffer": ("", "b"),
    "set-environment": ("gu", "t"),
    "set-option": ("agpsuw", "t"),
    "show-buffer": ("", "b"),
    "show-environment": ("gs", "t"),
    "show-hooks": ("gpw", "t"),
    "show-options": ("Agpsvw", "t"),
    "source-file": ("n", ""),
    "split-window": ("Pbdhv", "Fcelt"),
    "start-server": ("", ""),
    "swap-pane": ("d", "st"),
    "wait-for": ("S", ""),
}
"""Of each command that we use: flags without a value, and flags with one."""

_GRAMMAR = {
    name: (_flags(switches), _flags(values)) for name, (switches, values) in _SWITCHES_AND_VALUES.items()
}
_UNKNOWN = (frozenset[str](), frozenset[str]())


def checked(argv: Sequence[str]) -> Sequence[str]:
    """The same words, if only flags of this command and their values come before `--`.

    Raises:
        ValueError: something else comes before it.
    """
    switches, values = _GRAMMAR.get(argv[0], _UNKNOWN)
    words = iter(argv)
    next(words)
    for word in words:
        if word in values:
            next(words, None)
        elif word == END_OF_FLAGS:
            break
        elif word not in switches:
            raise ValueError(f"{argv[0]}: only known flags may come before '--', and arguments behind it")
    return argv
