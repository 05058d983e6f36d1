"""Which pane is a terminal of ours, the state folder decides: options that anybody can set decide nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muxpilot.errors import StateUnusable
from muxpilot.terminal.records import TerminalRecord, TerminalRecords
from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server


@pytest.fixture
def client(lab: Lab, tmp_path: Path) -> Iterator[RawClient]:
    """Beside a pane of somebody else's (%0), with a shell in it."""
    lab.environ["SHELL"] = "/bin/bash"
    lab.new_session("main", "exec bash --norc")
    with mcp_server(lab, state_dir=str(tmp_path / "state")) as client:
        yield client


def claim(lab: Lab, pane: str, terminal_id: str, key: str = "a" * 16) -> None:
    """As anybody can who reaches the tmux server."""
    lab.tmux("set-option", "-p", "-t", pane, "@muxpilot_terminal", terminal_id)
    lab.tmux("set-option", "-p", "-t", pane, "@muxpilot", key)


def test_a_pane_that_claims_to_be_a_terminal_is_none(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    claim(lab, "%0", "default")
    with pytest.raises(ToolError, match="no terminal 'default'"):
        client.call("list_commands")
    done = client.call("terminal", command="echo in $TMUX_PANE")
    assert done["pane_id"] != "%0"
    assert done["output"] == f"in {done['pane_id']}"
    assert "in " not in lab.screen("%0")
    assert not (tmp_path / "state" / "panes" / ("a" * 16)).exists()


def test_a_terminal_is_not_led_away_from_its_pane(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    """Neither the process that knows it nor the next one."""
    pane = client.call("terminal", command="x=mine")["pane_id"]
    lab.tmux("set-option", "-p", "-u", "-t", pane, "@muxpilot_terminal")
    lab.tmux("set-option", "-g", "@muxpilot_terminal", "default")
    claim(lab, "%0", "default")
    assert client.call("terminal", command="echo $x")["output"] == "mine"
    with mcp_server(lab, state_dir=str(tmp_path / "state")) as another:
        told = another.call("terminal", command="echo $x")
        assert (told["output"], told["pane_id"], told["terminal_id"]) == ("mine", pane, "default")
        assert another.call("list_commands")["commands"][0]["command"] == "x=mine"


def test_the_key_of_a_terminal_opens_nothing_for_another_pane(
    client: RawClient, lab: Lab, tmp_path: Path
) -> None:
    client.call("terminal", command="echo private")
    (key,) = (path.parent.name for path in (tmp_path / "state" / "panes").glob("*/commands"))
    claim(lab, "%0", "default", key)
    assert client.call("list_commands", target="%0")["commands"] == []
    done = client.call("run_command", target="%0", command="echo theirs")
    assert "terminal_id" not in done
    assert not lab.tmux("display-message", "-p", "-t", "%0", "#{pane_pipe}").strip("0")  # Not recorded on.


def test_a_terminal_whose_pane_is_gone_is_made_anew(client: RawClient, lab: Lab) -> None:
    pane = client.call("terminal", command="x=mine")["pane_id"]
    lab.tmux("kill-pane", "-t", pane)
    done = client.call("terminal", command="echo [$x]")
    assert done["output"] == "[]"
    assert done["pane_id"] != pane


def test_a_record_of_another_server_means_nothing(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    """A new server gives the same ids again."""
    first = client.call("terminal", command="x=mine")["pane_id"]
    pid = lab.server_pid
    lab.tmux("kill-server")
    eventually(lambda: not Path(f"/proc/{pid}").exists())
    for _ in range(int(first[1:]) + 1):
        lab.try_tmux("new-session", "-d", "cat")
    claim(lab, first, "default")
    done = client.call("terminal", command="echo [$x]")
    assert done["output"] == "[]"
    assert done["pane_id"] != first


def test_a_revived_terminal_is_the_same(client: RawClient, lab: Lab) -> None:
    pane = client.call("terminal", command="true")["pane_id"]
    client.call("terminal", command="exit 3")
    eventually(lambda: lab.tmux("display-message", "-p", "-t", pane, "#{pane_dead}") == "1")
    done = client.call("terminal", command="echo back")
    assert (done["pane_id"], done["output"], done["terminal_id"]) == (pane, "back", "default")
    numbers = [one["number"] for one in client.call("list_commands")["commands"]]
    assert numbers == [1, 2, 3]


def test_a_record_is_believed_only_where_it_says_what_it_is_asked_for(tmp_path: Path) -> None:
    server, other = (10, 20), (10, 21)
    records = TerminalRecords(tmp_path)
    records.write(TerminalRecord("default", *server, "%1", "a" * 16))
    assert TerminalRecords(tmp_path).pane_named(server, "default") == "%1"
    assert TerminalRecords(tmp_path).pane_named(other, "default") is None
    assert TerminalRecords(tmp_path).of_pane(server, "%2") is None
    (record,) = tmp_path.glob("pane-*")
    for content in (
        "",
        "{",
        "[]",
        '{"terminal_id": "default"}',
        record.read_text().replace("a" * 16, "../../x"),
    ):
        record.write_text(content)
        assert TerminalRecords(tmp_path).of_pane(server, "%1") is None
        assert TerminalRecords(tmp_path).pane_named(server, "default") is None
    record.unlink()
    record.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateUnusable):
        TerminalRecords(tmp_path).of_pane(server, "%1")
