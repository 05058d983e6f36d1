"""Calls that follow each other closely, and tools that must know of each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hard.shells import SHELLS, Console, Setting, console, grouped
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


@pytest.fixture(scope="module", params=[grouped("together", Setting(shell)) for shell in SHELLS])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with console(tmp_path_factory.mktemp("together"), request.param) as made:
        yield made


def typed(con: Console, line: str, wait_for: str) -> None:
    """A person types a line in our terminal, and it has run."""
    pane = con.pane()
    con.prompted(pane)
    con.lab.tmux("send-keys", "-t", pane, "-l", "--", line)
    con.lab.tmux("send-keys", "-t", pane, "Enter")
    eventually(lambda: wait_for in con.lab.screen(pane).splitlines())


def test_what_a_person_ran_meanwhile_is_not_taken_for_the_agents(shared: Console) -> None:
    assert shared.result("echo first") == (0, "first")
    typed(
        shared,
        "echo their$((0+1)); sh -c 'exit 7'" if not shared.is_fish else "echo their(math 0+1)",
        "their1",
    )
    assert shared.result("echo second") == (0, "second")
    assert shared.result("sh -c 'exit 3'") == (3, "")


def test_many_commands_of_a_person_neither(shared: Console) -> None:
    shared.run("true")
    for number in range(3):
        typed(shared, f"echo line{number}; cd /", f"line{number}")
    done = shared.run("echo mine")
    assert (done["exit_code"], done["output"], done["cwd"]) == (0, "mine", "/")


def test_an_unfinished_line_of_a_person_neither(shared: Console) -> None:
    """The shell asks them for more, and they give it up."""
    shared.run("true")
    pane = shared.pane()
    shared.prompted(pane)
    opening = "begin" if shared.is_fish else "if true"
    shared.lab.tmux("send-keys", "-t", pane, "-l", opening)
    shared.lab.tmux("send-keys", "-t", pane, "Enter")
    shared.client.call("terminal", command="C-c", timeout=2)
    assert shared.result("echo mine") == (0, "mine")


def test_a_line_that_was_half_typed_and_then_entered_neither(shared: Console) -> None:
    shared.run("true")
    pane = shared.pane()
    shared.prompted(pane)
    shared.lab.tmux("send-keys", "-t", pane, "-l", "echo theirs")
    eventually(lambda: shared.lab.screen(pane).rstrip().endswith("echo theirs"))
    assert "half typed" in str(shared.refused("terminal", command="echo no"))
    shared.lab.tmux("send-keys", "-t", pane, "Enter")
    eventually(lambda: "theirs" in shared.lab.screen(pane).splitlines())
    assert shared.result("echo mine") == (0, "mine")
