"""Notifications: each line tmux may send, and lines that it never would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.tmux import events
from muxpilot.tmux.events import parse_notification

LINES: list[tuple[bytes, events.Notification]] = [
    (b"%output %3 hi\\015\\012", events.Output("%3", b"hi\r\n")),
    (b"%output %3 \xff\\134n \\001", events.Output("%3", b"\xff\\n \x01")),
    (b"%output %3 ", events.Output("%3", b"")),
    (b"%extended-output %3 120 : a : b", events.Output("%3", b"a : b", 120)),
    (b"%pause %3", events.Paused("%3")),
    (b"%continue %3", events.Continued("%3")),
    (b"%exit", events.Exit("")),
    (b"%exit server exited", events.Exit("server exited")),
    (b"%sessions-changed", events.SessionsChanged()),
    (b"%session-changed $1 my name", events.SessionChanged("$1", "my name")),
    (b"%session-renamed $1 new", events.SessionRenamed("$1", "new")),
    (b"%session-window-changed $1 @2", events.SessionWindowChanged("$1", "@2")),
    (b"%client-session-changed /dev/pts/1 $1 main", events.ClientSessionChanged("/dev/pts/1", "$1", "main")),
    (b"%client-detached client-7", events.ClientDetached("client-7")),
    (b"%window-add @1", events.WindowAdded("@1", True)),
    (b"%unlinked-window-add @1", events.WindowAdded("@1", False)),
    (b"%window-close @1", events.WindowClosed("@1", True)),
    (b"%unlinked-window-close @1", events.WindowClosed("@1", False)),
    (b"%window-renamed @1 a b", events.WindowRenamed("@1", "a b", True)),
    (b"%unlinked-window-renamed @1 x", events.WindowRenamed("@1", "x", False)),
    (b"%window-pane-changed @1 %2", events.WindowPaneChanged("@1", "%2")),
    (
        b"%layout-change @1 b25d,80x24,0,0,0 b25d,80x24,0,0,0 *",
        events.LayoutChanged("@1", "b25d,80x24,0,0,0"),
    ),
    (b"%pane-mode-changed %4", events.PaneModeChanged("%4")),
    (b"%paste-buffer-changed buffer0", events.BufferChanged("buffer0")),
    (b"%paste-buffer-deleted buffer0", events.BufferDeleted("buffer0")),
    (
        b"%subscription-changed s $1 @2 0 %3 : v : w",
        events.SubscriptionChanged("s", ("$1", "@2", "0", "%3"), "v : w"),
    ),
    (b"%config-error /x:1: unknown command", events.ConfigError("/x:1: unknown command")),
    (b"%message hello", events.Message("hello")),
]


@pytest.mark.parametrize(
    ("line", "event"), LINES, ids=[line.decode("latin-1").split(" ")[0] for line, _ in LINES]
)
def test_each_notification_has_its_value(line: bytes, event: events.Notification) -> None:
    assert parse_notification(line) == event


@pytest.mark.parametrize(
    "line",
    [b"", b"%", b"%output", b"%output 3 x", b"%session-changed", b"%pause 1", b"%future-thing 1", b"text"],
)
def test_what_does_not_fit_is_unknown_and_kept(line: bytes) -> None:
    assert parse_notification(line) == events.Unknown(line)


@given(st.binary(max_size=60))
def test_no_line_raises(line: bytes) -> None:
    parse_notification(line)


def escaped(data: bytes) -> bytes:
    """As tmux's control.c does it."""
    return b"".join(b"\\%03o" % byte if byte < 32 or byte == 92 else bytes([byte]) for byte in data)


@given(st.binary(max_size=200))
def test_output_comes_back_byte_for_byte(data: bytes) -> None:
    assert parse_notification(b"%output %0 " + escaped(data)) == events.Output("%0", data)
