"""Document E: fourteen `tmux_*` tools, their parameters and their sentences (toolset `classic`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server

TOOLS = {
    "tmux_list_sessions": [],
    "tmux_create_session": ["name", "command", "window_name"],
    "tmux_rename_session": ["old_name", "new_name"],
    "tmux_kill": ["target", "type"],
    "tmux_list_windows": ["session"],
    "tmux_create_window": ["session", "name", "command"],
    "tmux_select_window": ["target"],
    "tmux_rename_window": ["target", "new_name"],
    "tmux_list_panes": ["target"],
    "tmux_split_window": ["target", "horizontal", "size", "command"],
    "tmux_select_pane": ["target"],
    "tmux_resize_pane": ["target", "direction", "amount", "width", "height"],
    "tmux_send_keys": ["target", "keys", "literal"],
    "tmux_read_pane": ["target", "line_count", "start_line"],
}


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    with mcp_server(lab, toolsets="classic", safety="destructive") as client:
        yield client


@pytest.fixture
def work(client: RawClient, lab: Lab) -> RawClient:
    """The first pane of the first session runs `cat`."""
    client.call("tmux_create_session", name="work", command="cat")
    return client


def refused(client: RawClient, tool: str, **arguments: object) -> str:
    with pytest.raises(ToolError) as error:
        client.call(tool, **arguments)
    return str(error.value)


def test_the_fourteen_are_listed_with_their_parameters(client: RawClient) -> None:
    listed = {
        one["name"]: list(one["inputSchema"]["properties"]) for one in client.request("tools/list")["tools"]
    }
    assert listed == TOOLS


def test_sessions(client: RawClient, lab: Lab) -> None:
    said = client.text("tmux_create_session", name="work", command="cat", window_name="edit")
    assert said == "Session 'work' created. session_id=$0 window_id=@0 pane_id=%0"
    assert (
        lab.tmux("display-message", "-p", "-t", "%0", "#{window_name} #{pane_current_command}") == "edit cat"
    )
    assert client.call("tmux_list_sessions")["sessions"][0]["name"] == "work"
    client.text("tmux_rename_session", old_name="work", new_name="play")
    assert client.call("tmux_list_sessions")["sessions"][0]["name"] == "play"
    assert "already exists" in refused(client, "tmux_create_session", name="play")
    client.text("tmux_create_session", name="other")
    assert client.text("tmux_kill", target="other", type="session") == "Killed session 'other'."
    assert client.call("tmux_list_sessions")["count"] == 1


def test_windows(work: RawClient, lab: Lab) -> None:
    said = work.text("tmux_create_window", session="work", name="vim", command="cat")
    assert said == "Window created in session 'work'. window_id=@1 window_index=1 pane_id=%1"
    lab.tmux("rename-window", "-t", "work:0", "bash")
    lab.tmux("split-window", "-d", "-t", "work:0", "cat")
    rows = work.text("tmux_list_windows", session="work").split("\n")
    assert rows == ["work\t0\t@0\tbash\t0\t2 panes\t%0", "work\t1\t@1\tvim\t1\t1 panes\t%1"]
    assert work.text("tmux_list_windows").split("\n") == rows
    assert work.text("tmux_select_window", target="work:0") == "Selected window 'work:0'."
    assert lab.tmux("display-message", "-p", "-t", "work", "#{window_index}") == "0"
    work.text("tmux_rename_window", target="@1", new_name="editor")
    assert "editor" in work.text("tmux_list_windows")
    work.text("tmux_kill", target="work:1", type="window")
    assert "editor" not in work.text("tmux_list_windows")


def test_panes(work: RawClient, lab: Lab) -> None:
    lab.tmux("resize-window", "-t", "work:0", "-x", "80", "-y", "24")
    assert work.text("tmux_split_window", target="work:0", command="cat") == "Pane created. pane_id=%1"
    first, second = work.text("tmux_list_panes").split("\n")
    assert first.startswith("work\t0\t%0\t0\t")
    assert re.fullmatch(r"work\t0\t%1\t1\t\d+x24\t1\t\w+", second), "beside it, in front"
    work.text("tmux_split_window", target="work:0.0", horizontal=True, size="5", command="cat")
    eventually(lambda: "\t%2\t1\t40x5\t1\tcat" in work.text("tmux_list_panes", target="work"))
    assert work.text("tmux_select_pane", target="%0") == "Selected pane '%0'."
    assert lab.tmux("display-message", "-p", "-t", "work:0", "#{pane_id}") == "%0"
    work.text("tmux_kill", target="%2")
    assert "%2" not in work.text("tmux_list_panes", target="work:0")


def test_half_of_the_pane(work: RawClient, lab: Lab) -> None:
    lab.tmux("resize-window", "-t", "work:0", "-x", "81", "-y", "24")
    work.text("tmux_split_window", target="work:0.0", size="50%", command="cat")
    assert lab.tmux("display-message", "-p", "-t", "%1", "#{pane_width}") == "40"


def test_resizing(work: RawClient, lab: Lab) -> None:
    def width() -> int:
        return int(lab.tmux("display-message", "-p", "-t", "%0", "#{pane_width}"))

    work.text("tmux_split_window", target="%0", command="cat")
    before = width()
    assert work.text("tmux_resize_pane", target="%0", direction="right") == "Pane '%0' resized."
    assert width() == before + 5
    work.text("tmux_resize_pane", target="%0", direction="left", amount=7)
    assert width() == before - 2
    work.text("tmux_resize_pane", target="%0", width=20)
    assert width() == 20
    said = refused(work, "tmux_resize_pane", target="%0", direction="sideways")
    assert said == "Error: direction must be 'up', 'down', 'left', or 'right'."
    assert refused(work, "tmux_resize_pane", target="%0").startswith("Error: direction must be")


def test_typing_and_reading(work: RawClient) -> None:
    work.text("tmux_send_keys", target="work", keys="first Enter")
    work.text("tmux_send_keys", target="%0", keys="Enter")
    eventually(lambda: work.text("tmux_read_pane", target="%0").split("\n")[:2] == ["first Enter"] * 2)
    work.text("tmux_send_keys", target="work:0.0", keys="Enter", literal=True)
    eventually(lambda: work.text("tmux_read_pane", target="%0").endswith("\nEnter"))
    assert work.text("tmux_read_pane", target="%0", line_count=1) == "Enter"
    assert work.text("tmux_read_pane", target="%0", start_line=0, line_count=2) == "first Enter\nfirst Enter"
    assert work.text("tmux_read_pane", target="%0", start_line=2) == "Enter"


def test_reading_reaches_into_the_scrollback(client: RawClient) -> None:
    client.call("tmux_create_session", name="long", command="seq 1 100; cat")
    eventually(lambda: client.text("tmux_read_pane", target="long", line_count=1) == "100")
    assert client.text("tmux_read_pane", target="long", line_count=90).split("\n")[0] == "11"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tmux_create_window", {"session": "none"}),
        ("tmux_split_window", {"target": "none"}),
        ("tmux_send_keys", {"target": "%77", "keys": "x"}),
        ("tmux_read_pane", {"target": "work:7"}),
        ("tmux_kill", {"target": "%77"}),
        ("tmux_create_session", {"name": "a:b"}),
        ("tmux_kill", {"target": "%0", "type": "server"}),
        ("tmux_rename_session", {"old_name": "work"}),
    ],
)
def test_an_error_is_a_text_that_says_so(work: RawClient, tool: str, arguments: dict[str, str]) -> None:
    assert refused(work, tool, **arguments).startswith("Error: ")


def test_names_in_a_row_start_no_other(client: RawClient, lab: Lab) -> None:
    lab.new_session("work", "cat")
    lab.tmux("set-option", "-g", "allow-rename", "on")
    lab.tmux("rename-window", "-t", "work:0", "a\tb")
    assert len(client.text("tmux_list_windows").split("\n")) == 1
    assert client.text("tmux_list_windows").count("\t") == 6


def test_another_prefix(lab: Lab) -> None:
    with mcp_server(lab, toolsets="classic", tool_prefix="term_") as client:
        names = {one["name"] for one in client.request("tools/list")["tools"]}
        assert "term_list_sessions" in names
        assert all(name.startswith("term_") for name in names)
        said = refused(client, "term_list_sessions")
        assert said == "tmux server is not running. Start a session first with term_create_session."
        client.text("term_create_session", name="work")
        assert "MUXPILOT_SAFETY=destructive" in refused(client, "term_kill", target="%0")
        assert client.call("tmux_list_sessions")["count"] == 1, "the plain name is understood too"


def test_another_prefix_beside_our_own(lab: Lab) -> None:
    with mcp_server(lab, toolsets="full,classic", tool_prefix="x_") as client:
        names = [one["name"] for one in client.request("tools/list")["tools"]]
        assert len(names) == len(set(names))
        assert {"x_list_sessions", "x_tmux_list_sessions", "x_kill"} & {*names} == {
            "x_list_sessions",
            "x_tmux_list_sessions",
        }, "killing is not allowed"
        assert "MUXPILOT_SAFETY=destructive" in refused(client, "x_tmux_kill", target="%0")


def test_our_own_take_a_prefix_too(lab: Lab) -> None:
    with mcp_server(lab, tool_prefix="mux_") as client:
        tools = {one["name"]: one for one in client.request("tools/list")["tools"]}
        assert "mux_terminal" in tools
        assert "mux_wait_for_text or mux_capture_since" in tools["mux_send_keys"]["description"]
        assert "mux_run_command" in client.greeting["instructions"]
        assert client.call("mux_run_command", command="echo so")["output"] == "so"
        assert "mux_list_sessions" in refused(client, "mux_list_sesions")


@pytest.mark.parametrize("prefix", ["a b", "x" * 25, "ü_", "a.b"])
def test_a_prefix_that_no_tool_can_have(lab: Lab, prefix: str) -> None:
    with pytest.raises(AssertionError, match="the server is gone"), mcp_server(lab, tool_prefix=prefix):
        pass
