"""Marks in a stream, and one command on a tape."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from muxpilot.terminal.marks import LONGEST, Mark, MarkScanner
from muxpilot.terminal.transcript import Cue, Phase, Transcript

NONCE = "0123456789abcdef"
OTHER = "fedcba9876543210"


def mark(kind: str, count: int, status: int | None = None, nonce: str = NONCE, folder: str = "") -> bytes:
    said = "" if status is None else f";{status}"
    where = f";{folder}" if folder else ""
    return f"\x1b]133;{kind}{said};{nonce};{count}{where}\x07".encode()


def pieces(*chunks: bytes) -> list[bytes | Mark]:
    """Joined where only the cuts differ."""
    scanner, found = MarkScanner(), list[bytes | Mark]()
    for chunk in chunks:
        for piece in scanner.feed(chunk):
            if isinstance(piece, bytes) and found and isinstance(found[-1], bytes):
                found[-1] += piece
            else:
                found.append(piece)
    return found


def follow(cue: Cue, *chunks: bytes) -> tuple[Transcript, bytes]:
    written = bytearray()
    transcript = Transcript(cue, written.extend)
    for chunk in chunks:
        transcript.feed(chunk)
    return transcript, bytes(written)


STREAM = (
    b"$ " + mark("L", 2) + b"$ ls\r\n" + mark("C", 3) + b"a\x1b]0;t\x07b\r\n" + mark("D", 4, 7, folder="/x;y")
)


@given(st.lists(st.integers(0, len(STREAM))))
def test_cuts_change_nothing(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in itertools.pairwise(edges)]
    assert pieces(*chunks) == pieces(STREAM)
    transcript, written = follow(Cue(NONCE, 1), *chunks)
    assert (transcript.phase, transcript.status, transcript.folder) == (Phase.ENDED, 7, "/x;y")
    assert written == b"a\x1b]0;t\x07b\r\n"


@given(st.binary())
def test_nothing_is_lost_or_made_up(data: bytes) -> None:
    found = pieces(data, b"\x07" * 2)
    assert all(not isinstance(piece, Mark) or not piece.nonce for piece in found)


def test_an_endless_opening_is_given_up() -> None:
    flood = b"\x1b]133;" + b"x" * (2 * LONGEST)
    assert b"".join(piece for piece in pieces(flood) if isinstance(piece, bytes)) == flood


def test_a_mark_of_somebody_else_means_nothing() -> None:
    forged = (
        mark("D", 99, 0, nonce=OTHER) + b"\x1b]133;D;0\x07" + mark("D", 0, 0).replace(b";0\x07", b";x\x07")
    )
    transcript, written = follow(Cue(NONCE, 1), mark("L", 2), mark("C", 3), forged, b"on\r\n")
    assert transcript.phase is Phase.RUNNING
    assert written == b"on\r\n"


def test_a_mark_that_is_printed_again_means_nothing() -> None:
    again = mark("D", 1, 0) + mark("L", 2) + mark("C", 3)
    transcript, written = follow(Cue(NONCE, 1), mark("L", 2), mark("C", 3), again, b"on", mark("D", 4, 5))
    assert (transcript.phase, transcript.status) == (Phase.ENDED, 5)
    assert written == b"on"


def test_what_follows_the_end_of_the_output_is_the_shells() -> None:
    prompt = mark("E", 0) + b"\x1b[7m%\x1b[0m   \r \r"
    transcript, written = follow(Cue(NONCE, 1), mark("L", 2), mark("C", 3), b"x", prompt, mark("D", 4, 0))
    assert (transcript.status, written) == (0, b"x")


def test_what_only_looked_like_the_end_of_the_output_is_output() -> None:
    _, written = follow(Cue(NONCE, 1), mark("L", 2), mark("C", 3), b"x", mark("E", 0), b"y" * 20_000)
    assert written == b"x" + b"y" * 20_000


def test_a_command_that_was_never_begun_has_its_shells_complaint() -> None:
    echo = b"$ echo )\r\n\x1b[?2004l\rbash: syntax error\r\n"
    transcript, written = follow(Cue(NONCE, 1), mark("L", 2), echo, mark("D", 3, 2))
    assert (transcript.status, written) == (2, b"bash: syntax error\r\n")


def test_a_typed_line_is_not_output() -> None:
    cue = Cue(NONCE, 1, by_line=True)
    tee = mark("T", 0)
    transcript, written = follow(
        cue, b"ls", mark("D", 2, 0), tee, b"\r", b"\nout\r\n", mark("D", 3, 4), b"# "
    )
    assert (transcript.phase, transcript.status, transcript.after) == (Phase.ENDED, 4, b"# ")
    assert written == b"out\r\n"


def test_a_half_typed_line_is_told() -> None:
    transcript, written = follow(Cue(NONCE, 1), mark("B", 2), b"x")
    assert (transcript.phase, written) == (Phase.OCCUPIED, b"")


def test_a_title_that_fish_sets_is_not_output() -> None:
    title = b"\x1b]0;echo \x1b ~\x07"
    _, written = follow(Cue(NONCE, 1), mark("L", 2), mark("C", 3) + title[:4], title[4:] + b"x\r\n")
    assert written == b"x\r\n"


def test_a_mark_that_is_too_long_is_none_however_it_comes() -> None:
    endless = b"\x1b]133;A;" + b"x" * LONGEST + b"\x07"
    assert pieces(endless) == pieces(endless[:LONGEST], endless[LONGEST:]) == [endless]


def test_a_line_editor_is_noticed_where_a_read_ends_in_the_middle() -> None:
    transcript, _ = follow(Cue(NONCE, 1), mark("L", 2), mark("C", 3), b"x\x1b[?20", b"04h> ")
    assert transcript.prompted
