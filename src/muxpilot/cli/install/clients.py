"""The clients that muxpilot can be installed in: where each keeps its servers, and what an entry looks like.

`muxpilot --help` reads this table, so it imports nothing that takes time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Keys = tuple[str, ...]
"""The way from the top of a file to one of its objects."""


class Shape(NamedTuple):
    """How a client writes down a server that it starts."""

    fixed: Mapping[str, str]
    env: str = "env"
    one_list: bool = False
    """The command and its arguments are one list."""


PLAIN = Shape({})
TYPED = Shape({"type": "stdio"})
LISTED = Shape({"type": "local"}, env="environment", one_list=True)


class Client(NamedTuple):
    name: str
    title: str
    files: tuple[str, ...]
    """The first that exists is used, else the last. `{words}` are folders, see `places`."""
    servers: tuple[Keys, ...]
    """The object that holds the servers: the first that exists, else the last."""
    shape: Shape = PLAIN
    format: str = "jsonc"


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-code", "Claude Code", ("{claude}/.claude.json",), (("mcpServers",),), TYPED),
        Client(
            "claude-desktop",
            "Claude Desktop",
            ("{apps}/Claude/claude_desktop_config.json",),
            (("mcpServers",),),
        ),
        Client("codex", "Codex", ("{codex}/config.toml",), (("mcp_servers",),), format="toml"),
        Client("gemini", "Gemini CLI", ("{gemini}/.gemini/settings.json",), (("mcpServers",),)),
        Client("cursor", "Cursor", ("{home}/.cursor/mcp.json",), (("mcpServers",),)),
        Client("vscode", "VS Code", ("{apps}/Code/User/mcp.json",), (("servers",),), TYPED),
        # Windsurf is called Devin Desktop since June 2026, and the newer file counts where there is one.
        Client(
            "windsurf",
            "Windsurf",
            ("{devin}/mcp_config.json", "{home}/.codeium/windsurf/mcp_config.json"),
            (("mcpServers",),),
        ),
        Client("zed", "Zed", ("{zed}/settings.json",), (("context_servers",),)),
        # OpenCode 2 reads both places, OpenCode 1 only the second.
        Client(
            "opencode",
            "OpenCode",
            ("{config}/opencode/opencode.jsonc", "{config}/opencode/opencode.json"),
            (("mcp", "servers"), ("mcp",)),
            LISTED,
        ),
    )
}
