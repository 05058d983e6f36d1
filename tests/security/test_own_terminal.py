"""muxpilot's own terminal is neither ended nor typed into, whatever it is called and its client removed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muxpilot.terminal.ancestry import Ancestry
from muxpilot.terminal.caller import Caller
from muxpilot.terminal.records import TerminalRecord
from muxpilot.terminal.store import Store
from muxpilot.tmux import TmuxServer
from tests.lab import Lab, eventually, running
from tests.mcp.client import RawClient, ToolError, mcp_server
from tests.security.own_pane import TMUX_NAMES, OwnPane, UserLab, muxpilot_in_a_pane, python_for

SOMEBODY = 64002
REMOVED = {"kept": (), "removed": TMUX_NAMES, "pane removed": ("TMUX_PANE",), "server removed": ("TMUX",)}
OURS = "muxpilot itself runs in"

ENDING = {
    "kill_pane": "pane_id",
    "respawn_pane": "pane_id",
    "interrupt": "pane_id",
    "kill_window": "window_id",
    "kill_session": "session_id",
}
TYPING: dict[str, dict[str, Any]] = {
    "send_keys": {"keys": "yes"},
    "paste_text": {"text": "yes"},
    "run_command": {"command": "exit"},
    "clear_pane": {},
}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[UserLab]:
    lab = UserLab(tmp_path)
    yield lab
    lab.end()


@pytest.fixture(params=REMOVED)
def own(lab: UserLab, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OwnPane]:
    """At the destructive tier, by a client that leaves the environment alone, or removes what it knows."""
    with muxpilot_in_a_pane(lab, tmp_path, removed=REMOVED[request.param], safety="destructive") as own:
        yield own


@pytest.fixture
def hidden(lab: UserLab, tmp_path: Path) -> Iterator[OwnPane]:
    """The same, where nothing in the environment tells of tmux."""
    with muxpilot_in_a_pane(lab, tmp_path, safety="destructive") as own:
        yield own


def spellings(identity: str) -> list[str]:
    """Ways to write an id, some of which tmux takes for the same."""
    kind, number = identity[0], identity[1:]
    others = [f"{kind}{before}{number}" for before in ("0", "+", " ", "\u0660", "0x")]
    return [*others, f"{identity} ", f"{identity}\n", f"={identity}", f"{identity}.", f"{identity}:"]


def sockets(own: OwnPane) -> list[str | None]:
    """Names of the server that muxpilot runs in: a name, paths, a symbolic link and a hard link."""
    socket = own.lab.socket
    if not (socket.parent / "linked").exists():
        (socket.parent / "linked").symlink_to(socket)
        os.link(socket, socket.parent / "hard")
    paths = [str(socket), f"{socket.parent}//lab", f"{socket.parent}/../{socket.parent.name}/lab"]
    return [None, "lab", *paths, "linked", "hard", *(str(socket.parent / one) for one in ("linked", "hard"))]


def refused(client: RawClient, tool: str, /, **arguments: Any) -> str:
    given = {name: value for name, value in arguments.items() if value is not None}
    with pytest.raises(ToolError) as error:
        client.call(tool, **given)
    return str(error.value)


@pytest.mark.parametrize("tool", [*ENDING, "kill_server"])
def test_no_tool_ends_it(own: OwnPane, tool: str) -> None:
    target = getattr(own, ENDING[tool]) if tool in ENDING else None
    for server in sockets(own):
        assert OURS in refused(own.client, tool, target=target, server=server)
    for spelling in spellings(target) if target else ():
        refused(own.client, tool, target=spelling)
        refused(own.client, tool, target=spelling, server="hard")
    assert own.is_untouched()


def test_what_is_not_ours_can_be_ended(own: OwnPane) -> None:
    """By the same names of the server, so that the refusals above say something."""
    for server in sockets(own):
        at = {} if server is None else {"server": server}
        made = own.client.call("create_session", **at)
        own.client.call("respawn_pane", target=own.neighbour, **at)
        window = own.client.call("create_window", target=made["session_id"], **at)
        own.client.call("kill_pane", target=window["active_pane_id"], **at)
        own.client.call("kill_session", target=made["session_id"], **at)
    own.client.call("kill_window", target="agent:neighbour")
    own.client.call("kill_session", target="other")
    own.sessions = own.session_id
    assert own.is_untouched()


@pytest.mark.parametrize("tool", [*TYPING, "send_keys_batch", "paste_buffer"])
def test_no_tool_types_into_it(own: OwnPane, tool: str) -> None:
    """An agent could answer its own client's permission dialog."""
    names = (own.pane_id, "agent", own.session_id, own.window_id)
    for server in sockets(own):
        at = {} if server is None else {"server": server}
        for target in (*names, *spellings(own.pane_id)) if server in (None, "hard") else names:
            if tool == "send_keys_batch":
                done = own.client.call(tool, operations=[{"target": target, "keys": "yes"}], **at)
                assert done["succeeded"] == 0
            elif tool == "paste_buffer":
                buffer = own.client.call("load_buffer", content="yes", **at)["buffer_name"]
                refused(own.client, tool, target=target, buffer_name=buffer, **at)
            else:
                refused(own.client, tool, target=target, **TYPING[tool], **at)
    assert own.is_untouched()
    assert OURS in refused(own.client, "send_keys", target="agent", keys="yes", sensitive=True)
    assert OURS in refused(own.client, "send_keys", target=own.pane_id, keys="C-c")
    assert own.is_untouched()


