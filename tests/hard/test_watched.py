"""What a person who watches sees: prompt, command, output, prompt. Line 20 of the hard cases."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hard.shells import EDITORS, POSIX, Console, Setting, console
from tests.lab import TMUX, Lab, eventually
from tests.tmux.people import people

OURS = re.compile(rb"muxpilot_|7777|7778|133;|hooks|/panes/|PROMPT_COMMAND")


class Watcher:
    """All bytes that tmux sends to a person's terminal."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.seen = b""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._handle, 65536):
                self.seen += data

    def press(self, keys: bytes) -> None:
        os.write(self._handle, keys)


@contextlib.contextmanager
def watching(lab: Lab, session: str) -> Iterator[Watcher]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [TMUX, "-u", "-L", "lab", "attach-session", "-t", f"={session}"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**lab.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    watcher = Watcher(ours)
    try:
        eventually(lambda: people(lab) == 1)
        yield watcher
    finally:
        process.terminate()
        process.wait(10)
        os.close(ours)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a test to run."""
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert 1 + 1 == 2\n")
    (tmp_path / ".zshrc").write_text("PS1='%# '\n")
    return tmp_path


def lines_of(con: Console, pane: str) -> list[str]:
    return [line.rstrip() for line in con.lab.screen(pane).rstrip("\n").split("\n") if line.strip()]


@pytest.mark.parametrize("shell", EDITORS)
def test_a_person_who_watches_our_terminal_sees_nothing_of_ours(folder: Path, shell: str) -> None:
    with console(folder, Setting(shell)) as con:
        con.run(f"cd {folder}; clear")
        pane = con.pane()
        con.lab.tmux("select-window", "-t", pane)
        with watching(con.lab, "muxpilot") as person:
            done = con.run(f"{sys.executable} -m pytest -q", timeout=40)
            assert done["exit_code"] == 0
            eventually(lambda: b"1 passed" in person.seen)
            assert not OURS.search(person.seen.replace(b"muxpilot:", b""))
            shown = lines_of(con, pane)
            assert sum("pytest -q" in line for line in shown) == 1
            assert any("1 passed" in line for line in shown)
            eventually(lambda: lines_of(con, pane)[-1] != "1 passed")
            person.press(b"\x1b[A")
            eventually(lambda: lines_of(con, pane)[-1].endswith("pytest -q"))


@pytest.mark.parametrize("shell", [*EDITORS, "mksh", "ash"])
def test_arrow_up_brings_back_the_command_and_below_it_nothing_of_ours(folder: Path, shell: str) -> None:
    with console(folder, Setting(shell)) as con:
        con.run("echo first")
        con.run("echo second")
        pane = con.pane()
        con.lab.tmux("send-keys", "-t", pane, "Up")
        eventually(lambda: lines_of(con, pane)[-1].endswith("echo second"))
        con.lab.tmux("send-keys", "-t", pane, "Up")
        eventually(lambda: lines_of(con, pane)[-1].endswith("echo first"))


@pytest.mark.parametrize("shell", [*EDITORS, "ksh", "mksh"])
def test_the_history_holds_the_commands_alone(folder: Path, shell: str) -> None:
    with console(folder, Setting(shell)) as con:
        con.run("echo first")
        con.run("echo second")
        _, listed = con.result("fc -l 1" if shell in {"zsh", "ksh", "mksh"} else "history")
        assert "echo first" in listed
        assert not re.search(r"muxpilot|hooks|/run\b", listed)


@pytest.mark.parametrize("shell", POSIX)
def test_the_shells_of_people_get_no_start_files_of_ours(folder: Path, shell: str) -> None:
    with console(folder, Setting(shell)) as con:
        _, value = con.result('echo "[$ENV][$ZDOTDIR]"')
        assert value == "[][]"


@pytest.mark.parametrize("shell", ["zsh", "mksh"])
def test_windows_that_others_open_in_our_session_are_theirs(folder: Path, shell: str) -> None:
    with console(folder, Setting(shell)) as con:
        con.lab.tmux("kill-session", "-t", "muxpilot")
        assert con.result("echo made") == (0, "made")
        shown = con.lab.tmux("show-environment", "-t", "muxpilot")
        assert not re.search(r"^(ENV|ZDOTDIR)=", shown, re.MULTILINE)
        pane = con.lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "muxpilot")
        done = con.client.call("run_command", command='echo "[$ENV][$ZDOTDIR]"', target=pane)
        assert done["output"] == "[][]"
