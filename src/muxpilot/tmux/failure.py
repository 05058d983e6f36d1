"""What tmux says when it can't do what it was asked, translated once into our errors."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

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
    TmuxError,
    TmuxNotInstalled,
)
from muxpilot.tmux.endpoint import Endpoint


def translate(message: str, endpoint: Endpoint) -> MuxpilotError:
    """The error for what a tmux client printed before it gave up, or for a command's `%error`."""
    text = message.strip()
    for pattern, error in _MEANINGS:
        found = pattern.fullmatch(text)
        if found:
            return error(found, endpoint)
    return CommandFailed(text or "tmux failed without saying why")


def not_running(endpoint: Endpoint) -> ServerNotRunning:
    return ServerNotRunning(
        f"no tmux server is running on {endpoint.socket_path}",
        hint="create_session starts one" if endpoint.is_startable else _ELSEWHERE,
    )


def gone(endpoint: Endpoint) -> ServerGone:
    return ServerGone(
        f"the connection to the tmux server on {endpoint.socket_path} ended while it was answering",
        hint="Whether the command took effect is unknown: look before you repeat it",
    )


def replaced(endpoint: Endpoint) -> ServerGone:
    return ServerGone(
        f"another tmux server has taken the place of the one on {endpoint.socket_path}: nothing was sent",
        hint="Its panes are others, whatever their ids: list_panes shows them",
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


_ELSEWHERE = (
    "Give a name instead of a path: its socket is made in the tmux folder. "
    "Or the user can set MUXPILOT_SOCKET_PATH to a path in a folder that only they can write to"
)


def unusable(endpoint: Endpoint, why: str) -> SocketUnusable:
    """Nothing was sent to it, and it was not changed."""
    return SocketUnusable(
        f"{endpoint.socket_path} can't be used as a tmux socket: {why}",
        hint="Give the name or the path of a tmux socket that this user owns; list_servers shows them",
    )


def not_startable(endpoint: Endpoint, why: str) -> SocketUnusable:
    return SocketUnusable(f"no tmux server was started on {endpoint.socket_path}: {why}", hint=_ELSEWHERE)


def unsafe_folder(endpoint: Endpoint, why: str) -> SocketUnusable:
    return SocketUnusable(
        f"the folder of {endpoint.socket_path} can't be used for tmux sockets: {why}",
        hint=(
            "The tmux folder must belong to this user with mode 0700 (TMUX_TMPDIR can name another place), "
            "and other users must not be able to write to the folders above a socket"
        ),
    )


def no_room(endpoint: Endpoint, error: OSError) -> TmuxError:
    return TmuxError(
        f"no connection to {endpoint.socket_path} could be opened: {error.strerror}",
        hint="Check this user's limits on open files",
    )


def too_long(endpoint: Endpoint) -> BadInput:
    return BadInput(
        f"the socket path is too long: {endpoint.socket_path}", hint="Choose a shorter server name"
    )


def mismatch(endpoint: Endpoint, why: str) -> ServerMismatch:
    return ServerMismatch(
        f"the tmux server on {endpoint.socket_path} speaks another language: {why}",
        hint="Set MUXPILOT_TMUX_BIN to the tmux that started that server, or restart the server",
    )


def _empty(endpoint: Endpoint) -> MuxpilotError:
    return TargetNotFound(
        f"the tmux server on {endpoint.socket_path} has no sessions", hint="create_session makes one"
    )


def _missing(said: re.Match[str], _: Endpoint) -> MuxpilotError:
    return TargetNotFound(f"no {said[1]} {said[2]}", hint=f"list_{said[1]}s shows what exists")


# Whole messages only: what tmux complains of may quote a name that somebody chose.
_MEANINGS: list[tuple[re.Pattern[str], Callable[[re.Match[str], Endpoint], MuxpilotError]]] = [
    (re.compile(pattern, re.DOTALL), error)
    for pattern, error in (
        (r"protocol version mismatch.*", lambda said, endpoint: mismatch(endpoint, said[0])),
        (r"error creating .*", lambda said, endpoint: unsafe_folder(endpoint, said[0])),
        (
            r"(command|message) too long",
            lambda said, _: BadInput(f"tmux refuses this: {said[0]}", hint="Send it in smaller pieces"),
        ),
        (r"no server running on .*|no sessions", lambda _, endpoint: not_running(endpoint)),
        (
            r"error connecting to .* \((No such file or directory|Connection refused)\)",
            lambda _, endpoint: not_running(endpoint),
        ),
        (r"error connecting to .* \(.*\)", lambda said, endpoint: unusable(endpoint, said[0])),
        (r"\[?(server exited|lost server).*", lambda _, endpoint: gone(endpoint)),
        (r"no current (target|session|client)", lambda _, endpoint: _empty(endpoint)),
        (r"can't find (session|window|pane): (.*)", _missing),
    )
]
