"""Settings: frozen, and the only reader of the environment.

Each is `MUXPILOT_<NAME>`; where that is not set, libtmux-mcp's variable for the same thing counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import IntEnum
from pathlib import Path

from platformdirs import user_state_path

from muxpilot.errors import BadInput


class Tier(IntEnum):
    """What an agent may do. Each tier includes the ones below it."""

    READONLY = 0
    MUTATING = 1
    DESTRUCTIVE = 2


LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
STDERR = "stderr"
NOTHING = "none"
"""The toolset without tools."""
_NO_SESSION = re.compile(r"[:.\x00-\x1f\x7f\\]")
_PREFIX = re.compile(r"[A-Za-z0-9_-]{0,24}")
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]?i?b?)", re.IGNORECASE | re.ASCII)
_UNITS = {
    f"{prefix}{middle}{end}": base**power
    for power, prefix in enumerate(("", "k", "m", "g", "t"))
    for middle, base in (("", 1000), ("i", 1024))
    for end in ("", "b")
}
SMALLEST_DISK_LIMIT = 10_000_000
_FOR_TESTS = "MUXPILOT_TEST_"
_ON, _OFF = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


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
    audit_log: str | None = None
    """Where each call leaves a line: an absolute path, or `stderr`."""
    toolsets: tuple[str, ...] = ("full",)
    """Names of sets, of groups or of single tools; which there are, the table of tools knows."""
    exclude_tools: tuple[str, ...] = ()
    prompts_as_tools: bool = False
    tool_prefix: str = ""
    """Begins the name of every tool, instead of the `tmux_` that some have."""
    session: str = "muxpilot"
    """The session that terminals of our own are windows of."""
    state_dir: Path = field(default_factory=lambda: user_state_path("muxpilot"))
    """Where tapes, outputs and the record of commands are kept."""
    disk_limit: int = 2_000_000_000
    """Bytes that may be kept there; then the oldest outputs go."""
    caller_pane: str | None = None
    """The pane that muxpilot itself runs in, and the socket of its server: never to be killed from here."""
    caller_socket: str | None = None
    caller_server_pid: int | None = None
    type_in_own_pane: bool = False
    """Whether tools may type into the pane that muxpilot itself runs in."""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the environment.

        Raises:
            BadInput: a variable is set to something it can't mean. Safety never falls back to a default.
        """
        read = _Reader(os.environ if environ is None else environ)
        _refuse_unknown(read.environ)
        plain = cls()
        return cls(
            server=read.socket() or _callers_server(read.environ) or plain.server,
            tmux_bin=read("TMUX_BIN") or plain.tmux_bin,
            tmux_config=read("TMUX_CONFIG"),
            tier=_tier(read("SAFETY") or plain.tier.name),
            timeout=_seconds(read("TIMEOUT") or str(plain.timeout)),
            log_level=_level(read("LOG_LEVEL") or plain.log_level),
            audit_log=_audit_log(read("AUDIT_LOG")),
            toolsets=_toolsets(read.environ) or plain.toolsets,
            exclude_tools=_names(read("EXCLUDE_TOOLS")),
            tool_prefix=_prefix(read("TOOL_PREFIX") or plain.tool_prefix),
            prompts_as_tools=_switch(
                "PROMPTS_AS_TOOLS", read("PROMPTS_AS_TOOLS") or read("MCP_PROMPTS_AS_TOOLS")
            ),
            session=_session(read("SESSION") or plain.session),
            state_dir=_folder("STATE_DIR", read("STATE_DIR")) or plain.state_dir,
            disk_limit=_bytes("DISK_LIMIT", read("DISK_LIMIT")) or plain.disk_limit,
            caller_pane=read.environ.get("TMUX_PANE") or None,
            caller_socket=_callers_server(read.environ),
            caller_server_pid=_callers_server_pid(read.environ),
            type_in_own_pane=_switch("TYPE_IN_OWN_PANE", read("TYPE_IN_OWN_PANE")),
        )


