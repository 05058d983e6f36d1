"""Where a client's file is: on this platform, with the variables that the client itself goes by."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from muxpilot.cli.install.clients import Client


def config_file(client: Client) -> Path:
    """The file to change: the first of the client's that exists, else the one to make."""
    places = folders(os.environ, Path.home(), sys.platform)
    files = [Path(file.format_map(places)) for file in client.files]
    return next((file for file in files if os.path.lexists(file)), files[-1])


def folders(environ: Mapping[str, str], home: Path, platform: str) -> dict[str, Path]:
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    roaming = Path(environ.get("APPDATA") or home / "AppData/Roaming")
    support = home / "Library/Application Support"
    return {
        "home": home,
        "config": config,
        "apps": {"darwin": support, "win32": roaming}.get(platform, config),
        "claude": Path(environ.get("CLAUDE_CONFIG_DIR") or home),
        "codex": Path(environ.get("CODEX_HOME") or home / ".codex"),
        "gemini": Path(environ.get("GEMINI_CLI_HOME") or home),
        "devin": (roaming if platform == "win32" else home / ".config") / "devin",
        "zed": {"darwin": home / ".config/zed", "win32": roaming / "Zed"}.get(platform, config / "zed"),
    }
