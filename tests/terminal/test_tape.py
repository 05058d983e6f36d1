"""Tapes: written by tmux, bounded, and read as they grow."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from pathlib import Path

import anyio
import pytest

from muxpilot.terminal.bell import Bell
from muxpilot.terminal.following import Clock
from muxpilot.terminal.run import Runner
from muxpilot.terminal.store import Store
from muxpilot.terminal.tape import Tape
from muxpilot.tmux import TmuxServer, session_watch
from tests.lab import Lab, eventually
from tests.terminal.pen import Pen

pytestmark = pytest.mark.anyio


async def test_all_that_a_pane_writes_is_on_the_tape(server: TmuxServer, lab: Lab, tmp_path: Path) -> None:
    pen = Pen(lab, tmp_path)
    tape = Tape(tmp_path)
    assert await tape.record(server, pen.pane_id)
    assert await tape.record(server, pen.pane_id)
    pen.settle("a\x1b[31mb\n")
    eventually(lambda: b"a\x1b[31mb\r\n" in tape.read(0))
    assert tape.path.stat().st_mode & 0o777 == 0o600
    await tape.stop(server, pen.pane_id)
    eventually(lambda: not tape.is_recording)


async def test_somebody_elses_pipe_is_left_alone(server: TmuxServer, lab: Lab, tmp_path: Path) -> None:
    pen = Pen(lab, tmp_path)
    lab.tmux("pipe-pane", "-t", pen.pane_id, f"cat >> {tmp_path}/theirs")
    tape = Tape(tmp_path)
    assert not await tape.record(server, pen.pane_id)
    async with tape.recorded(server, pen.pane_id):
        pen.write("both\n")
        bell = Bell(tape.path)
        while b"both" not in tape.read(0):
            await bell.wait(10)
        bell.close()
    eventually(lambda: b"both" in (tmp_path / "theirs").read_bytes())


@pytest.fixture
async def piped(server: TmuxServer, lab: Lab) -> str:
    """A pane with a shell, and somebody else's pipe on it."""
    pane_id = lab.tmux("new-window", "-P", "-F", "#{pane_id}", "exec bash --norc")
    lab.tmux("pipe-pane", "-t", pane_id, "cat >/dev/null")
    return pane_id


@pytest.mark.parametrize("end", ["(exit 7)", "exit 7"])
async def test_what_could_not_be_recorded_beside_somebody_elses_pipe_is_told(
    server: TmuxServer, piped: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We are away, while more is written than tmux keeps for us."""
    monkeypatch.setattr(session_watch, "FLAGS", "ignore-size,pause-after=1")
    pipe, loop = tmp_path / "pipe", asyncio.get_running_loop()
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("w") as file:
            loop.call_soon_threadsafe(time.sleep, 1.5)
            file.write("filler\n" * 200_000)

    writing = loop.run_in_executor(None, write)
    runner = Runner(Store(tmp_path / "state"))
    outcome = await runner.run(server, piped, f"cat {pipe}; {end}", Clock(20))
    await writing
    assert outcome.command is not None
    assert outcome.command.exit_code in {7, None}
    assert "not recorded" in str(outcome.notes)


async def test_what_came_between_two_calls_beside_somebody_elses_pipe_is_told(
    server: TmuxServer, piped: str, tmp_path: Path, lab: Lab
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    runner = Runner(Store(tmp_path / "state"))
    first = await runner.run(server, piped, f"echo one; cat {pipe}; (exit 7)", Clock(0.5))
    assert (first.state, first.excerpt.text, first.notes) == ("running", "one", ())
    pipe.write_text("two\n")
    eventually(lambda: "two" in lab.screen(piped))
    last = await runner.look(server, piped, Clock(5))
    assert "not recorded" in str(last.notes)


async def test_a_tape_that_has_no_room_has_a_gap(server: TmuxServer, piped: str, tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    tape.path.write_bytes(b"x" * 4096)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with tape.recorded(server, piped):
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            await server.call("send-keys", "-t", piped, "--", "x")
            with anyio.fail_after(10):
                while not tape.take_gap():
                    await anyio.sleep(0.01)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_tape_does_not_grow_without_end(server: TmuxServer, lab: Lab, tmp_path: Path) -> None:
    pen = Pen(lab, tmp_path)
    tape = Tape(tmp_path, largest=100 * 1024)
    await tape.record(server, pen.pane_id)
    pen.write("x" * 1000 + "\n" * 10)
    for _ in range(200):
        pen.write("x" * 1000 + "\n")
    eventually(lambda: tape.has_stopped)
    assert tape.size <= 100 * 1024
    await tape.resume(server, pen.pane_id)
    pen.settle("again\n")
    eventually(lambda: b"again" in tape.read(0))


async def test_a_bell_rings_at_once_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    bell = Bell(path)
    began = time.monotonic()
    await bell.wait(0.05)
    assert time.monotonic() - began >= 0.04
    asyncio.get_running_loop().call_later(0.02, path.write_text, "x")
    began = time.monotonic()
    await bell.wait(10)
    assert time.monotonic() - began < 5
    bell.ring()
    await bell.wait(10)
    bell.close()


async def test_a_file_system_that_does_not_count_its_blocks_has_room() -> None:
    assert os.statvfs("/proc").f_blocks == 0
    Tape(Path("/proc")).check_room()
