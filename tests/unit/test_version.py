from __future__ import annotations

import pytest

from muxpilot.errors import TmuxTooOld
from muxpilot.tmux.version import NEWEST, Version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("tmux 3.3a", Version(3, 3, "a")),
        ("3.4", Version(3, 4)),
        ("tmux next-3.8", Version(3, 8)),
        ("tmux master", NEWEST),
        ("tmux openbsd-7.9", NEWEST),
        ("tmux 3.10b", Version(3, 10, "b")),
    ],
)
def test_versions_are_read_as_tmux_prints_them(text: str, version: Version) -> None:
    assert Version.parse(text) == version


def test_versions_are_ordered_as_released() -> None:
    released = ["2.9", "3.2", "3.2a", "3.3", "3.3a", "3.9", "3.10"]
    assert sorted(released, key=Version.parse) == released


def test_an_old_tmux_is_refused_with_the_way_out() -> None:
    with pytest.raises(TmuxTooOld, match=r"3\.1c is too old.*MUXPILOT_TMUX_BIN"):
        Version.parse("tmux 3.1c").require()


def test_facts_follow_the_version() -> None:
    assert Version.parse("3.5a").leaks_captures
    assert not Version.parse("3.6").leaks_captures
    assert Version.parse("3.3a").escapes_shown_buffers
    assert Version.parse("3.4").escapes_dollars
    assert not Version.parse("3.5").escapes_dollars
