"""`muxpilot doctor`: green where all is well, and helpful where something is not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from muxpilot.cli.doctor import FAIL, NOTE, OK, Finding, examine
from tests.lab import TMUX, Lab


@pytest.fixture
def environ(lab: Lab) -> dict[str, str]:
    return {**lab.environ, "SHELL": "/bin/bash", "MUXPILOT_TMUX_BIN": TMUX}


def found(environ: Mapping[str, str], about: str) -> Finding:
    """The first of this kind; what comes behind it is not looked at."""
    return next(one for one in examine(environ) if one.about == about)


def doctor(environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "muxpilot", "doctor"],
        env=dict(environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_all_is_well(environ: dict[str, str], lab: Lab) -> None:
    done = doctor(environ)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "muxpilot is ready."
    assert {line.split()[0] for line in lines[:-2]} == {OK}
    seen = [line.split()[1] for line in lines[:-2]]
    assert seen == ["muxpilot", "settings", "tools", "tmux", "server", "shell", "state", "command"]
    assert not list(Path(environ["TMUX_TMPDIR"]).glob("tmux-*/*")), "no server of the user's was started"
    assert not list((Path(environ["HOME"]) / ".local/state/muxpilot/panes").iterdir())


def test_without_tmux_it_says_how_to_get_one(environ: dict[str, str]) -> None:
    done = doctor({**environ, "MUXPILOT_TMUX_BIN": "/no/tmux"})
    assert done.returncode == 1
    assert "FAIL  tmux      there is no program '/no/tmux'" in done.stdout
    assert "apt-get install tmux" in done.stdout
    assert "ok    state" in done.stdout, "the others are looked at all the same"
    assert done.stderr == ""


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_an_old_tmux(environ: dict[str, str], tmp_path: Path) -> None:
    environ["MUXPILOT_TMUX_BIN"] = program(tmp_path / "old", "echo tmux 2.9a")
    said = found(environ, "tmux")
    assert said.state == FAIL
    assert "tmux 2.9a is too old" in said.text
    assert "newer" in said.todo


def test_a_program_that_is_no_tmux(environ: dict[str, str], tmp_path: Path) -> None:
    environ["MUXPILOT_TMUX_BIN"] = program(tmp_path / "other", "echo something else 3.4; exit 0")
    assert "is no tmux" in found(environ, "tmux").text


def test_a_state_folder_that_can_not_be(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = found({**environ, "MUXPILOT_STATE_DIR": str(tmp_path / "file/state")}, "state")
    assert (said.state, said.todo) == (FAIL, "Set MUXPILOT_STATE_DIR")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_state_folder_that_can_not_be_written(environ: dict[str, str], tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert found({**environ, "MUXPILOT_STATE_DIR": str(tmp_path / "state")}, "state").state == FAIL


def test_a_state_folder_that_others_could_read_is_closed(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(0o755)
    said = found({**environ, "MUXPILOT_STATE_DIR": str(tmp_path / "state")}, "state")
    assert (said.state, "mode 700" in said.text) == (OK, True)


@pytest.fixture
def dead(lab: Lab) -> Path:
    """A socket that nobody listens on."""
    path = lab.endpoint.socket_path.with_name("dead")
    path.parent.mkdir(0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))
    return path


def test_a_dead_socket_of_our_own(environ: dict[str, str], dead: Path) -> None:
    said = found({**environ, "MUXPILOT_SOCKET": "dead"}, "server")
    assert (said.state, "nobody listens" in said.text) == (OK, True)


def test_a_dead_socket_of_another(environ: dict[str, str], dead: Path) -> None:
    said = found(environ, "others")
    assert (said.state, str(dead) in said.text, "remove" in said.todo) == (NOTE, True, True)


def test_what_is_no_socket(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = found({**environ, "MUXPILOT_SOCKET_PATH": str(tmp_path / "file")}, "server")
    assert (said.state, "not a socket" in said.text) == (FAIL, True)


def test_a_server_that_runs_is_spoken_to(environ: dict[str, str], lab: Lab) -> None:
    lab.new_session("main", "cat")
    said = found({**environ, "MUXPILOT_SOCKET": "lab"}, "server")
    assert (said.state, "1 session" in said.text) == (OK, True)
    assert found(environ, "others").text.startswith("lab: reached with")


def test_a_setting_that_means_nothing(environ: dict[str, str]) -> None:
    said = found({**environ, "MUXPILOT_SAFETY": "none"}, "settings")
    assert (said.state, "readonly" in said.todo) == (FAIL, True)


def test_a_setting_that_there_is_none_of(environ: dict[str, str]) -> None:
    said = found({**environ, "MUXPILOT_SAFTEY": "readonly"}, "settings")
    assert (said.state, said.todo) == (FAIL, "Did you mean MUXPILOT_SAFETY?")


def test_settings_that_leave_no_tool(environ: dict[str, str]) -> None:
    assert found({**environ, "MUXPILOT_TOOLSETS": "none"}, "tools").state == FAIL
    assert found({**environ, "MUXPILOT_TOOLSETS": "cor"}, "tools").state == FAIL


def test_a_configuration_that_is_not_there(environ: dict[str, str], tmp_path: Path) -> None:
    environ["MUXPILOT_TMUX_CONFIG"] = str(tmp_path / "none")
    assert found(environ, "config").state == FAIL


def test_a_shell_that_is_none_of_ours(environ: dict[str, str], tmp_path: Path) -> None:
    said = found({**environ, "SHELL": program(tmp_path / "nu", "")}, "shell")
    assert (said.state, "bash" in said.todo) == (NOTE, True)
    assert found({**environ, "SHELL": "/no/shell"}, "shell").state == FAIL


def test_an_audit_log_that_can_not_be_written(environ: dict[str, str]) -> None:
    assert found({**environ, "MUXPILOT_AUDIT_LOG": "/no/folder/log"}, "audit").state == FAIL


def test_a_broken_configuration_and_a_shell_that_ends(environ: dict[str, str]) -> None:
    (Path(environ["HOME"]) / ".tmux.conf").write_text("set -g status off\nno-such-command\n")
    said = found(environ, "config")
    assert (said.state, "no-such-command" in said.text) == (NOTE, True)


def test_a_command_that_does_not_come_back_is_told(environ: dict[str, str], tmp_path: Path) -> None:
    said = found({**environ, "SHELL": program(tmp_path / "bash", "exit 0")}, "command")
    assert said.state == FAIL
    assert said.todo
