"""The servers that ours is measured against, by name and exact version from their registries.

Each is installed into a folder of its own under `.bench-peers`, once. The first is the one that the promises
are about. One that can't be installed here has gaps in the table, with the reason.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.dialects import LIBTMUX_MCP, MCP_TMUX, TMUX_MCP, Dialect
from bench.errors import PeerUnavailable
from bench.progress import say
from bench.registries import NPM, PYPI, Registry, python_of
from bench.rows import Gap
from bench.tmux_lab import SOCKET, Lab

HOME = Path(__file__).resolve().parent.parent / ".bench-peers"


@dataclass(frozen=True, slots=True)
class Peer:
    """A server, how it is started on a tmux server of the lab, and how it is asked.

    `made_of` are the packages whose versions its figures depend on, itself first.
    """

    name: str
    version: str
    registry: Registry
    made_of: Sequence[str]
    argv: Callable[[Path], Sequence[str]]
    environ: Callable[[Lab], Mapping[str, str]]
    dialect: Dialect


@dataclass(frozen=True, slots=True)
class Contender:
    """A peer in this run: installed in `home`, or with a gap that says why it is not."""

    peer: Peer
    home: Path
    versions: Mapping[str, str]
    gap: Gap | None = None


def prepare(peer: Peer) -> Contender:
    """Ready to start; installed now where it is not yet."""
    home = HOME / peer.name
    try:
        return Contender(peer, home, _installed(peer, home))
    except PeerUnavailable as missing:
        say(f"{peer.name} {peer.version}: {missing}")
        return Contender(peer, home, {}, Gap(f"{peer.name} {peer.version} was not installed: {missing}"))


def _installed(peer: Peer, home: Path) -> dict[str, str]:
    versions = peer.registry.versions(home, peer.made_of)
    if versions.get(peer.name) != peer.version:
        say(f"installing {peer.name} {peer.version} into {HOME.name}")
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        peer.registry.install(home, peer.name, peer.version)
        versions = peer.registry.versions(home, peer.made_of)
    return versions


def _libtmux_environ(_: Lab) -> Mapping[str, str]:
    return {
        "LIBTMUX_SOCKET": SOCKET,
        "LIBTMUX_TOOLSETS": "inspect,manage,execute,teardown",
        # At its best: no look-up of newer versions in the network, no banner, no log line for each request.
        "FASTMCP_CHECK_FOR_UPDATES": "off",
        "FASTMCP_SHOW_SERVER_BANNER": "false",
        "FASTMCP_LOG_LEVEL": "WARNING",
    }


def _mcp_tmux_environ(tmux: Lab) -> Mapping[str, str]:
    config = tmux.folder / "mcp-tmux.toml"
    config.write_text(f'[defaults]\nsocket_name = "{SOCKET}"\nconfig_file = "{os.devnull}"\n')
    return {"MCP_TMUX_CONFIG": str(config), "MCP_TMUX_TOOLSETS": "all"}


def _tmux_mcp_environ(tmux: Lab) -> Mapping[str, str]:
    """It knows no sockets: whoever starts it inside tmux means that tmux."""
    return {"TMUX": tmux.run("display-message", "-p", "#{socket_path},#{pid},0").decode().strip()}


PEERS = (
    Peer(
        "libtmux-mcp",
        "0.1.0a22",
        PYPI,
        ("libtmux-mcp", "libtmux", "fastmcp"),
        lambda home: (python_of(home), "-m", "libtmux_mcp"),
        _libtmux_environ,
        LIBTMUX_MCP,
    ),
    Peer(
        "mcp-tmux",
        "0.3.1",
        PYPI,
        ("mcp-tmux",),
        lambda home: (python_of(home), "-m", "mcp_tmux"),
        _mcp_tmux_environ,
        MCP_TMUX,
    ),
    Peer(
        "tmux-mcp",
        "0.2.2",
        NPM,
        ("tmux-mcp",),
        lambda home: ("node", str(home / "node_modules" / "tmux-mcp" / "build" / "index.js")),
        _tmux_mcp_environ,
        TMUX_MCP,
    ),
)
MAIN = PEERS[0].name
