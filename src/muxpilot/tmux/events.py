"""What tmux tells a control client: one frozen value per notification, plus `Unknown`.

A notification is a hint to look again, never the truth itself. Names and other free text are kept
as tmux printed them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one command: what it printed, and whether tmux called it an error."""

    ok: bool
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 show as `\\xNN`, never vanish."""
        return self.body.decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class SideBlock:
    """A block that answers no command of ours: the attach itself, or a hook of the user's."""

    ok: bool
    body: bytes


@dataclass(frozen=True, slots=True)
class Output:
    """Bytes that a program wrote to its pane. `behind_ms`: how long tmux had to hold them for us."""

    pane_id: str
    data: bytes
    behind_ms: int = 0


@dataclass(frozen=True, slots=True)
class Paused:
    """We read too slowly: from here until `Continued`, output of this pane is lost to us."""

    pane_id: str


@dataclass(frozen=True, slots=True)
class Continued:
    pane_id: str


@dataclass(frozen=True, slots=True)
class Exit:
    """The control client is leaving. `reason` is empty when we asked for it."""

    reason: str


@dataclass(frozen=True, slots=True)
class SessionsChanged:
    """A session was created or destroyed."""


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """Our client is now attached to this session."""

    session_id: str
    name: str


@dataclass(frozen=True, slots=True)
class SessionRenamed:
    session_id: str
    name: str


@dataclass(frozen=True, slots=True)
class SessionWindowChanged:
    session_id: str
    window_id: str


@dataclass(frozen=True, slots=True)
class ClientSessionChanged:
    client: str
    session_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ClientDetached:
    client: str


@dataclass(frozen=True, slots=True)
class WindowAdded:
    """`linked`: whether the window belongs to the session that our client is attached to."""

    window_id: str
    linked: bool


@dataclass(frozen=True, slots=True)
class WindowClosed:
    window_id: str
    linked: bool


@dataclass(frozen=True, slots=True)
class WindowRenamed:
    window_id: str
    name: str
    linked: bool


@dataclass(frozen=True, slots=True)
class WindowPaneChanged:
    window_id: str
    pane_id: str


@dataclass(frozen=True, slots=True)
class LayoutChanged:
    window_id: str
    layout: str


@dataclass(frozen=True, slots=True)
class PaneModeChanged:
    pane_id: str


@dataclass(frozen=True, slots=True)
class BufferChanged:
    name: str


@dataclass(frozen=True, slots=True)
class BufferDeleted:
    name: str


@dataclass(frozen=True, slots=True)
class SubscriptionChanged:
    """`where` is session, window, index and pane as tmux printed them, `-` where one does not apply."""

    name: str
    where: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class ConfigError:
    message: str


@dataclass(frozen=True, slots=True)
class Message:
    message: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that this version of muxpilot has no name for."""

    line: bytes


Notification = (
    Output
    | Paused
    | Continued
    | Exit
    | SessionsChanged
    | SessionChanged
    | SessionRenamed
    | SessionWindowChanged
    | ClientSessionChanged
    | ClientDetached
    | WindowAdded
    | WindowClosed
    | WindowRenamed
    | WindowPaneChanged
    | LayoutChanged
    | PaneModeChanged
    | BufferChanged
    | BufferDeleted
    | SubscriptionChanged
    | ConfigError
    | Message
    | Unknown
)
Event = Reply | SideBlock | Notification


def parse_notification(line: bytes) -> Notification:
    """One line from outside any block. Never raises: what does not fit is `Unknown`."""
    word, _, rest = line.partition(b" ")
    parse = _PARSERS.get(word)
    if parse is None:
        return Unknown(line)
    try:
        return parse(rest)
    except ValueError:
        return Unknown(line)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _unescape(raw: bytes) -> bytes:
    """Undo tmux's `\\ooo`. It writes a backslash as `\\134`, so every escape has three octal digits."""
    if b"\\" not in raw:
        return raw
    return raw.decode("unicode_escape").encode("latin-1")


def _output(rest: bytes) -> Output:
    pane, _, data = rest.partition(b" ")
    return Output(_id(pane, b"%"), _unescape(data))


