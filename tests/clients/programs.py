"""Other people's MCP clients: where `scripts/clients` has put them, and how one is started.

A client sees nothing of whoever runs the tests: a home of its own, and only the variables named here. Since
most clients pass on next to nothing of their environment either, muxpilot's is spelled out to each of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from muxpilot.config import Tier
from muxpilot.mcp.tools import ALL
from tests.lab import TMUX, Lab

PATIENCE = 90.0
MUXPILOT = str(Path(sys.executable).with_name("muxpilot"))
CLIENTS = Path(__file__).parents[2] / ".clients"
PACKAGES = CLIENTS / "node_modules"

installed = pytest.mark.skipif(
    not (CLIENTS / ".ready").exists(), reason="no MCP clients here: `make clients` installs them"
)

OFFERED = {tool.name for tool in ALL if tool.tier <= Tier.MUTATING}
"""What a client sees, where no setting says otherwise."""

Json = dict[str, Any]

_PASSED_ON = ("LANG", "LOGNAME", "SHELL", "TERM", "USER")


def muxpilot_environ(lab: Lab) -> dict[str, str]:
    """What tells muxpilot to stay in the lab."""
    return {
        "HOME": lab.environ["HOME"],
        "TMUX_TMPDIR": lab.environ["TMUX_TMPDIR"],
        "MUXPILOT_SOCKET": "lab",
        "MUXPILOT_TMUX_BIN": TMUX,
        "MUXPILOT_TMUX_CONFIG": "/dev/null",
    }


def as_flags(environ: Mapping[str, str]) -> list[str]:
    """As `-e NAME=VALUE`, which is how most clients are told what to start a server with."""
    return [word for name, value in environ.items() for word in ("-e", f"{name}={value}")]


def client_environ(lab: Lab, more: Mapping[str, str] | None = None) -> dict[str, str]:
    path = f"{PACKAGES / '.bin'}{os.pathsep}{os.environ['PATH']}"
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed_on, "PATH": path, "HOME": lab.environ["HOME"], **(more or {})}


def run_client(
    lab: Lab, *argv: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What the client prints; fails the test where it fails."""
    done = subprocess.run(
        argv,
        env=client_environ(lab, environ),
        cwd=cwd or lab.environ["HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def run_json(lab: Lab, *argv: str) -> Json:
    answer: Json = json.loads(run_client(lab, *argv).stdout)
    return answer
