"""Settings: frozen, and the only reader of the environment.

Each is `MUXPILOT_<NAME>`; where that is not set, libtmux-mcp's variable for the same thing counts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from muxpilot.errors import BadInput


class Tier(IntEnum):
    """What an agent may do. Each tier includes the ones below it."""

    READONLY = 0
    MUTATING = 1
    DESTRUCTIVE = 2


LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class Settings:
    server: str = "default"
    """The tmux server used where a call names none: a socket name, or a socket path."""
    tmux_bin: str = "tmux"
    tmux_config: str | None = None
    """A configuration file for servers that we start, instead of the user's own."""
    tier: Tier = Tier.MUTATING
    timeout: float = 5.0
    """Seconds that tmux has to answer."""
    log_level: str = "WARNING"
    caller_pane: str | None = None
    """The pane that muxpilot itself runs in, and the socket of its server: never to be killed from here."""
    caller_socket: str | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the environment.

        Raises:
            BadInput: a variable is set to something it can't mean. Safety never falls back to a default.
        """
        read = _Reader(os.environ if environ is None else environ)
        plain = cls()
        return cls(
            server=read.socket() or _callers_server(read.environ) or plain.server,
            tmux_bin=read("TMUX_BIN") or plain.tmux_bin,
            tmux_config=read("TMUX_CONFIG"),
            tier=_tier(read("SAFETY") or plain.tier.name),
            timeout=_seconds(read("TIMEOUT") or str(plain.timeout)),
            log_level=_level(read("LOG_LEVEL") or plain.log_level),
            caller_pane=read.environ.get("TMUX_PANE") or None,
            caller_socket=_callers_server(read.environ),
        )


class _Reader:
    """Our variable, or libtmux-mcp's. An empty one counts as not set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ

    def __call__(self, name: str) -> str | None:
        return self.environ.get(f"MUXPILOT_{name}") or self.environ.get(f"LIBTMUX_{name}") or None

    def socket(self) -> str | None:
        """A path counts before a name, but both of ours before both of theirs."""
        names = [f"{whose}_{what}" for whose in ("MUXPILOT", "LIBTMUX") for what in ("SOCKET_PATH", "SOCKET")]
        return next((self.environ[name] for name in names if self.environ.get(name)), None)


def _callers_server(environ: Mapping[str, str]) -> str | None:
    """Inside tmux, plain `tmux` talks to the server around it; so do we."""
    path = environ.get("TMUX", "").partition(",")[0]
    return path if path.startswith("/") else None


def _tier(value: str) -> Tier:
    try:
        return Tier[value.upper()]
    except KeyError:
        raise BadInput(
            f"MUXPILOT_SAFETY is {value!r}", hint="It must be readonly, mutating or destructive"
        ) from None


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0.1 <= seconds <= 600:
        raise BadInput(f"MUXPILOT_TIMEOUT is {value!r}", hint="It must be seconds, from 0.1 to 600")
    return seconds


def _level(value: str) -> str:
    level = value.upper()
    if level not in LEVELS:
        raise BadInput(f"MUXPILOT_LOG_LEVEL is {value!r}", hint=f"It must be one of {', '.join(LEVELS)}")
    return level
