"""Every tool there is, one table."""

from muxpilot.mcp.tool import Tool
from muxpilot.mcp.tools import act, look

ALL: tuple[Tool, ...] = (
    look.list_sessions,
    look.list_windows,
    look.list_panes,
    look.capture_pane,
    act.create_session,
    act.send_keys,
)