def test_other_panes_are_typed_into(hidden: OwnPane) -> None:
    hidden.client.call("send_keys", target=hidden.neighbour, keys="hello")
    hidden.client.call("paste_text", target=hidden.other, text="hello")
    for pane in (hidden.neighbour, hidden.other):
        eventually(lambda pane=pane: "hello" in hidden.lab.screen(pane))  # type: ignore[misc]
    hidden.client.call("clear_pane", target=hidden.neighbour)
    assert hidden.client.call("terminal", command="echo fine")["output"] == "fine"


def test_looking_at_it_is_allowed(hidden: OwnPane) -> None:
    """Copy mode takes a person's keys and gives the program none; a pipe copies what anybody can read."""
    client, pane = hidden.client, hidden.pane_id
    for tool, more in (("capture_pane", {}), ("enter_copy_mode", {"scroll_up": 1}), ("exit_copy_mode", {})):
        client.call(tool, target=pane, **more)
    client.call("pipe_pane", target=pane, output_path=str(hidden.folder / "piped"))
    client.call("pipe_pane", target=pane)
    assert hidden.is_untouched()


def test_it_is_marked_wherever_panes_are_shown(own: OwnPane) -> None:
    client = own.client
    for listed in (
        client.call("list_panes")["panes"],
        client.call("list_panes", filters={"pane_id__startswith": "%"})["panes"],
    ):
        assert [one["pane_id"] for one in listed if one["is_caller"]] == [own.pane_id]
        assert len(listed) == 3
    for tool in ("get_pane_info", "snapshot_pane"):
        assert client.call(tool, target=own.pane_id)["is_caller"] is True
        assert client.call(tool, target=own.neighbour)["is_caller"] is False
    (match,) = client.call("search_panes", pattern="conversation of a person")["matches"]
    assert match["is_caller"] is True


@pytest.mark.parametrize("way", ["itself", "orphan"])
def test_however_muxpilot_came_into_the_pane(lab: UserLab, tmp_path: Path, way: str) -> None:
    """It may be the pane's own process (`exec`), or have lost its parents and kept the terminal."""
    with muxpilot_in_a_pane(lab, tmp_path, way=way, safety="destructive") as own:
        for tool, place in ENDING.items():
            assert OURS in refused(own.client, tool, target=getattr(own, place))
        assert OURS in refused(own.client, "kill_server")
        assert OURS in refused(own.client, "send_keys", target=own.pane_id, keys="yes")
        own.client.call("send_keys", target=own.neighbour, keys="yes")
        assert lab.tmux("display-message", "-p", "-t", own.pane_id, "#{pane_pid}") == str(own.pid)


def test_a_job_of_the_server_is_ended_with_no_session(lab: UserLab, tmp_path: Path) -> None:
    """In a popup, say: it is in no pane, and it ends with the session that shows it, whichever that is."""
    with muxpilot_in_a_pane(lab, tmp_path, way="job", safety="destructive") as own:
        assert OURS in refused(own.client, "kill_server")
        for tool, target in (
            ("kill_session", "agent"),
            ("kill_session", "other"),
            ("kill_pane", own.other),
            ("kill_window", "other:0"),
            ("move_window", "other:0"),
        ):
            more = {"destination_session": "agent"} if tool == "move_window" else {}
            assert OURS in refused(own.client, tool, target=target, **more)
        own.client.call("kill_pane", target=own.neighbour)
        assert lab.tmux("list-sessions", "-F", "#{session_id}") == own.sessions


