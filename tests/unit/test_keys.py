"""Names of keys: what a version can't press is refused, never typed and never swallowed."""

from __future__ import annotations

import pytest

from muxpilot.errors import PaneRefused
from muxpilot.terminal.keys import key_named
from muxpilot.tmux import Version

NAMES = ["S-KPEnter", "S-KP0", "M-S-KP*", "S-M-KP."]


@pytest.mark.parametrize("name", NAMES)
def test_a_shifted_key_of_the_keypad_is_refused_where_tmux_swallows_it(name: str) -> None:
    assert key_named(name, Version(3, 6, "b")) == name
    with pytest.raises(PaneRefused, match="can't press"):
        key_named(name, Version(3, 7))


@pytest.mark.parametrize("name", ["KP0", "M-KPEnter", "S-Up", "S-Enter"])
def test_other_keys_are_pressed_there(name: str) -> None:
    assert key_named(name, Version(3, 7)) == name


@pytest.mark.parametrize("text", ["kp0", "S-", "KP", "Enter ", "hello", "S-KPx"])
def test_what_names_no_key_is_a_text(text: str) -> None:
    assert key_named(text, Version(3, 7)) is None
