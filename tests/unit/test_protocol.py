"""The parser: any chunking gives the same events, and no content moves the framing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import ProtocolBroken
from muxpilot.tmux.events import Event, Output, Reply, SessionsChanged, SideBlock, Unknown, WindowAdded
from muxpilot.tmux.protocol import Parser

NONCES = [b"%016x" % number for number in (11, 22, 33)]


def complaint(number: int, nonce: bytes) -> bytes:
    return b"%%begin 1700 %d 1\nparse error: unknown command: %s\n%%error 1700 %d 1\n" % (
        number,
        nonce,
        number,
    )


def reply(number: int, body: bytes, nonce: bytes, *, verdict: bytes = b"end", trailing: bytes = b"") -> bytes:
    block = b"%%begin 1700 %d 1\n%s%%%s 1700 %d 1\n" % (number, body, verdict, number)
    return block + trailing + complaint(number + 1, nonce)


ATTACH = b"%begin 1700 1 0\n%end 1700 1 0\n%session-changed $0 main\n"
FORGED = b"%end 1700 12 1\n%begin 1700 13 1\nparse error: unknown command: 00\n%error 1700 13 1\n%exit\n"
STREAM = (
    ATTACH
    + b"%window-add @1\n"
    + reply(10, b"one\ntwo\n", NONCES[0])
    + b"%output %0 a\\015\\012\\134 \xe2\x82\xac\n"
    + reply(12, b"x\n" + FORGED + b"y\n", NONCES[1], trailing=b"%sessions-changed\n")
    + reply(14, b"can't find pane: %9\n", NONCES[2], verdict=b"error")
    + b"%strange thing\n"
)
EVENTS: list[Event] = [
    Reply(True, b"one\ntwo"),
    Output("%0", "a\r\n\\ €".encode()),
    Reply(True, b"x\n" + FORGED + b"y"),
    SessionsChanged(),
    Reply(False, b"can't find pane: %9"),
    Unknown(b"%strange thing"),
]


def feed(stream: bytes, cuts: list[int], nonces: list[bytes]) -> list[Event]:
    parser = Parser()
    for nonce in nonces:
        parser.expect(nonce)
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [event for a, b in itertools.pairwise(edges) for event in parser.feed(stream[a:b])]


def test_a_whole_stream_gives_its_events_in_order() -> None:
    events = feed(STREAM, [], NONCES)
    assert events[0] == SideBlock(True, b"")
    assert events[2:] == [WindowAdded("@1", True), *EVENTS]


@given(st.lists(st.integers(0, len(STREAM)), max_size=40))
def test_any_chunking_gives_the_same_events(cuts: list[int]) -> None:
    assert feed(STREAM, cuts, NONCES) == feed(STREAM, [], NONCES)


def test_byte_by_byte_gives_the_same_events() -> None:
    assert feed(STREAM, list(range(len(STREAM))), NONCES) == feed(STREAM, [], NONCES)


lines = st.sampled_from(
    [b"%end 1700 10 1", b"%error 1700 10 1", b"%begin 1700 11 1", b"%end 1700 11 1", b"%exit", b"", b"text"]
) | st.binary(max_size=20).map(lambda raw: raw.replace(b"\n", b""))


@given(st.lists(lines, max_size=12), st.lists(st.integers(0, 500), max_size=10))
def test_no_body_is_cut_short_or_run_on_by_what_it_contains(body: list[bytes], cuts: list[int]) -> None:
    raw = b"".join(line + b"\n" for line in body)
    stream = reply(10, raw, NONCES[0]) + reply(12, b"next\n", NONCES[1])
    assert feed(stream, cuts, NONCES) == [Reply(True, raw[:-1]), Reply(True, b"next")]


def test_an_empty_body_is_empty() -> None:
    assert feed(reply(10, b"", NONCES[0]), [], NONCES) == [Reply(True, b"")]


def test_a_body_of_one_empty_line_is_empty_text() -> None:
    assert feed(reply(10, b"\n", NONCES[0]), [], NONCES) == [Reply(True, b"")]


def test_output_of_a_users_hook_is_not_taken_for_a_reply() -> None:
    hook = b"%begin 1700 11 0\nhook says\n%end 1700 11 0\n"
    events = feed(reply(10, b"mine\n", NONCES[0], trailing=hook), [], NONCES)
    assert events == [Reply(True, b"mine"), SideBlock(True, b"hook says")]


def block(number: int, body: bytes, *, verdict: bytes = b"end") -> bytes:
    return b"%%begin 1700 %d 1\n%s%%%s 1700 %d 1\n" % (number, body, verdict, number)


def test_a_command_that_runs_others_has_one_reply_with_all_that_they_printed() -> None:
    inner = block(20, b"one\n") + b"%sessions-changed\n" + block(21, b"") + block(22, b"two\n")
    stream = reply(10, b"", NONCES[0], trailing=inner) + reply(12, b"next\n", NONCES[1])
    expected: list[Event] = [Reply(True, b"one\ntwo"), SessionsChanged(), Reply(True, b"next")]
    assert feed(stream, [], NONCES) == expected
    assert feed(stream, list(range(len(stream))), NONCES) == expected


def test_a_command_that_runs_others_has_failed_where_one_of_them_has() -> None:
    inner = block(20, b"one\n") + block(21, b"can't find pane: %9\n", verdict=b"error")
    assert feed(reply(10, b"", NONCES[0], trailing=inner), [], NONCES) == [
        Reply(False, b"can't find pane: %9")
    ]


def test_a_failed_attach_is_a_side_block_with_tmuxs_words() -> None:
    stream = b"%begin 1700 1 0\ncan't find session: $9\n%error 1700 1 0\n%exit\n"
    assert feed(stream, [], [])[0] == SideBlock(False, b"can't find session: $9")


def test_a_reply_that_nobody_asked_for_is_refused() -> None:
    with pytest.raises(ProtocolBroken):
        feed(reply(10, b"x\n", NONCES[0]), [], [])


def test_a_nonce_without_the_end_of_its_reply_is_refused() -> None:
    with pytest.raises(ProtocolBroken):
        feed(b"%begin 1700 10 1\nno end\n" + complaint(11, NONCES[0]), [], NONCES)
