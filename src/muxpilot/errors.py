"""Every error that muxpilot raises on purpose.

    MuxpilotError
    ├── BadInput              what the caller asked for can't be asked for
    ├── TargetError           a target string that names no single thing
    │   ├── TargetNotFound
    │   └── TargetAmbiguous
    ├── PaneRefused           the pane is there, but typing would go astray
    ├── PaneEnded             the pane, or the program in it, is not there any more
    ├── StateUnusable         what we keep on disk can't be written or read
    └── TmuxError             between us and tmux
        ├── TmuxNotInstalled  no tmux program
        ├── TmuxTooOld        a tmux that lacks what we need
        ├── SocketUnusable    the socket path is no socket, or not ours
        ├── ServerNotRunning  nobody listens on the socket
        ├── ServerMismatch    client and server speak different protocols
        ├── ServerGone        it went away while we waited
        ├── ServerUnresponsive  it did not answer by the deadline
        ├── CommandFailed     tmux answered: no
        └── ProtocolBroken    tmux said something we can't make sense of

Each names a condition, which programs read, and carries a hint, which says what to do next.
"""

from __future__ import annotations

from typing import ClassVar


class MuxpilotError(Exception):
    """The root: a sentence, a `condition` for programs, and a `hint` for the next step."""

    condition: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}. {self.hint}" if self.hint else self.message


class BadInput(MuxpilotError):
    condition = "bad_input"


class TargetError(MuxpilotError):
    condition = "bad_target"


class TargetNotFound(TargetError):
    condition = "not_found"


class TargetAmbiguous(TargetError):
    condition = "ambiguous"


class PaneRefused(MuxpilotError):
    condition = "refused"


class PaneEnded(MuxpilotError):
    condition = "pane_ended"


class StateUnusable(MuxpilotError):
    condition = "state_unusable"


class TmuxError(MuxpilotError):
    condition = "tmux_error"


class TmuxNotInstalled(TmuxError):
    condition = "tmux_not_installed"


class TmuxTooOld(TmuxError):
    condition = "tmux_too_old"


class SocketUnusable(TmuxError):
    condition = "socket_unusable"


class ServerNotRunning(TmuxError):
    condition = "server_not_running"


class ServerMismatch(TmuxError):
    condition = "server_mismatch"


class ServerGone(TmuxError):
    condition = "server_gone"


class ServerUnresponsive(TmuxError):
    condition = "server_unresponsive"


class CommandFailed(TmuxError):
    condition = "command_failed"


class ProtocolBroken(TmuxError):
    condition = "protocol_broken"
