"""The command that a client starts muxpilot by: one that is still there tomorrow.

Clients that are no terminals know little of the user's PATH, so it is an absolute path wherever there is one.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

NAME = "muxpilot"
Find = Callable[[str], str | None]


def launch(given: str | None) -> list[str]:
    """The given command, else the muxpilot that is running."""
    if given is None:
        return running(Path(sys.argv[0]), Path(sys.executable), source(_direct_url()))
    return [str(Path(given).expanduser().absolute())] if Path(given).name != given else [given]


def running(script: Path, python: Path, source: str | None, find: Find = shutil.which) -> list[str]:
    """How to start again what runs as this script, with this Python, installed from this source."""
    if script.name != NAME:
        script = python.with_name(NAME)
    if not script.is_file():
        return [str(python), "-m", NAME]
    return _passing(script, source, find) or [str(script.absolute())]


def source(direct_url: str | None) -> str | None:
    """What to install from, where it was not the package index: so says the record of PEP 610."""
    origin = json.loads(direct_url or "{}")
    if origin.get("dir_info", {}).get("editable"):
        return None
    vcs = origin.get("vcs_info", {})
    revision = f"@{vcs['requested_revision']}" if "requested_revision" in vcs else ""
    return f"{vcs['vcs']}+{origin['url']}{revision}" if vcs else origin.get("url")


def _direct_url() -> str | None:
    try:
        return distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return None


def _passing(script: Path, source: str | None, find: Find) -> list[str]:
    """The runner's own command, where it keeps the script in a cache that it clears; else nothing."""
    folders = script.absolute().parts
    if any(part.startswith(("archive-v", "environments-v")) for part in folders):
        return [find("uvx") or "uvx", *(["--from", source] if source else []), NAME]
    if "pipx" in folders and {"cache", ".cache", "Caches"} & set(folders):
        return [find("pipx") or "pipx", "run", *(["--spec", source] if source else []), NAME]
    return []
