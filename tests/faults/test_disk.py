"""The disk is full while something of ours is written, and the folder for it is gone or can't be written to.

A small tmpfs stands for the disk; where mounting is not allowed these are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.stage import Stage, truth
from tests.faults.trial import Trial, fault
from tests.lab import eventually

NOT_WRITTEN = "what had no room"
ROOM = 512 * 1024


@pytest.fixture
def disk(stage: Stage) -> Iterator[Path]:
    """The state folder, on a disk of its own."""
    stage.state.mkdir(mode=0o700)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=700", "tmpfs", stage.state],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("mounting a tmpfs takes root")
    yield stage.state
    stage.close()
    subprocess.run(["umount", "-l", stage.state], check=True)


def fill(disk: Path, leave: int = 0) -> Path:
    """Nothing but `leave` bytes is left."""
    filler = disk / "filler"
    left = shutil.disk_usage(disk).free - leave
    with filler.open("wb", buffering=0) as file:
        while left > 0 and (wrote := file.write(b"x" * min(left, 65536))):
            left -= wrote
    return filler


@fault("disk full when a command starts")
def test_a_command_that_can_not_be_noted_is_not_run(stage: Stage, trial: Trial, run: int, disk: Path) -> None:
    stage.ready()
    filler = fill(disk)
    told = stage.told(stage.begin("terminal", command=stage.once("echo out"), timeout=5))
    if truth(told, (0, "out")):
        assert stage.runs_of() == 1
    else:
        assert told.condition == "state_unusable"
        assert stage.runs_of() == 0
        trial.lost()
    filler.unlink()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    numbers = [one["number"] for one in stage.client.call("list_commands")["commands"]]
    assert numbers == sorted(set(numbers))


@fault("disk full in the middle of a command's text")
def test_a_command_that_had_no_room_is_not_run_in_part(
    stage: Stage, trial: Trial, run: int, disk: Path
) -> None:
    stage.ready()
    filler = fill(disk, leave=4096 * (run % 4 + 1))
    long = " ".join(f"a{number}" for number in range(20_000))
    told = stage.told(
        stage.begin("terminal", command=f"{stage.once()}; : {long}; {stage.once(number=2)}", timeout=10)
    )
    assert told.condition == "state_unusable", told
    assert stage.runs_of(1) == stage.runs_of(2) == 0
    trial.lost()
    filler.unlink()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()


@fault("disk filled by a command's own output", note=NOT_WRITTEN)
def test_output_that_had_no_room_is_missed_aloud(stage: Stage, trial: Trial, run: int, disk: Path) -> None:
    stage.ready()
    command = stage.once("seq 1 100000; (exit 7)")
    told = stage.told(stage.begin("terminal", command=command, timeout=20))
    assert told.condition is None, told
    assert told.facts["exit_code"] in {7, None}, told
    assert any(word in told.text for word in ("not recorded", "no room")), told.text[:300]
    trial.lost()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    row = stage.client.call("list_commands")["commands"][-2]
    listed = stage.client.call("list_commands", number=row["number"])
    assert listed["exit_code"] in {7, None}
    assert listed["notes"], "a later look says it too"
    assert stage.runs_of() == 1


@fault("disk full, and much of it is what the last command left")
def test_what_was_recorded_makes_room_for_the_next_command(
    stage: Stage, trial: Trial, run: int, disk: Path
) -> None:
    stage.ready()
    stage.client.call("terminal", command=r"yes | head -c 300000 | tr '\n' '\r'", timeout=20)
    fill(disk)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        told = stage.told(stage.begin("terminal", command="seq 3000; (exit 3)", timeout=10))
        assert truth(told, (3, "\n".join(map(str, range(1, 3001)))))


@fault("disk full while a command ends")
def test_an_end_that_can_not_be_noted_is_still_told(stage: Stage, trial: Trial, run: int, disk: Path) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    filler = fill(disk)
    go.write_text("out\n")
    told = stage.told(call)
    if not told.condition and "not recorded" in told.text:
        trial.lost()
    elif not truth(told, (7, "out")):
        assert told.condition == "state_unusable", told
        trial.lost()
    filler.unlink()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() == 1


@fault("state folder remounted read-only")
def test_a_folder_that_can_not_be_written_is_named(stage: Stage, trial: Trial, run: int, disk: Path) -> None:
    stage.ready()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=False, capture_output=True)
    if os.access(disk, os.W_OK):  # Its recorder has a file open: then by force.
        os.kill(stage.recorder(), 9)
        eventually(lambda: remounted(disk))
    assert stage.condition_of("terminal", command=stage.once(), timeout=5) == "state_unusable"
    trial.lost()
    assert stage.client.call("list_panes")["panes"], "all else works without it"
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() == 0


def remounted(disk: Path) -> bool:
    done = subprocess.run(["mount", "-o", "remount,ro", disk], check=False, capture_output=True)
    return done.returncode == 0


@fault("state folder removed between two commands")
def test_a_folder_that_is_gone_is_made_again(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    shutil.rmtree(stage.state)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works("after")
    assert truth(stage.told(stage.begin("terminal", command=stage.once("echo out"), timeout=5)), (0, "out"))
    assert stage.runs_of() == 1


@fault("state folder removed while a command runs", note="what was in it")
def test_a_command_whose_notes_are_gone_is_not_told_wrongly(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    call = stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=10)
    eventually(stage.runs_of)
    shutil.rmtree(stage.state)
    go.write_text("out\n")
    told = stage.told(call)
    if told.condition is None:
        assert (told.facts["status"], told.facts["exit_code"]) in {("completed", 7), ("completed", None)}, (
            told
        )
        assert told.facts["exit_code"] == 7 or told.facts["notes"], told
    trial.lost()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() == 1
