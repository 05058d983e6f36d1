"""The tmux server is killed, stopped, replaced on its socket, upgraded."""

from __future__ import annotations

import os
import signal
from typing import Any

from tests.faults.stage import TIMEOUT, Stage, stopped, truth
from tests.faults.test_control_client import kill_clients
from tests.faults.trial import Trial, fault
from tests.lab import TMUX, eventually, running

STARTS_ANEW = "the panes and what ran in them: they were tmux's"


def kill_tmux(stage: Stage) -> None:
    pid = stage.lab.server_pid
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not running(pid))


@fault("tmux server killed -9 while a command runs", note=STARTS_ANEW)
def test_a_command_whose_tmux_is_killed_ends_at_once_without_an_exit_code(
    stage: Stage, trial: Trial, run: int
) -> None:
    stage.ready()
    call = stage.begin("terminal", command=stage.once("sleep 30"), timeout=20)
    eventually(stage.runs_of)
    kill_tmux(stage)
    with trial.recovering(stage.pid):
        told = stage.told(call)
        assert told.condition or (told.facts["exit_code"] is None and told.facts["state"] == "shell_exited")
    trial.lost()
    with trial.recovering(stage.pid):
        stage.works()
    assert stage.runs_of() == 1


@fault("tmux server killed -9 in the middle of waits", note=STARTS_ANEW)
def test_waits_end_when_their_tmux_is_killed(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    waits = [
        stage.begin("wait_for_text", target="%0", pattern="never", timeout=20),
        stage.begin("wait_for_idle", target="%0", quiet_seconds=15, timeout=20),
        stage.begin("wait_for_content_change", target="%0", timeout=20),
        stage.begin("wait_for_channel", channel="never", timeout=20),
    ]
    eventually(lambda: len(stage.control_clients()) > 1)
    stage.client.call("list_panes")
    kill_tmux(stage)
    with trial.recovering(stage.pid):
        for wait in waits:
            told = stage.told(wait)
            assert told.condition in {"server_gone", "pane_ended", "server_not_running"}, told
            trial.lost()
    with trial.recovering(stage.pid):
        stage.works()


@fault("tmux server killed -9 in the middle of reads", note=STARTS_ANEW)
def test_reads_are_true_or_named_when_their_tmux_is_killed(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    stage.lab.tmux("send-keys", "-t", "%0", "marker", "Enter")
    eventually(lambda: stage.lab.screen("%0").count("marker") == 2)
    reads = [stage.begin(tool, **arguments) for tool, arguments in READS * 30]
    os.kill(stage.lab.server_pid, signal.SIGKILL)
    for (tool, _), read in zip(READS * 30, reads, strict=True):
        told = stage.told(read)
        if told.condition is not None:
            trial.lost()
        elif tool == "capture_pane":
            assert told.text.split() == ["marker", "marker"]
        else:
            assert "%0" in told.text or "main" in told.text
    with trial.recovering(stage.pid):
        stage.works()


READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("capture_pane", {"target": "%0"}),
    ("list_panes", {}),
    ("list_windows", {}),
)


@fault("tmux server stopped, then continued")
def test_a_stopped_tmux_is_named_and_the_command_is_told_afterwards(
    stage: Stage, trial: Trial, run: int
) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=0.5)
    eventually(stage.runs_of)
    with stopped(stage.lab.server_pid):
        calls = [call, *(stage.begin(tool) for tool in ("list_panes", "list_sessions"))]
        calls.append(stage.begin("send_keys", target="%0", keys="x"))
        for pending in calls:
            told = stage.told(pending)
            if pending is call and told.condition is None:
                assert (told.facts["status"], told.facts["exit_code"]) == ("running", None)
            else:
                assert told.condition == "server_unresponsive"
                trial.lost()
    with trial.recovering(stage.pid):
        assert stage.client.call("list_panes")["panes"]
    go.write_text("out\n")
    assert truth(stage.told(stage.begin("terminal", command="", timeout=10)), (7, "out"))
    assert stage.runs_of() == 1


@fault("tmux server killed -9 and replaced on its socket within milliseconds", note=STARTS_ANEW)
def test_a_server_that_took_the_place_of_another_gets_nothing_meant_for_it(
    stage: Stage, trial: Trial, run: int
) -> None:
    stage.ready()
    pane = stage.pane()
    call = stage.begin("run_command", target=pane, command=stage.once("sleep 30"), timeout=20)
    if run % 2:
        eventually(stage.runs_of)
    kill_tmux(stage)
    replace_server(stage)
    told = stage.told(call)
    assert told.condition or told.facts["exit_code"] is None, told
    trial.lost()
    for other in stage.lab.tmux("list-panes", "-a", "-F", "#{pane_id}").split():
        assert stage.lab.screen(other).strip() == "", "typed into somebody else's pane"
    with trial.recovering(stage.pid):
        names = [one["session_name"] for one in stage.client.call("list_sessions")["sessions"]]
        assert names == ["other"]
    stage.works()
    assert stage.runs_of() <= 1


def replace_server(stage: Stage) -> None:
    """Another one, whose panes have the ids of the first one's and run something else."""
    stage.lab.new_session("other", "cat")
    for _ in range(4):
        stage.lab.tmux("split-window", "-d", "-t", "other", "cat")
        stage.lab.tmux("select-layout", "-t", "other", "tiled")


def installed(stage: Stage, program: str) -> str:
    """tmux as a script of ours calls it, so that it can be replaced while it runs."""
    link = stage.folder / "tmux"
    other = link.with_name("newer")
    other.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    other.chmod(0o700)
    other.rename(link)
    return str(link)


@fault("tmux upgraded under us: program first, then the server", note=STARTS_ANEW)
def test_a_tmux_that_is_upgraded_goes_on_working(stage: Stage, trial: Trial, run: int) -> None:
    """By `MUXPILOT_TEST_TMUX2`, else by itself: another file all the same."""
    stage.lab.new_session("main", "cat")
    stage.start(tmux_bin=installed(stage, TMUX))
    stage.works("before")
    call = stage.begin("terminal", command=stage.once("sleep 0.2; (exit 5)"), timeout=10)
    eventually(stage.runs_of)
    installed(stage, os.environ.get("MUXPILOT_TEST_TMUX2", TMUX))
    kill_clients(stage)
    assert truth(stage.told(call), (5, ""))
    told = stage.told(stage.begin("terminal", command="echo between", timeout=10))
    assert truth(told, (0, "between")) or told.condition == "server_mismatch"
    kill_tmux(stage)
    with trial.recovering(stage.pid):
        stage.works("after")
    assert stage.runs_of() == 1
    stage.client.call("kill_server")  # The lab's own tmux may not be able to.


@fault("tmux server stopped for good, then killed -9", note=STARTS_ANEW)
def test_a_tmux_that_never_comes_back_is_named_until_it_is_gone(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    pid = stage.lab.server_pid
    with stopped(pid):
        call = stage.begin("terminal", command=stage.once(), timeout=TIMEOUT)
        assert stage.told(call).condition == "server_unresponsive"
        trial.lost()
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: not running(pid))
    assert stage.condition_of("list_panes") == "server_not_running"
    with trial.recovering(stage.pid):
        stage.works()
    assert stage.runs_of() == 0
