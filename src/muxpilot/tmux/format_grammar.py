"""The small part of tmux's format language that a caller may use: parsed, written and evaluated here. No I/O.

    format     = { text | "##" | "#," | "#}" | alias | "#{" expression "}" | style }
    expression = name | "?" test "," format "," format | operator ":" format "," format
    test       = name | format
    name       = ["@"] (letter | digit | "_") { letter | digit | "_" | "-" } [ "[" index "]" ]
    operator   = "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||"
    alias      = "#D" | "#F" | "#H" | "#I" | "#P" | "#S" | "#T" | "#W" | "#h"
    style      = "#[" { style text | "#," | "#rrggbb" | "#{" expression "}" } "]"     only in option values

Everything else is refused, each modifier by its name. tmux's own language can run shell commands (`#(...)`,
and `#{E:...}` of any value), loop over every session, match patterns that never end and pad to gigabytes.
None of that can be written in this grammar, so there is no list of what is bad to keep complete.

Two ways lead from a `Format` to tmux:
- `write` gives the format as tmux reads it, made from the tree and not from the caller's text.
- `value` evaluates it here, from the values of its `names`. tmux is then asked for plain `#{name}` only.
  Literal text never passes through tmux, whose `display-message` runs it through strftime once per level.
"""

from __future__ import annotations

import re

from muxpilot.errors import BadInput
from muxpilot.tmux.format_tree import (
    BareName,
    Colour,
    Comparison,
    Condition,
    Escape,
    Format,
    Part,
    Style,
    Text,
    Variable,
)
from muxpilot.tmux.quoting import encode

MOST_CHARACTERS = 4096
MOST_PARTS = 200
MOST_VARIABLES_IN_OPTION = 25
"""tmux draws these again and again, and a variable may hold a lot: 200 long ones stop it for seconds."""
MOST_DEEP = 8
"""tmux 3.2 stops at 10 levels, and the status line has used two by then."""

ALIASES = {
    "D": "pane_id",
    "F": "window_flags",
    "H": "host",
    "I": "window_index",
    "P": "pane_index",
    "S": "session_name",
    "T": "pane_title",
    "W": "window_name",
    "h": "host_short",
}
OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "&&", "||")

_AGAIN = "it expands its text again, which could run commands"
_LOOPS = "it repeats its text for each session, window, pane or client"
_MATCHES = "its pattern could take forever to match"
_FILLS = "it could fill the memory"
_REASONS = {
    **dict.fromkeys("ET", _AGAIN),
    **dict.fromkeys("SWPL", _LOOPS),
    **dict.fromkeys("msC", _MATCHES),
    **dict.fromkeys("pR", _FILLS),
}
_OTHER_REASON = "only comparisons and conditions are accepted"
_HINT = (
    "Use #{name}, #{@name}, #{?name,yes,no} and comparisons such as #{==:#{name},text}; "
    "inside braces write #, for a comma and #} for a brace, anywhere ## for #"
)

_NAME = re.compile(r"@?[A-Za-z0-9_][A-Za-z0-9_-]{0,127}(?:\[(?:0|[1-9][0-9]{0,3})\])?")
_OPERATOR = re.compile(r"(==|!=|<=|>=|<|>|&&|\|\|):")
_MODIFIER = re.compile(r"!!|[!=]|[A-Za-z](?=[^\w\s}\[]|-?\w*[:;])", re.ASCII)
_HEX = re.compile(r"#[0-9A-Fa-f]{6}(?![0-9A-Za-z])")
_STYLE_TEXT = re.compile(r"[A-Za-z0-9 ,=|:%@$._+-]*")
_UNFINISHED_TIME = re.compile(r"(?:[^%]|^)(?:%%)*%[-_^+EO0-9]*$")


def parse_format(text: str) -> Format:
    """A format to be evaluated here: every character of its text stays what it is."""
    return _Parser(text, for_option=False).whole(in_style=False)


def parse_format_option(text: str) -> Format:
    """The value of an option that tmux expands: styles are accepted, and `%H` and others are the time."""
    return _Parser(text, for_option=True).whole(in_style=False)


def parse_style_option(text: str) -> Format:
    """The value of an option that is a style, such as `fg=#ff0000,bold`; tmux expands these too."""
    return _Parser(text, for_option=True).whole(in_style=True)


def is_name(text: str) -> bool:
    """Whether this can be the name of a variable or an option, with an index or not."""
    return _NAME.fullmatch(text) is not None


def _refused(message: str, hint: str = _HINT) -> BadInput:
    return BadInput(message, hint=hint)


