"""The engine: a persistent, event-driven, exact conversation with tmux.

It knows tmux; it knows neither agents nor MCP.
"""

from muxpilot.tmux.announcements import Announcement, Announcements, Opened
from muxpilot.tmux.connection import Connection
from muxpilot.tmux.deadline import Deadline
from muxpilot.tmux.discovery import FoundServer, find_servers, is_alive
from muxpilot.tmux.effects import Effect
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Event, Notification, Output, Paused, Reply
from muxpilot.tmux.format_grammar import parse_format, parse_format_option, parse_style_option
from muxpilot.tmux.format_tree import Format
from muxpilot.tmux.formats import Columns, Request, Table
from muxpilot.tmux.oneshot import oneshot
from muxpilot.tmux.pane_text import Capture, read_pane, read_panes, showing, shown, unvis
from muxpilot.tmux.pool import ServerPool
from muxpilot.tmux.process import wait_without_threads
from muxpilot.tmux.quoting import conditional, encode, literal_format, pipe_command
from muxpilot.tmux.server import Identity, TmuxServer
from muxpilot.tmux.session_watch import Ended, PaneEvent, SessionEvent
from muxpilot.tmux.socket_guard import why_not_startable
from muxpilot.tmux.version import Version
from muxpilot.tmux.watch import PaneStream, Watcher

__all__ = [
    "Announcement",
    "Announcements",
    "Capture",
    "Columns",
    "Connection",
    "Deadline",
    "Effect",
    "Ended",
    "Endpoint",
    "Event",
    "Format",
    "FoundServer",
    "Identity",
    "Notification",
    "Opened",
    "Output",
    "PaneEvent",
    "PaneStream",
    "Paused",
    "Reply",
    "Request",
    "ServerPool",
    "SessionEvent",
    "Table",
    "TmuxServer",
    "Version",
    "Watcher",
    "conditional",
    "encode",
    "find_servers",
    "is_alive",
    "literal_format",
    "oneshot",
    "parse_format",
    "parse_format_option",
    "parse_style_option",
    "pipe_command",
    "read_pane",
    "read_panes",
    "showing",
    "shown",
    "unvis",
    "wait_without_threads",
    "why_not_startable",
]
