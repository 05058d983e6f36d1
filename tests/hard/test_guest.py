"""In a pane that a person opened: lines 16, 20 to 25 of the hard cases."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.hard.shells import SHELLS, Console, Setting, console, grouped
from tests.lab import children, eventually
from tests.mcp.client import Json


class Guest(Console):
    """A console whose commands run in a pane that tmux has started, not we."""

    target = ""

    def run(self, command: str, *, timeout: float = 20, **more: Any) -> Json:
        return self.client.call("run_command", command=command, target=self.target, timeout=timeout, **more)

    def open(self, *argv: str, width: int = 80) -> str:
        """A new session with this program; returns its pane."""
        path = SHELLS[self.shell] if self.shell != "ash" else f"{self.lab.environ['HOME']}/ash"
        program = argv or (path,)
        command = ["new-session", "-d", "-P", "-F", "#{pane_id}", "-x", str(width), "-y", "24", *program]
        self.target = self.lab.tmux(*command)
        return self.target

    def processes(self) -> list[int]:
        """What the shell has started, and what that has."""
        found = children(int(self.lab.tmux("display-message", "-p", "-t", self.target, "#{pane_pid}")))
        for pid in found:
            with suppress(OSError):
                found += children(pid)
        return found

    def owners(self) -> set[int]:
        """Whose shells are there."""
        found = set()
        for pid in self.processes():
            with suppress(OSError):
                if Path(f"/proc/{pid}/comm").read_text().strip() == "bash":
                    found.add(Path(f"/proc/{pid}").stat().st_uid)
        return found

    def programs(self) -> list[str]:
        names = []
        for pid in self.processes():
            with suppress(OSError):
                names.append(Path(f"/proc/{pid}/comm").read_text().strip())
        return names

    def screen(self) -> list[str]:
        return self.lab.screen(self.target).rstrip("\n").split("\n")


@pytest.fixture(scope="module", params=[grouped("guest", Setting(shell)) for shell in SHELLS])
def shells(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with console(tmp_path_factory.mktemp("guest"), request.param) as made:
        yield made


@pytest.fixture
def guest(shells: Console) -> Guest:
    made = Guest(shells.client, shells.lab, shells.setting)
    made.open()
    return made


@pytest.fixture
def bash(tmp_path: Path) -> Iterator[Guest]:
    with console(tmp_path, Setting("bash")) as made:
        found = Guest(made.client, made.lab, made.setting)
        found.open("bash", "--norc", "--noprofile")
        yield found


CASES = {
    "status": ("sh -c 'exit 7'", 7, ""),
    "output": ("echo hi # note", 0, "hi"),
    "lines": ("echo one\necho two", 0, "one\ntwo"),
    "no newline": ("printf abc", 0, "abc"),
    "like a prompt": ("printf 'a > b'", 0, "a > b"),
    "like a prompt again": ("printf '$ # c'", 0, "$ # c"),
    "exclamation": ('echo "a!b"', 0, "a!b"),
    "wide": ("seq 1 1000 | tr '\\n' ' '", 0, " ".join(str(number) for number in range(1, 1001)) + " "),
}


@pytest.mark.parametrize("case", CASES)
def test_results_are_exact(guest: Guest, case: str) -> None:
    command, status, output = CASES[case]
    assert guest.result(command) == (status, output)


@pytest.mark.parametrize("width", [10, 300])
def test_results_are_exact_at_any_width(guest: Guest, width: int) -> None:
    guest.open(width=width)
    assert guest.result("echo one; echo two; sh -c 'exit 3'") == (3, "one\ntwo")
    assert guest.result("echo three") == (0, "three")


def test_20_the_screen_shows_the_command_and_its_output_alone(guest: Guest) -> None:
    guest.run("true")
    eventually(lambda: not guest.screen()[-1].endswith("true"))
    before = [line.rstrip() for line in guest.screen()]
    prompt = before[-1]
    assert before[-2] == f"{prompt} true"
    guest.run("echo seen")
    eventually(lambda: guest.screen()[-1].rstrip() != "seen")
    assert [line.rstrip() for line in guest.screen()] == [*before[:-1], f"{prompt} echo seen", "seen", prompt]


def test_20_nothing_is_left_in_the_shell(guest: Guest) -> None:
    guest.run("echo one")
    _, found = guest.result("set" if not guest.is_fish else "set; functions --all")
    left = [line for line in found.splitlines() if "__muxpilot" in line]
    assert all("_c" in line or "_s" in line or "_r" in line for line in left)  # Those of this very call.
    guest.lab.tmux("send-keys", "-t", guest.target, "clear; set | grep -c 'muxpilot_[scr]' | tr 0 N", "Enter")
    eventually(lambda: any(line.strip() in {"N", "1", "2", "3"} for line in guest.screen()))
    assert any(line.strip() == "N" for line in guest.screen())


def test_20_arrow_up_brings_back_the_command(guest: Guest) -> None:
    if guest.shell in {"dash", "ash", "fish", "ksh"}:
        pytest.skip("no history that a sourced line could add to")
    guest.run("echo remembered")
    guest.lab.tmux("send-keys", "-t", guest.target, "Up")
    eventually(lambda: guest.screen()[-1].rstrip().endswith("echo remembered"))


def test_16_ctrl_c(guest: Guest) -> None:
    params = {"command": "env sleep 30", "target": guest.target, "timeout": 20}
    number = guest.client.start("tools/call", {"name": "run_command", "arguments": params})

    eventually(lambda: "sleep" in guest.programs())
    guest.lab.tmux("send-keys", "-t", guest.target, "C-c")
    done = guest.client.wait(number)["result"]["structuredContent"]
    assert (done["status"], done["exit_code"]) == ("completed", 130)
    assert done["elapsed_seconds"] < 10
    assert guest.result("echo next") == (0, "next")


def test_6_unfinished_input(guest: Guest) -> None:
    done = guest.run("echo 'open")
    assert (done["state"], done["exit_code"]) == ("incomplete_input", None)
    assert guest.result("echo next") == (0, "next")


def test_17_a_running_command_is_looked_at_through_its_pane(guest: Guest, tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    guest.run("true")
    assert guest.run(f"echo begun; cat {go}; sh -c 'exit 5'", timeout=0.2)["status"] == "running"
    refusal = guest.refused("run_command", command="echo no", target=guest.target, timeout=1)
    assert "still runs" in str(refusal)
    go.write_text("go\n")
    done = guest.run("", timeout=10)
    assert (done["status"], done["exit_code"]) == ("completed", 5), done
    assert guest.result("echo next") == (0, "next")
    assert guest.client.call("list_commands", target=guest.target)["commands"][1]["exit_code"] == 5


def test_21_a_shell_that_is_still_starting_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "slow").write_text("sleep 1\nPS1='$ '\n")
    with console(tmp_path, Setting("bash")) as made:
        guest = Guest(made.client, made.lab, made.setting)
        guest.open("bash", "--rcfile", str(tmp_path / "slow"))
        assert guest.result("echo once") == (0, "once")
        assert sum("echo once" in line for line in guest.screen()) == 1


def test_21_a_slow_start_of_our_own_terminal(tmp_path: Path) -> None:
    (tmp_path / ".bash_profile").write_text("sleep 1\n")
    with console(tmp_path, Setting("bash")) as made:
        assert made.result("echo once") == (0, "once")


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        (("copy-mode", "-t"), "copy-mode"),
        (("set-option", "-w", "synchronize-panes", "on", ";", "split-window", "-d", "-t"), "synchronized"),
        (("select-pane", "-d", "-t"), "input turned off"),
    ],
)
def test_22_a_pane_that_would_lose_the_keys_is_refused(
    bash: Guest, setting: tuple[str, ...], reason: str
) -> None:
    bash.run("true")
    if reason == "synchronized":
        bash.lab.tmux("split-window", "-d", "-t", bash.target, "cat")
        bash.lab.tmux("set-option", "-w", "-t", bash.target, "synchronize-panes", "on")
    else:
        bash.lab.tmux(*setting, bash.target)
    before = bash.screen()
    refusal = bash.refused("run_command", command="echo lost", target=bash.target)
    assert reason in str(refusal)
    assert bash.screen() == before


def test_22_a_dead_pane_is_refused(bash: Guest) -> None:
    bash.open("true")
    bash.lab.tmux("set-option", "-g", "remain-on-exit", "on")
    bash.open("true")
    eventually(lambda: bash.lab.tmux("display-message", "-p", "-t", bash.target, "#{pane_dead}") == "1")
    assert "ended" in str(bash.refused("run_command", command="echo no", target=bash.target))


def test_22_a_half_typed_line_is_left_alone(guest: Guest) -> None:
    guest.run("true")
    guest.prompted(guest.target)
    guest.lab.tmux("send-keys", "-t", guest.target, "-l", "rm -rf precious")
    eventually(lambda: guest.screen()[-1].endswith("precious"))
    before = guest.screen()
    assert "half typed" in str(guest.refused("run_command", command="echo no", target=guest.target))
    eventually(lambda: guest.screen() == before)


def test_22_a_half_typed_line_in_our_own_terminal_is_left_alone(shells: Console) -> None:
    shells.run("true", terminal_id="half")
    pane = shells.pane("half")
    shells.prompted(pane)
    shells.lab.tmux("send-keys", "-t", pane, "-l", "rm -rf precious")
    eventually(lambda: shells.lab.screen(pane).rstrip().endswith("precious"))
    assert "half typed" in str(shells.refused("terminal", command="echo no", terminal_id="half"))
    assert shells.lab.screen(pane).rstrip().endswith("precious")
    shells.client.call("terminal", command="C-c", terminal_id="half", timeout=2)
    done = shells.run("echo yes", terminal_id="half")
    assert (done["exit_code"], done["output"]) == (0, "yes"), done


@pytest.mark.parametrize("program", ["cat", "vi", "less", "python3", "sh -c 'read x'"])
def test_23_what_is_in_front_is_named_and_nothing_typed(bash: Guest, tmp_path: Path, program: str) -> None:
    (tmp_path / "text").write_text("text\n" * 100)
    command = {
        "vi": "busybox vi",
        "less": f"busybox less {tmp_path}/text",
        "python3": "python3 -q",
    }.get(program, program)
    bash.open("bash", "--norc", "--noprofile")
    bash.run("PS1='$ '")
    name = command.split()[0]
    bash.lab.tmux("send-keys", "-t", bash.target, "-l", command)
    bash.lab.tmux("send-keys", "-t", bash.target, "Enter")
    eventually(
        lambda: bash.lab.tmux("display-message", "-p", "-t", bash.target, "#{pane_current_command}") != "bash"
    )
    refusal = bash.refused("run_command", command="echo TYPED", target=bash.target, timeout=2)
    assert name in str(refusal)
    assert "TYPED" not in bash.lab.screen(bash.target)


def test_23_a_program_in_our_own_terminal_gets_input(tmp_path: Path) -> None:
    with console(tmp_path, Setting("bash")) as con:
        begun = con.run("python3 -q", timeout=15)
        assert (begun["status"], begun["state"]) == ("running", "waiting_for_input")
        assert "42" in con.run("6 * 7", is_input=True, timeout=10)["output"]
        assert con.run("exit()", is_input=True, timeout=10)["exit_code"] == 0


def test_23_a_full_screen_program_is_seen_and_driven(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("first\nsecond\n")
    with console(tmp_path, Setting("bash")) as con:
        con.run("true")
        seen = con.run(f"cd {tmp_path}; TERM=xterm busybox vi text", timeout=10)
        assert seen["status"] == "running"
        assert "second" in con.lab.screen(con.pane())
        con.run("dd", no_enter=True, timeout=3)
        done = con.run(":wq", is_input=True, timeout=10)
        if done["status"] == "running":  # It may not have reacted yet.
            done = con.run("", timeout=10)
        assert done["exit_code"] == 0, con.lab.screen(con.pane())
        assert text.read_text() == "second\n"


@pytest.mark.parametrize("inner", ["bash --norc", "dash", "zsh -f", "mksh"])
def test_25_a_shell_within_a_shell_is_exact(bash: Guest, inner: str) -> None:
    bash.lab.tmux("send-keys", "-t", bash.target, "-l", inner)
    bash.lab.tmux("send-keys", "-t", bash.target, "Enter")
    name = inner.split(maxsplit=1)[0]
    eventually(
        lambda: bash.lab.tmux("display-message", "-p", "-t", bash.target, "#{pane_current_command}") == name
    )
    assert bash.result("sh -c 'exit 6'") == (6, "")
    assert bash.result("echo inner") == (0, "inner")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user without being asked")
def test_25_another_users_shell_is_refused(bash: Guest) -> None:
    bash.lab.tmux("send-keys", "-t", bash.target, "-l", "su -s /bin/bash nobody")
    bash.lab.tmux("send-keys", "-t", bash.target, "Enter")
    nobody = pwd.getpwnam("nobody").pw_uid
    eventually(lambda: nobody in bash.owners())
    assert "another user" in str(bash.refused("run_command", command="echo no", target=bash.target))
    assert not any("echo no" in line for line in bash.screen())


def test_25_a_shell_within_our_own_terminal(tmp_path: Path) -> None:
    with console(tmp_path, Setting("zsh")) as con:
        assert con.run("bash --norc", timeout=10)["state"] == "waiting_for_input"
        assert con.result("echo $BASH_VERSION | cut -c1; sh -c 'exit 6'")[0] == 6
        left = con.run("exit 3", timeout=10)
        assert left["exit_code"] in (3, None)
        assert con.result("echo $ZSH_VERSION | cut -c1")[1].isdigit()


def test_a_pane_that_is_piped_already_works_too(bash: Guest, tmp_path: Path) -> None:
    bash.client.call("pipe_pane", target=bash.target, output_path=str(tmp_path / "log"))
    assert bash.result("echo both; sh -c 'exit 2'") == (2, "both")
    eventually(lambda: "both" in (tmp_path / "log").read_text())


def test_a_persons_pane_is_not_piped_afterwards(bash: Guest) -> None:
    def piped() -> str:
        return bash.lab.tmux("display-message", "-p", "-t", bash.target, "#{pane_pipe}")

    bash.run("echo done")
    assert piped() == "0"
    bash.prompted(bash.target)
    bash.lab.tmux("send-keys", "-t", bash.target, "-l", "half typed")
    eventually(lambda: bash.screen()[-1].endswith("half typed"))
    bash.refused("run_command", command="echo no", target=bash.target)
    assert piped() == "0"


def test_a_shell_that_exits_in_a_persons_pane(bash: Guest) -> None:
    done = bash.run("echo bye; exit 3", timeout=5)
    assert (done["state"], done["status"]) == ("shell_exited", "completed")
    assert done["output"].startswith("bye")


def test_a_prompt_of_several_lines_stays_whole(bash: Guest) -> None:
    bash.run(r"PS1='\n[top]\n\$ '")
    bash.lab.tmux("send-keys", "-t", bash.target, "clear", "Enter")
    eventually(
        lambda: (
            [line for line in bash.screen() if line.strip()] == ["[top]", "#"]
            or [line for line in bash.screen() if line.strip()] == ["[top]", "$"]
        )
    )
    bash.run("echo seen")
    lines = [line.rstrip() for line in bash.screen() if line.strip()]
    sign = lines[-1]
    assert lines == ["[top]", f"{sign} echo seen", "seen", "[top]", sign]
