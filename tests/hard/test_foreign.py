"""Shells that carry marks of their own: a person's integration, and shells that we can't reach (line 25).

`script` stands for ssh and `docker exec`: a shell behind another program, on a terminal of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hard.shells import Console, Setting, console
from tests.hard.test_guest import Guest
from tests.lab import eventually

INTEGRATION = r"""
PROMPT_COMMAND='printf "\033]133;D;%s\007\033]133;A\007" "$?"'
PS0='\[\033]133;C\007\]'
PS1='marked$ \[\033]133;B\007\]'
"""


@pytest.fixture
def con(tmp_path: Path) -> Iterator[Console]:
    with console(tmp_path, Setting("bash")) as made:
        (tmp_path / "marked").write_text(INTEGRATION)
        made.run("true")
        yield made


@pytest.fixture
def person(con: Console, tmp_path: Path) -> Guest:
    """A pane of a person whose shell has such an integration."""
    made = Guest(con.client, con.lab, con.setting)
    made.open("bash", "--rcfile", str(tmp_path / "marked"))
    eventually(lambda: made.screen()[-1].startswith("marked$"))
    return made


def typed(guest: Guest, line: str) -> None:
    guest.lab.tmux("send-keys", "-t", guest.target, "-l", "--", line)
    guest.lab.tmux("send-keys", "-t", guest.target, "Enter")


def test_a_persons_command_ends_with_the_code_that_their_shell_tells(person: Guest, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    typed(person, f"until [ -e {gate} ]; do :; done; sh -c 'exit 6'")
    assert person.run("", timeout=0)["status"] == "running"
    gate.touch()
    ended = person.run("", timeout=10)
    assert (ended["status"], ended["exit_code"]) == ("completed", 6)
    assert any("own marks" in note for note in ended["notes"])


def test_without_such_marks_the_code_is_unknown(con: Console, tmp_path: Path) -> None:
    guest = Guest(con.client, con.lab, con.setting)
    guest.open("bash", "--norc")
    gate = tmp_path / "gate"
    typed(guest, f"until [ -e {gate} ]; do :; done; sh -c 'exit 6'")
    assert guest.run("", timeout=0)["status"] == "running"
    gate.touch()
    ended = guest.run("", timeout=10)
    assert (ended["status"], ended["exit_code"]) == ("completed", None)


def test_our_own_commands_do_not_believe_them(person: Guest) -> None:
    forged = r"printf '\033]133;D;0\007\033]133;A\007'; sh -c 'exit 5'"
    assert person.result(forged)[0] == 5
    assert person.result("true")[0] == 0


def test_25_a_shell_behind_another_program_tells_how_its_commands_end(con: Console, tmp_path: Path) -> None:
    inner = f"bash --rcfile {tmp_path / 'marked'} -i"
    seen = con.run(f"script -q -c '{inner}' /dev/null", timeout=10)
    assert (seen["status"], seen["exit_code"]) == ("running", None)
    said = con.run("sh -c 'echo far; exit 6'", is_input=True, timeout=10)
    assert (said["status"], said["exit_code"], said["inner_exit_code"]) == ("running", None, 6)
    assert "far" in said["output"].split("\n")
    said = con.run("read -r answer", is_input=True, timeout=10)
    assert "inner_exit_code" not in said, "it waits"
    said = con.run("yes", is_input=True, timeout=10)
    assert said["inner_exit_code"] == 0
    left = con.run("exit 4", is_input=True, timeout=10)
    assert (left["status"], left["exit_code"]) == ("completed", 0)
    assert "inner_exit_code" not in left


def test_25_a_shell_behind_another_program_without_marks_is_unknown(con: Console) -> None:
    con.run("script -q -c 'bash --norc -i' /dev/null", timeout=10)
    said = con.run("sh -c 'exit 6'", is_input=True, timeout=10)
    assert (said["status"], said["exit_code"]) == ("running", None)
    assert "inner_exit_code" not in said
    assert "script" in str(con.refused("run_command", command="echo no"))
    assert con.run("exit", is_input=True, timeout=10)["status"] == "completed"
