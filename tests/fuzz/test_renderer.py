"""The renderer shows what tmux shows. agreement.py says where they may differ; all else is strict."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import pieces
from tests.fuzz.agreement import exactly, for_tmux, lines, rendered, undisputed
from tests.fuzz.mirror import VERSION, Mirror

pytestmark = pytest.mark.xdist_group("mirror")  # One mirror, and one tmux, for all of them.
one_mirror = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

TEXT = (pieces.WORDS, pieces.LINES, pieces.COLOURS, pieces.SILENT, pieces.CUT)
TABS = (pieces.TABS,) if (VERSION.major, VERSION.minor) < (3, 6) else ()
SCREEN = (pieces.MOVES, pieces.SAVES, pieces.ROWS, pieces.REGIONS, pieces.MODES, pieces.ALTERNATE)


def agree(mirror: Mirror, stream: bytes, height: int, *, blank: bool = True) -> None:
    stream = undisputed(stream, height)
    ours, theirs = lines(rendered(stream, height)), lines(mirror.show(for_tmux(stream), height))
    if not blank:
        ours, theirs = [line for line in ours if line], [line for line in theirs if line]
    assert ours == theirs, stream


@one_mirror
@given(
    stream=pieces.streams(*TEXT, *SCREEN, pieces.WIPES, pieces.REPEATS, pieces.CHARSETS),
    height=pieces.HEIGHTS,
)
def test_a_screen_that_is_painted_scrolled_and_wiped(mirror: Mirror, stream: bytes, height: int) -> None:
    agree(mirror, stream, height)


@one_mirror
@given(stream=pieces.streams(*TEXT, *SCREEN, pieces.ERASES, pieces.WIPES), height=pieces.HEIGHTS)
def test_a_screen_that_is_erased_and_wiped(mirror: Mirror, stream: bytes, height: int) -> None:
    agree(mirror, stream, height, blank=False)


@one_mirror
@given(
    stream=pieces.streams(*TEXT, *SCREEN, pieces.LINE_ERASES, pieces.EDITS, pieces.REPEATS, *TABS),
    height=pieces.HEIGHTS,
)
def test_lines_that_are_edited_in_place(mirror: Mirror, stream: bytes, height: int) -> None:
    agree(mirror, stream, height)


@one_mirror
@given(stream=pieces.streams(*TEXT, *SCREEN, pieces.WIDE, pieces.WIPES), height=pieces.HEIGHTS)
def test_wide_and_combining_characters(mirror: Mirror, stream: bytes, height: int) -> None:
    agree(mirror, stream, height)


@one_mirror
@given(
    stream=st.lists(
        pieces.streams(pieces.WORDS, pieces.WIDE, pieces.LINES, pieces.COLOURS) | pieces.INVALID, max_size=12
    ).map(b" ".join),
    height=pieces.HEIGHTS,
)
def test_bytes_that_are_no_utf_8(mirror: Mirror, stream: bytes, height: int) -> None:
    agree(mirror, stream, height)


@one_mirror
@given(stream=pieces.streams(pieces.WORDS, pieces.LINES, pieces.MOVES, pieces.COLOURS), height=pieces.HEIGHTS)
def test_spaces_at_the_end_of_a_line_are_those_that_were_written(
    mirror: Mirror, stream: bytes, height: int
) -> None:
    assert exactly(rendered(stream, height)) == exactly(mirror.show(stream, height))


@one_mirror
@given(
    stream=pieces.streams(*TEXT, *SCREEN, pieces.LINE_ERASES),
    open_end=st.sampled_from(
        [b"\x1b", b"\x1b[", b"\x1b[3;", b"\x1b]0;ti", b"\x1bPq", b"\x1b(", b"\xe2\x82", b"\r"]
    ),
)
def test_a_stream_that_stops_in_the_middle_of_something(
    mirror: Mirror, stream: bytes, open_end: bytes
) -> None:
    agree(mirror, stream + (b"" if open_end.isascii() else b" ") + open_end, 5)
