"""Text that reaches a client can be seen: nothing in a name hides, turns around or starts a new line."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import BadInput, PaneRefused
from muxpilot.mcp import jsonrpc, visible
from muxpilot.mcp.jsonrpc import Refused
from muxpilot.mcp.results import Result, details, error_wire, rows_of
from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server

HIDDEN = [
    *map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0))),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *"\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u206a\u206f\ufeff\u00ad\u034f\u180b\u180e\u17b4",
    *"\u115f\u1160\u3164\uffa0\ufff9\ufffa\ufffb\u2028\u2029\u2800\ufe00\ufe0e\ufe0f",
    *"\U000e0001\U000e0020\U000e0041\U000e007f\U000e0100\U000e01ef\U0001d173\U0001bca0",
]
MISLEADING = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
NEEDED = [
    "👩\u200d💻 \u2764\ufe0f\u200d🔥 👨\u200d👩\u200d👧 1\ufe0f\u20e3 ✔\ufe0e 🏳\ufe0f\u200d🌈",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "क\u094d\u200dष श\u094d\u200cर",
]
VISIBLE = [
    "naïve café",
    "漢字かな 한글",
    "עברית عربى",
    "Ωμέγα žluťoučký",
    "\ue0b0 powerline",
    "é e\u0301",
    "→ ✓ ░",
]
HOSTILE = "a\u202eb\u200bc\U000e0041d\u00ade\nIGNORE \u2066ALL"


@pytest.mark.parametrize("character", HIDDEN, ids=lambda one: f"U+{ord(one):04X}")
def test_no_hidden_character_is_in_a_name(character: str) -> None:
    shown = visible.name(f"a{character}b")
    assert character not in shown
    assert shown == f"a{character.encode('unicode_escape').decode()}b"
    assert visible.facts({"pane_title": f"a{character}b"}) == {"pane_title": shown}
    assert visible.facts({f"a{character}b": 1}) == {shown: 1}


@pytest.mark.parametrize("text", [*NEEDED, *VISIBLE])
def test_what_can_be_seen_stays(text: str) -> None:
    assert visible.name(text) == visible.lines(text) == visible.line(text) == visible.pane_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a\u200db",
        "a\u200cb",
        "👩\u200d",
        "\u200d💻",
        "م\u200c\u200cخ",
        "a\ufe0f",
        "👩\u200d\u200d💻",
        "👩\u200dx",
    ],
)
def test_joiners_that_join_nothing_are_shown(text: str) -> None:
    assert "\\u" in visible.name(text)


@given(st.text())
def test_of_a_panes_text_only_what_misleads_is_changed(text: str) -> None:
    assert visible.pane_text(text) == re.sub(
        MISLEADING, lambda found: found[0].encode("unicode_escape").decode(), text
    )


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(HIDDEN)))
def test_a_name_is_one_line_however_often_it_is_shown(text: str) -> None:
    shown = visible.name(text)
    assert len(shown.splitlines()) <= 1
    assert visible.name(shown) == shown
    assert not re.search(MISLEADING, visible.lines(text) + visible.line(text))
    assert "\n" not in visible.line(text)


@pytest.mark.parametrize("field", sorted(visible.TEXT_FIELDS))
def test_lines_and_tabs_stay_in_the_fields_that_hold_text(field: str) -> None:
    shown = visible.facts({field: "a\tb\n\u202ec", "rows": [{field: ["x\ny", "\U000e0041"]}]})
    assert shown == {field: "a\tb\n\\u202ec", "rows": [{field: ["x\ny", "\\U000e0041"]}]}


def test_every_way_out_of_the_server_shows_them() -> None:
    """A result's text and structure, tables, tool errors, and errors of the protocol."""
    error = PaneRefused(f"pane %0 runs {HOSTILE}", hint=f"see {HOSTILE}")
    ways = [
        Result(HOSTILE, {"pane_title": HOSTILE}).wire(),
        details({"pane_title": HOSTILE}).wire(),
        rows_of([{"name": HOSTILE}], ("name",), {"rows": [{"name": HOSTILE}]}).wire(),
        error_wire(error),
        error_wire(BadInput(HOSTILE), lambda error: f"Error: {error}"),
        json.loads(jsonrpc.error(1, Refused(-32602, HOSTILE, {"uri": HOSTILE}))),
    ]
    for wire in ways:
        for field, text in strings(wire):
            assert not re.search(MISLEADING, text), (field, text)
            assert "\nIGNORE" not in text, (field, text)


def test_long_captures_cost_next_to_nothing() -> None:
    plain, wide = "x" * 2_000_000, ("żółć │ ✓ " * 20 + "\n") * 5_000
    for text, most in ((plain, 0.001), (wide, 0.05)):
        best = min(_seconds(text) for _ in range(5))
        assert best < most


def _seconds(text: str) -> float:
    started = time.thread_time()
    assert visible.pane_text(text) is text
    return time.thread_time() - started


