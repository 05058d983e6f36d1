"""The formats that are accepted from outside: what they mean, and that nothing else gets through."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import BadInput
from muxpilot.tmux.format_grammar import (
    ALIASES,
    MOST_CHARACTERS,
    MOST_DEEP,
    MOST_PARTS,
    OPERATORS,
    parse_format,
    parse_format_option,
    parse_style_option,
)
from muxpilot.tmux.format_tree import Format

VALUES = {"a": "1", "b": "0", "c": "", "@d": "#{E:@evil} 100%", "window_name": "w", "x[0]": "9"}

NAMES = st.from_regex(r"\A@?[A-Za-z0-9_][A-Za-z0-9_-]{0,20}(\[(0|[1-9][0-9]{0,3})\])?\Z")
TOP_TEXT = st.text(st.characters(exclude_characters="#\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
INNER_TEXT = st.text(
    st.characters(exclude_characters="#,}\0", exclude_categories=["Cs"]), min_size=1, max_size=8
)
SHORT = st.sampled_from(["##", "#,", "#}", *(f"#{letter}" for letter in ALIASES)])
VARIABLE = NAMES.map(lambda name: f"#{{{name}}}")


def deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    many = st.lists(inner, max_size=3).map("".join)
    test = st.one_of(NAMES, st.lists(VARIABLE, min_size=1, max_size=2).map("".join))
    return st.one_of(
        st.builds("#{{?{},{},{}}}".format, test, many, many),
        st.builds("#{{{}:{},{}}}".format, st.sampled_from(OPERATORS), many, many),
    )


INNER = st.recursive(st.one_of(INNER_TEXT, SHORT, VARIABLE), deeper, max_leaves=6)
FORMATS = st.lists(st.one_of(TOP_TEXT, INNER), max_size=6).map("".join)
SOUP = st.lists(
    st.sampled_from(
        [*"#{}[]()?,:;=!<>&|%/@", "#{", "#(", "#[", "##", "E:", "T:", "s/", "l:", "a", "pane_id", "\\"]
    ),
    max_size=25,
).map("".join)


@given(FORMATS)
def test_what_is_accepted_is_written_as_it_came(text: str) -> None:
    with suppress(TooMuch):
        assert parsed(text).write() == text


class TooMuch(Exception):
    """Nested too deep, or of too many parts."""


def parsed(text: str) -> Format:
    try:
        return parse_format(text)
    except BadInput as error:
        raise TooMuch if "more than" in error.message else error from None


@given(st.one_of(SOUP, st.text()))
def test_whatever_is_accepted_is_written_from_its_tree(text: str) -> None:
    for parse in (parse_format, parse_format_option, parse_style_option):
        try:
            accepted = parse(text)
        except BadInput:
            continue
        assert accepted.write().lower() == text.lower()  # A colour is written in lower case.
        assert parse(accepted.write()).write() == accepted.write()
        assert accepted.value(dict.fromkeys(accepted.names(), "")) is not None


@given(FORMATS, st.integers(0, 200), SOUP)
def test_a_format_with_something_put_into_it_runs_nothing(text: str, place: int, soup: str) -> None:
    text = text[:place] + soup + text[place:]
    try:
        written = parse_format_option(text).write()
    except BadInput:
        return
    assert "#(" not in written.replace("##", "")
    assert all(f"#{{{letter}:" not in written.replace("##", "") for letter in "ETSWPLlsmCpqtbdnwaceNRIAOV")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("100% %H %% %", "100% %H %% %"),
        ("a ## b #, c #} d, e} f{ [x] (y) z:", "a # b , c } d, e} f{ [x] (y) z:"),
        ("##(date) ##{a} ###{a}", "#(date) #{a} #1"),
        ("#{a}#{b}#{c}|#{x[0]}", "10|9"),
        ("#W", "w"),
        ("#{@d}", "#{E:@evil} 100%"),
        ("#{?a,yes,no} #{?b,yes,no} #{?c,yes,no}", "yes no no"),
        ("#{?#{a},y#,es#},no}", "y,es}"),
        ("#{?a,%H %%,}", "%H %%"),
        ("#{?a,#{?b,1,#{?a,deep %d ##,3}},4}", "deep %d #"),
        ("#{==:#{a},1}#{!=:#{a},1}", "10"),
        ("#{<:a,b}#{>:a,b}#{<=:a,a}#{>=:a,a}#{<:10,9}", "10111"),
        ("#{&&:#{a},#{b}}#{||:#{a},#{b}}#{&&:1,x}#{||:0,}", "0110"),
        ("#{==:12:30,12:30}#{?a,x:y;z/w,}", "1x:y;z/w"),
        ("#{?#{a}#{b},two,none}", "two"),
        ("", ""),
    ],
)
def test_a_format_means_what_tmux_means(text: str, value: str) -> None:
    assert parse_format(text).value(VALUES) == value


@pytest.mark.parametrize("modifier", [*"ETSWPLNCRIAOVabcdelmnpqstw=!", "!!"])
@pytest.mark.parametrize("rest", [":@x", "/r:a,b", ";E:@x", "/#}/x/:@x", "|a|b:c", "9:x", ":#{pane_id}"])
def test_a_modifier_is_refused_by_its_name(modifier: str, rest: str) -> None:
    for text in (f"#{{{modifier}{rest}}}", f"x#{{?a,#{{{modifier}{rest}}},}}"):
        for parse in (parse_format, parse_format_option, parse_style_option):
            with pytest.raises(BadInput) as refused:
                parse(text)
            assert f"the modifier '{modifier}' can't be used" in refused.value.message
            assert "#{name}" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#(date)", "runs a command"),
        ("#{?a,#(date),}", "runs a command"),
        ("#[fg=red]", "styles are for status lines"),
        ("#", "no meaning"),
        ("a#", "no meaning"),
        ("#{?a,b,c#", "no meaning"),
        ("#x", "no meaning"),
        ("issue #16", "no meaning"),
        ("#{a", "no } that ends it"),
        ("#{?a,b}", "needs 3 parts"),
        ("#{?a,b,c,d}", "needs 3 parts"),
        ("#{?a}", "needs 3 parts"),
        ("#{?}", "needs 3 parts"),
        ("#{==:a}", "needs 2 parts"),
        ("#{==:a,b,c}", "needs 2 parts"),
        ("#{&&:a,b,c}", "needs 2 parts"),
        ("#{?a b,c,d}", "can't be a condition"),
        ("#{?,c,d}", "can't be a condition"),
        ("#{}", "not the name"),
        ("#{ a }", "not the name"),
        ("#{a[00]}", "not the name"),
        ("#{a[-1]}", "not the name"),
        ("#{a[\u0663]}", "not the name"),
        ("#{\u0440\u0430ne_id}", "not the name"),
        ("#{@}", "not the name"),
        ("#{#{a}}", "not the name"),
        ("\uff03{a}#{\uff41}", "not the name"),
        ("#{a\n}", "not the name"),
        ("\0", "NUL"),
        ("\ud800", "surrogate"),
    ],
)
def test_the_rest_is_refused_and_says_why(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parse_format(text)


def test_sizes_are_bounded() -> None:
    assert parse_format("x" * MOST_CHARACTERS)
    with pytest.raises(BadInput, match="characters"):
        parse_format("x" * (MOST_CHARACTERS + 1))
    assert parse_format("#{a}" * MOST_PARTS)
    with pytest.raises(BadInput, match="parts"):
        parse_format("#{a}" * (MOST_PARTS + 1))
    assert parse_format(nested(MOST_DEEP)).value(VALUES) == "1"
    for depth in (MOST_DEEP + 1, 60, 400):
        with pytest.raises(BadInput, match="deep"):
            parse_format(nested(depth))


def nested(depth: int) -> str:
    return "#{?a," * (depth - 1) + "#{a}" + ",}" * (depth - 1)


@pytest.mark.parametrize(
    "value",
    [
        "#[fg=red,bold]#S#[default] %H:%M",
        "#{?pane_dead,#[fg=red#,bold]dead#[default],}",
        "#[fg=#{?a,#ff0000,red}]x#[range=user|x]",
        "100%% #{a}",
        "[#{session_name}] ",
    ],
)
def test_a_format_option_takes_styles_and_times(value: str) -> None:
    assert parse_format_option(value).write() == value


def test_a_colour_is_written_in_lower_case() -> None:
    """tmux before 3.6 takes the #D of #DD0000 for the pane's id."""
    assert parse_format_option("#[fg=#DD00fF]#D").write() == "#[fg=#dd00ff]#D"
    assert parse_style_option("fg=#FF0000,bold").write() == "fg=#ff0000,bold"


@pytest.mark.parametrize(
    "value",
    [
        "#[fg=red",
        "#[#[x]]",
        "#[a}b]",
        "#[#(date)]",
        "#{?a,#[fg=red,bold],}",
        "%#{a}",
        "%-##(x)",
        "%E5#{a}",
        "x#",
    ],
)
def test_a_format_option_takes_nothing_else(value: str) -> None:
    with pytest.raises(BadInput):
        parse_format_option(value)
