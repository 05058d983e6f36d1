"""Whoever writes down what a shell says may be slow: a stopped recorder stands for a busy machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.hard.shells import Setting, console
from tests.hard.test_life import answer, in_background
from tests.lab import eventually


def test_15_last_words_are_waited_for(tmp_path: Path) -> None:
    """Whoever writes them down may be slow."""
    with console(tmp_path, Setting("dash")) as con:
        con.run("true")
        pane = con.pane()
        (recorder,) = tmp_path.glob("**/panes/*/recorder-*")
        pid = int(recorder.read_text())
        os.kill(pid, signal.SIGSTOP)
        try:
            call = in_background(con, "echo last words; exit 3")
            eventually(lambda: con.lab.tmux("display-message", "-p", "-t", pane, "#{pane_dead}") == "1")
            assert con.client.silent_for(0.3)
            assert not con.client.has_answered(call), "too early"
        finally:
            os.kill(pid, signal.SIGCONT)
        done = answer(con, call)
        assert (done["exit_code"], done["output"].splitlines()[:1]) == (3, ["last words"])


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_what_is_on_its_way_is_waited_for(tmp_path: Path, shell: str) -> None:
    """The shell is at its prompt again, and what it wrote is not yet written down."""
    with console(tmp_path, Setting(shell)) as con:
        con.run("true")
        call = in_background(con, "echo $((40+2)); sleep 0.3; sh -c 'exit 5'")
        eventually(lambda: "42" in con.lab.screen(con.pane()).splitlines())
        (recorder,) = tmp_path.glob("**/panes/*/recorder-*")
        pid = int(recorder.read_text())
        os.kill(pid, signal.SIGSTOP)
        try:
            assert con.client.silent_for(2.2)
            assert not con.client.has_answered(call), "too early"
        finally:
            os.kill(pid, signal.SIGCONT)
        done = answer(con, call)
        assert (done["exit_code"], done["output"]) == (5, "42")
