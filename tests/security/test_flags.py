"""Strings stay strings: what begins with `-`, or looks like a target, reaches tmux as an argument."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server

FLAGS = ("-t%1", "-k", "-t", "--", "-F", "-", "-kt%1", "-e", "-c/", "--help")


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    """Pane %0 is the one to act on; nothing may happen to %1."""
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "remain-on-exit", "on")
    lab.tmux("new-session", "-d", "-s", "other", "cat")
    with mcp_server(lab, toolsets="full,classic", safety="destructive") as client:
        yield client


def pids(lab: Lab) -> dict[str, str]:
    rows = lab.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_dead}").splitlines()
    return {row.split()[0]: row for row in rows}


@pytest.mark.parametrize("text", FLAGS)
def test_a_shell_that_looks_like_a_flag_is_a_command(client: RawClient, lab: Lab, text: str) -> None:
    before = pids(lab)
    assert client.call("respawn_pane", target="%0", shell=text)["pane_id"] == "%0"
    after = pids(lab)
    assert after["%1"] == before["%1"]
    assert after["%0"] != before["%0"]


@pytest.mark.parametrize("text", FLAGS)
def test_a_split_that_looks_like_a_flag_splits_its_own_pane(client: RawClient, lab: Lab, text: str) -> None:
    before = pids(lab)
    made = client.call("split_window", target="%0", shell=text)
    assert made["session_id"] == "$0"
    assert lab.tmux("display-message", "-p", "-t", made["pane_id"], "#{session_name}") == "main"
    assert {pane: row for pane, row in pids(lab).items() if pane in before} == before
    said = client.text("tmux_split_window", target=made["pane_id"], command=text)
    assert lab.tmux("display-message", "-p", "-t", said.rpartition("=")[2], "#{session_name}") == "main"


def test_a_harmless_command_still_runs(client: RawClient, lab: Lab) -> None:
    made = client.call("split_window", target="%0", shell="echo split; exec cat")
    eventually(lambda: "split" in lab.screen(made["pane_id"]))
    client.call("respawn_pane", target="%0", shell="echo again; exec cat")
    eventually(lambda: "again" in lab.screen("%0"))


@pytest.mark.parametrize("text", ["-S", "-L", "-U", "--", "-", "-Sx"])
def test_a_channel_that_looks_like_a_flag_is_a_channel(client: RawClient, lab: Lab, text: str) -> None:
    client.call("signal_channel", channel=text)
    assert client.call("wait_for_channel", channel=text, timeout=5)["signalled"]


@pytest.mark.parametrize("text", FLAGS)
def test_names_and_values_that_look_like_flags(client: RawClient, lab: Lab, text: str) -> None:
    before = pids(lab)
    assert client.call("rename_window", target="@0", new_name=text)["window_name"] == text
    assert client.call("set_pane_title", target="%0", title=text)["pane_title"] == text
    assert client.call("rename_session", target="$0", new_name=text)["session_name"] == text
    client.call("set_environment", name="CANARY", value=text, target="$0")
    assert lab.tmux("show-environment", "-t", "$0", "CANARY") == f"CANARY={text}"
    made = client.call("create_window", target="$0", window_name=text, environment={"X": text})
    assert made["window_name"] == text
    client.call("create_session", session_name=f"{text}x", window_name=text)
    assert {pane: row for pane, row in pids(lab).items() if pane in before} == before


@pytest.mark.parametrize("text", FLAGS)
def test_a_layout_that_looks_like_a_flag_is_refused(client: RawClient, lab: Lab, text: str) -> None:
    for tool, given in (("select_layout", {"layout": text}), ("move_window", {"destination_index": text})):
        with pytest.raises(ToolError) as refused:
            client.call(tool, target="@0", **given)
        assert refused.value.condition == "bad_input"
