"""How a tmux server is reached: an argv and an environment, nothing else.

The one seam for other ways in (a host by ssh, say): nothing above it builds a tmux argv. Whether a socket may
be used at all, `socket_guard` decides.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from muxpilot.errors import BadInput
from muxpilot.tmux.quoting import encode

_OURS_ALONE = ("TMUX", "TMUX_PANE")
"""Variables of the terminal that muxpilot itself runs in: they must not reach another server's panes."""


LONGEST = 1024
"""Bytes of a name or path. A socket's own has some 100, but links may lead there; each part takes a look."""

_LOOKED_AT = frozenset(
    {"PATH", "HOME", "USER", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMUX_TMPDIR", "TMPDIR"}
    | {"DISPLAY", "KRB5CCNAME", "SSH_ASKPASS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION"}
    | {"WINDOWID", "XAUTHORITY"}
)
"""Read by the client itself, or passed on to new sessions by tmux's `update-environment`."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One tmux server, by socket name (`-L`) or socket path (`-S`)."""

    server: str = "default"
    tmux_bin: str = "tmux"
    config: str | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False, hash=False)
    named_by_settings: bool = False
    """The user chose this path, not a call: a server may be started there."""

    def __post_init__(self) -> None:
        if not self.server:
            raise BadInput(
                "server is empty", hint="Give a socket name such as 'default', or an absolute path"
            )
        if len(encode(self.server)) > LONGEST:
            raise BadInput(
                f"server has {len(self.server)} characters", hint="Give a socket name such as 'default'"
            )
        if "/" in self.server and not self.server.startswith("/"):
            raise BadInput(
                f"server {self.server!r} is neither a name nor an absolute path",
                hint="A socket name has no '/'; a socket path starts with one",
            )
        if self.server in {".", ".."}:
            raise BadInput(f"server {self.server!r} is no socket name", hint="Give a name such as 'default'")

    @property
    def is_path(self) -> bool:
        return self.server.startswith("/")

    @property
    def socket_path(self) -> Path:
        """Where tmux itself would put the socket."""
        return Path(self.server) if self.is_path else socket_folder(self.environ) / self.server

    @property
    def real_path(self) -> Path:
        """The same without links, `..` and doubled slashes: one spelling for one socket."""
        return _real(self.socket_path)

    @property
    def is_startable(self) -> bool:
        """Whether a server may be started there: directly in our tmux folder, or where the settings say."""
        return self.named_by_settings or self.real_path.parent == own_folder(self.environ)

    def argv(self, path: Path, *arguments: str, starts: bool) -> list[str]:
        """For a client on the socket at `path`, which `socket_guard` has checked."""
        # -u: without it a client in a C locale is sent '_' for every character that is not ASCII.
        # -N: start no server, whatever the command is.
        config = ["-f", self.config] if self.config is not None else []
        return [self.tmux_bin, "-u", "-S", str(path), *(config if starts else ["-N"]), *arguments]

    def attach_line(self, session: str) -> str:
        """What a person types to watch."""
        where = [] if self.server == "default" else ["-S" if self.is_path else "-L", self.server]
        return shlex.join(["tmux", *where, "attach", "-t", f"={session}"])

    def child_environ(self) -> dict[str, str]:
        """For a process that may start the server, whose panes inherit it. No other gets all of this."""
        return {name: value for name, value in self.environ.items() if name not in _OURS_ALONE}

    def control_environ(self) -> dict[str, str]:
        """For every other client: what tmux looks at, no more. A client sends its server each variable, as a
        message of its own, before it is set up, and a control client should be set up quickly (see `door`).
        """
        return {name: value for name, value in self.child_environ().items() if name in _LOOKED_AT}


def socket_folder(environ: Mapping[str, str]) -> Path:
    """The folder of this user's tmux sockets. Like tmux, ignores a TMUX_TMPDIR that does not exist."""
    parent = Path(environ.get("TMUX_TMPDIR") or "/tmp")  # noqa: S108 (tmux's own default)
    return (parent if parent.exists() else Path("/tmp")) / f"tmux-{os.getuid()}"  # noqa: S108


def own_folder(environ: Mapping[str, str]) -> Path:
    """The same, with links above it resolved. It must not be a link itself."""
    folder = socket_folder(environ)
    return _real(folder.parent) / folder.name


def _real(path: Path) -> Path:
    """Not `Path.resolve`, which raises on links that lead in a circle, and keeps two slashes in front."""
    return Path("/" + os.path.realpath(path).lstrip("/"))
