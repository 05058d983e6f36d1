"""JSON with comments: what is edited says what was asked for, and all the rest is as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.cli.install import jsonc
from muxpilot.cli.install.entry import at
from muxpilot.cli.install.failure import Malformed
from muxpilot.cli.install.jsonc_edit import drop, parse, put

NAMES = st.sampled_from(["a", "b", "servers", 'q"}', "é"])
KEYS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
SPACE = st.sampled_from(
    ["", "", " ", "\n", "\n  ", "\r\n\t", "// note, {\n", "/* note } */", " //\r\n", "/**/\n"]
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
NEW = st.recursive(
    SCALARS, lambda deeper: st.lists(deeper) | st.dictionaries(st.text(), deeper), max_leaves=4
)
NOTE = re.compile(r"//[^\r\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"")
Text = tuple[str, Any]
"""As written, and what it says."""


def values(depth: int) -> st.SearchStrategy[Text]:
    scalars = SCALARS.map(lambda value: (json.dumps(value), value))
    return scalars | objects(depth - 1) | arrays(depth - 1) if depth else scalars


@st.composite
def objects(draw: st.DrawFn, depth: int) -> Text:
    members = draw(st.lists(st.tuples(NAMES, values(depth)), max_size=3))
    parts = [
        f"{draw(SPACE)}{json.dumps(key)}{draw(SPACE)}:{draw(SPACE)}{text}{draw(SPACE)}"
        for key, (text, _) in members
    ]
    comma = draw(st.sampled_from(["", ","])) + draw(SPACE) if parts else draw(SPACE)
    return f"{{{','.join(parts)}{comma}}}", {key: value for key, (_, value) in members}


@st.composite
def arrays(draw: st.DrawFn, depth: int) -> Text:
    items = draw(st.lists(values(depth), max_size=3))
    comma = draw(st.sampled_from(["", ","])) if items else ""
    inside = ",".join(f"{draw(SPACE)}{text}{draw(SPACE)}" for text, _ in items)
    return f"[{inside}{comma}{draw(SPACE)}]", [value for _, value in items]


@st.composite
def documents(draw: st.DrawFn) -> Text:
    text, value = draw(objects(3))
    return f"{draw(st.sampled_from(['', jsonc.BOM]))}{draw(SPACE)}{text}{draw(SPACE)}", value


def edited(config: Mapping[str, Any], keys: tuple[str, ...], value: object) -> dict[str, Any]:
    copy = deepcopy(dict(config))
    holder = copy
    for key in keys[:-1]:
        holder = holder.setdefault(key, {})
    holder[keys[-1]] = value
    return copy


def goes_through_objects(config: object, keys: tuple[str, ...]) -> bool:
    for key in keys[:-1]:
        if not isinstance(config, dict):
            return False
        config = config.get(key, {})
    return isinstance(config, dict)


def notes(text: str) -> list[str]:
    return [note for note in NOTE.findall(text) if note[0] == "/"]


def close(text: str) -> str:
    return re.sub(r"[ \t\r\n]", "", text)


@given(documents())
def test_everything_is_read(document: Text) -> None:
    text, value = document
    assert parse(text) == value


@given(documents(), KEYS, NEW)
def test_after_an_edit_the_value_is_there_and_all_else_is_as_it_was(
    document: Text, keys: tuple[str, ...], new: object
) -> None:
    text, value = document
    if not goes_through_objects(value, keys):
        with pytest.raises(Malformed, match="must be an object"):
            put(text, keys, new)
        return
    assert parse(put(text, keys, new)) == edited(value, keys, new)


@given(documents(), NAMES, NEW)
def test_replacing_touches_only_the_value(document: Text, key: str, new: object) -> None:
    text, _ = document
    root = jsonc.read(text)
    member = root.member(key) if root else None
    if member:
        changed = put(text, (key,), new)
        assert changed.startswith(text[: member.node.start])
        assert changed.endswith(text[member.node.end :])


@given(documents(), KEYS)
def test_adding_keeps_every_comment_in_its_order(document: Text, keys: tuple[str, ...]) -> None:
    text, value = document
    if goes_through_objects(value, keys):
        assert notes(put(text, (*keys[:-1], "new"), {"x": 1})) == notes(text)


@given(documents(), KEYS)
def test_what_was_added_is_taken_out_without_a_trace_but_space(document: Text, keys: tuple[str, ...]) -> None:
    text, value = document
    if isinstance(at(value, keys[:-1]), dict):
        new = (*keys[:-1], "new")
        assert close(drop(put(text, new, {"x": [1]}), new)) == close(text)


@given(documents(), KEYS)
def test_dropping_takes_out_the_key_and_nothing_else(document: Text, keys: tuple[str, ...]) -> None:
    text, value = document
    changed = drop(text, keys)
    expected = deepcopy(value)
    holder: Any = at(expected, keys[:-1])
    if isinstance(holder, dict) and keys[-1] in holder:
        del holder[keys[-1]]
        assert parse(changed) == expected
    else:
        assert changed == text


@given(documents())
def test_a_strict_file_stays_strict(document: Text) -> None:
    _, value = document
    for indent in (None, 2, "\t"):
        text = json.dumps(value, indent=indent)
        changed = put(text, ("new", "muxpilot"), {"x": 1})
        assert json.loads(changed) == {**value, "new": {"muxpilot": {"x": 1}}}
        assert json.loads(drop(changed, ("new",))) == value


@given(st.text(alphabet='{}[]",:/*\\ \n1atrue'))
def test_any_text_is_read_or_refused_as_malformed(text: str) -> None:
    with suppress(Malformed):
        node = jsonc.read(text)
        assert node is None or text[node.start : node.end].strip()


ADDED = [
    ("", '{\n  "m": {\n    "x": 1\n  }\n}\n'),
    ("{}", '{\n  "m": {\n    "x": 1\n  }\n}'),
    ("{ }\n", '{\n  "m": {\n    "x": 1\n  }\n}\n'),
    ("// only\n", '// only\n{\n  "m": {\n    "x": 1\n  }\n}\n'),
    ("// only", '// only\n{\n  "m": {\n    "x": 1\n  }\n}\n'),
    ('{"a": 1}', '{"a": 1, "m": {"x": 1}}'),
    ('{"a": 1,}', '{"a": 1, "m": {"x": 1},}'),
    ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "m": {\n        "x": 1\n    }\n}\n'),
    ('{\n\t"a": 1,\n}\n', '{\n\t"a": 1,\n\t"m": {\n\t\t"x": 1\n\t},\n}\n'),
    ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "m": {\r\n    "x": 1\r\n  }\r\n}'),
    ('{\n  "a": 1 // a\n  // end\n}', '{\n  "a": 1, // a\n  // end\n  "m": {\n    "x": 1\n  }\n}'),
    ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "m": {\n    "x": 1\n  }\n}'),
    ("{ /* none */ }", '{ /* none */\n  "m": {\n    "x": 1\n  }\n}'),
    ('\ufeff{"a": 1}', '\ufeff{"a": 1, "m": {"x": 1}}'),
]


@pytest.mark.parametrize(("text", "expected"), ADDED)
def test_what_is_added_looks_like_its_surroundings(text: str, expected: str) -> None:
    assert put(text, ("m",), {"x": 1}) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"m": 1}', "{}"),
        ('{\n  "m": 1\n}', "{}"),
        ('{\n  // why\n  "m": 1\n}', "{\n  // why\n}"),
        ('{"a": 1, "m": 2}', '{"a": 1}'),
        ('{"m": 2, "a": 1}', '{"a": 1}'),
        ('{"a": 1, "m": 2,}', '{"a": 1,}'),
        ('{\n  "a": 1,\n  "m": {\n  },\n  "b": 2\n}', '{\n  "a": 1,\n  "b": 2\n}'),
        ('{\r\n  "a": 1, // a\r\n  "m": 2\r\n}', '{\r\n  "a": 1 // a\r\n}'),
        ('{\n  "a": 1,\n  "m": 2, // m\n  "b": 3\n}', '{\n  "a": 1,\n  // m\n  "b": 3\n}'),
        ('{\n  "m": 1,\n  "a": 1,\n  "m": 2\n}', '{\n  "a": 1\n}'),
        ('{"a": {"m": 1}}', '{"a": {"m": 1}}'),
        ("", ""),
    ],
)
def test_what_is_taken_out_takes_its_line_and_one_comma(text: str, expected: str) -> None:
    assert drop(text, ("m",)) == expected


def test_of_a_key_that_is_there_twice_the_last_is_changed() -> None:
    text = '{"s": {"a": 1}, "s": {"m": 1, "m": 2}}'
    assert put(text, ("s", "m"), 3) == '{"s": {"a": 1}, "s": {"m": 1, "m": 3}}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "line 1, column 2: the end of the file"),
        ('{\n  "a" 1}', "line 2, column 7: '1', where ':' was expected"),
        ('{"a": 1 "b": 2}', "column 9: '\"', where ',' or '}' was expected"),
        ("{'a': 1}", 'column 2: "\'", where a key in double quotes'),
        ('{"a": 01}', "column 8: '1', where ',' or '}'"),
        ('{"a": [1 2]}', "column 10: '2', where ',' or ']'"),
        ('{"a": "x\n"}', "column 7: '\"', where a string that ends on its line"),
        ('{"a": "\\x"}', "column 7"),
        ('{"a": nope}', "column 7: 'n', where a value"),
        ("{} {}", "column 4: something follows"),
        ("{,}", "column 2"),
        ("/* {", "column 1: '/'"),
        ("[]", "column 1: the file must be an object"),
        ('{"a": ' + "[" * 5000, "nested more than 200 levels deep"),
        ('{"a": ' + "1" * 5000 + "}", "column 7"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(Malformed, match=re.escape(told)):
        parse(text)
