"""Which option may be set to which value: the one place that decides.

Below the destructive tier a value can't run or end anything: options that could are not set, and values that
tmux expands are of our own format grammar. They have few variables, because tmux draws some of them for every
window again and again. Hooks and our own options are set at no tier.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from muxpilot.errors import BadInput
from muxpilot.terminal.option_table import ARRAYS, BY_NAME, UNKNOWN, Kind, base_name, could_be_hook
from muxpilot.tmux import Format, encode, parse_format_option, parse_style_option

MOST_CHARACTERS = 4096
OURS = "@muxpilot"

_OPTION = re.compile(r"@?[A-Za-z0-9_][A-Za-z0-9_-]{0,127}(?:\[(?:0|[1-9][0-9]{0,3})\])?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONG_NUMBER = re.compile(r"[0-9]{7}")
_SHAPES = {
    "history-limit": re.compile(r"[0-9]{1,6}"),  # tmux takes "+10" and " 10" too, which we could not compare.
    "default-size": re.compile(r"[1-9][0-9]{0,4}x[1-9][0-9]{0,4}"),
    "default-terminal": re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}"),
    "fill-character": re.compile(r".{0,8}"),
    **dict.fromkeys(
        ("main-pane-height", "main-pane-width", "other-pane-height", "other-pane-width"),
        re.compile(r"[0-9]{1,5}%?"),
    ),
}


def check_name(option: str) -> None:
    """It is spelled like an option: plain ASCII, with an index in its plainest form or none."""
    if not _OPTION.fullmatch(option):
        raise BadInput(f"{option!r} is not an option name", hint="For example history-limit, or @mine")


def check_setting(option: str, value: str, *, is_destructive: bool) -> str:
    """The value to set, as it is to be written.

    Raises:
        BadInput: this is not to be set, or not at this tier; says which value or tier would be accepted.
    """
    check_name(option)
    name = base_name(option)
    _check_never(option, name)
    encode(value)
    if len(value) > MOST_CHARACTERS:
        raise BadInput(f"the value has {len(value)} characters; at most {MOST_CHARACTERS} are accepted")
    if is_destructive:
        return value
    if name.startswith("@"):
        return _check_user_value(option, value)
    return _check_value(option, name, value)


def _check_never(option: str, name: str) -> None:
    if could_be_hook(name):
        raise BadInput(
            f"{option!r} is a hook or the beginning of one, and muxpilot sets none",
            hint="It would go on running after we are gone",
        )
    if name.startswith(OURS):
        raise BadInput(f"{option!r} is one of muxpilot's own options", hint="Use another name, such as @mine")


def _check_user_value(option: str, value: str) -> str:
    """Others may expand it, with `#{E:@mine}`: so it is text without `#`, or a format."""
    if "[" in option:
        raise BadInput(f"{option!r} can't have an index", hint="Options that begin with @ are no arrays")
    return _check_format(option, value, parse_format_option) if "#" in value else _without_controls(value)


def _check_value(option: str, name: str, value: str) -> str:
    group = BY_NAME.get(name, UNKNOWN)
    if group.kind is Kind.POWERFUL:
        raise BadInput(
            f"{name} needs the destructive tier, because it {group.reason}",
            hint="A person can allow it with MUXPILOT_SAFETY=destructive",
        )
    if name in ARRAYS and name == option:
        raise BadInput(f"{name} has several values", hint=f"Set one of them, for example {name}[0]")
    if group.kind is Kind.PLAIN:
        return _check_plain(name, value)
    return _check_format(
        name, value, parse_format_option if group.kind is Kind.FORMAT else parse_style_option
    )


def _check_plain(name: str, value: str) -> str:
    shape = _SHAPES.get(name)
    if "#(" in value or "#{" in value:
        raise BadInput(f"{name} takes a plain value, not a format", hint="Leave out #{...} and #(...)")
    if _LONG_NUMBER.search(value):
        raise BadInput(f"{value!r} is too large for {name} below the destructive tier", hint="At most 999999")
    if shape is not None and not shape.fullmatch(value):
        raise BadInput(f"{value!r} is not a value for {name}", hint=f"It must look like {_example(name)}")
    return _without_controls(value)


def _example(name: str) -> str:
    return {"default-size": "80x24", "default-terminal": "tmux-256color", "history-limit": "2000"}.get(
        name, "50 or 50%"
    )


def _check_format(name: str, value: str, parse: Callable[[str], Format]) -> str:
    _without_controls(value)
    if "#(" in value:  # Behind another # it is text, until somebody expands it twice.
        raise BadInput(
            f"{name} can't hold #( below the destructive tier, because it runs commands",
            hint="Use variables, #{...}, and styles, #[...]",
        )
    try:
        return parse(value).write()
    except BadInput as error:
        raise BadInput(f"{name}: {error.message}", hint=error.hint) from None


def _without_controls(value: str) -> str:
    if found := _CONTROL.search(value):
        raise BadInput(
            f"the value has the control character {found[0]!r}", hint="Values are one line of text"
        )
    return value
