"""Raw output without a screen: the same lines and counts, however it is cut into pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muxpilot.terminal.output import LineScanner, Meter, edits_line, moves_cursor

PIECES = [
    *(b"word", b" ", b"\n", b"\r\n", b"\r", b"\t", b"\xc3\xa9", b"\xe2\x9c\x93", b"\xff", b"\x07", b"\x0f"),
    *(
        b"\x1b[1m",
        b"\x1b[0;38;5;9m",
        b"\x1b[K",
        b"\x1b[2J",
        b"\x1b[3J",
        b"\x1b[10;5H",
        b"\x1b[A",
        b"\x1b[?2004h",
    ),
    *(
        b"\x1b]2;title\x07",
        b"\x1b]133;A\x1b\\",
        b"\x1bP+q\x1b\\",
        b"\x1bkname\x1b\\",
        b"\x1b(B",
        b"\x1b7",
        b"\x1bc",
    ),
    *(b"\x08", b"\x1b[?1049h"),
]
STREAMS = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


def lines_of(stream: bytes, cuts: set[int]) -> list[str]:
    """Every finished line, and the open one, as the scanner tells them."""
    scanner, told = LineScanner(), ""
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(stream)], strict=True):
        stood = len(scanner.open_line)
        told += scanner.feed(stream[start:end])[stood:]
    return told.split("\n")


@given(STREAMS, st.data())
def test_any_cutting_gives_the_same_lines(stream: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.sets(st.integers(0, len(stream)), max_size=6))
    whole = [line for line in lines_of(stream, set()) if line]
    assert [line for line in lines_of(stream, cuts) if line] == whole


@given(STREAMS, st.data())
def test_any_cutting_gives_the_same_counts(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=6)))
    whole, cut = Meter(), Meter()
    whole.feed(stream)
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        cut.feed(stream[start:end])
    assert (cut.reading.written, cut.reading.feeds) == (len(stream), stream.count(b"\n"))
    assert cut.reading.plain == whole.reading.plain
    assert bool(cut.reading.wipes) == bool(whole.reading.wipes)


def test_colours_titles_and_bells_are_no_text() -> None:
    scanner = LineScanner()
    assert scanner.feed(b"\x1b]2;title\x07\x1b[1mre\x1b[0mady\x07\r\n") == "ready\n"


def test_what_was_surely_printed_in_one_go_is_a_line() -> None:
    scanner = LineScanner()
    assert scanner.feed(b"left\x1b[20Gright\x1b[5;1Hbelow").split("\n") == ["left", "right", "below"]


def test_a_line_that_grows_is_told_whole_each_time() -> None:
    scanner = LineScanner("server ")
    assert scanner.feed(b"rea") == "server rea"
    assert scanner.feed(b"dy\nnext") == "server ready\nnext"
    assert scanner.open_line == "next"


def test_bytes_that_are_no_text_are_shown_not_lost() -> None:
    assert LineScanner().feed(b"a\xffb\n") == "a\\xffb\n"


def test_what_moves_to_another_row_is_told_from_what_stays_in_it() -> None:
    assert all(map(moves_cursor, [b"\x1b[A", b"\x1b[H", b"\x1b[3;4H", b"\x1b[2J", b"\x1b[?1049h", b"\x1bM"]))
    assert not any(map(moves_cursor, [b"\x1b[m", b"\x1b[K", b"\x1b[J", b"\x1b[5C", b"\x08", b"\x1b[?25l"]))
    assert all(map(edits_line, [b"\x1b[5C", b"\x08", b"\x1b[P"]))
