from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import ProtocolBroken
from muxpilot.tmux.formats import Columns
from muxpilot.tmux.version import Version

ANY = Version(3, 3)


@dataclass(frozen=True)
class Thing:
    name: str
    thing_id: str
    size: int
    busy: bool
    code: int | None
    path: str = field(metadata={"format": "#{pane_current_path}"})


THINGS = Columns(Thing)
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
things = st.builds(
    Thing, texts, st.just("%1"), st.integers(0), st.booleans(), st.none() | st.integers(0), texts
)


def printed(rows: list[Thing], mark: str) -> str:
    """As tmux prints them: a line each, nothing escaped, what can't hold a space first."""
    return "\n".join(
        f"{row.thing_id} {row.size} {int(row.busy)} {_number(row.code)}{mark}{row.name}{mark}{row.path}{mark}"
        for row in rows
    )


def _number(code: int | None) -> str:
    return "" if code is None else str(code)


@given(st.lists(things, max_size=5))
def test_rows_come_back_whatever_text_they_hold(rows: list[Thing]) -> None:
    request = THINGS.request()
    assert request.read(printed(rows, request.mark), ANY) == rows


def test_the_format_asks_for_each_field_by_its_name() -> None:
    request = THINGS.request()
    assert request.format.split(request.mark) == [
        "#{thing_id} #{size} #{busy} #{code}",
        "#{name}",
        "#{pane_current_path}",
        "",
    ]


def test_each_request_has_its_own_mark() -> None:
    assert THINGS.request().mark != THINGS.request().mark


@pytest.mark.parametrize("text", ["too few", "%1 1 1 1{0}a{0}", "%1 x 1 1{0}a{0}p{0}", "%1 1 1{0}a{0}p{0}"])
def test_an_answer_of_another_shape_is_refused(text: str) -> None:
    request = THINGS.request()
    with pytest.raises(ProtocolBroken):
        request.read(text.format(request.mark), ANY)


def test_the_dollar_that_tmux_34_escapes_is_restored() -> None:
    request = THINGS.request()
    text = printed([Thing(r"a\$HOME \$1", "%1", 0, False, None, r"\${x}")], request.mark)
    (row,) = request.read(text, Version(3, 4))
    assert (row.name, row.path) == (r"a$HOME \$1", "${x}")


@given(st.lists(things, max_size=5))
def test_a_table_has_the_same_in_words(rows: list[Thing]) -> None:
    request = THINGS.request()
    table = request.read_table(printed(rows, request.mark), ANY)
    assert list(table.kinds) == list(table.words) == ["name", "thing_id", "size", "busy", "code", "path"]
    said = [
        (one.name, one.thing_id, str(one.size), str(int(one.busy)), _number(one.code), one.path)
        for one in rows
    ]
    assert list(zip(*table.words.values(), strict=True)) == said


@pytest.mark.parametrize("words", ["%1 x 0 0", "%1 0 0 x", "%1 ²  0 0"])
def test_a_table_has_no_word_of_the_wrong_kind(words: str) -> None:
    request = THINGS.request()
    with pytest.raises(ProtocolBroken):
        request.read_table(f"{words}{request.mark}a{request.mark}b{request.mark}", ANY)


def test_a_flag_of_a_table_is_1_or_0_whatever_number_it_was() -> None:
    request = THINGS.request()
    text = "\n".join(f"%1 0 {flag} 0{request.mark}a{request.mark}b{request.mark}" for flag in "012")
    assert request.read_table(text, ANY).words["busy"] == ["0", "1", "1"]


def test_a_table_without_some_rows_and_with_another_column() -> None:
    request = THINGS.request()
    rows = [Thing(name, "%1", 0, False, None, "") for name in "abc"]
    table = request.read_table(printed(rows, request.mark), ANY).only([True, False, True])
    assert table.with_flags("ours", [True, False]).words["ours"] == ["1", "0"]
    assert table.words["name"] == ["a", "c"]
