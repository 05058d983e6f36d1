"""No more on disk than the limit: the oldest outputs go, and whoever looks for one is told."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from muxpilot.config import Settings
from muxpilot.errors import BadInput
from muxpilot.terminal import disk_limit
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.store import Store
from muxpilot.terminal.transcript import Cue
from tests.lab import Lab
from tests.mcp.client import mcp_server

KB = 1000


def ran(shelf: Shelf, number: int, size: int, *, age: int, running: bool = False) -> Path:
    """A command that wrote this much, so many seconds ago."""
    command = Command(number, f"echo {number}", 1.0, 0, Cue("0" * 16), f"{os.getpid()}.1.1")
    shelf.began(command)
    if not running:
        shelf.finished(replace(command, ended=2.0, exit_code=0))
    path = shelf.output(number)
    path.write_bytes(b"x" * size)
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


def test_the_oldest_outputs_of_all_panes_go_first(tmp_path: Path) -> None:
    store = Store(tmp_path, 1000 * KB)
    one, two = store.shelf("a" * 16), store.shelf("b" * 16)
    old, older = ran(one, 1, 300 * KB, age=10), ran(two, 1, 300 * KB, age=20)
    new = ran(two, 2, 300 * KB, age=5)
    busy = ran(one, 2, 200 * KB, age=30, running=True)
    said = store.disk.add(1100 * KB)
    assert said is not None
    assert "outputs of older commands (1) were removed" in said
    assert "MUXPILOT_DISK_LIMIT" in said
    assert [path.exists() for path in (older, old, new, busy)] == [False, True, True, True]
    (lost, _) = store.shelf("b" * 16).commands()
    assert "its output was removed" in str(lost.missing)


def test_below_the_limit_nobody_looks_at_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path, 1000 * KB)
    ran(store.shelf("a" * 16), 1, 10 * KB, age=10)
    monkeypatch.setattr(disk_limit, "_entries", lambda _: pytest.fail("it was walked"))
    for _ in range(9):
        assert store.disk.add(100 * KB) is None


def test_what_other_processes_wrote_is_seen_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path, 1000 * KB)
    shelf = store.shelf("a" * 16)
    path = ran(shelf, 1, 1100 * KB, age=10)
    assert store.disk.add(1) is None
    monkeypatch.setattr(disk_limit, "LOOK_SECONDS", 0.0)
    assert store.disk.add(1) is not None
    assert not path.exists()


@pytest.mark.anyio
async def test_a_tape_goes_only_where_nobody_is_at_work(tmp_path: Path) -> None:
    store = Store(tmp_path, 1000 * KB)
    idle, busy, held = (store.shelf(letter * 16) for letter in "abc")
    ran(idle, 1, 0, age=1)
    ran(busy, 1, 0, age=1, running=True)
    ran(held, 1, 0, age=1)
    for shelf in (idle, busy, held):
        shelf.tape.path.write_bytes(b"x" * 500 * KB)
    async with held.locked(1):
        store.disk.add(2000 * KB)
    assert [shelf.tape.size for shelf in (idle, busy, held)] == [0, 500 * KB, 500 * KB]


def test_links_and_strangers_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "state", 1000 * KB)
    shelf = store.shelf("a" * 16)
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "output-1").write_bytes(b"x" * 2000 * KB)
    (tmp_path / "state" / "panes" / ("b" * 16)).symlink_to(victim)
    ran(shelf, 1, 1100 * KB, age=1)
    store.disk.add(2000 * KB)
    assert (victim / "output-1").exists()
    assert not shelf.output(1).exists()


def test_who_lost_an_output_is_told(lab: Lab, tmp_path: Path) -> None:
    lab.environ["SHELL"] = "/bin/bash"
    with mcp_server(lab, state_dir=str(tmp_path / "state"), disk_limit="10MB") as client:
        flood = "head -c 2400000 /dev/zero | tr '\\0' x | fold -w 99"
        results = [client.call("terminal", command=flood) for _ in range(6)]
        assert "notes" not in results[0]
        assert any("removed to stay below the limit" in str(one.get("notes")) for one in results)
        first = client.call("list_commands", number=1)
        assert "removed to stay below the limit" in str(first["notes"])
        assert first["output_path"] is None
        last = client.call("list_commands", number=6)
        assert Path(last["output_path"]).exists()
        assert "notes" not in last
    kept = sum(path.stat().st_size for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert kept < 13_000_000  # The limit, and the tape of the last command.


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500MB", 500_000_000),
        ("2GB", 2_000_000_000),
        ("1.5 gb", 1_500_000_000),
        ("1GiB", 1 << 30),
        ("20m", 20_000_000),
        ("123456789", 123_456_789),
        (None, 2_000_000_000),
    ],
)
def test_the_limit_is_a_setting(text: str | None, size: int) -> None:
    assert Settings.from_environ({"MUXPILOT_DISK_LIMIT": text} if text else {}).disk_limit == size


@pytest.mark.parametrize("text", ["much", "-1", "0", "1MB", "2 GB GB", "1e9", "inf", "٣GB"])
def test_a_limit_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="MUXPILOT_DISK_LIMIT"):
        Settings.from_environ({"MUXPILOT_DISK_LIMIT": text})
