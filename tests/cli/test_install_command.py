"""The real command, as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("muxpilot")


def muxpilot(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments], env={"HOME": str(home)}, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_client_finds_the_script_that_ran(tmp_path: Path) -> None:
    done = muxpilot(tmp_path, "install", "claude-code", "--env", "MUXPILOT_SAFETY=readonly")
    assert (done.returncode, done.stderr) == (0, "")
    [entry] = json.loads((tmp_path / ".claude.json").read_text())["mcpServers"].values()
    assert entry == {
        "type": "stdio",
        "command": str(SCRIPT),
        "args": [],
        "env": {"MUXPILOT_SAFETY": "readonly"},
    }


def test_as_a_module_it_finds_the_script_beside_its_python(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "muxpilot", "install", "cursor", "--print"]
    done = subprocess.run(
        argv, env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=True, timeout=60
    )
    assert f'"command": "{SCRIPT}"' in done.stdout


def test_a_broken_file_is_exit_status_1(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text("{")
    done = muxpilot(tmp_path, "install", "claude-code")
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 1, column 2: the end of the file" in done.stderr


@pytest.mark.parametrize("arguments", [["emacs"], ["zed", "--remove", "--print"], ["zed", "--env", "x"]])
def test_wrong_usage_is_exit_status_2(tmp_path: Path, arguments: list[str]) -> None:
    done = muxpilot(tmp_path, "install", *arguments)
    assert (done.returncode, done.stdout) == (2, "")


def test_help_waits_for_nothing_that_only_install_needs(tmp_path: Path) -> None:
    program = "import sys; from muxpilot.cli import _parser; _parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"tomlkit", "dataclasses", "json", "tempfile", "mcp", "anyio"} & set(loaded.stdout.split())
