"""How a tmux server is reached: an argv and an environment, nothing else.

The one seam for other ways in (a host by ssh, say): nothing above it builds a tmux argv.
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

    def __post_init__(self) -> None:
        if not self.server:
            raise BadInput(
                "server is empty", hint="Give a socket name such as 'default', or an absolute path"
            )
        encode(self.server)
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

    def argv(self, *arguments: str) -> list[str]:
        # -u: without it a client in a C locale is sent '_' for every character that is not ASCII.
        where = ["-S" if self.is_path else "-L", self.server]
        config = ["-f", self.config] if self.config is not None else []
        return [self.tmux_bin, "-u", *where, *config, *arguments]

    def attach_line(self, session: str) -> str:
        """What a person types to watch."""
        where = [] if self.server == "default" else ["-S" if self.is_path else "-L", self.server]
        return shlex.join(["tmux", *where, "attach", "-t", f"={session}"])

    def child_environ(self) -> dict[str, str]:
        """For a process that may start the server, whose panes inherit it."""
        return {name: value for name, value in self.environ.items() if name not in _OURS_ALONE}

    def control_environ(self) -> dict[str, str]:
        """For a control client: what tmux looks at, no more. It sends each variable as a message of its own
        before it is set up, and should be set up quickly (see `door`).
        """
        return {name: value for name, value in self.child_environ().items() if name in _LOOKED_AT}


def socket_folder(environ: Mapping[str, str]) -> Path:
    """The folder of this user's tmux sockets."""
    return Path(environ.get("TMUX_TMPDIR") or "/tmp") / f"tmux-{os.getuid()}"  # noqa: S108 (tmux's own default)
