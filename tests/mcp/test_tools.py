"""Each tool over real stdio: called rightly, and wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server
from tests.tmux.people import person_attached


def test_list_sessions_gives_types_and_a_table(client: RawClient) -> None:
    (session,) = client.call("list_sessions")["sessions"]
    assert session["session_name"] == "main"
    assert session["window_count"] == 1
    assert session["session_attached"] == 0
    heading, row = client.text("list_sessions").split("\n")
    assert heading.split("\t")[:2] == ["session_id", "session_name"]
    assert row.split("\t") == ["$0", "main", "1", "0", "%0"]


def test_list_sessions_counts_people(client: RawClient, lab: Lab) -> None:
    with person_attached(lab, "main", 90, 30):
        assert client.call("list_sessions")["sessions"][0]["session_attached"] == 1


def test_list_sessions_without_a_server_says_so(lab: Lab) -> None:
    with mcp_server(lab) as client:
        assert client.call("list_sessions") == {"sessions": [], "server_running": False}
        assert "create_session starts one" in client.text("list_sessions")
        with pytest.raises(ToolError, match="no tmux server is running"):
            client.call("list_panes")


def test_list_windows_of_all_or_of_one_session(client: RawClient, lab: Lab) -> None:
    lab.new_session("other", "cat")
    lab.tmux("new-window", "-d", "-t", "other", "-n", "second", "cat")
    assert [window["window_name"] for window in client.call("list_windows", target="other")["windows"]][
        1
    ] == "second"
    assert len(client.call("list_windows")["windows"]) == 3
    assert len(client.call("list_windows", session_name="main")["windows"]) == 1
    with pytest.raises(ToolError, match="no session 'oth'. Did you mean 'other'") as refused:
        client.call("list_windows", target="oth")
    assert refused.value.condition == "not_found"


def test_list_panes_of_all_of_a_session_or_of_a_window(client: RawClient, lab: Lab) -> None:
    lab.tmux("split-window", "-d", "-t", "main", "cat")
    lab.new_session("other", "cat")
    assert [pane["pane_id"] for pane in client.call("list_panes")["panes"]] == ["%0", "%1", "%2"]
    assert [pane["pane_id"] for pane in client.call("list_panes", target="main")["panes"]] == ["%0", "%1"]
    assert [pane["pane_id"] for pane in client.call("list_panes", window_id="@1")["panes"]] == ["%2"]
    pane = client.call("list_panes", target="main:0")["panes"][0]
    assert pane["pane_width"] == 80
    assert pane["pane_pid"] > 0


def test_filters_know_more_of_a_pane_than_a_list_tells(client: RawClient, lab: Lab) -> None:
    lab.tmux("split-window", "-d", "-t", "main", "cat")
    (found,) = client.call("list_panes", filters={"pane_at_top": False, "session_name": "main"})["panes"]
    (_, listed) = client.call("list_panes")["panes"]
    assert found == {**listed, "session_name": "main"}


def test_a_hostile_title_stays_in_its_cell(client: RawClient, lab: Lab) -> None:
    lab.tmux("select-pane", "-t", "%0", "-T", "x\ty")
    lines = client.text("list_panes").split("\n")
    assert len(lines) == 2
    assert len(lines[1].split("\t")) == len(lines[0].split("\t"))


def test_create_session_returns_its_ids(lab: Lab, tmp_path: Path) -> None:
    with mcp_server(lab) as client:
        made = client.call("create_session", session_name="new", x=90, y=20, start_directory=str(tmp_path))
        assert made["session_id"] == "$0"
        assert made["active_pane_id"] == "%0"
        assert made["window_id"] == "@0"
        assert lab.tmux("display-message", "-p", "-t", "new", "#{window_width}x#{window_height}") == "90x20"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"session_name": "main"}, "already exists"),
        ({"session_name": "a:b"}, "can't contain ':'"),
        ({"session_name": "x", "start_directory": "/no/where"}, "is not a folder"),
        ({"session_name": "x", "x": 0}, "'x' is wrong"),
        ({"session_name": "x", "x": "wide"}, "'x' is wrong"),
        ({"session_nam": "x"}, "did you mean 'session_name'"),
        ({"session_name": "a\0b"}, "can't contain"),
    ],
)
def test_create_session_refuses_with_the_reason(
    client: RawClient, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ToolError, match=complaint) as refused:
        client.call("create_session", **arguments)
    assert refused.value.condition == "bad_input"
    assert len(client.call("list_sessions")["sessions"]) == 1


def test_send_keys_types_and_capture_pane_reads(client: RawClient, lab: Lab) -> None:
    client.call("send_keys", target="main", keys="hello; world;")
    eventually(lambda: client.text("capture_pane", target="%0").count("hello; world;") == 2)


@pytest.mark.parametrize(
    "text", ["Enter", "Up", "C-c", "-l", "--", ";", "a;", "$(id) `id` #{pid}", "'\"\\", "é漢👩"]
)
def test_literal_text_is_typed_as_it_is(client: RawClient, text: str) -> None:
    client.call("send_keys", pane_id="%0", keys=text, literal=True)
    eventually(lambda: client.text("capture_pane", target="%0").split("\n") == [text, text])


@pytest.mark.parametrize("text", ["end", "home", "dc", "space", "0x41", "^a", "enter", "c-c", "Enter Enter"])
def test_a_word_that_is_not_exactly_a_key_name_is_text(client: RawClient, text: str) -> None:
    client.call("send_keys", pane_id="%0", keys=text)
    eventually(lambda: client.text("capture_pane", target="%0").split("\n") == [text, text])


def test_synchronized_panes_are_not_typed_into(client: RawClient, lab: Lab) -> None:
    lab.tmux("split-window", "-d", "-t", "main", "cat")
    lab.tmux("set-option", "-w", "-t", "main", "synchronize-panes", "on")
    with pytest.raises(ToolError, match="synchronized with others"):
        client.call("send_keys", target="%0", keys="x")


def test_a_pane_that_does_not_exist_is_named(client: RawClient) -> None:
    with pytest.raises(ToolError, match="not_found: no pane %9"):
        client.call("send_keys", target="%9", keys="x")


def test_a_key_name_is_that_key(client: RawClient, lab: Lab) -> None:
    lab.tmux("set-option", "-g", "remain-on-exit", "on")
    client.call("send_keys", target="%0", keys="C-c", enter=False)
    eventually(lambda: lab.tmux("display-message", "-p", "-t", "%0", "#{pane_dead}") == "1")
    with pytest.raises(ToolError, match="has ended: nothing was typed"):
        client.call("send_keys", target="%0", keys="x")


def test_typing_into_copy_mode_is_refused(client: RawClient, lab: Lab) -> None:
    lab.tmux("copy-mode", "-t", "%0")
    with pytest.raises(ToolError, match="is in copy-mode") as refused:
        client.call("send_keys", target="%0", keys="x")
    assert refused.value.condition == "refused"


@pytest.mark.parametrize("tool", ["send_keys", "paste_text", "paste_buffer"])
def test_who_enters_copy_mode_right_after_the_look_is_not_typed_into(
    client: RawClient, lab: Lab, tool: str
) -> None:
    given = {"send_keys": {"keys": "x"}, "paste_text": {"text": "x"}}.get(tool)
    if given is None:
        given = {"buffer_name": client.call("load_buffer", content="x")["buffer_name"]}
    # tmux runs this as soon as it has told us about the pane.
    lab.tmux("set-hook", "-g", "after-display-message", "copy-mode -t %0")
    with pytest.raises(ToolError, match="is in copy-mode"):
        client.call(tool, target="%0", **given)
    assert lab.tmux("list-buffers", "-F", "#{buffer_name}") == given.get("buffer_name", "")
    assert lab.screen("%0").strip() == ""


@pytest.mark.parametrize(
    ("tool", "given"), [("paste_text", {"text": "x"}), ("send_keys", {"keys": "x", "sensitive": True})]
)
def test_a_paste_that_tmux_refuses_leaves_no_buffer(
    client: RawClient, lab: Lab, tool: str, given: dict[str, object]
) -> None:
    lab.tmux("set-option", "-s", "command-alias[100]", "paste-buffer=send-keys -t %99 x")
    with pytest.raises(ToolError):
        client.call(tool, target="%0", **given)
    assert lab.tmux("list-buffers", "-F", "#{buffer_name}") == ""


def test_nothing_to_type_is_still_refused_where_it_would_not_arrive(client: RawClient, lab: Lab) -> None:
    typed = client.text("send_keys", target="%0", keys="", enter=False)
    assert typed == "typed 0 characters in %0"
    lab.tmux("copy-mode", "-t", "%0")
    with pytest.raises(ToolError, match="is in copy-mode"):
        client.call("send_keys", target="%0", keys="", enter=False)


def test_a_key_for_a_pane_that_does_not_exist_reaches_no_other(client: RawClient, lab: Lab) -> None:
    for tool, given in (("send_keys", {"keys": "x"}), ("paste_text", {"text": "x"})):
        with pytest.raises(ToolError, match="not_found: no pane %99"):
            client.call(tool, target="%99", **given)
    client.call("send_keys", target="%0", keys="last")
    eventually(lambda: lab.screen("%0").split() == ["last", "last"])
    assert lab.tmux("list-buffers") == ""


def test_a_search_names_the_session_whose_id_it_tells(client: RawClient, lab: Lab) -> None:
    lab.tmux("new-session", "-d", "-s", "zoo", "cat")
    lab.tmux("link-window", "-s", "main:0", "-t", "zoo:5")
    client.call("send_keys", target="%0", keys="needle")
    eventually(lambda: "needle" in lab.screen("%0"))
    for where in ({}, {"target": "main"}, {"target": "zoo"}):
        (match,) = client.call("search_panes", pattern="needle", **where)["matches"]
        name = lab.tmux("display-message", "-p", "-t", match["session_id"], "#{session_name}")
        assert match["session_name"] == name == where.get("target", name)


def test_capture_pane_reads_scrollback_and_says_what_it_left_out(client: RawClient, lab: Lab) -> None:
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "seq 100; exec cat")
    eventually(lambda: "100" in lab.screen(pane))
    assert client.text("capture_pane", target=pane, start=-1000).split("\n") == [
        str(n) for n in range(1, 101)
    ]
    assert client.text("capture_pane", target=pane, start=-3_000_000_000, end=40_000).split("\n")[:1] == ["1"]
    assert client.text("capture_pane", target=pane, start=-1000, max_lines=2).split("\n") == [
        "[98 earlier lines left out]",
        "99",
        "100",
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "'target' is required"),
        ({"target": "%99"}, "not_found: no pane %99"),
        ({"target": "ma"}, "no session 'ma'. Did you mean 'main'"),
        ({"target": "%0", "lines": 5}, "unknown argument 'lines'"),
        ({"target": "%0", "start": "top"}, "'start' is wrong"),
        ({"target": "%0", "start": 5, "end": 1}, "end \\(1\\) is before start \\(5\\)"),
        ({"target": "%0", "end": -5}, "end \\(-5\\) is before start \\(0\\)"),
        ({"target": "%0", "start": 1000}, "lines 1000 to .* are outside.*It has 0 to 23"),
        ({"target": "%0", "start": -9000, "end": -8000}, "are outside"),
        ({"target": "%0", "server": "other"}, "no tmux server is running on .*other"),
        ({"target": "%0", "server": "a/b"}, "neither a name nor an absolute path"),
    ],
)
def test_capture_pane_refuses_with_the_reason(
    client: RawClient, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ToolError, match=complaint):
        client.call("capture_pane", **arguments)


def test_another_server_is_reached_by_name_and_by_path(client: RawClient, lab: Lab) -> None:
    client.call("create_session", session_name="there", server="second")
    try:
        path = str(lab.endpoint.socket_path.with_name("second"))
        for server in ("second", path):
            assert client.call("list_sessions", server=server)["sessions"][0]["session_name"] == "there"
        assert client.call("list_sessions", socket_name="second")["sessions"][0]["session_name"] == "there"
    finally:
        lab.try_tmux("-L", "second", "kill-server")


def test_a_pane_that_is_alone_in_its_window_can_be_broken_out_too(client: RawClient) -> None:
    """tmux then moves the window, and prints nothing."""
    assert client.call("break_pane", target="%0", window_name="own")["pane_id"] == "%0"
    assert client.call("get_window_info", target="main")["window_name"] == "own"


def test_search_panes_tells_where_the_next_page_is(client: RawClient, lab: Lab) -> None:
    for _ in range(2):
        lab.tmux("new-window", "-d", "-t", "main", "echo needle; exec cat")
    eventually(lambda: client.call("search_panes", pattern="needle")["total_panes_matched"] == 2)
    asked = {"name": "search_panes", "arguments": {"pattern": "needle", "limit": 1}}
    text = client.request("tools/call", asked)["content"][0]["text"]
    assert text.endswith("[1 more panes: offset 1]")
