"""Calls that follow each other closely, and tools that must know of each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hard.shells import Console, Setting, console
from tests.hard.test_guest import Guest
from tests.lab import eventually

ROUNDS = 15


@pytest.fixture
def con(tmp_path: Path) -> Iterator[Console]:
    with console(tmp_path, Setting("bash")) as made:
        yield made


@pytest.fixture
def guest(con: Console) -> Guest:
    made = Guest(con.client, con.lab, con.setting)
    made.open()
    made.run("true")
    return made


@pytest.mark.parametrize("before", ["look", "interrupt"])
def test_a_command_behind_a_short_look_is_recorded(guest: Guest, before: str) -> None:
    """The recorder of the first call may just be starting when it is stopped again."""
    for number in range(ROUNDS):
        if before == "look":
            guest.run("", timeout=0)
        else:
            guest.client.call("interrupt", target=guest.target)
        done = guest.run(f"echo round {number}", timeout=5)
        assert (done["status"], done["exit_code"], done["output"]) == ("completed", 0, f"round {number}"), (
            done
        )


def test_an_interrupted_command_does_not_end_with_the_prompt(guest: Guest) -> None:
    begun = guest.run("echo begun; sleep 50", timeout=0.3)
    assert (begun["status"], begun["output"]) == ("running", "begun")
    stopped = guest.client.call("interrupt", target=guest.target)
    assert (stopped["stopped"], stopped["exit_code"], stopped["output"]) == (True, 130, "^C")


@pytest.mark.parametrize("tool", ["terminal", "run_command"])
def test_a_wait_knows_what_a_running_command_has_written(con: Console, tmp_path: Path, tool: str) -> None:
    """It was started by the agent, so what it writes is new, also before the wait begins."""
    gate = tmp_path / "gate"
    command = f"until [ -e {gate} ]; do :; done; echo READY at last; sleep 50"
    begun = con.client.call(tool, command=command, timeout=0.1)
    assert begun["status"] == "running"
    gate.touch()
    eventually(lambda: "READY at last" in con.lab.screen(con.pane()).splitlines())
    found = con.client.call("wait_for_text", target=con.pane(), patterns="^READY", regex=True, timeout=2)
    assert found["found"]


def test_a_wait_does_not_take_the_command_for_its_output(con: Console) -> None:
    con.run("true")
    begun = con.run("sleep 50 # READY", timeout=0.1)
    assert begun["status"] == "running"
    found = con.client.call("wait_for_text", target=con.pane(), patterns="READY", timeout=0.3)
    assert not found["found"]


def test_a_command_without_output_can_be_looked_up(con: Console) -> None:
    con.run("cd /")
    found = con.client.call("list_commands", number=1)
    assert (found["command"], found["exit_code"], found["output"]) == ("cd /", 0, "")
    assert found["output_path"] is None
