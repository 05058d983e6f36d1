"""Every tool there is, one table: group → tools. What stands in no group does not exist.

Groups are what a user picks from (MUXPILOT_TOOLSETS), and their order is the order of the listing.
"""

from muxpilot.mcp.tool import Tool
from muxpilot.mcp.tools import (
    act,
    batch,
    buffers,
    destroy,
    find,
    info,
    look,
    panes,
    run,
    settings,
    waiting,
    windows,
)

GROUPS: dict[str, tuple[Tool, ...]] = {
    "commands": (
        run.terminal,
        run.run_command,
        run.interrupt,
        run.list_commands,
    ),
    "sessions": (
        look.list_sessions,
        info.get_session_info,
        info.has_session,
        act.create_session,
        windows.rename_session,
    ),
    "windows": (
        look.list_windows,
        info.get_window_info,
        windows.create_window,
        windows.rename_window,
        windows.select_window,
        windows.select_layout,
        windows.resize_window,
        windows.move_window,
    ),
    "panes": (
        look.list_panes,
        info.get_pane_info,
        info.find_pane_by_position,
        panes.split_window,
        panes.select_pane,
        panes.resize_pane,
        panes.set_pane_title,
        panes.swap_pane,
        panes.break_pane,
        panes.join_pane,
        panes.respawn_pane,
        panes.clear_pane,
        panes.pipe_pane,
        panes.enter_copy_mode,
        panes.exit_copy_mode,
    ),
    "reading": (
        look.capture_pane,
        find.capture_since,
        find.snapshot_pane,
        find.search_panes,
        batch.batch_read,
    ),
    "typing": (
        act.send_keys,
        batch.send_keys_batch,
        buffers.paste_text,
    ),
    "waiting": (
        waiting.wait_for_text,
        waiting.wait_for_content_change,
        waiting.wait_for_idle,
        waiting.wait_for_exit,
        buffers.wait_for_channel,
        buffers.signal_channel,
    ),
    "servers": (
        info.list_servers,
        info.get_server_info,
        info.list_clients,
    ),
    "settings": (
        settings.display_message,
        settings.show_option,
        settings.set_option,
        settings.show_environment,
        settings.set_environment,
        settings.show_hooks,
        settings.show_hook,
    ),
    "buffers": (
        buffers.load_buffer,
        buffers.paste_buffer,
        buffers.show_buffer,
        buffers.delete_buffer,
    ),
    "destroy": (
        destroy.kill_pane,
        destroy.kill_window,
        destroy.kill_session,
        destroy.kill_server,
    ),
}

ALL: tuple[Tool, ...] = tuple(tool for group in GROUPS.values() for tool in group)
