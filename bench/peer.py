"""The server that ours is measured against, from the registry, in a venv of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.errors import PeerUnavailable
from bench.progress import say

PACKAGE, VERSION = "libtmux-mcp", "0.1.0a22"
VENV = Path(__file__).resolve().parent.parent / ".bench-venv"
PATIENCE = 600.0

SETTINGS = {
    "LIBTMUX_TOOLSETS": "inspect,manage,execute,teardown",
    # At its best: no look-up of newer versions in the network, no banner, no log line for each request.
    "FASTMCP_CHECK_FOR_UPDATES": "off",
    "FASTMCP_SHOW_SERVER_BANNER": "false",
    "FASTMCP_LOG_LEVEL": "WARNING",
}

_ASK = """
import json
from importlib.metadata import version
print(json.dumps({name: version(name) for name in ("libtmux-mcp", "libtmux", "fastmcp", "mcp")}))
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """An installed peer, and the versions of what it is made of."""

    python: Path
    versions: Mapping[str, str]

    @property
    def argv(self) -> list[str]:
        return [str(self.python), "-m", "libtmux_mcp"]


def prepare() -> Peer:
    """The peer, installed now where it is not yet.

    Raises:
        PeerUnavailable: no network, say.
    """
    python = VENV / "bin" / "python"
    versions = _versions(python)
    if versions.get(PACKAGE) != VERSION:
        say(f"installing {PACKAGE} {VERSION} into {VENV.name}")
        _run(sys.executable, "-m", "venv", "--clear", str(VENV))
        _run(str(python), "-m", "pip", "install", "--quiet", "--no-input", f"{PACKAGE}=={VERSION}")
        versions = _versions(python)
    return Peer(python, versions)


def _versions(python: Path) -> dict[str, str]:
    """Empty where it is not, or not wholly, installed."""
    try:
        asked = subprocess.run([python, "-c", _ASK], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[str, str] = json.loads(asked.stdout)
    return found


def _run(*argv: str) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    try:
        done = subprocess.run(
            argv, env=environ, capture_output=True, check=False, timeout=PATIENCE, text=True
        )
    except subprocess.TimeoutExpired:
        raise PeerUnavailable(f"{PACKAGE} {VERSION} was not installed within {PATIENCE:.0f} s") from None
    if done.returncode != 0:
        raise PeerUnavailable(f"{PACKAGE} {VERSION} could not be installed (offline?)")
