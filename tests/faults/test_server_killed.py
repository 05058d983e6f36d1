"""muxpilot itself is killed with -9 in every phase of a command, and started again."""

from __future__ import annotations

import fcntl
import os
import random
import time

from tests.faults.stage import Stage, stopped, truth
from tests.faults.trial import Trial, fault
from tests.lab import eventually


def last_command(stage: Stage) -> tuple[str, int | None]:
    """As the ledger has it."""
    rows = stage.client.call("list_commands")["commands"]
    return rows[-1]["command"], rows[-1]["exit_code"]


@fault("muxpilot killed -9 before it has typed the command")
def test_killed_before_typing_nothing_has_run(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    (lock,) = [path for path in stage.state.glob("panes/*/lock") if path.parent.name != "making"]
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        stage.begin("terminal", command=stage.once(), timeout=20)
        stage.client.call("list_panes")  # What came before it has been taken in.
        stage.kill()
    trial.lost()
    stage.start()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        assert last_command(stage) == ("echo works; (exit 3)", 3)
        stage.works("again")
    assert stage.runs_of() == 0


@fault("muxpilot killed -9 right after it has typed the command")
def test_killed_after_typing_the_command_is_known(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    recorder = stage.recorder()
    with stopped(recorder):  # So it can't have read that the shell has taken it.
        stage.begin("terminal", command=stage.once("echo out; (exit 7)"), timeout=20)
        eventually(stage.runs_of)
        stage.kill()
    stage.start()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        assert truth(stage.told(stage.begin("terminal", command="", timeout=10)), (7, "out"))
    assert last_command(stage)[1] == 7
    stage.works()
    assert stage.runs_of() == 1


@fault("muxpilot killed -9 while the command runs")
def test_killed_while_it_runs_the_command_goes_on(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    stage.begin("terminal", command=stage.once(f"echo one; cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    stage.kill()
    if run % 2:
        go.write_text("two\n")
    stage.start()
    if not run % 2:
        looked = stage.client.call("terminal", command="", timeout=0)
        assert (looked["status"], looked["exit_code"]) == ("running", None)
        go.write_text("two\n")
    with trial.recovering(stage.pid, stage.lab.server_pid):
        told = stage.told(stage.begin("terminal", command="", timeout=10))
    assert (told.facts["status"], told.facts["exit_code"]) == ("completed", 7)
    number = stage.client.call("list_commands")["commands"][-1]["number"]
    assert stage.client.call("list_commands", number=number)["output"] == "one\ntwo"
    stage.works()
    assert stage.runs_of() == 1


@fault("muxpilot killed -9 after the command has ended, before the answer")
def test_killed_before_the_answer_the_end_is_known(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    done = stage.folder / "done"
    recorder = stage.recorder()
    stage.begin("terminal", command=stage.once(f"echo out; touch {done}; (exit 7)"), timeout=20)
    with stopped(recorder):
        eventually(done.exists)
        stage.kill()
    stage.start()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        assert truth(stage.told(stage.begin("terminal", command="", timeout=10)), (7, "out"))
    assert last_command(stage)[1] == 7
    assert stage.runs_of() == 1


@fault("muxpilot killed -9 at a random moment of a command in its terminal", daily=2)
def test_killed_at_any_moment_in_a_terminal(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    killed_at_random(stage, trial, run, {"terminal_id": "default"}, "terminal")


@fault("muxpilot killed -9 at a random moment of a command in a person's pane", daily=2)
def test_killed_at_any_moment_in_a_persons_pane(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    shell = "bash --norc --noprofile" if run % 2 else "dash"
    pane = stage.lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main", shell)
    first = stage.client.call("run_command", target=pane, command="echo first", timeout=10)
    assert first["exit_code"] == 0
    killed_at_random(stage, trial, run, {"target": pane}, "run_command")


def killed_at_random(
    stage: Stage, trial: Trial, run: int, where: dict[str, str], tool: str, rounds: int = 3
) -> None:
    """The next muxpilot knows of the command what is true, and runs the next one as if nothing had been."""
    dice = random.Random(run)
    for number in range(1, rounds + 1):
        stage.begin(tool, command=stage.once("echo out; (exit 7)", number), timeout=20, **where)
        time.sleep(dice.uniform(0, 0.06))  # Not to wait for anything: to hit any moment.
        stage.kill()
        stage.start()
        with trial.recovering(stage.pid, stage.lab.server_pid):
            told = stage.told(stage.begin(tool, command="", timeout=10, **where))
        assert told.condition is None, told
        if str(stage.effects) not in told.facts["command"]:
            trial.lost()
        elif stage.runs_of(number):
            assert truth(told, (7, "out"))
        else:
            assert told.facts["exit_code"] is None, told
            trial.lost()
        after = stage.client.call(tool, command="echo after; (exit 4)", timeout=10, **where)
        assert (after["exit_code"], after["output"]) == (4, "after"), after
        assert stage.runs_of(number) <= 1
