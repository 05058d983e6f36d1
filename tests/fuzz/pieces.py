"""Streams as programs, and nobody in their right mind, would write them: strategies."""

from __future__ import annotations

from hypothesis import strategies as st

HEIGHTS = st.integers(2, 7)

_COUNT = st.sampled_from(["", "0", "1", "2", "3", "5", "9"])


def _csi(finals: str) -> st.SearchStrategy[str]:
    return st.builds(lambda count, final: f"\x1b[{count}{final}", _COUNT, st.sampled_from(finals))


WORDS = st.sampled_from(["a", "word", "two words", "─│┐", "é", "x  ", "0123456789"])
WIDE = st.sampled_from(["x你", "y好吗", "e\u0301", "z😀", "a\u0308b", "w\uff57", "v漢字 "])
"""None of them puts a wide character into the first column: see agreement.py."""
LINES = st.sampled_from(["\r\n", "\r\n", "\r", "\n", "\v", "\f", "\b", "\x1bE", "\x1bD"])
MOVES = _csi("ABCDEFG`d") | st.builds(
    lambda row, column, final: f"\x1b[{row};{column}{final}",
    st.integers(0, 9),
    st.integers(0, 20),
    st.sampled_from("Hf"),
)
TABS = _csi("Z") | st.just("\t")
SAVES = st.sampled_from(["\x1b7", "\x1b8", "\x1b[s", "\x1b[u"])
WIPES = st.sampled_from(["\x1b[2J", "\x1b[H\x1b[J", "\x1b[3J", "\x1bc"])
ERASES = st.sampled_from(["\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J"])
LINE_ERASES = st.sampled_from(["\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[1J"])
MODES = st.sampled_from(["\x1b[4h", "\x1b[4l", "\x1b[?6h", "\x1b[?6l", "\x1b[?7l"])
EDITS = _csi("@PX")
ROWS = _csi("LMST") | st.just("\x1bM")
REGIONS = st.builds(
    lambda top, bottom: f"\x1b[{top};{bottom}r", st.integers(0, 4), st.integers(1, 9)
) | st.just("\x1b[r")
REPEATS = st.builds(lambda count: f"-\x1b[{count}b", _COUNT)
COLOURS = st.sampled_from(["\x1b[m", "\x1b[1;31m", "\x1b[38:2::1:2:3m", "\x1b[48;5;9m", "\x1b[7m"])
SILENT = st.sampled_from(
    [
        *(
            "\x1b]0;title\x07",
            "\x1b]8;;x\x1b\\",
            "\x1bPq#0\x1b\\",
            "\x1b_app\x1b\\",
            "\x1b^pm\x1b\\",
            "\x1bktitle\x1b\\",
        ),
        *(
            "\x1b=",
            "\x1b>",
            "\x1b[?25l",
            "\x1b[?2004h",
            "\x1b[?1h",
            "\x1b[>4;1m",
            "\x07",
            "\0",
            "\x7f",
            "\x05",
        ),
    ]
)
CHARSETS = st.sampled_from(["\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x1b(0lqk\x1b(B"])
CUT = st.sampled_from(
    ["\x1b[3\x18", "\x1b[12\x1a", "\x1b]open\x18", "\x1b]open\x1b[m", "\x1b\x1b[m", "\x1b[1\r2C"]
)
ALTERNATE = st.sampled_from(
    ["\x1b[?1049h\x1b[2J\x1b[5;5Hdrawn\r\n\n\n\n\x1b[?1049l", "\x1b[?1049hx\x1b[3L\x1bM\x1b[?1049l"]
)
INVALID = st.sampled_from([b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0", b"\x80"])


def streams(*pieces: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    one = st.one_of(*pieces).map(str.encode)
    return st.lists(one, max_size=30).map(b"".join)
