"""What a program wrote, as a terminal of unlimited width would keep it; the same, however it is cut."""

from __future__ import annotations

import time
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.terminal.render import LONGEST_SEQUENCE, Renderer
from muxpilot.terminal.row import Row

CLEAR = b"\x1b[H\x1b[J\x1b[3J"  # What clear(1) writes for TERM=screen.
FAMILY = "👨\u200d👩\u200d👧\u200d👦"


def rendered(*pieces: bytes, height: int = 24) -> str:
    """All output, of which each piece was fed, and taken, on its own."""
    renderer, text = Renderer(height), ""
    for piece in pieces:
        renderer.feed(piece)
        taken = renderer.take_final()
        if renderer.dropped_handed_out:
            text, renderer.dropped_handed_out = "", False
        text += taken
    return text + renderer.pending()


def shown(text: str, height: int = 24) -> str:
    return rendered(text.encode(), height=height)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("", ""),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r\nb", "a\nb"),
        ("\r\n\r\n", "\n\n"),
        ("a\r\r\nb\r\r\n", "a\nb\n"),
        ("a  \r\n", "a  \n"),
        ("ab\ncd", "ab\n  cd"),
        ("ab\vcd\fef", "ab\n  cd\n    ef"),
        ("abc\bX", "abX"),
        ("\b\bX", "X"),
        ("a\0\a\x05b\x7f\x85c", "abc"),
    ],
)
def test_lines_and_controls(written: str, text: str) -> None:
    assert shown(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("abc\rX", "Xbc"),
        ("你好\rX", "X 好"),
        ("你好\r\x1b[CX", " X好"),
        ("你\rX", "X"),
        ("ab\r你", "你"),
        ("ae\u0301i\r\x1b[2CX", "ae\u0301X"),
        ("ae\u0301i\r\x1b[1CX", "aXi"),
        (f"{FAMILY}!\r\x1b[2CX", f"{FAMILY}X"),
        (f"{FAMILY}!\rXY", "XY!"),
        ("❤\ufe0f!\r\x1b[1CX", "❤\ufe0fX"),
        ("\ufeffab\rX", "Xab"),
        ("a\u200d!\r\x1b[CX", "a\u200dX"),
        ("\x1b[3C\u0301", "   \u0301"),
    ],
)
def test_text_overwrites_whole_characters(written: str, text: str) -> None:
    assert shown(written) == text


def test_an_emoji_family_stays_as_written() -> None:
    assert shown(f"{FAMILY}\r\n") == f"{FAMILY}\n"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("\x1b[5CX", "     X"),
        ("X\x1b[5C", "X"),
        ("a\x1b[3Cb\x1b[5C\r\n", "a   b\n"),
        ("a\x1b[2Gb  \x1b[20G", "ab  "),
    ],
)
def test_skipped_cells_are_spaces_only_left_of_something(written: str, text: str) -> None:
    assert shown(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a\tb\r\n", "a\tb\n"),
        ("a\t\r\n", "a\t\n"),
        ("a\tb\rX", "X\tb"),
        ("a\tb\r\x1b[3CX", "a  X    b"),
        ("a\tb\r\x1b[8CX", "a\tX"),
        ("abcdefghi\r\tX", "abcdefghX"),
        ("ab\r\tX", "ab      X"),
        ("\x1b[3C\tX", "   \tX"),
        ("a\tb\r\x1b[3C\x1b[K", "a  "),
    ],
)
def test_tabs_stay_tabs_where_they_are_intact(written: str, text: str) -> None:
    assert shown(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (b"a\xffb", r"a\xffb"),
        (b"\xe2\x82\r\n", "\\xe2\\x82\n"),
        (b"\xe2\x82", r"\xe2\x82"),
        (b"\xe2\x1b[m\x82\xac", r"\xe2\x82\xac"),
        (b"\xe2\0\x82\xac", r"\xe2\x82\xac"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
        (b"abcdef\r\xff", r"\xffef"),
        ("é€😀".encode(), "é€😀"),
    ],
)
def test_invalid_utf_8_is_shown_never_lost(written: bytes, text: str) -> None:
    assert rendered(written) == text


