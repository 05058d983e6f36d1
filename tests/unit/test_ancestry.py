from __future__ import annotations

import os
from pathlib import Path

import pytest

from muxpilot.terminal.ancestry import Ancestry, Process, ancestry_by, ancestry_of, process_of, processes_of

REST = b"S 41 42 42 %d 42 4194304 101 0 0 0 0 0 0 0 20 0 1 0 123 1000 10"
PTS_3 = 34819
"""As the kernel prints device 136:3."""


@pytest.mark.parametrize(
    "name", [b"sh", b"a b", b")", b") S 1 1 1", b"x\n7 (y) R 8", b"((", b"\xff\xfe", b"", b") Z 9 9 9 9 9 ("]
)
def test_a_process_name_can_not_lie(name: bytes) -> None:
    stat = b"7 (" + name + b") " + REST % PTS_3 + b"\n"
    assert process_of(stat) == Process(41, os.makedev(136, 3))


@pytest.mark.parametrize("stat", [b"", b"7 (sh)", b"7 (sh) S", b"7 (sh) S x 1 1 1", b"no process"])
def test_what_can_not_be_read_is_unknown(stat: bytes) -> None:
    assert process_of(stat) is None


@pytest.mark.parametrize(
    ("number", "device"),
    [(0, None), (PTS_3, (136, 3)), (0x0FF088FF, (136, 0xFFFF)), (-0x7FFF7701, (136, 0x800FF))],
)
def test_terminals_are_numbered_as_the_kernel_does(number: int, device: tuple[int, int] | None) -> None:
    found = process_of(b"7 (sh) " + REST % number)
    assert found is not None
    assert found.terminal == (os.makedev(*device) if device else None)


def test_the_chain_ends_where_nothing_is_known() -> None:
    table = {5: Process(4, 50), 4: Process(3, None), 3: Process(2, 30)}
    assert ancestry_by(table.get, 5) == Ancestry(frozenset({5, 4, 3, 2}), frozenset({50, 30}))
    assert ancestry_by(table.get, 9) == Ancestry()
    assert ancestry_by({5: Process(0, None)}.get, 5).pids == {5}


def test_a_circle_ends() -> None:
    table = {5: Process(4, None), 4: Process(5, None)}
    assert ancestry_by(table.get, 5).pids == {4, 5}


def test_what_ps_prints() -> None:
    listing = "    1     0 ??\n  501     1 ttys003\n  502   501 -\nPID PPID TTY\n  503   502\n\n"
    assert {pid: one.parent for pid, one in processes_of(listing).items()} == {
        1: 0,
        501: 1,
        502: 501,
        503: 502,
    }
    assert processes_of("7 1 null\n")[7].terminal == Path("/dev/null").stat().st_rdev


def test_we_descend_from_ourselves() -> None:
    assert os.getpid() in ancestry_of(os.getpid()).pids
