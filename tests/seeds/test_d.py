"""Document D: the `terminal` tool, whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import Json, RawClient, mcp_server


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    lab.environ["SHELL"] = "/bin/bash"
    with mcp_server(lab) as client:
        yield client


def run(client: RawClient, command: str, **more: object) -> Json:
    return client.call("terminal", command=command, **more)


def test_its_parameters(client: RawClient) -> None:
    (listed,) = [one for one in client.request("tools/list")["tools"] if one["name"] == "terminal"]
    wanted = {"command", "is_input", "timeout", "terminal_id", "no_enter"}
    assert wanted <= set(listed["inputSchema"]["properties"])


def test_a_basic_command_and_its_answer(client: RawClient) -> None:
    done = run(client, "echo hello")
    assert done["output"] == "hello"
    assert done["exit_code"] == 0
    assert done["command"] == "echo hello"
    assert done["terminal_id"] == "default"
    assert done["status"] == "completed"
    assert done["cwd"]


def test_state_persists_and_the_folder_is_tracked(client: RawClient, tmp_path: Path) -> None:
    assert run(client, f"cd {tmp_path}; export WORD=kept")["cwd"] == str(tmp_path)
    assert run(client, "echo $WORD; pwd")["output"] == f"kept\n{tmp_path}"


def test_a_long_command_goes_on_and_is_looked_at(client: RawClient, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    begun = run(client, f"echo begun; until [ -e {gate} ]; do sleep 0.01; done; echo ended", timeout=0.3)
    assert (begun["status"], begun["exit_code"]) == ("running", None)
    assert begun["output"] == "begun"
    assert run(client, "", timeout=0)["status"] == "running"
    gate.touch()
    ended = run(client, "", timeout=10)
    assert (ended["status"], ended["exit_code"], ended["output"]) == ("completed", 0, "ended")


def test_timeout_is_capped_and_kills_nothing(client: RawClient) -> None:
    assert any("60" in note for note in run(client, "true", timeout=100)["notes"])
    assert run(client, "sleep 0.3; echo lives", timeout=0)["status"] == "running"
    assert run(client, "")["output"] == "lives"


def test_a_process_gets_input_and_special_keys(client: RawClient) -> None:
    assert run(client, "python3 -q")["state"] == "waiting_for_input"
    assert "42" in run(client, "print(6 * 7)", is_input=True)["output"]
    ended = run(client, "C-d")  # Special keys need no is_input.
    assert (ended["status"], ended["exit_code"]) == ("completed", 0)


def test_ctrl_c_needs_no_is_input(client: RawClient) -> None:
    assert run(client, "sleep 100", timeout=0.2)["status"] == "running"
    ended = run(client, "C-c")
    assert (ended["status"], ended["exit_code"]) == ("completed", 130)


def test_a_key_at_a_prompt_is_not_answered_as_if_it_had_run_something(client: RawClient) -> None:
    said = "nothing was running when this was typed: this is how the last command before it ended"
    assert "notes" not in run(client, "echo before")
    after = run(client, "C-c", timeout=2)
    assert (after["command"], after["notes"]) == ("echo before", [said])
    assert said in client.text("terminal", command="C-u", timeout=2)
    assert "notes" not in run(client, "echo after")


KEYS = [
    *("C-a", "C-e", "C-k", "C-l", "C-u", "C-w", "Up", "Down", "Left", "Right", "Home", "End"),
    *("PageUp", "PageDown", "PgUp", "PgDn", "F1", "F12", "Escape", "Space", "Tab", "BTab"),
    *("BSpace", "DC", "IC", "M-f", "M-b", "S-F6", "S-Tab"),
]


def test_every_key_that_it_names_is_a_key(client: RawClient) -> None:
    """Typed as text it would stand on the screen."""
    run(client, "stty -icanon; cat -v >/dev/null", timeout=0.2)
    for key in KEYS:
        shown = run(client, key, timeout=0.05)
        assert shown["status"] == "running"
        assert key not in shown["output"].replace("^", ""), key
    run(client, "C-c")


def test_text_can_be_typed_without_enter(client: RawClient) -> None:
    assert run(client, "read -r word; echo got=$word", timeout=1)["state"] == "waiting_for_input"
    assert run(client, "part", is_input=True, no_enter=True, timeout=0.5)["status"] == "running"
    assert "got=partly" in run(client, "ly", is_input=True)["output"]


def test_several_terminals_side_by_side(client: RawClient) -> None:
    run(client, "export WHO=one", terminal_id="one")
    run(client, "export WHO=two", terminal_id="two")
    assert run(client, "echo $WHO", terminal_id="one")["output"] == "one"
    assert run(client, "echo $WHO", terminal_id="two")["output"] == "two"


def test_an_editor_is_driven(client: RawClient, tmp_path: Path) -> None:
    text = tmp_path / "note"
    seen = run(client, f"TERM=xterm busybox vi {text}", timeout=5)
    assert seen["status"] == "running"
    run(client, "i", no_enter=True, timeout=1)
    run(client, "written", no_enter=True, is_input=True, timeout=1)
    run(client, "Escape", timeout=1)
    done = run(client, ":wq", is_input=True, timeout=10)
    if done["status"] == "running":
        done = run(client, "", timeout=10)
    assert done["exit_code"] == 0
    assert text.read_text() == "written\n"


def test_a_daemon_in_the_background_returns_at_once(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    done = run(client, f"(sleep 0.2; touch {tmp_path}/made) &")
    assert (done["status"], done["exit_code"]) == ("completed", 0)
    eventually((tmp_path / "made").exists)


def test_large_output_is_cut_with_the_whole_on_disk(client: RawClient) -> None:
    done = run(client, "seq 1 20000")
    assert done["output_truncated"] is True
    assert done["output"].startswith("1\n2\n")
    assert done["output"].endswith("\n20000")
    assert Path(done["output_path"]).read_text() == "".join(f"{number}\n" for number in range(1, 20001))