def test_a_character_begun_is_no_longer_shown_as_bytes_when_it_is_whole() -> None:
    renderer = Renderer()
    renderer.feed(b"a\xe2\x82")
    assert renderer.pending() == renderer.pending() == r"a\xe2\x82"
    renderer.feed(b"\xac")
    assert renderer.pending() == "a€"


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ("\x1b[AX", "abc\ndefX\nghi"),
        ("\x1b[2AX", "abcX\ndef\nghi"),
        ("\x1b[99A\rX", "Xbc\ndef\nghi"),
        ("\x1b[2A\x1b[BX", "abc\ndefX\nghi"),
        ("\x1b[2A\x1b[eX", "abc\ndefX\nghi"),
        ("\x1b[2DX", "abc\ndef\ngXi"),
        ("\x1b[99D\x1b[CX", "abc\ndef\ngXi"),
        ("\x1b[99D\x1b[2aX", "abc\ndef\nghX"),
        ("\x1b[FX", "abc\nXef\nghi"),
        ("\x1b[2F\x1b[EX", "abc\nXef\nghi"),
        ("\x1b[2GX", "abc\ndef\ngXi"),
        ("\x1b[`X", "abc\ndef\nXhi"),
        ("\x1b[2;3HX", "abc\ndeX\nghi"),
        ("\x1b[;2fX", "aXc\ndef\nghi"),
        ("\x1b[0;0HX", "Xbc\ndef\nghi"),
        ("\x1b[2dX", "abc\ndefX\nghi"),
        ("\x1b[5;1HX", "abc\ndef\nghi\n\nX"),
        ("\x1b[1;2H\x1b[s\x1b[3;3H\x1b[uX", "aXc\ndef\nghi"),
        ("\x1b[1;2H\x1b7\x1b[3;3H\x1b8X", "aXc\ndef\nghi"),
        ("\x1bMX", "abc\ndefX\nghi"),
        ("\x1b[H\x1bMX", "X\nabc\ndef\nghi"),
        ("\x1bDX", "abc\ndef\nghi\n   X"),
        ("\x1bEX", "abc\ndef\nghi\nX"),
        ("\x1b[2;4rX", "Xbc\ndef\nghi"),
        ("\x1b[ZX", "abc\ndef\nXhi"),
        ("\t\t!\x1b[2ZX", "abc\ndef\nghi\tX       !"),
        ("\x1b[31;1mX\x1b[0m", "abc\ndef\nghiX"),
        ("\x1b[2;2yX\x1b[>1u\x1b[?5K\x1b[!p", "abc\ndef\nghiX"),
    ],
)
def test_moves(moves: str, text: str) -> None:
    assert shown("abc\r\ndef\r\nghi" + moves) == text


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ("\x1b[K", "abcd\ne\nijkl"),
        ("\x1b[1K", "abcd\n  gh\nijkl"),
        ("\x1b[2K", "abcd\n\nijkl"),
        ("\x1b[J", "abcd\ne"),
        ("\x1b[1J", "\n  gh\nijkl"),
        ("\x1b[P", "abcd\negh\nijkl"),
        ("\x1b[99P", "abcd\ne\nijkl"),
        ("\x1b[2@", "abcd\ne  fgh\nijkl"),
        ("\x1b[2X", "abcd\ne  h\nijkl"),
        ("\x1b[99X", "abcd\ne\nijkl"),
        ("\x1b[L", "abcd\n\nefgh\nijkl"),
        ("\x1b[M", "abcd\nijkl"),
        ("\x1b[99M", "abcd\n"),
        ("\x1b[S", "abcd\nefgh\nijkl"),
        ("\x1b[S\rX", "abcd\nefgh\nXjkl"),
        ("\x1b[T", "\nabcd\nefgh\nijkl"),
    ],
)
def test_erasing_and_editing(edit: str, text: str) -> None:
    assert shown("abcd\r\nefgh\r\nijkl\x1b[2;2H" + edit) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("abc\r\x1b[4hXY\x1b[4lZ", "XYZbc"),
        ("abc\r\x1b[4hX\rY\rZ", "ZYXabc"),
        ("abc\x1b[4hd\r\n12", "abcd\n12"),
        ("abc\r\x1b[4h你", "你abc"),
        ("abc\r\x1b[4hX\x1bc12\r3", "Xabc\n32"),
        ("abc\r\x1b[?4hX", "Xbc"),
        ("abc\r\x1b[4he\x1b[m\u0301", "e\u0301abc"),
    ],
)
def test_insert_mode_moves_the_rest_of_the_line(written: str, text: str) -> None:
    assert shown(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("\ta\r\x1b[@", " " * 9 + "a"),
        ("x\ta\r\x1b[P", " " * 7 + "a"),
        ("x\ta\r\x1b[4hy", "yx" + " " * 7 + "a"),
        ("x\ta\r\x1b[@", " x" + " " * 7 + "a"),
        ("x\ta\x1b[@", "x\ta"),
    ],
)
def test_a_tab_that_is_moved_is_as_wide_as_before(written: str, text: str) -> None:
    assert shown(written) == text


