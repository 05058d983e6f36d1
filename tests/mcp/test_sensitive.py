"""What a call says is sensitive stands nowhere afterwards but where it was typed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import PATIENCE, RawClient, mcp_server

SECRET = "hunter2-swordfish"
ASKS = "stty -echo; printf 'password: '; read answer; stty echo; echo; echo got ${#answer}"


@pytest.fixture(params=["bash", "dash"])
def audited(lab: Lab, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RawClient]:
    """In a shell that loads its commands, and in one that they are typed into."""
    lab.environ["SHELL"] = f"/bin/{request.param}"
    lab.environ["HISTFILE"] = "/dev/null"
    lab.new_session("main", "cat")
    with mcp_server(
        lab,
        stderr=subprocess.PIPE,
        audit_log=str(tmp_path / "audit"),
        log_level="DEBUG",
        state_dir=str(tmp_path / "state"),
        safety="destructive",
    ) as client:
        yield client


def kept(client: RawClient, lab: Lab, folder: Path) -> str:
    """Everything that is kept: tmux's own log of commands, our files, and our log."""
    client.call("list_sessions")  # So that one of ours is attached: the log is shown to a client.
    attached = lab.tmux("list-clients", "-F", "#{client_name}").split()[0]
    messages = lab.tmux("show-messages", "-t", attached) + lab.tmux("list-buffers")
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "tape"]
    files = b"".join(path.read_bytes() for path in paths)
    client.process.terminate()
    client.process.wait(PATIENCE)
    assert client.process.stderr is not None
    found = messages + (files + client.process.stderr.read()).decode(errors="replace")
    assert "command: " in found  # Of tmux's log.
    return found


def test_keys_reach_the_pane_and_nothing_else(audited: RawClient, lab: Lab, tmp_path: Path) -> None:
    audited.call("send_keys", target="%0", keys=f"{SECRET} ;'\"$x", sensitive=True)
    eventually(lambda: lab.screen("%0").count(f"{SECRET} ;'\"$x") == 2)  # Echoed, and by cat.
    found = kept(audited, lab, tmp_path)
    assert SECRET not in found
    assert '"keys":"(sensitive)"' in found


def test_a_password_reaches_its_prompt_and_nothing_else(audited: RawClient, lab: Lab, tmp_path: Path) -> None:
    asked = audited.call("terminal", command=ASKS)
    assert asked["state"] == "waiting_for_input"
    told = audited.call("terminal", command=SECRET, is_input=True, sensitive=True)
    assert (told["exit_code"], told["output"].split()[-1]) == (0, str(len(SECRET)))
    tape = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("tape"))
    assert SECRET.encode() not in tape  # Nothing has echoed it.
    assert SECRET not in kept(audited, lab, tmp_path)


def test_a_command_is_run_as_it_is_and_kept_as_a_secret(audited: RawClient, lab: Lab, tmp_path: Path) -> None:
    result = audited.call("terminal", command=f"TOKEN={SECRET}; echo ${{#TOKEN}}; (exit 3)", sensitive=True)
    assert (result["exit_code"], result["output"], result["command"]) == (3, str(len(SECRET)), "(sensitive)")
    assert [one["command"] for one in audited.call("list_commands")["commands"]] == ["(sensitive)"]
    assert SECRET not in kept(audited, lab, tmp_path)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("send_keys", {"target": "nowhere", "keys": SECRET}),
        ("send_keys", {"target": "%0", "keys": SECRET, "literl": SECRET}),
        ("run_command", {"target": "%0", "command": SECRET}),
        ("send_keys_batch", {"operations": [{"target": "%77", "keys": SECRET, "sensitive": True}]}),
    ],
)
def test_a_refusal_tells_nobody_else(
    audited: RawClient, lab: Lab, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    given = arguments if tool == "send_keys_batch" else {**arguments, "sensitive": True}
    audited.request("tools/call", {"name": tool, "arguments": given})
    assert SECRET not in kept(audited, lab, tmp_path)


def test_no_buffer_is_left_where_the_pane_is_gone(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab) as client:
        client.call("send_keys", target="%0", keys=SECRET, sensitive=True)
        client.text("send_keys", target="%5", keys=SECRET, sensitive=True)
        assert lab.tmux("list-buffers") == ""
