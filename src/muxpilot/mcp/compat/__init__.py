"""Other servers' tools as their users know them: names, parameters, answers. Listed where a toolset asks.

What they do is done by our own, with all the care that those take. `MUXPILOT_TOOLSETS=classic` or `mini`.
"""

from __future__ import annotations

from muxpilot.mcp.compat import classic, mini
from muxpilot.mcp.tool import Tool

SETS: dict[str, tuple[Tool, ...]] = {
    "classic": (
        classic.tmux_list_sessions,
        classic.tmux_create_session,
        classic.tmux_rename_session,
        classic.tmux_kill,
        classic.tmux_list_windows,
        classic.tmux_create_window,
        classic.tmux_select_window,
        classic.tmux_rename_window,
        classic.tmux_list_panes,
        classic.tmux_split_window,
        classic.tmux_select_pane,
        classic.tmux_resize_pane,
        classic.tmux_send_keys,
        classic.tmux_read_pane,
    ),
    "mini": (
        mini.list_sessions,
        mini.has_session,
        mini.list_windows,
        mini.capture_pane,
        mini.new_session,
        mini.send_keys,
        mini.kill_session,
    ),
}
