"""Document C, libtmux-mcp's pages: every call that they print, with its line there, as a table.

Printed values are kept, apart from process ids, times, terminals, layouts' checksums, default titles and the
shell's name (theirs is zsh, here it is sh). Left out of what an answer must have: `risk_band_warned`, which
tells how their polling fared, and `window_active` of a new window, which is not made active unless asked.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import ANY

from tests.seeds.c_stages import NO_STATUS, PROJECT, Row, Stage, pane, session, window

SHELL = f"-x 80 -y 24 -c {PROJECT}"
TESTS = "'cat /home/user/tests.txt; exec sh'"
DRAWN = ("capture-pane -p -t %0", r"1 failed\n\$")
SCREEN = "capture-pane -p -t"
BUFFER = "libtmux_mcp_a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6_loop"
EDGES = {f"pane_at_{edge}": True for edge in ("left", "right", "top", "bottom")}
WHOLE: dict[str, Any] = {
    "pane_left": 0,
    "pane_top": 0,
    "pane_right": 79,
    "pane_bottom": 23,
    **EDGES,
    "pane_tty": ANY,
}


ALONE = Stage(
    (
        f"{NO_STATUS}new-session -d -s dev -n editor {SHELL} {TESTS}",
        "new-session -d -s old-workspace cat",
        "split-window -d -t %1 cat",
        "split-window -d -t %1 cat",
    ),
    (
        Row(
            1878,
            '{"tool": "capture_pane", "arguments": {"pane_id": "%0", "start": -50}}',
            '$ echo "3 tests: 2 passed, 1 failed"\n3 tests: 2 passed, 1 failed\n$',
        ),
        Row(
            2022,
            '{"tool": "display_message", "arguments": {"format_string": '
            '"zoomed=#{window_zoomed_flag} dead=#{pane_dead}", "pane_id": "%0"}}',
            "zoomed=0 dead=0",
        ),
        Row(
            2170,
            '{"tool": "get_pane_info", "arguments": {"pane_id": "%0"}}',
            pane("%0", "0", "80", "24", **WHOLE),
        ),
        Row(
            4079,
            '{"tool": "get_pane_info", "arguments": {"wait_for_previous": true, "pane_id": "%0"}}',
            {"pane_id": "%0"},  # Theirs refuses the flag and asks to call again without it.
        ),
        Row(
            2719,
            '{"tool": "snapshot_pane", "arguments": {"pane_id": "%0"}}',
            {"pane_id": "%0", "content": ANY, "cursor_x": 2, "cursor_y": 8, "pane_width": 80}
            | {"pane_height": 24, **WHOLE, "pane_in_mode": False, "pane_mode": None, "scroll_position": None}
            | {
                "history_size": 0,
                "pane_title": ANY,
                "pane_current_command": "sh",
                "pane_current_path": PROJECT,
            }
            | {"is_caller": False},
        ),
        Row(2961, '{"tool": "get_server_info", "arguments": {}}', {"is_alive": True, "session_count": 2}),
        Row(
            2050,
            '{"tool": "enter_copy_mode", "arguments": {"pane_id": "%0", "scroll_up": 50}}',
            pane("%0", "0", "80", "24"),
            then=("display-message -p -t %0 #{pane_in_mode}", "1"),
        ),
        Row(
            2088,
            '{"tool": "exit_copy_mode", "arguments": {"pane_id": "%0"}}',
            pane("%0", "0", "80", "24"),
            then=("display-message -p -t %0 #{pane_in_mode}", "0"),
        ),
        Row(
            2663,
            '{"tool": "set_pane_title", "arguments": {"pane_id": "%0", "title": "build"}}',
            pane("%0", "0", "80", "24", pane_title="build"),
        ),
        Row(
            3837,
            '{"tool": "split_window", "arguments": {"session_name": "dev", "direction": "right"}}',
            pane("%4", "1", "39", "24", "0", pane_current_command=ANY, pane_current_path=ANY),
        ),
        Row(
            2383,
            '{"tool": "pipe_pane", "arguments": {"pane_id": "%0", "output_path": "/tmp/build.log"}}',
            ("%0", "/tmp/build.log"),
            then=("display-message -p -t %0 #{pane_pipe}", "1"),
        ),
        Row(
            2397,
            '{"tool": "pipe_pane", "arguments": {"pane_id": "%0", "output_path": null}}',
            ("%0", "stopped"),
            then=("display-message -p -t %0 #{pane_pipe}", "0"),
        ),
        Row(
            2353,
            '{"tool": "paste_text", "arguments": {"text": "def hello():\\n print(\'world\')\\n", '
            '"pane_id": "%0"}}',
            ("pasted", "%0"),
            then=(f"{SCREEN} %0", "def hello"),
        ),
        Row(
            2847,
            '{"tool": "wait_for_content_change", "arguments": {"pane_id": "%0", "timeout": 10}}',
            {"changed": True, "pane_id": "%0", "elapsed_seconds": ANY},
            before="send-keys -t %0 vim Enter",
        ),
        Row(
            4042,
            '{"tool": "send_keys", "arguments": {"keys": "C-c", "pane_id": "%0", "enter": false}}',
            "%0",
            then=(f"{SCREEN} %0", r"(?s)\^C.*\$\Z"),
        ),
        Row(
            1988,
            '{"tool": "clear_pane", "arguments": {"pane_id": "%0"}}',
            ("cleared", "%0"),
            then=(f"{SCREEN} %0", r"\A[\s$]*\Z"),
        ),
        Row(
            4048,
            '{"tool": "send_keys", "arguments": {"keys": "pytest", "pane_id": "%0"}}',
            "%0",
            then=(f"{SCREEN} %0", "1 failed"),
        ),
        Row(4049, '{"tool": "capture_pane", "arguments": {"pane_id": "%0"}}', "1 failed"),
        Row(
            4053,
            '{"tool": "send_keys", "arguments": {"keys": "pytest; tmux wait-for -S pytest_done", '
            '"pane_id": "%0"}}',
            "%0",
        ),
        Row(
            4054,
            '{"tool": "wait_for_channel", "arguments": {"channel": "pytest_done", "timeout": 60}}',
            {"signalled": True},
        ),
        Row(4055, '{"tool": "capture_pane", "arguments": {"pane_id": "%0"}}', ("FAIL", "1 failed")),
        Row(
            1432,
            '{"tool": "load_buffer", "arguments": {"content": '
            '"for i in 1 2 3; do\\n echo line $i\\ndone\\n", "logical_name": "loop"}}',
            {"buffer_name": ANY, "logical_name": "loop"},
        ),
        Row(1474, f'show_buffer(buffer_name="{BUFFER}")', "for i in 1 2 3; do\n echo line $i\ndone\n"),
        Row(
            1454,
            f'paste_buffer(buffer_name="{BUFFER}", pane_id="%0", bracket=True)',
            "%0",
            then=(f"{SCREEN} %0", "\nline 3\n"),
        ),
        Row(1374, f'delete_buffer(buffer_name="{BUFFER}")', "deleted"),
        Row(1381, f'paste_buffer(buffer_name="{BUFFER}", pane_id="%0")', refused="bad_input|not_found"),
        Row(1461, 'paste_buffer(buffer_name="buffer0", pane_id="%0")', refused="bad_input|not_found"),
        Row(
            3381,
            '{"tool": "kill_session", "arguments": {"session_name": "old-workspace"}}',
            ("killed", "old-workspace"),
            then=("list-sessions -F #{session_name}", r"\Adev\Z"),
        ),
    ),
    (DRAWN,),
)

DEV = Stage(
    (
        f"{NO_STATUS}set-option -g base-index 1 ; new-session -d -s dev -n editor {SHELL} {TESTS}",
        f"split-window -d -t %0 -c {PROJECT}",
        f"new-window -d -t dev -n server -c {PROJECT} 'cat /home/user/pytest.txt; exec sh'",
    ),
    (
        Row(
            3406,
            '{"tool": "list_windows", "arguments": {"session_name": "dev"}}',
            [window("@0", "editor", "1", 2), window("@1", "server", "2", 1, "0")],
        ),
        Row(
            2533,
            '{"tool": "search_panes", "arguments": {"pattern": "FAIL", "session_name": "dev"}}',
            {
                "matches": [
                    {"pane_id": "%0", "pane_current_command": "sh", "pane_current_path": PROJECT}
                    | {"window_id": "@0", "window_name": "editor", "session_id": "$0", "session_name": "dev"}
                    | {"is_caller": False}
                    | {"matched_lines": ["FAIL: test_upload (AssertionError)", "3 tests: 2 passed, 1 failed"]}
                ],
                "truncated": False,
                "truncated_panes": [],
                "total_panes_matched": 1,
                "offset": 0,
                "limit": 500,
            },
        ),
        Row(
            1920,
            '{"tool": "capture_since", "arguments": {"pane_id": "%2"}}',
            {"pane_id": "%2", "cursor": ANY, "elapsed_seconds": ANY, "lines_missed": False}
            | {"lines": ["$ pytest -vv", "tests/test_api.py::test_health PASSED"]}
            | {"truncated": False, "truncated_lines": 0, "truncated_bytes": 0},
        ),
        Row(
            1945,
            '{"tool": "capture_since", "arguments": {"cursor": "capture-since-v1:..."}}',
            {"pane_id": "%2", "cursor": ANY, "lines": ["$ echo one", "one"], "lines_missed": False},
            before="send-keys -t %2 'echo one' Enter",
            seen=(f"{SCREEN} %2", r"\none\n\$"),
        ),
        Row(
            1955,
            'capture_since(cursor="capture-since-v1:...")',
            {"pane_id": "%2", "cursor": ANY, "lines": []},
        ),
        Row(1952, 'capture_since(cursor="capture-since-v1:...", pane_id="%0")', refused="bad_input"),
        Row(2639, '{"tool": "send_keys", "arguments": {"keys": "npm start", "pane_id": "%2"}}', "%2"),
        Row(
            2880,
            '{"tool": "wait_for_text", "arguments": {"pattern": "Server listening", "pane_id": "%2", '
            '"timeout": 30}}',
            {"found": True, "matched_lines": ["Server listening on port 8000"], "pane_id": "%2"}
            | {"elapsed_seconds": ANY},
        ),
        Row(
            2595,
            '{"tool": "select_pane", "arguments": {"direction": "down", "window_id": "@0"}}',
            pane("%1", "1", "80", "11"),
        ),
        Row(
            2773,
            '{"tool": "swap_pane", "arguments": {"source_pane_id": "%0", "target_pane_id": "%1"}}',
            pane("%0", "1", "80", "11"),
            before="select-pane -t %0",
        ),
        Row(
            3801,
            '{"tool": "select_layout", "arguments": {"session_name": "dev", "layout": "even-vertical"}}',
            window("@0", "editor", "1", 2),
            before="swap-pane -s %0 -t %1",
        ),
        Row(
            2421,
            '{"tool": "resize_pane", "arguments": {"pane_id": "%0", "height": 15}}',
            pane("%0", "0", "80", "15", pane_title="build"),
            before="select-pane -t %0 ; select-pane -t %0 -T build",
        ),
        Row(
            3639,
            '{"tool": "list_panes", "arguments": {"session_name": "dev"}}',
            [pane("%0", "0", "80", "15", pane_title="build"), pane("%1", "1", "80", "8", "0")],
        ),
        Row(
            3485,
            '{"tool": "select_window", "arguments": {"direction": "next", "session_name": "dev"}}',
            window("@1", "server", "2", 1),
        ),
        Row(
            3265,
            '{"tool": "create_window", "arguments": {"session_name": "dev", "window_name": "logs"}}',
            window("@2", "logs", "3", 1, ANY),
            before="select-window -t @0",
        ),
        Row(
            3304,
            '{"tool": "get_session_info", "arguments": {"session_id": "$0"}}',
            session("$0", "dev", 3, active_pane_id="%0"),
        ),
        Row(
            3324,
            '{"tool": "get_session_info", "arguments": {"session_name": "dev"}}',
            session("$0", "dev", 3, active_pane_id="%0"),
        ),
        Row(
            3764,
            '{"tool": "resize_window", "arguments": {"session_name": "dev", "width": 120, "height": 40}}',
            window("@0", "editor", "1", 2, window_width="120", window_height="40"),
        ),
        Row(
            3729,
            '{"tool": "rename_window", "arguments": {"session_name": "dev", "new_name": "build"}}',
            window("@0", "build", "1", 2),
            before="resize-window -t @0 -x 80 -y 24",
        ),
        Row(4018, 'list_sessions(filters={"session_name__contains": "dev"})', [{"session_name": "dev"}]),
        Row(4018, 'list_windows(filters={"session_name__contains": "dev"})', [{"window_id": "@1"}]),
        Row(
            4018,
            'list_panes(filters={"session_name__contains": "dev"})',
            [{"pane_id": "%0"}],
        ),
        Row(4000, 'get_pane_info(session_name="dev", window_id="@1")', {"pane_id": "%2"}),
        Row(4023, "tmux://sessions", [session("$0", "dev", 3)]),
        Row(4024, "tmux://sessions/dev", session("$0", "dev", 3, windows=[{"window_id": "@0"}])),
        Row(4025, "tmux://sessions/dev/windows", [{"window_id": "@0"}, {"window_id": "@1"}]),
        Row(4026, "tmux://sessions/dev/windows/1", {"window_id": "@0", "panes": [{"pane_id": "%1"}]}),
        Row(4027, "tmux://panes/%0", {"pane_id": "%0", "window_id": "@0"}),
        Row(4028, "tmux://panes/%0/content", "Running tests..."),
        Row(1313, "tmux://sessions/dev?socket_name=lab", session("$0", "dev", 3)),
        Row(4464, 'respawn_pane(session_name="dev")', refused="bad_target"),
        Row(
            3693,
            '{"tool": "move_window", "arguments": {"window_id": "@1", "destination_index": "1"}}',
            window("@1", "server", "1", 1, "0"),
            before="move-window -d -s @0 -t dev:7 ; select-window -t @0",
        ),
        Row(
            2326,
            '{"tool": "kill_pane", "arguments": {"pane_id": "%1"}}',
            ("killed", "%1"),
            then=("list-panes -t @0 -F #{pane_id}", r"\A%0\Z"),
        ),
        Row(
            3615,
            '{"tool": "kill_window", "arguments": {"window_id": "@1"}}',
            ("killed", "@1"),
            then=("list-windows -F #{window_id}", r"\A@2\n@0\Z"),
        ),
    ),
    (DRAWN, (f"{SCREEN} %1", r"\$"), (f"{SCREEN} %2", r"PASSED\n\$")),
)
