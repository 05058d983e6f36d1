"""The wall clock jumps, forwards and back, in the middle of things. Durations must not notice.

Only muxpilot's own `time.time` jumps: nobody else's time is touched, and our files keep the machine's, as on
a network disk whose server has another.
"""

from __future__ import annotations

import os

import pytest

from tests.faults.stage import Stage, truth
from tests.faults.trial import Trial, fault
from tests.lab import eventually
from tests.mcp.nursery import CLOCK

JUMPS = {"an hour forwards": 3600, "an hour back": -3600, "ten days forwards": 864_000, "to 1970": -1.7e9}


class Clock:
    """What the next muxpilot's wall clock is ahead of the machine's."""

    def __init__(self, stage: Stage) -> None:
        self._path = stage.folder / "clock"
        self.jump(0)
        stage.lab.environ[CLOCK] = str(self._path)

    def jump(self, seconds: float) -> None:
        """At once, for who looks at any time: a file is replaced whole."""
        fresh = self._path.with_name("clock-to-be")
        fresh.write_text(str(seconds))
        fresh.rename(self._path)


@pytest.fixture
def clock(stage: Stage) -> Clock:
    return Clock(stage)


def jump_of(run: int) -> float:
    return list(JUMPS.values())[run % len(JUMPS)]


@fault("wall clock jumps while a command runs", daily=2)
def test_a_command_is_told_exactly_whatever_the_clock_does(
    stage: Stage, trial: Trial, run: int, clock: Clock
) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    clock.jump(jump_of(run))
    go.write_text("out\n")
    with trial.recovering(stage.pid, stage.lab.server_pid):
        told = stage.told(call)
        assert truth(told, (7, "out"))
    assert 0 <= told.facts["elapsed_seconds"] < 20
    row = stage.client.call("list_commands")["commands"][-1]
    assert row["exit_code"] == 7
    assert row["seconds"] is None or 0 <= row["seconds"] < 20, row
    stage.works()
    assert stage.runs_of() == 1


@fault("wall clock jumps while commands wait for input, are interrupted, run out of time", daily=2)
def test_states_and_deadlines_do_not_notice_the_clock(
    stage: Stage, trial: Trial, run: int, clock: Clock
) -> None:
    stage.ready()
    call = stage.begin("terminal", command=stage.once("read answer"), timeout=10)
    eventually(stage.runs_of)
    clock.jump(jump_of(run))
    told = stage.told(call)
    assert (told.facts["status"], told.facts["state"]) == ("running", "waiting_for_input"), told
    with trial.recovering(stage.pid, stage.lab.server_pid):
        assert stage.client.call("interrupt")["stopped"]
    late = stage.client.call("terminal", command="sleep 1", timeout=0.3)
    assert (late["status"], late["state"]) == ("running", "running")
    assert truth(stage.told(stage.begin("terminal", command="", timeout=10)), (0, ""))
    stage.works()


@fault("wall clock jumps back before an interrupt in a person's pane")
def test_an_interrupt_is_known_whatever_the_clock_does(
    stage: Stage, trial: Trial, run: int, clock: Clock
) -> None:
    stage.ready()
    shell = "bash --norc --noprofile"
    pane = stage.lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main", shell)
    call = stage.begin("run_command", target=pane, command=stage.once("sleep 30"), timeout=10)
    eventually(stage.runs_of)
    clock.jump(-3600)
    stage.lab.tmux("send-keys", "-t", pane, "C-c")
    with trial.recovering(stage.pid, stage.lab.server_pid):
        told = stage.told(call)
        assert told.facts["exit_code"] == 130, told


@fault("wall clock jumps while muxpilot is away")
def test_what_was_kept_is_there_whatever_the_clock_does(
    stage: Stage, trial: Trial, run: int, clock: Clock
) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    stage.kill()
    clock.jump(jump_of(run))
    stage.start()
    go.write_text("out\n")
    with trial.recovering(stage.pid, stage.lab.server_pid):
        assert truth(stage.told(stage.begin("terminal", command="", timeout=10)), (7, "out"))
    stage.works()
    assert stage.runs_of() == 1


@fault("wall clock jumps while somebody else has the pane's pipe")
def test_another_pipe_does_not_hold_up_a_call_when_the_clock_is_set_back(
    stage: Stage, trial: Trial, run: int, clock: Clock
) -> None:
    stage.ready()
    clock.jump(-3600 if run % 2 else -30)
    theirs = stage.folder / "theirs"
    stage.lab.tmux("pipe-pane", "-t", stage.pane(), f"exec cat >{theirs}")
    eventually(lambda: theirs.exists() and not stage.recorders())
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert "works" in theirs.read_text()