@pytest.mark.parametrize("line", ["x" * 1000, "\t" + "x" * 1000])
def test_where_no_tab_is_moved_none_is_looked_for(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line may have a hundred thousand cells, and be edited at every byte."""
    monkeypatch.delattr(Row, "_spread_tabs")
    assert shown(f"{line}\x1b[10G\x1b[@\x1b[P") == line


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("\x1b[2;3r\x1b[?6hX", "a\nX\nc\nd"),
        ("\x1b[2;3r\x1b[?6h\x1b[9;1HX", "a\nb\nX\nd"),
        ("\x1b[2;3r\x1b[?6h\x1b[?6lX", "X\nb\nc\nd"),
        ("\x1b[2;3r\x1b7\x1b[?6h\x1b8\x1b[1dX", "X\nb\nc\nd"),
    ],
)
def test_rows_count_from_the_region_where_a_program_asks_for_it(written: str, text: str) -> None:
    assert shown("a\r\nb\r\nc\r\nd" + written) == text


@pytest.mark.parametrize(
    "sequence", ["\x1b[2S", "\x1b[2T", "\x1b[2L", "\x1b[2M", "\x1b[2K", "\x1b[P", "\x1b[X"]
)
def test_editing_where_nothing_stands_shows_nothing(sequence: str) -> None:
    assert shown("\x1b[7;7H" + sequence) == ""


def test_erasing_at_the_begin_of_what_comes_erases_what_stood_there() -> None:
    assert rendered(b"abc\x1b[2D", b"\x1b[Kd\r\n") == "ad\n"


@pytest.mark.parametrize("erase", ["\x1b[K", "\x1b[m\x1b[K", "\x1b[J", "\r\x1b[m\x1b[K\x1b[K"])
def test_erasing_behind_a_carriage_return_erases_what_stood_there(erase: str) -> None:
    assert shown(f"abc\r{erase}\nd\r\n") == "\nd\n"


def test_erasing_half_of_a_wide_character_erases_it() -> None:
    assert shown("a你b\x1b[3G\x1b[K") == "a"


def test_rows_pushed_below_the_screen_are_gone() -> None:
    assert shown("a\r\nb\r\nc\x1b[H\x1b[L", height=3) == "\na\nb"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a\r\nb\r\nc\x1b[1;2r\x1b[2H\r\nX", "a\nb\nX\nc"),
        ("a\r\nb\r\nc\x1b[2;3r\x1b[3H\r\nX", "b\na\nc\nX"),
        ("a\r\nb\r\nc\x1b[1;2r\x1b[4H\r\nX", "a\nb\nc\nX"),
        ("a\r\nb\r\nc\x1b[2;3r\x1b[2H\x1bMX", "a\nX\nb"),
        ("a\r\nb\r\nc\x1b[1;2r\x1b[L", "\na\nc"),
        ("a\r\nb\r\nc\x1b[1;2r\x1b[M", "b\n\nc"),
        ("a\r\nb\r\nc\x1b[1;2r\x1b[S", "a\nb\n\nc"),
        ("a\r\nb\r\nc\x1b[2;3r\x1b[T", "a\n\nb"),
        ("a\r\nb\r\nc\x1b[2;3r\x1b[3H\x1b[9AX", "a\nX\nc"),
        ("a\r\nb\r\nc\x1b[1;2r\x1b[9BX", "a\nX\nc"),
        ("a\r\nb\r\nc\x1b[1;2r\x1b[r\x1b[2H\r\nX", "a\nb\nX"),
        ("a\r\nb\r\nc\x1b[1;2r\x1bc1\r\n2\r\n3", "a\nb\nc\n1\n2\n3"),
        ("a\r\nb\x1b[2;2rX", "a\nbX"),
    ],
)
def test_lines_scroll_in_their_region(written: str, text: str) -> None:
    assert shown(written, height=4) == text


def test_a_progress_line_below_a_scroll_region_is_there_once_and_gone_in_the_end() -> None:
    """As apt does it: the last line is left out of the region, and painted between saving and restoring."""
    begin = "\n\x1b7\x1b[0;5r\x1b8\x1b[1A"
    steps = "".join(f"Get:{n}\r\n\x1b7\x1b[6;0f\x1b[42mProgress: [{n}%]\x1b[49m\x1b8" for n in range(40))
    packages = "".join(f"Get:{n}\n" for n in range(40))
    assert shown(begin + steps, height=6) == packages + "\nProgress: [39%]"
    assert shown(begin + steps + "\x1b7\x1b[0;6r\x1b8\x1b[J", height=6) == packages


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a\x1b[3;1H\n\n\nX", "a\n\n\n\n\nX"),
        ("\x1b[2SX", "\n\nX"),
        ("\x1b[2S", ""),
        ("\x1b[2S\x1b[3JX", "X"),
        ("\x1b[2Sa\r\nb\r\nc\r\nd", "\n\na\nb\nc\nd"),
    ],
)
def test_empty_rows_that_scroll_away_count_once_something_follows(written: str, text: str) -> None:
    assert shown(written, height=3) == text


@pytest.mark.parametrize("mode", ["1049", "1047", "47", "25;1049"])
def test_the_alternate_screen_is_dropped_and_the_main_one_restored(mode: str) -> None:
    screen = f"\x1b[?{mode}h\x1b[2J\x1b[5;5Hdrawn\r\n\x1b(0\x1b[3J\x1b[?{mode}l"
    assert shown(f"ab{screen}q\r\n") == "abq\n"


def test_full_screen_says_where_the_program_is() -> None:
    renderer = Renderer()
    states = []
    for data in (b"a", b"\x1b[?1049h", b"b", b"\x1b[?1049l", b"\x1b[?47h", b"\x1bc"):
        renderer.feed(data)
        states.append(renderer.full_screen)
    assert states == [False, True, True, False, True, False]


@pytest.mark.parametrize(
    "silent",
    [
        b"\x1b]0;title\x07",
        b"\x1b]8;;http://x/\x1b\\",
        b"\x1bPq#0\x07sixel\x1b\\",
        b"\x1b_app\x1b\\",
        b"\x1b^pm\x1b\\",
        b"\x1bXsos\x1b\\",
        b"\x1bktitle\x1b\\",
        b"\x1b]cut\x18",
        b"\x1b[12\x1a",
        b"\x1b[3\x1b[m",
        b"\x1b]open\x1b[m",
        b"\x1b\x1b[m",
        b"\x1b(\x1b[m",
        b"\x1b\x01",
        b"\x1b[?25l",
        b"\x1b[38:2::1:2:3m",
        b"\x1b#8",
        b"\x1b(B",
        b"\x1b=",
        b"\x1b[\xc3\xa9\xff1m",
    ],
)
def test_sequences_that_show_nothing(silent: bytes) -> None:
    assert rendered(b"a" + silent + b"b\r\n") == "ab\n"


@pytest.mark.parametrize(
    "begun", [b"\x1b", b"\x1b[", b"\x1b[12;", b"\x1b]title", b"\x1bPq", b"\x1b(", b"\x1b]x\x1b"]
)
def test_a_sequence_without_end_shows_nothing(begun: bytes) -> None:
    assert rendered(b"a" + begun) == "a"


def test_text_after_a_lone_escape_is_kept() -> None:
    assert shown("\x1bé") == "é"
    assert shown("\x1b\r\nb") == "\nb"


def test_an_escape_cut_off_by_a_colour_takes_no_text_with_it() -> None:
    assert shown("\x1b\x1b[m[Ab") == "[Ab"


def test_controls_inside_a_sequence_are_obeyed() -> None:
    assert shown("ab\x1b[\r\n1;3mc") == "ab\nc"


@pytest.mark.parametrize("start", ["\x1b]", "\x1bP", "\x1b["])
@pytest.mark.parametrize("end", ["", "\x07", "\x1b\\"])
def test_a_sequence_that_is_too_long_is_given_up(start: str, end: str) -> None:
    stream = (start + "1" * (LONGEST_SEQUENCE - 2) + "1" + "\r\nshown" + end).encode()
    assert rendered(stream) == "1\nshown"
    assert rendered(*(stream[place : place + 1000] for place in range(0, len(stream), 1000))) == "1\nshown"


def test_a_long_sequence_that_ends_in_time_is_obeyed() -> None:
    assert shown("ab\x1b[" + "0" * (LONGEST_SEQUENCE - 4) + "1DX") == "aX"


def test_line_drawing_by_either_charset() -> None:
    assert shown("\x1b(0lqk\x1b[32mx\x1b[m\x1b(Blqk") == "┌─┐│lqk"
    assert shown("\x1b(B\x1b)0\x0emqj\x0f mqj\r\n") == "└─┘ mqj\n"
    assert shown("abc\x1b(0\rq\rx") == "│bc"
    assert rendered(b"\x1b(0", b"x\x1b(Bx") == "│x"
    assert shown("\x1b7\x1b(0q\x1b8q\x1b(0\x1b[uq\x1bc\x1b(0q\x1b8q") == "q\nq"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("-\x1b[3b", "----"),
        ("-\r\n\x1b[2b", "-\n--"),
        ("你\x1b[b!", "你你!"),
        ("\x1b[3ba", "a"),
        ("ab\ra\x1b[2b", "aaa"),
        ("e\u0301\x1b[3b", "e\u0301"),
    ],
)
def test_the_last_character_is_repeated(written: str, text: str) -> None:
    assert shown(written) == text


def test_far_moves_and_big_counts_are_clamped() -> None:
    assert shown("\x1b[999999999C") == ""
    assert shown("\x1b[999999999Gx") == " " * 10_000 + "x"
    assert len(shown("x\x1b[999999999b")) == 10_001
    assert len(shown("xy\r\x1b[999999999@")) == 10_002
    assert len(shown("x\x1b[999999999b" * 1000)) <= 120_000
    assert shown("\x1b[" + "9" * 9000 + "Bx", height=3) == "\n\nx"


def test_moves_right_of_the_clamp_do_not_go_back() -> None:
    assert shown("x" * 20_000 + "\x1b[5C!") == "x" * 20_000 + "!"


def test_a_long_line_is_kept_whole() -> None:
    line = "0123456789" * 300_000
    assert shown(line + "\rX\r\n") == "X" + line[1:] + "\n"


def test_a_staircase_begins_anew_where_a_terminal_would_wrap() -> None:
    assert max(map(len, shown("ab\n" * 10_000).split("\n"))) < 1000


def test_lines_above_the_screen_are_final_and_handed_out_once() -> None:
    renderer = Renderer(height=3)
    renderer.feed(b"1\r\n2\r\n3\r\n4\r\n5")
    assert (renderer.take_final(), renderer.take_final()) == ("1\n2\n", "")
    renderer.feed(b"\x1b[99A\rX")
    assert renderer.pending() == "X\n4\n5"


def test_absolute_rows_count_from_the_top_of_the_screen() -> None:
    assert shown("1\r\n2\r\n3\r\n4\x1b[1;1HX\x1b[99;1HY", height=3) == "1\nX\n3\nY"


def test_many_lines_at_once_scroll_like_one_at_a_time() -> None:
    lines = [f"{number}\r\n".encode() for number in range(100)]
    assert rendered(b"".join(lines), b"\x1b[5Ax", height=7) == rendered(*lines, b"\x1b[5Ax", height=7)


def test_clearing_keeps_what_stood_there_as_final_lines() -> None:
    renderer = Renderer()
    renderer.feed(b"a\r\nb\r\n\r\n\x1b[H\x1b[2J")
    assert (renderer.take_final(), renderer.pending()) == ("a\nb\n", "")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a\r\nb\x1b[H\x1b[Jc", "a\nb\nc"),
        ("a\r\nb\x1b[2J", "a\nb\n"),
        ("a\r\nb\x1b[2Jc", "a\nb\n\n c"),
        ("a\r\nb\x1b[2J\r\n", "a\nb\n"),
        ("\x1b[2J\x1b[2J\x1b[Ha", "a"),
        ("a\r\nb\x1bcc", "a\nb\nc"),
        ("a\x1b(0\x1bcq", "a\nq"),
    ],
)
def test_an_empty_screen_begins_below_a_cleared_one(written: str, text: str) -> None:
    assert shown(written) == text


def test_clear_with_scrollback_leaves_only_what_comes_after() -> None:
    for before, lines in ((b"", 0), (b"a\r\n", 1), (b"1\r\n" * 40, 40)):
        renderer = Renderer()
        renderer.feed(before + CLEAR + b"b\r\n")
        assert (renderer.take_final() + renderer.pending(), renderer.cleared) == ("b\n", lines)
        assert not renderer.dropped_handed_out


def test_dropping_lines_that_were_handed_out_is_told() -> None:
    renderer = Renderer(height=2)
    renderer.feed(b"1\r\n2\r\n3\r\n")
    assert renderer.take_final() == "1\n2\n"
    renderer.feed(b"\x1b[3J")
    assert (renderer.dropped_handed_out, renderer.cleared, renderer.pending()) == (True, 2, "3\n")
    renderer.dropped_handed_out = False
    renderer.feed(b"4\r\n\x1b[3J")
    assert (renderer.dropped_handed_out, renderer.cleared, renderer.pending()) == (False, 3, "4\n")


@pytest.mark.parametrize(
    "back", ["\x1b[2A\x1b[J", "\x1b[2F\x1b[J", "\x1b[A\x1b[2K\x1b[A\x1b[2K", "\x1b[2M\x1b[2A\x1b[2M"]
)
@pytest.mark.parametrize("before", ["", "title\r\n", "\x1b[H"])
def test_a_display_of_several_lines_shows_its_last_frame(back: str, before: str) -> None:
    frames = back.join(f"one {number}%\r\ntwo {number}%\r\n" for number in range(101))
    assert shown(before + frames) == shown(before) + "one 100%\ntwo 100%\n"
    assert shown(before + frames + back + "done\r\n") == shown(before) + "done\n"


def test_a_display_between_saved_and_restored_cursor_shows_its_last_frame() -> None:
    assert shown("".join(f"\x1b7a {number}\r\nb\x1b8\x1b[J" for number in range(9)) + "done") == "done"


def test_a_progress_bar_is_its_last_frame() -> None:
    frames = "".join(f"\r{number}% \x1b[32m{'#' * (number % 7)}\x1b[K\x1b[m" for number in range(5000))
    assert shown(frames + "\rdone \x1b[K\r\n") == "done \n"
    assert shown("12345\r 7%\r8\r\n") == "87%45\n"


PIECES = [
    *("word", " ", "\n", "\r\n", "\r\n", "\r", "\r", "\t", "\b", "é", "你", "e\u0301", "\ufeff", FAMILY),
    *("\x1b[1m", "\x1b[K", "\x1b[1K", "\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[3J", "\x1b[H", "\x1b[2;3H"),
    *(
        "\x1b[A",
        "\x1b[3B",
        "\x1b[4C",
        "\x1b[2D",
        "\x1b[P",
        "\x1b[3@",
        "\x1b[2X",
        "\x1b[L",
        "\x1b[M",
        "\x1b[2b",
    ),
    *(
        "\x1b[S",
        "\x1b[T",
        "\x1b[\n2C",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b(0",
        "\x1b(B",
        "\x1b)0",
        "\x0e",
        "\x0f",
    ),
    *(
        "\x1b7",
        "\x1b8",
        "\x1bM",
        "\x1bc",
        "\x1b",
        "\x1b[",
        "\x1b]2;t\x07",
        "\x1bPq\x1b\\",
        "\x18",
        "\0",
        "\x9b",
    ),
]
RAW = st.sampled_from([b"\xff", b"\xe2", b"\x82", b"\x80\x1b"])
STREAMS = st.lists(st.sampled_from(PIECES).map(str.encode) | RAW, max_size=40).map(b"".join)


def cut(stream: bytes, cuts: set[int]) -> list[bytes]:
    return [stream[start:end] for start, end in pairwise([0, *sorted(cuts), len(stream)])]


@given(STREAMS, st.data())
def test_any_cutting_gives_the_same_text(stream: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.sets(st.integers(0, len(stream)), max_size=9))
    whole = rendered(stream, height=4)
    assert rendered(*cut(stream, cuts), height=4) == whole
    assert rendered(*cut(stream, set(range(len(stream)))), height=4) == whole


@given(st.binary(max_size=400), st.integers(0, 5))
def test_any_bytes_can_be_rendered(stream: bytes, height: int) -> None:
    assert rendered(stream, height=height) == rendered(*cut(stream, {len(stream) // 2}), height=height)


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"])), max_size=60), st.integers(1, 30))
def test_plain_lines_stay_as_they_are(lines: list[str], height: int) -> None:
    assert shown("\r\n".join(lines), height) == "\n".join(lines)


class Grid:
    """The rules for one-cell characters, in the simplest words: a place for every character, any time."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], str] = {}
        self.row = self.column = 0

    def do(self, step: str) -> None:
        here, cells = (self.row, self.column), self.cells
        if step == "\r":
            self.column = 0
        elif step == "\r\n":
            self.row, self.column = self.row + 1, 0
        elif step == "\x1b[K":
            self.cells = {at: one for at, one in cells.items() if at[0] != here[0] or at[1] < here[1]}
        elif step == "\x1b[J":
            self.cells = {at: one for at, one in cells.items() if at < here}
        elif step == "\x1b[2X":
            self.cells = {at: one for at, one in cells.items() if at not in (here, (here[0], here[1] + 1))}
        elif step == "\x1b[A":
            self.row = max(0, self.row - 1)
        elif step == "\x1b[3C":
            self.column += 3
        elif step == "\b":
            self.column = max(0, self.column - 1)
        else:
            for place, character in enumerate(step):
                cells[self.row, self.column + place] = character
            self.column += len(step)

    def text(self) -> str:
        rows = max([self.row, *(row for row, _ in self.cells)]) + 1
        return "\n".join(self._line(row) for row in range(rows))

    def _line(self, row: int) -> str:
        width = max([-1, *(column for at, column in self.cells if at == row)]) + 1
        return "".join(self.cells.get((row, column), " ") for column in range(width))


STEPS = [
    "abc",
    "X",
    "long words ",
    "\r",
    "\r\n",
    "\x1b[K",
    "\x1b[J",
    "\x1b[2X",
    "\x1b[A",
    "\x1b[3C",
    "\b",
    "─│",
]


@given(st.lists(st.sampled_from(STEPS), max_size=50))
def test_it_is_what_a_grid_of_cells_would_show(steps: list[str]) -> None:
    grid = Grid()
    for step in steps:
        grid.do(step)
    assert shown("".join(steps), height=100) == grid.text()


def test_memory_stays_small_when_final_lines_are_taken() -> None:
    renderer, chunk = Renderer(), b"\x1b[32msome text\x1b[m and more\r\n" * 2000
    renderer.feed(chunk)
    renderer.take_final()
    tracemalloc.start()
    for _ in range(30):
        renderer.feed(chunk)
        renderer.take_final()
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 100_000
    assert peak < 20 * len(chunk)


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        (b"123456\r\n", 250_000),
        (b"\r 10%", 100_000),
        (b"\x1b[31mred\x1b[0m ", 100_000),
        (b"\x1b[9@", 10_000),
        (b"\x1b]", 50_000),
        (b"\x1b[", 50_000),
        (b"x\n", 20_000),
        (b"\xcc\x81", 50_000),
        (b"\t\x1b[H", 20_000),
        (b"\x1b[24Hx\x1b[2J", 5_000),
    ],
)
def test_nothing_takes_long(unit: bytes, count: int) -> None:
    started = time.process_time()
    rendered(unit * count)
    assert time.process_time() - started < 5  # Each takes well below a second.
