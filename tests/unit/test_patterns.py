"""Looking through a whole text at once finds what a look at each line would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.terminal.patterns import compile_pattern

texts = st.lists(st.text(st.sampled_from("ab .é漢x"), max_size=6), max_size=8).map("\n".join)
regexes = st.sampled_from(
    [
        "a",
        "^a",
        "a$",
        "^$",
        "a+b",
        "[^b]+",
        r"\s+",
        "a|b",
        "(?i)A",
        "x*",
        ".",
        "^.*$",
        "b\\n",
        r"a\s*b",
        "é.漢",
    ]
)


def by_line(text: str, pattern: str, regex: bool) -> list[str]:
    compiled = compile_pattern(pattern, regex=regex)
    return [line for line in text.split("\n") if compiled.found_in(line)]


@given(texts, regexes)
def test_regular_expressions_find_the_same_lines(text: str, pattern: str) -> None:
    assert list(compile_pattern(pattern, regex=True).lines_in(text)) == by_line(text, pattern, True)


@given(texts, st.text(st.sampled_from("ab .é漢x"), min_size=1, max_size=3))
def test_literals_find_the_same_lines(text: str, pattern: str) -> None:
    assert list(compile_pattern(pattern).lines_in(text)) == by_line(text, pattern, False)


@pytest.mark.parametrize("text", ["a.b", "[x]", "(", "$", "\\\\", "a|b"])
def test_a_literal_is_a_literal(text: str) -> None:
    assert list(compile_pattern(text).lines_in(f"no\n<{text}>\nno")) == [f"<{text}>"]
