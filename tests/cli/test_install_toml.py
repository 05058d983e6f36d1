from __future__ import annotations

import pytest

from muxpilot.cli.install import toml
from muxpilot.cli.install.failure import Malformed

KEYS = ("mcp_servers", "muxpilot")
ENTRY = {"command": "/m", "args": ["a", "b"], "env": {"K": 'v"\\'}}
LINES = '[mcp_servers.muxpilot]\ncommand = "/m"\nargs = ["a", "b"]\nenv = { K = "v\\"\\\\" }\n'
TEXTS = {
    "nothing": "",
    "comments": "# only\n",
    "no end of line": 'model = "x"',
    "other servers": '[mcp_servers.a]\ncommand = "a"\n\n# about z\n[z]\nx = 1\n',
    "a header of its own": '[mcp_servers]\n\n[mcp_servers.a]\ncommand = "a"\n',
    "out of order": '[mcp_servers.a]\ncommand = "a"\n[z]\nx = 1\n[mcp_servers.b]\ncommand = "b"\n',
    "arrays of tables": "[[z]]\nx = 1\n[[z]]\nx = 2\n",
    "looks like a header": 'x = """\n[mcp_servers.muxpilot]\n"""\ny = [\n  [1],\n  [2]\n]\n',
}
EVERY = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def put(text: str) -> str:
    return toml.put(text, KEYS, ENTRY)


@EVERY
def test_an_entry_is_added_at_the_end_and_nothing_else_changes(text: str) -> None:
    changed = put(text)
    assert changed.startswith(text)
    assert changed.endswith(LINES)
    config = toml.parse(text)
    assert toml.parse(changed) == {
        **config,
        "mcp_servers": {**dict(config.get("mcp_servers", {})), "muxpilot": ENTRY},  # type: ignore[call-overload]
    }


@pytest.mark.parametrize("text", [text for key, text in TEXTS.items() if "header" not in key or "own" in key])
def test_an_entry_is_taken_out_without_a_trace(text: str) -> None:
    whole = text if text.endswith("\n") or not text else f"{text}\n"
    assert toml.drop(put(text), KEYS) == whole


def test_comments_above_the_next_table_stay_when_the_entry_goes() -> None:
    text = f"a = 1\n\n{LINES}\n# about z\n[z]\nx = 1\n"
    assert toml.drop(text, KEYS) == "a = 1\n\n# about z\n[z]\nx = 1\n"


def test_tables_within_the_entry_go_with_it() -> None:
    text = '[mcp_servers.muxpilot]\ncommand = "/m"\n\n[mcp_servers.muxpilot.env]\nK = "v"\n\n# z\n[z]\n'
    assert toml.drop(text, KEYS) == "# z\n[z]\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "a" }, muxpilot = { command = "/m" } }\n',
        '[mcp_servers]\na = { command = "a" } # c\nmuxpilot = { command = "/m" }\n',
        'mcp_servers.a.command = "a"\nmcp_servers.muxpilot.command = "/m"\n',
    ],
)
def test_an_entry_that_is_written_in_one_line_is_changed_and_removed_too(text: str) -> None:
    changed = toml.put(text, (*KEYS, "command"), "/n")
    assert changed == text.replace("/m", "/n")
    assert toml.parse(toml.put(text, (*KEYS, "args"), [])) == {
        "mcp_servers": {"a": {"command": "a"}, "muxpilot": {"command": "/m", "args": []}}
    }
    assert toml.parse(toml.drop(text, KEYS)) == {"mcp_servers": {"a": {"command": "a"}}}


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "a" } } # c\n\n[z]\nx = 1\n',
        'mcp_servers.a.command = "a" # c\n\n[z]\nx = 1\n',
    ],
)
def test_servers_without_a_header_get_the_entry_beside_them(text: str) -> None:
    changed = put(text)
    assert toml.parse(changed) == {"mcp_servers": {"a": {"command": "a"}, "muxpilot": ENTRY}, "z": {"x": 1}}
    assert " # c\n" in changed
    assert changed.endswith("\n\n[z]\nx = 1\n")


def test_a_value_is_changed_in_its_place() -> None:
    text = '[mcp_servers.muxpilot]\ncommand = "/m"  # why\n# more\n\n# about z\n[z]\nx = 1\n'
    assert toml.put(text, (*KEYS, "command"), "/n") == text.replace("/m", "/n")


def test_a_value_is_added_behind_the_last_of_its_table() -> None:
    text = '[mcp_servers.muxpilot]\ncommand = "/m"\n\n# about z\n[z]\nx = 1\n'
    assert toml.put(text, (*KEYS, "env"), {"K": "v"}) == text.replace('"/m"\n', '"/m"\nenv = { K = "v" }\n')


def test_a_variable_is_added_to_a_table_of_variables() -> None:
    text = '[mcp_servers.muxpilot]\ncommand = "/m"\n[mcp_servers.muxpilot.env]\nA = "1"\n# z\n[z]\n'
    assert toml.put(text, (*KEYS, "env", "B"), "2") == text.replace('A = "1"\n', 'A = "1"\nB = "2"\n')


def test_line_ends_and_the_byte_order_mark_are_kept() -> None:
    text = '\ufeff[mcp_servers.a]\r\ncommand = "a"\r\n'
    changed = put(text)
    assert changed.startswith(text)
    assert changed.count("\n") == changed.count("\r\n")
    assert toml.put(changed, (*KEYS, "command"), "/n") == changed.replace("/m", "/n")
    assert toml.drop(changed, KEYS) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb = \n", "line 2, column 5"),
        ("a = 1\na = 2\n", "line 2, column 1"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(Malformed, match=place):
        toml.parse(text)