_KNOWN = (
    *("SOCKET", "SOCKET_PATH", "TMUX_BIN", "TMUX_CONFIG", "SAFETY", "TIMEOUT", "LOG_LEVEL", "AUDIT_LOG"),
    *("TOOLSETS", "EXCLUDE_TOOLS", "TOOL_PREFIX", "PROMPTS_AS_TOOLS", "MCP_PROMPTS_AS_TOOLS"),
    *("SESSION", "STATE_DIR", "DISK_LIMIT", "TYPE_IN_OWN_PANE"),
)


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """A slip of the pen must not leave a tier or a limit at its default."""
    names = [f"MUXPILOT_{name}" for name in _KNOWN]
    for name in environ:
        if name.startswith("MUXPILOT_") and not name.startswith(_FOR_TESTS) and name not in names:
            close = get_close_matches(name, names, 1)
            meant = f"Did you mean {close[0]}?" if close else f"There are {', '.join(names)}"
            raise BadInput(f"there is no setting {name}", hint=meant)


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
    path = _tmux_around(environ)[0]
    return path if path.startswith("/") else None


def _callers_server_pid(environ: Mapping[str, str]) -> int | None:
    pid = _tmux_around(environ)[1]
    return int(pid) if pid.isascii() and pid.isdecimal() else None


def _tmux_around(environ: Mapping[str, str]) -> tuple[str, str]:
    """The socket and the process of the server around us. TMUX is `socket,process,session`, and the socket's
    path may have commas itself."""
    around = environ.get("TMUX", "")
    path, pid, session = [*around.rsplit(",", 2), "", ""][:3]
    return (path, pid) if session else (around.partition(",")[0], "")


def _names(value: str | None) -> tuple[str, ...]:
    """Comma-separated. What holds commas alone names nothing, and is not the same as not set."""
    names = tuple(dict.fromkeys(name.strip().lower() for name in (value or "").split(",")))
    return () if not value else tuple(name for name in names if name) or (NOTHING,)


def _toolsets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Our own choice; else libtmux-mcp's, where an empty one means no tools, and LIBTMUX_TOOLS adds some."""
    ours, theirs = environ.get("MUXPILOT_TOOLSETS"), environ.get("LIBTMUX_TOOLSETS")
    if ours or theirs is None:
        return _names(ours)
    return _names(theirs) + _names(environ.get("LIBTMUX_TOOLS")) or (NOTHING,)


def _switch(name: str, value: str | None) -> bool:
    """A word that is neither is refused: what is on and what is off must not be a guess."""
    word = (value or "0").lower()
    if word not in _ON | _OFF:
        raise BadInput(f"MUXPILOT_{name} is {value!r}", hint="It must be 1 or 0")
    return word in _ON


def _prefix(value: str) -> str:
    if not _PREFIX.fullmatch(value):
        raise BadInput(
            f"MUXPILOT_TOOL_PREFIX is {value!r}", hint="At most 24 letters, digits, '_' and '-', such as mux_"
        )
    return value


def _audit_log(value: str | None) -> str | None:
    if value is None or value == STDERR:
        return value
    path = _at_home(value)
    if not path.is_absolute():
        raise BadInput(f"MUXPILOT_AUDIT_LOG is {value!r}", hint="It must be an absolute path, or stderr")
    return str(path)


def _folder(name: str, value: str | None) -> Path | None:
    path = _at_home(value) if value else None
    if path is not None and not path.is_absolute():
        raise BadInput(f"MUXPILOT_{name} is {value!r}", hint="It must be an absolute path")
    return path


def _bytes(name: str, value: str | None) -> int | None:
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip())
    size = int(float(found[1]) * _UNITS[(found[2] or "").lower()]) if found else 0
    if size < SMALLEST_DISK_LIMIT:
        raise BadInput(
            f"MUXPILOT_{name} is {value!r}", hint="It must be bytes, or such as 500MB or 2GB; at least 10MB"
        )
    return size


def _at_home(value: str) -> Path:
    return Path.home() / value[2:] if value.startswith("~/") else Path(value)


def _session(value: str) -> str:
    if _NO_SESSION.search(value) or value[0] in "%@$=":
        raise BadInput(f"MUXPILOT_SESSION is {value!r}", hint="A session name without ':', '.' and '\\'")
    return value


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
