"""The official conformance suite, for both revisions: what it requires of a server, against our stdio."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.programs import PATIENCE, client_environ, installed, muxpilot_environ
from tests.lab import Lab
from tests.mcp.client import LEGACY, MODERN

pytestmark = [installed, pytest.mark.long, pytest.mark.timeout(300)]

FOLDER = Path(__file__).parent
EXPECTED = re.compile(r"^  (?:-|~) (\S+)$", re.MULTILINE)
"""A failure as the baseline lists it, and as the suite tells it."""


@contextmanager
def bridge(lab: Lab) -> Iterator[str]:
    """The address of muxpilot behind HTTP, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.clients.bridge"],
        env={**lab.environ, **muxpilot_environ(lab)},
        cwd=FOLDER.parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
            assert process.stdin is not None
            process.stdin.close()
            process.wait(PATIENCE)
        finally:
            process.kill()


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_the_suite_finds_no_fault_but_those_that_are_listed(lab: Lab, revision: str) -> None:
    baseline = FOLDER / f"conformance-{revision}.yml"
    flags = ["--requirements", revision, "--expected-failures", str(baseline)]
    with bridge(lab) as url:
        done = subprocess.run(
            ["conformance", "server", "--url", url, *flags],
            env=client_environ(lab),
            cwd=lab.environ["HOME"],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    told = done.stdout[done.stdout.index("=== SUMMARY ===") :]
    assert done.returncode == 0, told
    # The suite overlooks an entry that names a check which it never made.
    assert set(EXPECTED.findall(told)) == set(EXPECTED.findall(baseline.read_text())), told
