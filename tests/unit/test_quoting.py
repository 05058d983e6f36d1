"""Quoting, as far as it can be told without tmux (see tests/tmux/test_quoting_round_trip.py)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import BadInput
from muxpilot.tmux.quoting import command_argv, command_line, literal_format, quote


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_quoted_word_is_one_printable_ascii_line(text: str) -> None:
    quoted = quote(text)
    assert quoted.isascii()
    assert all(32 <= byte < 127 for byte in quoted)


@pytest.mark.parametrize("word", ["list-panes", "-t", "main:0.1", "--", "a_b/c"])
def test_plain_words_stay_readable(word: str) -> None:
    assert quote(word) == word.encode()


def test_an_empty_argument_is_still_an_argument() -> None:
    assert command_line(["set-buffer", "--", ""]) == b'set-buffer -- ""\n'


@pytest.mark.parametrize("text", ["a\0b", "\0"])
def test_nul_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="NUL"):
        quote(text)
    with pytest.raises(BadInput, match="NUL"):
        command_argv(["x", "--", text])


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(BadInput, match="surrogate"):
        quote("a\ud800")


def test_a_semicolon_at_the_end_is_no_separator_for_the_program() -> None:
    assert command_argv(["send-keys", "--", "a;", ";", "b;c"]) == ["send-keys", "--", "a\\;", "\\;", "b;c"]


def test_formats_in_literal_text_are_dead() -> None:
    assert literal_format("#(rm -rf /) #{pid}") == "##(rm -rf /) ##{pid}"
