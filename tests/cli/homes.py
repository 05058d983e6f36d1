"""A home folder of a test's own, and the command run in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from muxpilot.cli import main
from muxpilot.cli.install import toml
from muxpilot.cli.install.clients import CLIENTS

COMMAND = "/opt/muxpilot"
FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "zed": ".config/zed/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
VARIABLES = ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "APPDATA")
"""What clients go by; a developer may have them set."""


@dataclass
class Home:
    path: Path
    capture: pytest.CaptureFixture[str]

    def install(self, *arguments: str, status: int = 0) -> str:
        """Run the command; returns what it printed, on either stream."""
        self.capture.readouterr()
        assert main(["install", *arguments]) == status
        out, err = self.capture.readouterr()
        return out + err

    def file(self, client: str) -> Path:
        return self.path / FILES[client]

    def write(self, client: str, text: str) -> Path:
        file = self.file(client)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def backups(self) -> list[str]:
        return sorted(file.name for file in self.path.rglob("*.muxpilot-backup*"))

    def entry(self, client: str, name: str = "muxpilot") -> object:
        """What a strict parser finds in the file."""
        text = self.file(client).read_text()
        config = toml.parse(text) if client == "codex" else json.loads(text)
        for key in (*CLIENTS[client].servers[-1], name):
            config = config[key]
        return config
