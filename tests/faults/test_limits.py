"""No more files, no more processes: said as such, and over when there are some again."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.faults.stage import Stage
from tests.faults.trial import Trial, fault

CALLS = ("list_panes", "list_sessions", "capture_pane", "terminal", "wait_for_text", "search_panes")
ARGUMENTS: dict[str, dict[str, Any]] = {
    "capture_pane": {"target": "%0"},
    "wait_for_text": {"target": "%0", "pattern": "never", "timeout": 0.2},
    "search_panes": {"pattern": "never"},
}


@contextmanager
def few_files(pid: int, spare: int) -> Iterator[None]:
    """It may open that many more."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    highest = max(int(name) for name in os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 (numbers, not paths)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 1 + spare, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


@contextmanager
def no_processes(pid: int) -> Iterator[None]:
    """It may start none. The limit of a user does not hold for root: then a group of its own has one."""
    if os.geteuid() != 0:
        before = resource.prlimit(pid, resource.RLIMIT_NPROC)
        resource.prlimit(pid, resource.RLIMIT_NPROC, (0, before[1]))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_NPROC, before)
        return
    group = _pids_group()
    try:
        (group / "cgroup.procs").write_text(str(pid))
        (group / "pids.max").write_text("0")
        yield
    finally:
        (group / "pids.max").write_text("max")
        (group.parent / "cgroup.procs").write_text(str(pid))
        with suppress(OSError):
            group.rmdir()


def _pids_group() -> Path:
    for root in (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")):
        group = root / f"muxpilot-test-{os.getpid()}"
        with suppress(OSError):
            group.mkdir()
            if (group / "pids.max").exists():
                return group
            group.rmdir()
    pytest.skip("as root this takes a cgroup with a limit on processes")


def tried(stage: Stage, trial: Trial) -> None:
    """Every kind of call: right, or an error that has a name."""
    for tool in CALLS:
        arguments = dict(ARGUMENTS.get(tool, {}))
        if tool == "terminal":
            arguments = {"command": stage.once("echo out"), "timeout": 5}
        told = stage.told(stage.begin(tool, **arguments))
        if told.condition is not None:
            trial.lost()
        elif tool == "terminal":
            assert (told.facts["exit_code"], told.facts["output"]) == (0, "out"), told
        elif tool == "list_panes":
            assert len(told.facts["panes"]) == 2
        elif tool == "list_sessions":
            assert len(told.facts["sessions"]) == 2


@fault("no more file descriptors", daily=2)
def test_calls_without_descriptors_are_right_or_named(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    with few_files(stage.pid, spare=run % 10):
        tried(stage, trial)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() <= 1


@fault("no more file descriptors when the connection is lost")
def test_a_connection_that_can_not_be_opened_is_named(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    with few_files(stage.pid, spare=run % 10):
        for client in stage.control_clients():
            os.kill(client, 9)
        tried(stage, trial)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() <= 1


@fault("no more processes")
def test_calls_without_processes_are_right_or_named(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    with no_processes(stage.pid):
        tried(stage, trial)
        for client in stage.control_clients():
            os.kill(client, 9)
        tried(stage, trial)
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()
    assert stage.runs_of() <= 2