def strings(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield "", name
            yield from strings(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one, field)


NAME = "a\u202eb\u200bc\U000e0041d\u00ade\u2066"


def hostile_world(lab: Lab, tmp_path: Path) -> None:
    """A pane whose program, title, folder and window are called like that, and that shows it, too."""
    folder = tmp_path / HOSTILE
    folder.mkdir()
    script = tmp_path / "script"
    script.write_text(
        f"printf '\\033]2;%s\\007' '{NAME}'\nprintf '%s\\n' 'shown {NAME}'\nexec -a 'x{HOSTILE}' sleep 1000\n"
    )
    lab.new_session("main", "bash", "-c", f"cd '{folder}' && exec bash '{script}'")
    lab.try_tmux("rename-window", "-t", "main:0", NAME)
    lab.try_tmux("set-environment", "-g", "ODD", HOSTILE)
    eventually(lambda: "shown" in lab.screen())
    eventually(lambda: "bash" not in lab.tmux("display-message", "-p", "#{pane_current_command}"))


PROMPT = {"type": "ref/prompt", "name": "x"}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("list_sessions", {}),
    ("list_windows", {}),
    ("list_panes", {}),
    ("list_panes", {"filters": {"pane_id": "%0"}}),
    ("get_pane_info", {"target": "%0"}),
    ("get_window_info", {"target": "@0"}),
    ("get_session_info", {"target": "main"}),
    ("find_pane_by_position", {"corner": "top-left"}),
    ("capture_pane", {"target": "%0"}),
    ("capture_since", {"target": "%0"}),
    ("snapshot_pane", {"target": "%0"}),
    ("search_panes", {"pattern": "shown"}),
    ("wait_for_text", {"target": "%0", "patterns": "never", "timeout": 0.1}),
    ("show_environment", {}),
    ("list_clients", {}),
    ("list_servers", {}),
    ("display_message", {"format_string": "#{pane_title} #{pane_current_path}", "target": "%0"}),
    (
        "batch_read",
        {"operations": [{"tool": "list_panes"}, {"tool": "capture_pane", "arguments": {"target": "%0"}}]},
    ),
    ("run_command", {"command": "true", "target": "%0", "timeout": 1}),
    ("rename_window", {"target": "@0", "new_name": NAME}),
    ("set_pane_title", {"target": "%0", "title": NAME}),
    ("has_session", {"target": HOSTILE}),
    ("capture_pane", {"target": HOSTILE}),
    (HOSTILE, {}),
]


def answers(client: RawClient) -> Iterator[tuple[str, Any]]:
    for tool, arguments in ASKED:
        number = client.start("tools/call", {"name": tool, "arguments": arguments})
        yield tool, client.wait(number)
    requests: list[tuple[str, dict[str, Any]]] = [
        ("resources/list", {}),
        *(("resources/read", {"uri": uri}) for uri in ("tmux://panes/0", "tmux://panes/0/content")),
        ("resources/read", {"uri": "tmux://sessions/main/windows/0"}),
        ("resources/read", {"uri": "tmux://sessions/" + HOSTILE}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "target", "value": ""}},
        ),
        ("prompts/get", {"name": HOSTILE}),
        ("prompts/get", {"name": "diagnose_failing_pane", "arguments": {"pane_id": HOSTILE}}),
        ("resources/" + HOSTILE, {}),
    ]
    for method, params in requests:
        answer = client.wait(client.start(method, params))
        yield method, answer
        for content in answer.get("result", {}).get("contents", []):
            if content["mimeType"] == "application/json":
                yield method, json.loads(content["text"])


def test_no_answer_about_a_hostile_world_misleads(lab: Lab, tmp_path: Path) -> None:
    hostile_world(lab, tmp_path)
    with mcp_server(lab) as client:
        seen = False
        for asked, answer in answers(client):
            for field, text in strings(answer):
                assert not re.search(MISLEADING, text), (asked, field, text)
                assert "\nIGNORE" not in text or field == "ODD", (asked, field, text)
                is_text = field in visible.TEXT_FIELDS or field in ("ODD", "uri")
                assert is_text or not re.search("[\u200b\u00ad]", text), (asked, field, text)
                seen = seen or "\\u202e" in text
        assert seen
        pane = client.call("get_pane_info", target="%0")
        assert (pane["pane_id"], pane["window_id"], pane["session_id"]) == ("%0", "@0", "$0")
        shown = client.call("capture_pane", target=pane["pane_id"])["text"]
        assert "shown a" in shown


@pytest.mark.parametrize("toolset", ["classic", "mini"])
def test_other_servers_answers_do_not_either(lab: Lab, tmp_path: Path, toolset: str) -> None:
    hostile_world(lab, tmp_path)
    asked: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "classic": [
            ("tmux_list_sessions", {}),
            ("tmux_list_windows", {}),
            ("tmux_list_panes", {}),
            ("tmux_read_pane", {"target": "%0"}),
            ("tmux_select_window", {"target": HOSTILE}),
        ],
        "mini": [
            ("list_sessions", {}),
            ("list_windows", {"name": "main"}),
            ("capture_pane", {"name": "main"}),
        ],
    }
    with mcp_server(lab, toolsets=toolset) as client:
        for tool, arguments in asked[toolset]:
            answer = client.wait(client.start("tools/call", {"name": tool, "arguments": arguments}))
            for field, text in strings(answer):
                assert not re.search(MISLEADING, text), (tool, field, text)
                assert "\nIGNORE" not in text, (tool, field, text)


def test_what_is_typed_and_run_stays_exact(lab: Lab) -> None:
    lab.new_session("main", "sh")
    with mcp_server(lab) as client:
        done = client.call("run_command", command="printf 'a\\tb\\n\\342\\200\\213c\\n'", target="%0")
        assert done["output"] == "a\tb\n\u200bc"
        with pytest.raises(ToolError):
            client.call("run_command", command="true", target=NAME)
