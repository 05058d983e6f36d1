"""What is kept on disk of panes and their commands."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from muxpilot.errors import PaneRefused, StateUnusable
from muxpilot.terminal.private import write_private
from muxpilot.terminal.shelf import MOST_COMMANDS, Command, Hooks
from muxpilot.terminal.store import Store
from muxpilot.terminal.transcript import Cue

pytestmark = pytest.mark.anyio


def command(number: int) -> Command:
    return Command(number, f"echo {number}\n'\udcff", 1.0, 0, Cue("0" * 16), "1.2.3")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_everything_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        shelf = Store(tmp_path / "state").shelf("a" * 16)
        shelf.began(command(1))
        shelf.keep_hooks(Hooks("bash", "1.2.3", "0" * 16))
        shelf.write_command("secret")
    finally:
        os.umask(before)
    assert {mode(path) for path in shelf.folder.iterdir()} == {0o600}
    assert {mode(shelf.folder), mode(shelf.folder.parent), mode(tmp_path / "state")} == {0o700}


def test_what_was_begun_and_finished_is_known_by_another_process(tmp_path: Path) -> None:
    shelf = Store(tmp_path).shelf("a" * 16)
    shelf.began(command(1))
    shelf.finished(replace(command(1), ended=2.0, exit_code=3, counts={"0" * 16: 5}))
    shelf.began(command(2))
    other = Store(tmp_path).shelf("a" * 16)
    assert [one.exit_code for one in other.commands()] == [3, None]
    last = other.last_command()
    assert last is not None
    assert (last.number, last.ended, last.command) == (2, None, command(2).command)


def test_a_line_that_was_cut_short_costs_nothing_else(tmp_path: Path) -> None:
    shelf = Store(tmp_path).shelf("a" * 16)
    shelf.began(command(1))
    with (shelf.folder / "commands").open("a") as journal:
        journal.write('{"number": 2, "comm\n[]\nnull\n')
    shelf.began(command(3))
    assert [one.number for one in shelf.commands()] == [1, 3]


def test_only_the_last_commands_are_kept(tmp_path: Path) -> None:
    shelf = Store(tmp_path).shelf("a" * 16)
    for number in range(1, 3 * MOST_COMMANDS + 1):
        shelf.output(number).write_text("x")
        shelf.began(command(number))
    assert len(shelf.commands()) == MOST_COMMANDS
    assert len(list(shelf.folder.glob("output-*"))) == MOST_COMMANDS


def test_panes_that_nobody_used_for_days_are_forgotten(tmp_path: Path) -> None:
    old, new = Store(tmp_path).shelf("a" * 16), Store(tmp_path).shelf("b" * 16)
    old.began(command(1))
    new.began(command(1))
    for path in [*old.folder.iterdir(), old.folder]:
        os.utime(path, (0, 0))
    Store(tmp_path).shelf("c" * 16)
    assert not old.folder.exists()
    assert new.folder.exists()


def test_what_is_still_recorded_is_kept_however_old_it_looks(tmp_path: Path) -> None:
    """A program that was silent for days, or a clock that has jumped."""
    shelf = Store(tmp_path).shelf("a" * 16)
    shelf.began(command(1))
    shelf.tape.path.touch()
    with shelf.tape.path.open("ab") as tape, subprocess.Popen(["sleep", "60"], stdout=tape) as recorder:
        write_private(shelf.folder / "recorder", "0000000000000001")
        write_private(shelf.folder / "recorder-0000000000000001", str(recorder.pid))
        for path in [*shelf.folder.iterdir(), shelf.folder]:
            os.utime(path, (0, 0))
        Store(tmp_path).shelf("b" * 16)
        recorder.kill()
    assert shelf.commands()
    Store(tmp_path).shelf("c" * 16)
    assert not shelf.folder.exists()


def test_a_folder_that_can_not_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StateUnusable, match=r"state folder .*file can't be used.*MUXPILOT_STATE_DIR"):
        Store(tmp_path / "file").shelf("a" * 16)


async def test_two_do_not_have_the_same_pane(tmp_path: Path) -> None:
    first, second = Store(tmp_path).shelf("a" * 16), Store(tmp_path).shelf("a" * 16)
    async with first.locked(1) as at_once:
        assert at_once
        with pytest.raises(PaneRefused):
            async with second.locked(0.03):
                raise AssertionError("both have it")
    async with second.locked(1):
        pass