def _extended_output(rest: bytes) -> Output:
    head, colon, data = rest.partition(b" : ")
    if not colon:
        raise ValueError(rest)
    pane, age, *_ = head.split(b" ")
    return Output(_id(pane, b"%"), _unescape(data), int(age))


def _id(raw: bytes, sigil: bytes) -> str:
    if raw[:1] != sigil or not raw[1:].isdigit():
        raise ValueError(raw)
    return raw.decode("ascii")


def _two_words(rest: bytes) -> tuple[bytes, bytes]:
    first, space, second = rest.partition(b" ")
    if not space:
        raise ValueError(rest)
    return first, second


def _session_changed(rest: bytes) -> SessionChanged:
    session, name = _two_words(rest)
    return SessionChanged(_id(session, b"$"), _text(name))


def _session_renamed(rest: bytes) -> SessionRenamed:
    session, name = _two_words(rest)
    return SessionRenamed(_id(session, b"$"), _text(name))


def _session_window_changed(rest: bytes) -> SessionWindowChanged:
    session, window = _two_words(rest)
    return SessionWindowChanged(_id(session, b"$"), _id(window, b"@"))


def _client_session_changed(rest: bytes) -> ClientSessionChanged:
    client, tail = _two_words(rest)
    session, name = _two_words(tail)
    return ClientSessionChanged(_text(client), _id(session, b"$"), _text(name))


def _window_renamed(linked: bool) -> Callable[[bytes], Notification]:
    def parse(rest: bytes) -> WindowRenamed:
        window, name = _two_words(rest)
        return WindowRenamed(_id(window, b"@"), _text(name), linked)

    return parse


def _window_pane_changed(rest: bytes) -> WindowPaneChanged:
    window, pane = _two_words(rest)
    return WindowPaneChanged(_id(window, b"@"), _id(pane, b"%"))


def _layout_changed(rest: bytes) -> LayoutChanged:
    window, tail = _two_words(rest)
    return LayoutChanged(_id(window, b"@"), _text(tail.split(b" ")[0]))


def _subscription_changed(rest: bytes) -> SubscriptionChanged:
    head, colon, value = rest.partition(b" : ")
    if not colon:
        raise ValueError(rest)
    name, *where = _text(head).split(" ")
    return SubscriptionChanged(name, tuple(where), _text(value))


_PARSERS: dict[bytes, Callable[[bytes], Notification]] = {
    b"%output": _output,
    b"%extended-output": _extended_output,
    b"%pause": lambda rest: Paused(_id(rest, b"%")),
    b"%continue": lambda rest: Continued(_id(rest, b"%")),
    b"%exit": lambda rest: Exit(_text(rest)),
    b"%sessions-changed": lambda _: SessionsChanged(),
    b"%session-changed": _session_changed,
    b"%session-renamed": _session_renamed,
    b"%session-window-changed": _session_window_changed,
    b"%client-session-changed": _client_session_changed,
    b"%client-detached": lambda rest: ClientDetached(_text(rest)),
    b"%window-add": lambda rest: WindowAdded(_id(rest, b"@"), True),
    b"%unlinked-window-add": lambda rest: WindowAdded(_id(rest, b"@"), False),
    b"%window-close": lambda rest: WindowClosed(_id(rest, b"@"), True),
    b"%unlinked-window-close": lambda rest: WindowClosed(_id(rest, b"@"), False),
    b"%window-renamed": _window_renamed(True),
    b"%unlinked-window-renamed": _window_renamed(False),
    b"%window-pane-changed": _window_pane_changed,
    b"%layout-change": _layout_changed,
    b"%pane-mode-changed": lambda rest: PaneModeChanged(_id(rest, b"%")),
    b"%paste-buffer-changed": lambda rest: BufferChanged(_text(rest)),
    b"%paste-buffer-deleted": lambda rest: BufferDeleted(_text(rest)),
    b"%subscription-changed": _subscription_changed,
    b"%config-error": lambda rest: ConfigError(_text(rest)),
    b"%message": lambda rest: Message(_text(rest)),
}
