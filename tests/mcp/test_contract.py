"""Every tool over real stdio: the call as libtmux-mcp's pages print it, its wrong twins, and its tier."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muxpilot.config import Tier
from muxpilot.mcp.tools import ALL
from tests.lab import Lab, children, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server

PANE = {"pane_id": "%0"}
BUFFER = f"muxpilot_{'a' * 32}_loop"
CALLS: dict[str, dict[str, Any]] = {
    "terminal": {"command": "echo hello", "terminal_id": "default", "timeout": 30},
    "run_command": {"command": "echo hello", "pane_id": "%4", "timeout": 30, "suppress_history": True},
    "interrupt": {"pane_id": "%4"},
    "list_commands": {"pane_id": "%4"},
    "list_sessions": {},
    "list_windows": {"session_name": "dev"},
    "list_panes": {"session_name": "dev"},
    "capture_pane": {"pane_id": "%0", "start": -50},
    "capture_since": {"pane_id": "%0"},
    "snapshot_pane": {"pane_id": "%0"},
    "wait_for_text": {"pattern": "Server listening", "pane_id": "%0", "timeout": 0.2, "interval": 0.05},
    "wait_for_content_change": {"pane_id": "%0", "timeout": 0.2},
    "wait_for_idle": {"pane_id": "%0", "quiet_seconds": 0.1},
    "wait_for_exit": {"pane_id": "%0", "timeout": 5},
    "batch_read": {"operations": [{"tool": "list_panes"}, {"tool": "capture_pane", "arguments": PANE}]},
    "send_keys_batch": {"operations": [{"pane_id": "%0", "keys": "x"}, {"pane_id": "%1", "keys": "C-l"}]},
    "search_panes": {"pattern": "FAIL", "session_name": "dev"},
    "list_servers": {},
    "get_server_info": {},
    "list_clients": {},
    "get_session_info": {"session_id": "$0"},
    "get_window_info": {"window_index": "0", "session_name": "dev"},
    "get_pane_info": PANE,
    "has_session": {"session_name": "dev"},
    "find_pane_by_position": {"corner": "bottom-right", "window_id": "@0"},
    "display_message": {"format_string": "zoomed=#{window_zoomed_flag} dead=#{pane_dead}", "pane_id": "%0"},
    "show_option": {"option": "history-limit"},
    "show_environment": {},
    "show_hooks": {},
    "show_hook": {"hook_name": "after-new-window"},
    "show_buffer": {"buffer_name": BUFFER},
    "set_option": {"option": "history-limit", "value": "50000"},
    "set_environment": {"name": "MY_VAR", "value": "hello"},
    "paste_text": {"text": "def hello():\n print('world')\n", "pane_id": "%0"},
    "load_buffer": {"content": "for i in 1 2 3; do\n echo line $i\ndone\n", "logical_name": "loop"},
    "paste_buffer": {"buffer_name": BUFFER, "pane_id": "%0"},
    "delete_buffer": {"buffer_name": BUFFER},
    "wait_for_channel": {"channel": "signalled", "timeout": 60},
    "signal_channel": {"channel": "tests_done"},
    "create_session": {"session_name": "made"},
    "send_keys": {"keys": "npm start", "pane_id": "%0"},
    "create_window": {"session_name": "dev", "window_name": "logs"},
    "rename_session": {"session_name": "spare", "new_name": "spare-2"},
    "rename_window": {"session_name": "dev", "new_name": "build"},
    "select_window": {"direction": "next", "session_name": "dev"},
    "select_layout": {"session_name": "dev", "layout": "even-vertical"},
    "resize_window": {"session_name": "dev", "width": 120, "height": 40},
    "move_window": {"window_id": "@0", "destination_index": "7"},
    "split_window": {"session_name": "dev", "direction": "right"},
    "select_pane": {"direction": "down", "window_id": "@0"},
    "resize_pane": {"pane_id": "%0", "height": 15},
    "set_pane_title": {"pane_id": "%0", "title": "build"},
    "swap_pane": {"source_pane_id": "%0", "target_pane_id": "%1"},
    "break_pane": {"pane_id": "%1", "window_name": "alone"},
    "join_pane": {"source_pane_id": "%1", "target_pane_id": "%0"},
    "respawn_pane": {"pane_id": "%1"},
    "clear_pane": PANE,
    "pipe_pane": {"pane_id": "%0", "output_path": None},
    "enter_copy_mode": {"pane_id": "%0", "scroll_up": 50},
    "exit_copy_mode": PANE,
    "kill_pane": {"pane_id": "%1"},
    "kill_window": {"window_id": "@1"},
    "kill_session": {"session_name": "spare"},
    "kill_server": {"socket_name": "second"},
}
TIERS = {tool.name: tool.tier for tool in ALL}


def furnish(lab: Lab) -> None:
    """dev: window @0 with panes %0 and %1; spare: window @1; shell: %4. And another server, `second`."""
    lab.new_session("dev", "cat", size=(100, 40))
    lab.tmux("split-window", "-d", "-t", "dev", "cat")
    lab.tmux("new-session", "-d", "-s", "spare", "cat")
    lab.tmux("new-window", "-d", "-t", "dev:3", "cat")
    lab.tmux("new-session", "-d", "-s", "shell", "bash", "--norc")
    lab.tmux("set-buffer", "-b", BUFFER, "staged")
    lab.tmux("wait-for", "-S", "signalled")
    lab.tmux("-L", "second", "new-session", "-d", "cat")


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    furnish(lab)
    with mcp_server(lab, safety="destructive") as client:
        yield client
    lab.try_tmux("-L", "second", "kill-server")


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    """One server for all that changes nothing."""
    lab = Lab(tmp_path_factory.mktemp("contract"))
    furnish(lab)
    with mcp_server(lab, safety="destructive") as client:
        yield client
    lab.try_tmux("-L", "second", "kill-server")
    lab.end()


@pytest.fixture(scope="module")
def readonly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    lab = Lab(tmp_path_factory.mktemp("readonly"))
    with mcp_server(lab, safety="readonly") as client:
        yield client


def test_every_tool_is_tried() -> None:
    assert set(CALLS) == set(TIERS)


READING = [tool for tool in CALLS if TIERS.get(tool) == Tier.READONLY]


@pytest.mark.parametrize("tool", READING)
def test_the_call_as_printed_reads(steady: RawClient, tool: str) -> None:
    steady.call(tool, **CALLS[tool])


@pytest.mark.parametrize("tool", [tool for tool in CALLS if tool not in READING])
def test_the_call_as_printed_works(client: RawClient, tool: str) -> None:
    client.call(tool, **CALLS[tool])


@pytest.mark.parametrize("tool", CALLS)
def test_an_unknown_argument_is_refused(steady: RawClient, tool: str) -> None:
    with pytest.raises(ToolError, match="unknown argument 'wait_for_next'"):
        steady.call(tool, **CALLS[tool], wait_for_next=True)


def test_the_flag_that_gemini_leaks_does_no_harm(steady: RawClient) -> None:
    assert steady.call("get_pane_info", wait_for_previous=True, pane_id="%0")["pane_id"] == "%0"


@pytest.mark.parametrize("tool", CALLS)
def test_a_value_of_the_wrong_type_is_refused(steady: RawClient, tool: str) -> None:
    wrong = {name: {"no": ["such", "type"]} for name in CALLS[tool] or ["server"]}
    with pytest.raises(ToolError) as refused:
        steady.call(tool, **wrong)
    assert refused.value.condition == "bad_input"


NEEDS_TARGET = [tool.name for tool in ALL if "target" in tool.arguments.schema().get("required", [])]


@pytest.mark.parametrize("tool", NEEDS_TARGET)
def test_a_missing_target_is_asked_for(steady: RawClient, tool: str) -> None:
    with pytest.raises(ToolError, match="'target' is required"):
        steady.call(tool)


@pytest.mark.parametrize("tool", [tool for tool in NEEDS_TARGET if tool != "has_session"])
@pytest.mark.parametrize("target", ["%99", "@99", "$99", "nobody", "dev:99"])
def test_an_unknown_target_is_named_and_nothing_is_done(steady: RawClient, tool: str, target: str) -> None:
    kept = {
        key: value for key, value in CALLS[tool].items() if not key.endswith(("_id", "_name", "window_index"))
    }
    needed = {
        "text": "t",
        "buffer_name": BUFFER,
        "new_name": "x",
        "layout": "tiled",
        "title": "t",
        "keys": "k",
        "corner": "top-left",
        "source": "%0",
        "timeout": 5,
    }
    known = next(one for one in ALL if one.name == tool).arguments.names
    given = {**{key: value for key, value in needed.items() if key in known}, **kept, "target": target}
    with pytest.raises(ToolError) as refused:
        steady.call(tool, **given)
    assert refused.value.condition == "not_found", str(refused.value)


@pytest.mark.parametrize("tool", [name for name, tier in TIERS.items() if tier > Tier.READONLY])
def test_a_lower_tier_forbids_it(readonly: RawClient, tool: str) -> None:
    listed = {one["name"] for one in readonly.request("tools/list")["tools"]}
    assert tool not in listed
    with pytest.raises(ToolError, match=f"{tool} is not allowed"):
        readonly.call(tool, **CALLS[tool])


def test_the_whole_listing_is_small(steady: RawClient) -> None:
    tools = steady.request("tools/list")["tools"]
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) <= 36_000


# What each tool does.


def test_split_places_the_new_pane(client: RawClient) -> None:
    new = client.call("split_window", target="%0", direction="left", size="25%")
    assert new["pane_left"] == 0
    assert new["pane_active"] is False
    assert client.call("get_pane_info", target="%0")["pane_left"] > 0


def test_a_window_is_made_beside_the_current_one(client: RawClient) -> None:
    made = client.call("create_window", target="dev", direction="after", window_name="next", attach=True)
    assert (made["window_index"], made["window_name"], made["window_active"]) == (1, "next", True)


def test_a_window_moves_to_another_session_and_keeps_its_id(client: RawClient) -> None:
    moved = client.call("move_window", window_id="@0", destination_session="spare", destination_index="5")
    assert (moved["window_id"], moved["session_name"], moved["window_index"]) == ("@0", "spare", 5)
    with pytest.raises(ToolError, match="neither destination"):
        client.call("move_window", window_id="@0")


def test_respawn_keeps_the_pane_and_changes_the_process(client: RawClient) -> None:
    before = client.call("get_pane_info", target="%1")
    after = client.call("respawn_pane", target="%1", shell="cat", environment={"X": "y"})
    assert after["pane_id"] == before["pane_id"]
    assert after["pane_pid"] != before["pane_pid"]
    with pytest.raises(ToolError, match="still running"):
        client.call("respawn_pane", target="%1", kill=False)


def test_pipe_pane_writes_to_the_path_exactly_as_given(client: RawClient, tmp_path: Path) -> None:
    path = tmp_path / "we'ird $(id) #{pid} ; file"
    client.call("pipe_pane", target="%0", output_path=str(path))
    client.call("send_keys", target="%0", keys="hello")
    eventually(lambda: path.exists() and b"hello" in path.read_bytes())
    client.call("pipe_pane", target="%0")
    with pytest.raises(ToolError, match="no file in an existing folder"):
        client.call("pipe_pane", target="%0", output_path="relative.log")


def test_zoom_goes_there_and_back(client: RawClient) -> None:
    whole = client.call("resize_pane", target="%0", zoom=True)["pane_height"]
    assert client.call("resize_pane", target="%0", zoom=True)["pane_height"] == whole
    assert client.call("resize_pane", target="%0", zoom=False)["pane_height"] < whole
    with pytest.raises(ToolError, match="either"):
        client.call("resize_pane", target="%0", zoom=True, height=5)


def test_copy_mode_is_entered_and_left(client: RawClient) -> None:
    assert client.call("enter_copy_mode", target="%0")["pane_in_mode"] is True
    assert client.call("exit_copy_mode", target="%0")["pane_in_mode"] is False
    assert client.call("exit_copy_mode", target="%0")["pane_in_mode"] is False


def test_titles_and_names_are_kept_as_given_and_run_nothing(client: RawClient) -> None:
    for text in ("#(touch /tmp/x)", "#{pid}", "#[fg=red]", "a;", "-x", "漢 👩"):
        assert client.call("set_pane_title", target="%0", title=text)["pane_title"] == text
        assert client.call("rename_window", target="@0", new_name=text)["window_name"] == text


def test_focus_moves_in_directions(client: RawClient) -> None:
    assert client.call("select_pane", target="%0", direction="down")["pane_id"] == "%1"
    assert client.call("select_pane", target="@0", direction="next")["pane_id"] == "%0"
    assert client.call("select_pane", target="@0", direction="last")["pane_id"] == "%1"
    assert client.call("select_pane", target="%0")["pane_active"] is True


def test_lists_are_filtered(client: RawClient) -> None:
    assert [
        one["session_name"]
        for one in client.call("list_sessions", filters={"session_name__contains": "pa"})["sessions"]
    ] == ["spare"]
    assert client.call("list_panes", filters='{"pane_id": "%1"}')["panes"][0]["pane_id"] == "%1"
    with pytest.raises(ToolError, match="no field 'sesion_name'.*did you mean 'session_name'"):
        client.call("list_sessions", filters={"sesion_name": "x"})


def test_options_are_read_where_they_hold(client: RawClient) -> None:
    assert client.call("show_option", option="history-limit")["value"] == "2000"
    client.call("set_option", option="history-limit", value="12345", target="dev")
    assert client.call("show_option", option="history-limit", target="dev")["value"] == "12345"
    assert client.call("show_option", option="history-limit", target="spare")["value"] == "2000"
    client.call("set_option", option="@mine", value="##{pane_id} 'a;", scope="pane", target="%0")
    assert client.call("show_option", option="@mine", scope="pane", target="%0")["value"] == "##{pane_id} 'a;"
    assert client.call("show_option", option="escape-time", scope="server")["value"]
    for wrong in ({"option": "no-such-option"}, {"option": "-g"}, {"option": "a b"}):
        with pytest.raises(ToolError, match="bad_input"):
            client.call("show_option", **wrong)
    with pytest.raises(ToolError, match="bad_input"):
        client.call("set_option", option="history-limit", value="many")


@pytest.mark.parametrize("hook", ["after-new-window", "pane-died", "client-attached[3]", "alert-bell"])
def test_no_hook_is_written_as_an_option(steady: RawClient, hook: str) -> None:
    with pytest.raises(ToolError, match="is a hook"):
        steady.call("set_option", option=hook, value="run-shell 'touch /tmp/no'")


def test_hooks_are_shown(client: RawClient, lab: Lab) -> None:
    assert client.call("show_hook", hook_name="pane-died")["entries"] == []
    lab.tmux("set-hook", "-g", "pane-died", "display-message gone")
    (hook,) = client.call("show_hook", hook_name="pane-died")["entries"]
    assert (hook["hook_name"], hook["index"], hook["command"]) == ("pane-died", 0, "display-message gone")
    assert hook in client.call("show_hooks")["entries"]
    with pytest.raises(ToolError, match="no hook 'pane-dyed'"):
        client.call("show_hook", hook_name="pane-dyed")


def test_environments_are_read_whatever_they_hold(client: RawClient) -> None:
    value = 'a "quoted" $HOME `x` \\ back\nslash; export Y;\nZ="1"'
    client.call("set_environment", name="ODD", value=value, target="dev")
    assert client.call("show_environment", target="dev")["variables"]["ODD"] == value
    assert "ODD" not in client.call("show_environment")["variables"]
    with pytest.raises(ToolError, match="no name of an environment variable"):
        client.call("set_environment", name="A B", value="x")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#(touch /tmp/no)", "runs a command"),
        ("#{E:@evil}", "'E' can't be used: it expands its text again, which could run commands"),
        ("x #{T:@evil}", "'T' can't be used: it expands its text again"),
        ("#{?#{E:@evil},a,b}", "'E' can't be used"),
        ("#{=5;E:@evil}", "'=' can't be used"),
    ],
)
def test_formats_run_nothing(steady: RawClient, text: str, says: str) -> None:
    with pytest.raises(ToolError, match=says):
        steady.call("display_message", format_string=text, target="%0")


def test_formats_are_expanded(client: RawClient) -> None:
    call = {"format_string": "#{session_name} #{pane_id}"}
    assert client.text("display_message", **call, target="%0") == "dev %0"
    with pytest.raises(ToolError, match="no pane %99"):
        client.call("display_message", **call, target="%99")


def test_text_is_pasted_whole_and_leaves_no_buffer(client: RawClient, lab: Lab) -> None:
    text = "one\n\ttwo $HOME `id` #{pid};\nthree 漢 👩"
    client.call("paste_text", text=text, target="%0")
    eventually(lambda: "three" in lab.screen("%0"))
    assert "$HOME `id` #{pid};" in lab.screen("%0")
    assert lab.tmux("list-buffers", "-F", "#{buffer_name}") == BUFFER


def test_buffers_are_our_own(client: RawClient, lab: Lab) -> None:
    text = "line $i\n\ttab \\ 漢\n"
    name = client.call("load_buffer", content=text, logical_name="loop")["buffer_name"]
    assert name.endswith("_loop")
    assert client.text("show_buffer", buffer_name=name) == text
    lab.tmux("set-buffer", "-b", "private", "secret")
    for tool in ("show_buffer", "delete_buffer"):
        with pytest.raises(ToolError, match="no buffer of ours"):
            client.call(tool, buffer_name="private")
    with pytest.raises(ToolError, match="no buffer of ours"):
        client.call("paste_buffer", buffer_name="private", target="%0")
    client.call("delete_buffer", buffer_name=name)
    with pytest.raises(ToolError, match="no buffer"):
        client.call("show_buffer", buffer_name=name)


def test_a_channel_is_waited_for_and_the_time_is_kept(client: RawClient, lab: Lab) -> None:
    assert client.call("wait_for_channel", channel="never", timeout=0.3) == {
        "channel": "never",
        "signalled": False,
    }
    number = client.start(
        "tools/call", {"name": "wait_for_channel", "arguments": {"channel": "soon", "timeout": 20}}
    )
    client.call("signal_channel", channel="soon")
    assert client.wait(number)["result"]["structuredContent"]["signalled"] is True
    with pytest.raises(ToolError, match="no channel name"):
        client.call("signal_channel", channel="a b")
    with pytest.raises(ToolError, match="timeout"):
        client.call("wait_for_channel", channel="x", timeout=-1)


def test_a_wait_on_a_server_that_goes_away_says_so(client: RawClient, lab: Lab) -> None:
    call = {"name": "wait_for_channel", "arguments": {"channel": "x", "timeout": 20, "server": "second"}}
    client.call("list_sessions", server="second")
    number = client.start("tools/call", call)
    eventually(lambda: len(children(client.process.pid)) == 2)
    lab.tmux("-L", "second", "kill-server")
    result = client.wait(number)["result"]
    assert result["isError"] is True
    assert result["_meta"]["condition"] in {"server_gone", "server_not_running"}


def test_a_snapshot_tells_cursor_and_mode(client: RawClient) -> None:
    client.call("send_keys", target="%0", keys="abc", enter=False)
    eventually(lambda: client.call("snapshot_pane", target="%0")["cursor_x"] == 3)
    screen = client.call("snapshot_pane", target="%0")
    assert screen["content"] == "abc"
    assert (screen["pane_in_mode"], screen["pane_mode"], screen["scroll_position"]) == (False, None, None)
    client.call("enter_copy_mode", target="%0")
    assert client.call("snapshot_pane", target="%0")["pane_mode"] == "copy-mode"


def fill(lab: Lab, command: str, end: str) -> str:
    pane = lab.tmux(
        "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "dev", f"{command}; echo {end}; exec cat"
    )
    eventually(lambda: end in lab.screen(pane))
    return pane


def test_search_finds_literals_in_scrollback(client: RawClient, lab: Lab) -> None:
    pane = fill(lab, "echo 'a.b*c [x] $HOME'; seq 200", "END")
    (match,) = client.call("search_panes", pattern="A.B*C [x] $home")["matches"]
    assert (match["pane_id"], match["matched_lines"]) == (pane, ["a.b*c [x] $HOME"])
    assert client.call("search_panes", pattern="axbc")["matches"] == []
    assert client.call("search_panes", pattern="A.B", match_case=True)["matches"] == []
    assert client.call("search_panes", pattern=r"^a\.b.*\$HOME$", regex=True)["total_panes_matched"] == 1
    assert client.call("search_panes", pattern="a.b*c", content_start=0)["matches"] == []


def test_search_joins_wrapped_lines(client: RawClient, lab: Lab) -> None:
    long = "x" * 150 + "NEEDLE" + "y" * 150
    fill(lab, f"echo {long}", "END")
    (match,) = client.call("search_panes", pattern="xNEEDLEy")["matches"]
    assert match["matched_lines"] == [long]


def test_search_pages_and_says_what_it_left_out(client: RawClient, lab: Lab) -> None:
    panes = [fill(lab, "seq -f hit%g 60", "END") for _ in range(3)]
    first = client.call("search_panes", pattern="hit", limit=2, max_matched_lines_per_pane=10)
    assert (first["truncated"], first["total_panes_matched"]) == (True, 3)
    assert len(first["matches"][0]["matched_lines"]) == 10
    assert first["truncated_panes"] == panes[:2]
    rest = client.call("search_panes", pattern="hit", limit=2, offset=2, max_matched_lines_per_pane=100)
    assert (rest["truncated"], rest["truncated_panes"], rest["matches"][0]["pane_id"]) == (
        False,
        [],
        panes[2],
    )


@pytest.mark.parametrize("pattern", ["", "(", "(?=x)", "a" * 20_000, "x\0y"])
def test_a_pattern_that_is_none_is_refused(steady: RawClient, pattern: str) -> None:
    with pytest.raises(ToolError, match="pattern"):
        steady.call("search_panes", pattern=pattern, regex=True)


def test_a_catastrophic_pattern_hurts_nobody(client: RawClient, lab: Lab) -> None:
    fill(lab, "printf 'a%.0s' $(seq 5000)", "END")
    assert client.call("search_panes", pattern="(a+)+$", regex=True)["total_panes_matched"] <= 1
    assert client.call("list_sessions")["sessions"]


def test_servers_are_found(client: RawClient) -> None:
    assert {one["socket_name"] for one in client.call("list_servers")["servers"]} == {"lab", "second"}
    assert client.call("get_server_info", server="nobody")["is_alive"] is False
    assert client.call("has_session", target="de") == {"exists": False, "session_id": None}


def test_killing_is_exact(client: RawClient, lab: Lab) -> None:
    lab.tmux("new-session", "-d", "-s", "spare-parts", "cat")
    client.call("kill_session", target="spare")
    assert {one["session_name"] for one in client.call("list_sessions")["sessions"]} == {
        "dev",
        "shell",
        "spare-parts",
    }
    client.call("kill_server")
    assert client.call("list_sessions")["server_running"] is False


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("kill_pane", {"target": "%1"}),
        ("respawn_pane", {"target": "%1"}),
        ("kill_window", {"target": "@0"}),
        ("kill_session", {"target": "dev"}),
        ("kill_server", {}),
    ],
)
def test_the_terminal_that_we_run_in_is_never_killed(lab: Lab, tool: str, arguments: dict[str, str]) -> None:
    furnish(lab)
    lab.environ |= {"TMUX": f"{lab.endpoint.socket_path},1,0", "TMUX_PANE": "%1"}
    with mcp_server(lab, safety="destructive") as client:
        with pytest.raises(ToolError, match="muxpilot itself runs in") as refused:
            client.call(tool, **arguments)
        assert refused.value.condition == "refused"
        assert client.call("get_pane_info", target="%1")["is_caller"] is True
        assert client.call("get_pane_info", target="%0")["is_caller"] is False
        client.call("kill_pane", target="%0")
        client.call("kill_server", server="second")
