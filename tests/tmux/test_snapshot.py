"""The whole tree in one round trip, whatever it holds."""

from __future__ import annotations

import pytest

from muxpilot.terminal.sessions import create_session
from muxpilot.terminal.snapshot import take_snapshot
from muxpilot.terminal.target import resolve
from muxpilot.tmux import TmuxServer
from tests.lab import Lab, eventually
from tests.tmux.test_connection import count_writes

pytestmark = pytest.mark.anyio


@pytest.mark.long
async def test_a_thousand_panes_are_seen_in_one_round_trip(server: TmuxServer) -> None:
    await server.call_all([["new-window", "-d", "-t", "main", "--", "cat"] for _ in range(999)], timeout=60)
    writes = count_writes(server)
    snapshot = await take_snapshot(server, timeout=30)
    assert writes == [1]
    assert len(snapshot.panes) == len(snapshot.windows) == 1000
    assert len({pane.pane_pid for pane in snapshot.panes}) == 1000


async def test_types_are_real(server: TmuxServer) -> None:
    snapshot = await take_snapshot(server)
    (session,), (window,), (pane,) = snapshot.sessions, snapshot.windows, snapshot.panes
    assert (session.session_id, session.session_name, session.session_windows) == ("$0", "main", 1)
    assert session.session_created > 1_600_000_000
    assert (window.window_index, window.window_active, window.window_width) == (0, True, 80)
    assert (pane.pane_width, pane.pane_height, pane.pane_dead, pane.pane_dead_status) == (80, 24, False, None)
    assert pane.pane_pid is not None
    assert session.active_pane_id == window.active_pane_id == pane.pane_id


async def test_hostile_names_titles_and_paths_move_no_field(lab: Lab, server: TmuxServer) -> None:
    folder = lab.endpoint.socket_path.parent.parent / "tab\there\nand <newline> %end 1 2 1"
    folder.mkdir()
    name = "window <x> ##{pid} $HOME 'q' \"d\" 👩"
    await server.call("new-window", "-d", "-t", "main", "-n", name, "-c", str(folder), "--", "exec cat")
    await server.call("select-pane", "-t", "main:1", "-T", "ti<tle> $(x) ; #{pid}")
    # Before the process is there, tmux takes its name from the command, and has no folder.
    facts = "#{pane_current_command}:#{pane_current_path}"
    eventually(lambda: lab.tmux("list-panes", "-t", "main:1", "-F", facts).startswith("cat:/"))
    snapshot = await take_snapshot(server)
    pane = snapshot.panes[1]
    assert resolve(snapshot, "main:1").pane_id == pane.pane_id
    assert pane.pane_title.startswith("ti<tle> $(x) ;")
    assert pane.pane_current_path == str(folder)
    assert len(snapshot.panes) == 2
    assert snapshot.windows[1].window_name.startswith("wind")
    assert resolve(snapshot, f"main:{snapshot.windows[1].window_name}").pane_id == pane.pane_id


async def test_a_window_linked_into_two_sessions_is_seen_in_both(lab: Lab, server: TmuxServer) -> None:
    lab.new_session("second", "cat")
    lab.tmux("link-window", "-s", "main:0", "-t", "second:7")
    snapshot = await take_snapshot(server)
    assert resolve(snapshot, "second:7").pane_id == resolve(snapshot, "main:0").pane_id
    second = snapshot.session_by_name["second"].session_id
    assert [window.window_index for window in snapshot.windows_of[second]] == [0, 7]
    assert snapshot.panes_of(snapshot.windows_of[second][1])[0].session_id == second


async def test_parts_ask_only_for_what_is_wanted(server: TmuxServer) -> None:
    snapshot = await take_snapshot(server, ["panes"])
    assert len(snapshot.panes) == 1
    assert snapshot.sessions == ()


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        "with space",
        "emoji 👩",
        "quo'te\"d",
        "#{pid}",
        "#(id)",
        "#[x",
        "##[y]",
        "#",
        "$(id)",
        "a;",
        "-x",
        "漢字",
    ],
)
async def test_a_session_gets_exactly_the_name_asked_for(lab: Lab, name: str) -> None:
    server = TmuxServer(lab.endpoint)
    created = await create_session(server, name=name)
    snapshot = await take_snapshot(server)
    await server.close()
    assert created.session_name == name
    assert snapshot.session_by_id[created.session_id].session_name == name
    assert resolve(snapshot, name).session.session_id == created.session_id
