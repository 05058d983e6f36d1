"""Which option may be set to which value, without a tmux."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import pytest

from muxpilot.errors import BadInput
from muxpilot.terminal.option_policy import check_name, check_setting
from muxpilot.terminal.options import Where, set_option
from muxpilot.tmux import Reply, TmuxServer, Version


class HistoryOf2000:
    """A tmux whose only option is history-limit."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.sent: list[tuple[str, ...]] = []

    async def server_version(self) -> Version:
        return self.version

    async def call_all(self, commands: Sequence[Sequence[str]]) -> list[Reply]:
        return [Reply(True, b"history-limit 2000") for _ in commands]

    async def text(self, *_argv: str) -> str:
        return "2000"

    async def call(self, *argv: str) -> None:
        self.sent.append(argv)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("version", "value", "is_destructive", "is_set"),
    [
        (Version(3, 7), "1999", False, False),
        (Version(3, 7), "1999", True, True),
        (Version(3, 7), "50000", False, True),
        (Version(3, 6, "b"), "1999", False, True),
    ],
)
async def test_no_history_is_lost_below_the_destructive_tier(
    version: Version, value: str, is_destructive: bool, is_set: bool
) -> None:
    """tmux 3.7 takes from panes what is beyond a new limit."""
    fake = HistoryOf2000(version)
    server = cast(TmuxServer, fake)
    with suppress(BadInput):
        await set_option(server, "history-limit", value, Where(), is_destructive=is_destructive)
    assert bool(fake.sent) is is_set


@pytest.mark.parametrize(
    "option", ["mouse", "status-format[0]", "status-format[9999]", "@mine", "@a-b_c", "x1"]
)
def test_names_are_plain(option: str) -> None:
    check_name(option)


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("lock-command", "x", "lock-command needs the destructive tier, because it runs commands"),
        ("brand-new-option", "x", "is not among those known to be harmless"),
        ("mouse", "#{E:@x}", "mouse takes a plain value"),
        ("history-limit", "9999999", "too large for history-limit"),
        ("default-size", "80x24#(x)", "plain value"),
        ("default-size", "80", "It must look like 80x24"),
        ("default-terminal", "../x", "It must look like tmux-256color"),
        ("status-left", "#{E:@x}", "status-left: the modifier 'E' can't be used"),
        ("status-left", "##(x)", r"can't hold #\( below the destructive tier"),
        ("status-style", "fg=red;#{pane_id}", "can't be part of a style"),
        ("@mine", "#(x)", r"can't hold #\("),
        ("@mine", "a\nb", "control character"),
        ("@muxpilot_terminal", "x", "one of muxpilot's own options"),
        ("session-created", "x", "is a hook"),
        ("session-creat", "x", "is a hook"),
        ("mouse", "x" * 4097, "4097 characters"),
    ],
)
def test_a_refusal_says_why(option: str, value: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        check_setting(option, value, is_destructive=False)


def test_what_is_set_is_what_was_checked() -> None:
    assert check_setting("status-left", "#[fg=#FF0000]#S", is_destructive=False) == "#[fg=#ff0000]#S"
    assert check_setting("status-left", "#(date)", is_destructive=True) == "#(date)"