def test_a_window_in_two_sessions_ends_with_neither(own: OwnPane) -> None:
    own.lab.tmux("link-window", "-s", own.window_id, "-t", "other:7")
    own.lab.tmux("new-session", "-d", "-s", "twin", "-t", "agent")
    own.sessions = own.lab.tmux("list-sessions", "-F", "#{session_id}")
    for session in ("agent", "other", "twin"):
        assert OURS in refused(own.client, "kill_session", target=session)
    for window in (own.window_id, "other:7", "twin:0"):
        assert OURS in refused(own.client, "kill_window", target=window)
    assert OURS in refused(own.client, "kill_pane", target="other:7.0")
    own.client.call("kill_window", target="other:0")
    assert own.client.call("list_panes", target="other")["panes"][0]["is_caller"] is True


def test_no_move_ends_its_session(hidden: OwnPane) -> None:
    """The pane would live on, but the people who watch its session would be detached."""
    client = hidden.client
    client.call("kill_window", target="agent:neighbour")
    moves: list[tuple[str, dict[str, str]]] = [
        ("move_window", {"target": hidden.window_id, "destination_session": "other"}),
        ("break_pane", {"target": hidden.pane_id, "destination_session": "other"}),
        ("join_pane", {"source": hidden.pane_id, "target": "other"}),
    ]
    for tool, given in moves:
        assert OURS in refused(client, tool, **given)
        first = next(iter(given))
        for spelling in spellings(given[first]):
            refused(client, tool, **{**given, first: spelling})
    assert hidden.is_untouched()
    client.call("create_window", target="agent")
    for tool, given in moves[:1]:
        assert client.call(tool, **given)["session_name"] == "other"


def test_no_option_ends_it_or_copies_keys_to_it(own: OwnPane) -> None:
    for option, place in (
        ("destroy-unattached", {}),
        ("destroy-unattached", {"target": "agent", "scope": "session"}),
        ("destroy-unattached", {"target": "agent:neighbour", "scope": "window"}),
        ("destroy-unattached", {"target": own.neighbour, "scope": "pane"}),
        ("exit-unattached", {"scope": "server"}),
        ("exit-unattached", {"target": "other"}),
        ("exit-unattached", {"target": "other", "scope": "session"}),
        ("exit-unattached", {"target": own.other, "scope": "pane"}),
        ("synchronize-panes", {}),
        ("synchronize-panes", {"target": "agent:0", "scope": "window"}),
        ("synchronize-panes", {"target": own.pane_id, "scope": "pane"}),
        ("synchronize-panes", {"target": "other:0", "scope": "window"}),
    ):
        refused(own.client, "set_option", option=option, value="on", **place)
    assert own.is_untouched()
    for name in ("destroy-unattached", "exit-unattached"):
        assert own.lab.tmux("show-options", "-gsqv" if name[0] == "e" else "-gqv", name) == "off"
    assert own.lab.tmux("show-options", "-t", "agent") == ""
    assert own.lab.tmux("show-options", "-gwv", "synchronize-panes") == "off"


def test_tools_of_other_servers_keep_off_it(lab: UserLab, tmp_path: Path) -> None:
    with muxpilot_in_a_pane(lab, tmp_path, safety="destructive", toolsets="classic,mini") as own:
        for target in (own.pane_id, "agent:0.0", *spellings(own.pane_id)):
            refused(own.client, "tmux_send_keys", target=target, keys="yes")
            refused(own.client, "tmux_kill", target=target)
        assert OURS in refused(own.client, "tmux_kill", target=own.window_id, type="window")
        assert OURS in refused(own.client, "tmux_kill", target="agent", type="session")
        assert OURS in refused(own.client, "kill_session", name="agent")
        assert OURS in refused(own.client, "send_keys", name="agent", keys="yes")
        own.client.call("tmux_send_keys", target=own.neighbour, keys="yes")
        assert own.is_untouched()


