"""What tmux says when it can't do what it was asked, translated once into our errors."""

from __future__ import annotations

import re
import shutil

from muxpilot.errors import (
    BadInput,
    CommandFailed,
    MuxpilotError,
    ServerGone,
    ServerMismatch,
    ServerNotRunning,
    ServerUnresponsive,
    SocketUnusable,
    TargetNotFound,
    TmuxNotInstalled,
)
from muxpilot.tmux.endpoint import Endpoint

_NO_SERVER = re.compile(
    r"no server running on|no current session|^no sessions$|\(No such file or directory\)"
)
_REFUSED = re.compile(r"\(Connection refused\)")
_NO_SOCKET = re.compile(
    r"\((Permission denied|Not a directory|Is a directory|Socket operation on non-socket)\)"
)
_FOLDER = re.compile(
    r"directory .* has unsafe permissions|couldn't create directory|create socket failed|error creating"
)
_MISMATCH = re.compile(r"protocol version mismatch.*")
_MISSING = re.compile(r"can't find (session|window|pane): (.*)", re.DOTALL)
_GONE = re.compile(r"server exited|lost server")


def translate(message: str, endpoint: Endpoint) -> MuxpilotError:
    """The error for what a tmux client printed before it gave up, or for a command's `%error`."""
    text = message.strip()
    where = endpoint.socket_path
    if _MISMATCH.search(text):
        return ServerMismatch(
            f"the tmux server on {where} speaks another protocol than {endpoint.tmux_bin}: {text}",
            hint="Set MUXPILOT_TMUX_BIN to the tmux that started that server, or restart the server",
        )
    if _FOLDER.search(text):
        return SocketUnusable(
            f"tmux can't use the folder of {where}: {text}",
            hint="The folder must belong to this user with mode 0700; TMUX_TMPDIR can name another",
        )
    if _NO_SOCKET.search(text):
        return _unusable(endpoint, text)
    if "too long" in text and ("socket" in text or "File name" in text):
        return BadInput(f"the socket path {where} is too long: {text}", hint="Choose a shorter server name")
    if "command too long" in text or "message too long" in text:
        return BadInput(f"tmux refuses an argument of this size: {text}", hint="Send it in smaller pieces")
    if _NO_SERVER.search(text) or _REFUSED.search(text):
        return not_running(endpoint)
    if _GONE.search(text):
        return gone(endpoint)
    missing = _MISSING.fullmatch(text)
    if missing:
        return TargetNotFound(f"no {missing[1]} {missing[2]}", hint=f"list_{missing[1]}s shows what exists")
    return CommandFailed(text or "tmux failed without saying why")


def not_running(endpoint: Endpoint) -> ServerNotRunning | SocketUnusable:
    if endpoint.socket_path.exists() and not endpoint.socket_path.is_socket():
        return _unusable(endpoint, "it is not a socket")
    return ServerNotRunning(
        f"no tmux server is running on {endpoint.socket_path}",
        hint="create_session starts one",
    )


def gone(endpoint: Endpoint) -> ServerGone:
    return ServerGone(
        f"the connection to the tmux server on {endpoint.socket_path} ended while it was answering",
        hint="Whether the command took effect is unknown: look before you repeat it",
    )


def unresponsive(endpoint: Endpoint, seconds: float) -> ServerUnresponsive:
    return ServerUnresponsive(
        f"the tmux server on {endpoint.socket_path} did not answer within {seconds:.1f} s",
        hint="It may be stopped or overloaded; a command that was sent may still take effect",
    )


def not_installed(endpoint: Endpoint) -> TmuxNotInstalled:
    if "/" in endpoint.tmux_bin or shutil.which("tmux") is not None:
        hint = "Check MUXPILOT_TMUX_BIN"
    else:
        hint = "Install it (apt install tmux, brew install tmux), or set MUXPILOT_TMUX_BIN to its path"
    return TmuxNotInstalled(f"no tmux program at {endpoint.tmux_bin!r}", hint=hint)


def _unusable(endpoint: Endpoint, why: str) -> SocketUnusable:
    return SocketUnusable(
        f"{endpoint.socket_path} can't be used as a tmux socket: {why}",
        hint="Give the name or the path of a socket that this user owns; list_servers shows them",
    )
