from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.stage import Stage
from tests.faults.trial import Trial, keep

_TRIAL = pytest.StashKey[Trial]()


@pytest.fixture
def trial(request: pytest.FixtureRequest, run: int) -> Trial:
    """What is kept of this run."""
    marker = request.node.get_closest_marker("fault")
    assert marker is not None
    where = f"{request.node.path.stem}:{request.node.location[1]:04}"
    made = request.node.stash[_TRIAL] = Trial(marker.args[0], where, run)
    return made


@pytest.fixture
def stage(tmp_path: Path, trial: Trial) -> Iterator[Stage]:
    """Nothing runs yet. At the end everything that was started must be gone."""
    stage = Stage(tmp_path)
    try:
        yield stage
    finally:
        stage.close()
        stage.lab.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """The last word on a run is spoken when what it started has been seen out."""
    report = yield
    trial = item.stash.get(_TRIAL, None)
    if trial is not None:
        trial.failed |= report.failed
        trial.skipped |= report.skipped
        if report.when == "teardown":
            marker = item.get_closest_marker("fault")
            assert marker is not None
            keep(trial, marker.args[1])
    return report
