"""What stands between us and tmux is killed or stopped: control clients, and whoever writes a tape."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from tests.faults.stage import Stage, stopped, truth
from tests.faults.trial import Trial, fault
from tests.lab import eventually, running

UNRECORDED = "what was written while nobody recorded it"


def kill_clients(stage: Stage) -> None:
    for pid in stage.control_clients():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@fault("recorder of a tape stopped or killed -9 before a command starts", note=UNRECORDED, daily=2)
def test_a_command_whose_start_was_not_recorded_is_not_sent_again(
    stage: Stage, trial: Trial, run: int
) -> None:
    """That nothing is heard of it must not be taken for keys that the shell has swallowed."""
    stage.ready()
    recorder = stage.recorder()
    with stopped(recorder):
        call = stage.begin("terminal", command=stage.once("echo out; (exit 7)"), timeout=20)
        eventually(stage.runs_of)
        if run % 2:
            os.kill(recorder, signal.SIGKILL)
        assert stage.client.silent_for(2.5), "longer than swallowed keys are waited for"
        if not run % 2:
            assert not stage.client.has_answered(call.number)
    told = stage.told(call)
    if run % 2:
        assert (told.facts["status"], told.facts["exit_code"]) == ("completed", None), told
        assert "not recorded" in told.text
        trial.lost()
    else:
        assert truth(told, (7, "out"))
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() == 1


@fault("control client killed -9 while a command runs")
def test_a_command_is_told_exactly_whoever_kills_the_control_client(
    stage: Stage, trial: Trial, run: int
) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    kill_clients(stage)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        assert stage.client.call("list_panes")["panes"]
    go.write_text("out\n")
    assert truth(stage.told(call), (7, "out"))
    assert stage.runs_of() == 1
    assert stage.client.call("list_panes")[
        "panes"
    ]  # The first may have been answered before the end was noticed.
    assert len(stage.control_clients()) == 1


@fault("control client killed -9 at any moment of a command's start")
def test_a_command_runs_once_or_is_said_to_be_uncertain(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    for number in range(1, 6):
        call = stage.begin("terminal", command=stage.once("echo out", number), timeout=10)
        kill_clients(stage)
        told = stage.told(call)
        if truth(told, (0, "out")):
            assert stage.runs_of(number) == 1
        else:
            assert told.condition == "server_gone"
            trial.lost()
        with trial.recovering(stage.pid, stage.lab.server_pid):
            assert stage.client.call("list_panes")["panes"]
        looked = stage.client.call("terminal", command="", timeout=10)
        assert looked["status"] == "completed", looked
        assert stage.runs_of(number) <= 1
    stage.works()


@fault("control client killed -9 in the middle of waits and reads")
def test_waits_go_on_and_reads_are_true(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    wait = stage.begin("wait_for_text", target="%0", pattern="later", timeout=20)
    eventually(lambda: len(stage.control_clients()) > 1)
    reads = [stage.begin("list_panes") for _ in range(30)]
    kill_clients(stage)
    for read in reads:
        assert "%0" in stage.told(read).text
    stage.lab.tmux("send-keys", "-t", "%0", "later", "Enter")
    with trial.recovering(stage.pid, stage.lab.server_pid):
        told = stage.told(wait)
        assert told.facts.get("found") or told.condition == "server_gone", told
    stage.works()


@fault("control client stopped")
def test_a_stopped_control_client_holds_up_nothing_and_is_seen_out(
    stage: Stage, trial: Trial, run: int
) -> None:
    """tmux talks to us by the client's own pipes, so it does not even matter."""
    stage.ready()
    (client,) = stage.control_clients()
    with stopped(client):
        with trial.recovering(stage.pid, stage.lab.server_pid):
            assert truth(stage.told(stage.begin("terminal", command=stage.once(), timeout=5)), (0, ""))
        stage.note_ours()
        assert stage.client.process.stdin is not None
        stage.client.process.stdin.close()
        stage.client.process.wait(10)
        eventually(lambda: not running(client))
    assert stage.runs_of() == 1


@fault("recorder of a tape killed -9 while a command runs", note=UNRECORDED)
def test_output_that_was_not_recorded_is_missed_aloud(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"echo one; cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    eventually(lambda: "one" in stage.lab.screen(stage.pane()).splitlines())
    old = stage.recorder()
    os.kill(old, signal.SIGKILL)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        eventually(lambda: any(pid != old for pid in stage.recorders()))
    go.write_text("two\n")
    told = stage.told(call)
    assert (told.facts["exit_code"], told.facts["output"].splitlines()[-1:]) == (7, ["two"]), told
    assert "not recorded" in told.text
    trial.lost()
    stage.works()
    assert stage.runs_of() == 1


@fault(
    "recorder of a tape killed -9 just before a command ends",
    note=UNRECORDED,
)
def test_an_end_that_was_not_recorded_is_unknown(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"echo one; cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    os.kill(stage.recorder(), signal.SIGKILL)
    go.write_text("two\n")
    told = stage.told(call)
    assert (told.facts["status"], told.facts["exit_code"]) in {("completed", None), ("completed", 7)}, told
    assert "not recorded" in told.text
    trial.lost()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() == 1
