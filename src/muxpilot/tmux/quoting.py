"""The only place where an argument becomes tmux text.

tmux has two languages: the lines that a control client sends, and the argv of the `tmux` program. Both
expand and split; `command_line`, `command_argv` and `conditional` are the doors. Any text goes through
unchanged, and none becomes a flag (`commands`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from muxpilot.errors import BadInput
from muxpilot.tmux.commands import checked

IF = "if-shell"
"""Only ever with -F, a condition that is a format: a shell's would hold up the connection."""

_PLAIN = re.compile(rb"[A-Za-z0-9_./:-]+")
_QUOTABLE = re.compile(rb"[ -&(-~]+")
_SPECIAL = re.compile(rb"[^A-Za-z0-9 _./:-]")
_OCTAL = tuple(b"\\%03o" % byte for byte in range(256))


def quote(argument: str) -> bytes:
    """`argument` as one word of a control-mode line.

    Between single quotes tmux takes everything as it is; where it holds one, or a byte that is not printable
    ASCII, it goes between double quotes, with octal for whatever is not plain.
    """
    raw = encode(argument)
    if _PLAIN.fullmatch(raw):
        return raw
    if _QUOTABLE.fullmatch(raw):
        return b"'" + raw + b"'"
    return _in_octal(raw)


def _in_octal(raw: bytes) -> bytes:
    return b'"' + _SPECIAL.sub(lambda special: _OCTAL[special[0][0]], raw) + b'"'


def command_line(argv: Sequence[str]) -> bytes:
    """One command for a control client, newline included."""
    return b" ".join(quote(argument) for argument in checked(argv)) + b"\n"


def conditional(
    target: str, condition: str, commands: Iterable[Sequence[str]], otherwise: Iterable[Sequence[str]]
) -> list[str]:
    """One command that runs these if a format, expanded for its target, is true, else the others.

    A target that is missing is no error: the format is then expanded for whatever tmux likes.
    """
    return [IF, "-F", "-t", target, "--", condition, _inner(commands), _inner(otherwise)]


def _inner(commands: Iterable[Sequence[str]]) -> str:
    """Commands as one argument: without single quotes, so that these can stand around all of it."""
    return " ; ".join(
        " ".join(_in_octal(encode(word)).decode() for word in checked(argv)) for argv in commands
    )


def command_argv(argv: Sequence[str]) -> list[str]:
    """One command for the `tmux` program, which takes a `;` that ends an argument for a separator."""
    for argument in checked(argv):
        encode(argument)
    return [argument[:-1] + "\\;" if argument.endswith(";") else argument for argument in argv]


def encode(argument: str) -> bytes:
    """UTF-8, or `BadInput` for what no terminal and no argv can carry."""
    if "\0" in argument:
        raise BadInput("a NUL character can't be passed to tmux", hint="Remove it")
    try:
        return argument.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(
            f"the text has a lone surrogate at position {error.start}, which is not valid Unicode",
            hint="Send the character itself, not half of it",
        ) from None


def literal_format(text: str) -> str:
    """`text` for an argument that tmux expands as a format: each `#` is doubled, so nothing runs.

    Before a `[` that would not do: tmux keeps `##[` for later, so there `#{l:...}` says it.
    """
    return text.replace("#", "##").replace("##[", "#{l:#[}")


def pipe_command(command: str) -> str:
    """A shell command for `pipe-pane`, which expands a format and a date in it: each `%` is doubled too."""
    return literal_format(command).replace("%", "%%")