def test_a_terminal_of_muxpilots_may_be_its_own(lab: UserLab, tmp_path: Path) -> None:
    """Where an agent runs another agent in its terminal."""
    with muxpilot_in_a_pane(lab, tmp_path, safety="destructive") as own:
        store = Store(own.folder / "state")
        pid, start = (int(lab.tmux("display-message", "-p", one)) for one in ("#{pid}", "#{start_time}"))
        store.records.write(TerminalRecord("default", pid, start, own.pane_id, store.new_shelf().key))
        calls: list[tuple[str, dict[str, Any]]] = [
            ("terminal", {"command": "exit"}),
            ("terminal", {"command": "yes", "is_input": True}),
            ("terminal", {"command": "C-c"}),
            ("terminal", {"command": "y", "no_enter": True}),
            ("run_command", {"command": "exit"}),
        ]
        found = [refused(own.client, tool, **given) for tool, given in calls]
        assert all("another terminal_id" in one for one in found)
        assert OURS in refused(own.client, "interrupt")
        assert own.is_untouched()
        done = own.client.call("terminal", command="echo fine", terminal_id="second")
        assert done["output"] == "fine"


def test_typing_can_be_allowed_and_ending_can_not(lab: UserLab, tmp_path: Path) -> None:
    with muxpilot_in_a_pane(lab, tmp_path, safety="destructive", type_in_own_pane="1") as own:
        own.client.call("send_keys", target=own.pane_id, keys="yes", enter=False)
        assert own.typed() == "yes"
        for tool, place in ENDING.items():
            assert OURS in refused(own.client, tool, target=getattr(own, place))
        assert OURS in refused(own.client, "kill_server")
        assert own.typed() == "yes"


def test_the_same_id_on_another_server_is_not_ours(own: OwnPane, request: pytest.FixtureRequest) -> None:
    """Unless the environment names a pane and no server: then it may be anywhere."""
    own.lab.tmux("-L", "second", "new-session", "-d", "cat")
    try:
        anywhere = "server removed" in request.node.name
        marked = own.client.call("get_pane_info", target=own.pane_id, server="second")["is_caller"]
        assert marked is anywhere
        if not anywhere:
            own.client.call("send_keys", target=own.pane_id, keys="yes", server="second")
            own.client.call("kill_server", server="second")
        assert own.is_untouched()
    finally:
        own.lab.try_tmux("-L", "second", "kill-server")


def test_a_server_without_sessions_can_be_killed(lab: Lab) -> None:
    lab.tmux("start-server", ";", "set-option", "-g", "exit-empty", "off")
    pid = lab.server_pid
    with mcp_server(lab, safety="destructive") as client:
        client.call("kill_server")
    assert not running(pid)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("removed", ["kept", "removed"])
def test_an_ordinary_user_is_as_safe(removed: str) -> None:
    """Without the right to look at other users' processes."""
    if python_for(SOMEBODY) is None:
        pytest.skip("another user can't run this Python")
    folder = Path(tempfile.mkdtemp(prefix="muxpilot-test-"))
    lab = UserLab(folder, SOMEBODY)
    try:
        with muxpilot_in_a_pane(lab, folder, removed=REMOVED[removed], safety="destructive") as own:
            for server in sockets(own):
                for tool, place in ENDING.items():
                    assert OURS in refused(own.client, tool, target=getattr(own, place), server=server)
                assert OURS in refused(own.client, "kill_server", server=server)
                for tool, given in TYPING.items():
                    assert OURS in refused(own.client, tool, target=own.pane_id, server=server, **given)
            assert own.is_untouched()
            own.client.call("kill_session", target="other")
    finally:
        lab.end()
        shutil.rmtree(folder)


@pytest.mark.anyio
async def test_a_server_that_takes_anothers_place_is_looked_at_anew(lab: Lab) -> None:
    lab.new_session("main", "cat")
    caller = Caller()
    pid = int(lab.tmux("display-message", "-p", "#{pane_pid}"))
    caller.__dict__["_ancestry"] = Ancestry(frozenset({pid}))
    server = TmuxServer(lab.endpoint, guard=caller.check)
    try:
        assert await caller.panes_on(server) == {"%0"}
        lab.end()
        lab.new_session("main", "cat")
        await server.call("list-sessions")  # Finds the connection lost, and opens another.
        await server.call("send-keys", "-t", "%0", "-l", "--", "yes")
        assert await caller.panes_on(server) == frozenset()
    finally:
        await server.close()
