"""Looking through a whole text at once finds what a look at each line would."""

from __future__ import annotations

import time

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import BadInput
from muxpilot.terminal.patterns import compile_pattern

LETTERS = "abAB .éÉß\u017f\u212a漢x\t\u03c3\u03c2\\$^👩\u0301"
texts = st.lists(st.text(st.sampled_from(LETTERS), max_size=6), max_size=8).map("\n".join)
TABLE = r"""
    a b x . é É ß k s Σ 漢 ^ $ [^b] [aé] [^漢] [[:space:]] \x{e9} \pL \PL (?s). (?-s). (?i) (?m) (?U) ()
    \n \s \S \w \W \d \b \B \A \z \C \\ \t \Qa. \Q.\E (?-m:^)
"""
ATOMS = [*TABLE.split(), " ", "\n", "[^\n]"]
ENDINGS = ("", "", "", "*", "+", "?", "{2}", "*?", "|")


def _grouped(pieces: list[tuple[str, str]]) -> str:
    return "".join(f"(?:{atom}){ending}" if ending.strip("|") else atom + ending for atom, ending in pieces)


regexes = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(ENDINGS)), min_size=1, max_size=4).map(
    _grouped
)


def by_line(text: str, pattern: str, *, literal: bool, match_case: bool) -> list[str]:
    """The definition: each line by itself, as text."""
    options = re2.Options()
    options.literal, options.case_sensitive, options.log_errors = literal, match_case, False
    compiled = re2.compile(pattern, options)
    return [line for line in text.split("\n") if compiled.search(line)]


def at_once(text: str, pattern: str, *, regex: bool = False, match_case: bool = False) -> list[str]:
    compiled = compile_pattern(pattern, regex=regex, match_case=match_case)
    return [line.decode() for line in compiled.lines_in(text.encode())]


@given(texts, regexes, st.booleans())
def test_regular_expressions_find_the_same_lines(text: str, pattern: str, match_case: bool) -> None:
    try:
        expected = by_line(text, pattern, literal=False, match_case=match_case)
    except re2.error:
        with pytest.raises(BadInput):
            compile_pattern(pattern, regex=True)
        return
    assert at_once(text, pattern, regex=True, match_case=match_case) == expected


@given(texts, st.text(st.sampled_from(LETTERS + "\n"), min_size=1, max_size=3), st.booleans())
def test_literals_find_the_same_lines(text: str, pattern: str, match_case: bool) -> None:
    assert at_once(text, pattern, match_case=match_case) == by_line(
        text, pattern, literal=True, match_case=match_case
    )


@pytest.mark.parametrize(
    "pattern", [r"\Aa", r"a\z", "(?-m:^a)", "(?i-m)^A", r"\Qa", r"a\C*", "^a", "a$", "^[^b]*$", "(?s)a.*"]
)
def test_every_line_is_a_text_of_its_own(pattern: str) -> None:
    assert at_once("a\nb\na", pattern, regex=True) == ["a", "a"]


def test_a_line_is_whole_where_the_match_is_inside_a_character() -> None:
    assert at_once("AÉ", r"\B", regex=True) == ["AÉ"]


@pytest.mark.parametrize("text", ["a.b", "[x]", "(", "$", "\\\\", "a|b", r"\A", r"\Q", "(?-", "é{2}"])
def test_a_literal_is_a_literal(text: str) -> None:
    assert at_once(f"no\n<{text}>\nno", text) == [f"<{text}>"]


def test_case_counts_only_where_it_is_asked_for() -> None:
    text = "STRAßE\nŽluťoučký\nno"
    for pattern, line in (("straße", "STRAßE"), ("ŽLUŤOUČKÝ", "Žluťoučký")):
        assert at_once(text, pattern) == [line]
        assert at_once(text, pattern, match_case=True) == []


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(BadInput, match="surrogate"):
        compile_pattern("\ud800")


def test_a_match_that_would_run_on_does_not_make_it_slow() -> None:
    """For each `b`, `a` could have begun a match that only the end of the text rules out."""
    small, large = (_seconds("(?s)a.*z|b", b"a b\n" * lines) for lines in (1_000, 32_000))
    assert large < 32 * 8 * small


def _seconds(pattern: str, text: bytes) -> float:
    compiled = compile_pattern(pattern, regex=True)

    def once() -> float:
        started = time.perf_counter()
        assert sum(1 for _ in compiled.lines_in(text)) == text.count(b"\n")
        return time.perf_counter() - started

    return min(once() for _ in range(3))