class _Parser:
    """Recursive descent. Where an expression ends is decided here alone, and written that way for tmux."""

    def __init__(self, text: str, *, for_option: bool) -> None:
        encode(text)
        if len(text) > MOST_CHARACTERS:
            raise _refused(
                f"the format has {len(text)} characters", f"At most {MOST_CHARACTERS} are accepted"
            )
        self._text = text
        self._for_option = for_option
        self._at = 0
        self._count = 0
        self._variables = 0
        self._depth = 0

    def whole(self, *, in_style: bool) -> Format:
        return self._format("", in_style)

    def _format(self, stop: str, in_style: bool) -> Format:
        """Up to one of these characters, which is not taken, or to the end."""
        parts: list[Part] = []
        while self._at < len(self._text) and self._text[self._at] not in stop:
            parts.append(self._part(stop, in_style))
            self._count_variable(parts[-1])
            self._count += 1
            if self._count > MOST_PARTS:
                raise _refused(f"the format has more than {MOST_PARTS} parts", "Ask for less at a time")
        return Format(tuple(parts))

    def _count_variable(self, part: Part) -> None:
        self._variables += isinstance(part, Variable)
        if self._for_option and self._variables > MOST_VARIABLES_IN_OPTION:
            raise _refused(
                f"the value names more than {MOST_VARIABLES_IN_OPTION} variables",
                "tmux expands it whenever it draws: leave some out",
            )

    def _part(self, stop: str, in_style: bool) -> Part:
        if self._text[self._at] != "#":
            return self._literal(stop, in_style)
        if in_style and (found := _HEX.match(self._text, self._at)):
            self._at = found.end()
            return Colour(found[0])
        following = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        if following == "{":
            return self._expression(in_style)
        if following == "[" and self._for_option and not in_style:
            return self._style(stop)
        return self._short(following, in_style)

    def _literal(self, stop: str, in_style: bool) -> Text:
        end = self._at
        while end < len(self._text) and self._text[end] != "#" and self._text[end] not in stop:
            end += 1
        text = self._text[self._at : end]
        if in_style and not _STYLE_TEXT.fullmatch(text):
            raise _refused(f"{text!r} can't be part of a style", "A style is like fg=red,bg=#101010,bold")
        if self._for_option and self._text[end : end + 1] == "#" and _UNFINISHED_TIME.search(text):
            raise _refused("a % directly before # is not accepted", "Write %% for a percent sign")
        self._at = end
        return Text(text)

    def _short(self, following: str, in_style: bool) -> Part:
        """What is a `#` and one character."""
        if following in ("#", ",", "}") and not (in_style and following == "#"):
            return Escape(following)
        if following in ALIASES and not in_style:
            return Variable(ALIASES[following], following)
        if following == "(":
            raise _refused("#(...) can't be used: it runs a command", "To run a command use send_keys")
        if following == "[":
            raise _refused("#[...] can't be used here: styles are for status lines", "Write ## for #")
        raise _refused(f"{'#' + following!r} has no meaning here")

    def _style(self, stop: str) -> Style:
        inner = self._format(stop + "]", in_style=True)
        self._take("]", "a style must end with ]")
        return Style(inner)

    def _expression(self, in_style: bool) -> Part:
        self._depth += 1
        if self._depth > MOST_DEEP:
            raise _refused(f"the format is nested more than {MOST_DEEP} deep", "Ask for its parts one by one")
        part = self._inside(in_style)
        self._depth -= 1
        return part

    def _inside(self, in_style: bool) -> Part:
        if self._text.startswith("?", self._at):
            self._at += 1
            return self._condition(in_style)
        if found := _OPERATOR.match(self._text, self._at):
            self._at = found.end()
            left, right = self._list(2, f"#{{{found[1]}:left,right}}", in_style)
            return Comparison(found[1], left, right)
        if (found := _NAME.match(self._text, self._at)) and self._text.startswith("}", found.end()):
            self._at = found.end() + 1
            return Variable(found[0])
        raise self._unknown()

    def _condition(self, in_style: bool) -> Condition:
        test, yes, no = self._list(3, "#{?condition,yes,no}", in_style)
        if all(isinstance(part, Text) for part in test.parts):
            if not is_name(test.write()):
                raise _refused(f"{test.write()!r} can't be a condition: it is not the name of a variable")
            test = Format((BareName(test.write()),))
        return Condition(test, yes, no)

    def _list(self, count: int, example: str, in_style: bool) -> list[Format]:
        """So many formats with commas between, and the brace at their end."""
        formats = []
        for position in range(count):
            formats.append(self._format(",}", in_style))
            self._take(
                "}" if position == count - 1 else ",", f"{example} needs {count} parts, no more and no less"
            )
        return formats

    def _take(self, character: str, otherwise: str) -> None:
        if not self._text.startswith(character, self._at):
            raise _refused(otherwise)
        self._at += 1

    def _unknown(self) -> BadInput:
        """Why what stands behind `#{` is not accepted."""
        if found := _MODIFIER.match(self._text, self._at):
            reason = _REASONS.get(found[0], _OTHER_REASON)
            return _refused(f"the modifier {found[0]!r} can't be used: {reason}")
        if "}" not in self._text[self._at :]:
            return _refused("a #{ has no } that ends it")
        name = self._text[self._at : self._at + 40].partition("}")[0]
        return _refused(f"{name!r} is not the name of a variable")
