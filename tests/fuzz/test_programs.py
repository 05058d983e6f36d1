"""What real programs paint looks to the renderer as it looks to tmux: recorded now, and recorded once."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.fuzz.agreement import for_tmux, lines, rendered, undisputed
from tests.fuzz.mirror import Mirror
from tests.fuzz.programs import PROGRAMS, STREAMS, prepare
from tests.fuzz.recorder import HEIGHT, record

pytestmark = pytest.mark.xdist_group("mirror")

ALTERNATE = re.compile(rb"\x1b\[\?1049[hl]")
KEPT = {
    "bar": ["Successfully installed thing-1.0"],
    "tasks": [f"{task:8} ........ 88%" for task in ("fetch", "build", "test")] + ["all done"],
    "apt": [f"Unpacking package-{n} (1.{n}-1) ..." for n in range(40)]
    + ["Processing triggers for man-db (2.11.2-2) ..."],
    "vim": [],
    "less": [],
}
"""What is left in the end."""


def agree(mirror: Mirror, stream: bytes) -> list[str]:
    stream = undisputed(stream, HEIGHT)
    found = lines(rendered(stream, HEIGHT))
    assert found == lines(mirror.show(for_tmux(stream), HEIGHT))
    return found


def agree_on_all(mirror: Mirror, name: str, stream: bytes) -> None:
    """On what stays; and, as if there were no alternate screen, on all that was painted."""
    kept = agree(mirror, stream)
    assert kept == KEPT.get(name, kept)
    assert agree(mirror, ALTERNATE.sub(b"", stream))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_runs_now(mirror: Mirror, tmp_path: Path, name: str) -> None:
    program = PROGRAMS[name]
    if shutil.which(program.argv[0]) is None:
        pytest.skip(f"{program.argv[0]} is not installed")
    prepare(tmp_path)
    agree_on_all(mirror, name, record(program.argv, tmp_path, program.steps))


@pytest.mark.parametrize("path", sorted(STREAMS.iterdir()), ids=lambda path: path.name)
def test_a_program_that_was_recorded(mirror: Mirror, path: Path) -> None:
    agree_on_all(mirror, path.name, path.read_bytes())


def test_every_program_that_may_be_kept_is_kept() -> None:
    may = {name for name, program in PROGRAMS.items() if not program.of_machine}
    assert {path.name for path in STREAMS.iterdir()} == may
