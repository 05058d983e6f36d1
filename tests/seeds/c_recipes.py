"""Document C: its pages about servers and settings, its prompts and its recipes, each call with its line.

Where a recipe tells in words which pane it means, the pane is named here.
"""

from __future__ import annotations

from unittest.mock import ANY

from tests.seeds.c_stages import NO_STATUS, PROJECT, Row, Stage, session, window

SCREEN = "capture-pane -p -t"
NO_SPACE = "its capture pads lines, so the space of a prompt that is back already is cut off too"
CORNER = {"pane_at_right": True, "pane_at_bottom": True}

TILED = Stage(
    (
        f"{NO_STATUS}new-session -d -s dev -x 80 -y 24 -c {PROJECT}",
        "split-window -t %0 ; split-window -t %1 ; split-window -t %2 ; select-layout -t @0 tiled",
        f"new-window -t dev -n editor -c {PROJECT} ; split-window -d -t %4 ; resize-pane -t %4 -y 15",
    ),
    (
        Row(
            2128,
            '{"tool": "find_pane_by_position", "arguments": {"corner": "bottom-right", "window_id": "@0"}}',
            {"pane_id": "%3", "pane_left": 40, "pane_top": 12, "pane_right": 79, "pane_bottom": 23}
            | {"pane_at_left": False, "pane_at_top": False, **CORNER, "pane_tty": ANY},
        ),
        Row(868, 'find_pane_by_position(corner="bottom-right")', CORNER),
        Row(893, 'display_message(format_string="#{pane_at_bottom}#{pane_at_right}", pane_id="%3")', "11"),
        Row(881, 'send_keys(pane_id="%3", keys="pnpm start")', "%3"),
        Row(882, 'wait_for_text(pane_id="%3", pattern="Local:", timeout=60)', {"found": True}),
        Row(
            3525,
            '{"tool": "get_window_info", "arguments": {"window_id": "@1"}}',
            window("@1", "editor", "1", 2),
        ),
        Row(
            3550,
            '{"tool": "get_window_info", "arguments": {"window_index": "1", "session_name": "dev"}}',
            window("@1", "editor", "1", 2),
        ),
        Row(
            2474,
            '{"tool": "respawn_pane", "arguments": {"pane_id": "%5"}}',
            {"pane_id": "%5", "pane_pid": ANY, "pane_current_command": ANY},
        ),
        Row(
            2483,
            '{"tool": "respawn_pane", "arguments": {"pane_id": "%5", "shell": "pytest -x", '
            '"start_directory": "/home/user/project"}}',
            {"pane_id": "%5", "pane_pid": ANY, "pane_current_path": ANY},  # tmux may not know it so soon.
            then=("display-message -p -t %5 #{pane_current_path}", "/home/user/project"),
        ),
        Row(
            2494,
            '{"tool": "respawn_pane", "arguments": {"pane_id": "%5", "shell": "pytest -x", "environment": '
            '{"PYTHONPATH": "/home/user/project/src", "DATABASE_URL": "postgres://localhost/test"}}}',
            {"pane_id": "%5", "pane_pid": ANY, "pane_current_command": ANY, "pane_current_path": ANY},
            then=(f"{SCREEN} %5", "on postgres://localhost/test"),
        ),
        Row(1907, 'capture_since(pane_id="%5")', {"pane_id": "%5", "cursor": ANY}),
        Row(
            1962,
            'capture_since(cursor="capture-since-v1:...")',
            before="respawn-pane -k -t %5",
            refused="pane_ended|bad_input|not_found",
        ),
    ),
)

FRESH = Stage(
    (),
    (
        Row(
            2920,
            '{"tool": "create_session", "arguments": {"session_name": "dev"}}',
            session("$0", "dev", 1, active_pane_id="%0"),
        ),
        Row(3239, '{"tool": "show_option", "arguments": {"option": "history-limit"}}', {"value": "2000"}),
        Row(
            3180,
            '{"tool": "set_option", "arguments": {"option": "history-limit", "value": "50000"}}',
            {"option": "history-limit", "value": "50000", "status": "set"},
            then=("show-options -gv history-limit", "50000"),
        ),
        Row(
            3151,
            '{"tool": "set_environment", "arguments": {"name": "MY_VAR", "value": "hello"}}',
            {"name": "MY_VAR", "value": "hello", "status": "set"},
            then=("show-environment -g MY_VAR", "MY_VAR=hello"),
        ),
        Row(
            3208,
            '{"tool": "show_environment", "arguments": {}}',
            {"variables": {"SHELL": "/bin/sh", "HOME": ANY, "MY_VAR": "hello"}},
        ),
        Row(1512, 'show_hook(hook_name="pane-exited")', {"entries": []}),
        Row(1517, 'show_hook(hook_name="pane-exit")', refused="bad_input"),
        Row(
            1488,
            'show_hook(hook_name="session-renamed")',
            {"entries": [{"hook_name": "session-renamed", "command": "display-message hello"}]},
            before="set-hook -g session-renamed 'display-message hello'",
        ),
        Row(1526, "show_hooks()", {"entries": [{"hook_name": "session-renamed"}]}),
        Row(2698, 'signal_channel(channel="tests_done")', "tests_done"),
        Row(3038, '{"tool": "kill_server", "arguments": {}}', "killed", then=("ls", "no server|connecting")),
        Row(4531, "list_sessions()", []),
    ),
)

SOCKETS = Stage(
    (
        "-L default new-session -d -s myproject cat",
        "-L default new-window -d -t myproject cat",
        "-L ci-runner new-session -d cat",
        "-S /home/user/.cache/tmux/socket new-session -d cat",
    ),
    (
        Row(3122, '{"tool": "list_sessions", "arguments": {}}', [session("$0", "myproject", 2)]),
        Row(
            3454,
            '{"tool": "rename_session", "arguments": {"session_name": "old-name", "new_name": "new-name"}}',
            session("$0", "new-name", 2),
            before="-L default rename-session old-name",
        ),
        Row(
            3071,
            '{"tool": "list_servers", "arguments": {}}',
            [
                {"is_alive": True, "socket_name": "default", "session_count": 3, "version": ANY},
                {"is_alive": True, "socket_name": "ci-runner", "session_count": 1, "version": ANY},
            ],
            before="-L default new-session -d cat ; new-session -d cat",
        ),
        Row(
            3097,
            '{"tool": "list_servers", "arguments": {"extra_socket_paths": '
            '["/home/user/.cache/tmux/socket"]}}',
            [{"is_alive": True, "socket_path": "/home/user/.cache/tmux/socket", "session_count": 1}],
        ),
        Row(3103, 'list_servers(extra_socket_paths=["/tmp/none"])', [{"socket_name": "default"}]),
        Row(123, 'get_server_info(socket_name="ci-runner")', {"socket_name": "ci-runner"}),
    ),
    socket="",
)

PROMPTS = Stage(
    (f"new-session -d -s dev -x 80 -y 24 -c {PROJECT}", "split-window -d -t %0"),
    (
        Row(604, 'prompt run_and_wait(command="pytest", pane_id="%1")', ('"pytest"', "%1", "60.0")),
        Row(609, "send_keys(pane_id='%1', keys='pytest; tmux wait-for -S libtmux_mcp_wait_')", "%1"),
        Row(613, "wait_for_channel(channel='libtmux_mcp_wait_', timeout=60.0)", {"signalled": True}),
        Row(614, "capture_pane(pane_id='%1', max_lines=100)", "1 failed"),
        Row(
            646, 'prompt diagnose_failing_pane(pane_id="%1")', ('snapshot_pane(target="%1")', "capture_since")
        ),
        Row(649, 'snapshot_pane(pane_id="%1")', {"pane_id": "%1", "content": ANY, "cursor_x": ANY}),
        Row(652, 'snapshot_pane(pane_id="%1", max_lines=None)', {"pane_id": "%1"}),
        Row(653, 'capture_since(pane_id="%1")', {"cursor": ANY, "lines": ["3 tests: 2 passed, 1 failed"]}),
        Row(654, 'capture_since(cursor="capture-since-v1:...")', {"pane_id": "%1", "cursor": ANY}),
        Row(723, 'prompt interrupt_gracefully(pane_id="%1")', ('"%1"', "ask")),
        Row(
            727,
            'send_keys(pane_id="%1", keys="C-c", literal=False, enter=False)',
            "%1",
            before="send-keys -t %1 vim Enter",
            seen=(f"{SCREEN} %1", r"\d{9}\n\d{9}"),
            then=(f"{SCREEN} %1", r"\$\Z"),
        ),
        Row(
            729,
            r'wait_for_text(pane_id="%1", pattern="\\$ |\\# |\\% ", regex=True, timeout=5.0)',
            {"found": True},
            wrong_on_old=NO_SPACE,
        ),
        Row(2806, 'send_keys(pane_id="%1", keys="pytest; tmux wait-for -S tests_done")', "%1"),
        Row(2810, 'wait_for_channel("tests_done", timeout=60)', {"signalled": True}),
        Row(222, 'send_keys(keys="C-c", enter=False, pane_id="%1")', "%1"),
        Row(224, r'send_keys(keys="C-\\", enter=False, pane_id="%1")', "%1"),
        Row(
            4557,
            'send_keys(keys="C-c", literal=True, enter=False, pane_id="%1")',
            "%1",
            then=(f"{SCREEN} %1", r"C-c\Z"),
        ),
        Row(4072, 'send_keys(keys="true", suppress_history=True, pane_id="%1")', "%1"),
    ),
    ((f"{SCREEN} %1", r"\$"),),
)

WORKSPACE = Stage(
    (),
    (
        Row(679, 'prompt build_dev_workspace(session_name="dev")', ('"dev"', "vim", "watch -n 1 date")),
        Row(
            676,
            'prompt build_dev_workspace(session_name="dev", log_command="tail -f /var/log/syslog")',
            '"tail -f /var/log/syslog"',
        ),
        Row(
            677,
            'prompt build_dev_workspace(session_name="dev", log_command="log stream --level info")',
            '"log stream --level info"',
        ),
        Row(684, 'create_session(session_name="dev")', session("$0", "dev", 1, active_pane_id="%A")),
        Row(687, 'split_window(pane_id="%A", direction="below")', {"pane_id": "%B", **CORNER}),
        Row(690, 'split_window(pane_id="%B", direction="right")', {"pane_id": "%C", **CORNER}),
        Row(694, 'send_keys(pane_id="%A", keys="vim")', "%A"),
        Row(695, "send_keys(pane_id=\"%C\", keys='watch -n 1 date')", "%C"),
        Row(702, 'wait_for_content_change(pane_id="%A", timeout=3.0)', {"changed": True}),
        Row(703, 'wait_for_content_change(pane_id="%C", timeout=3.0)', {"changed": True}),
    ),
)

RECIPES = Stage(
    (
        "new-session -d -s x -x 80 -y 40 cat",
        "split-window -d -t %0",
        "split-window -d -t %0 'trap : INT; echo stuck; sleep 300; exec sh'",
        "new-session -d -s ci 'cat /home/user/tests.txt; exec cat'",
        "new-session -d -s myapp -n react",
        "split-window -d -t %4 'cat /home/user/url.txt; exec cat'",
        "new-window -d -t ci 'cat /home/user/lint.txt; exec cat'",
        "new-session -d -s backend",
    ),
    (
        Row(
            822,
            'search_panes(pattern="Local:", session_name="myapp")',
            {"matches": [{"pane_id": "%5", "window_name": "react"}], "total_panes_matched": 1},
        ),
        Row(831, 'list_panes(session_name="myapp")', [{"pane_id": "%4", "pane_current_command": "sh"}]),
        Row(
            834,
            'send_keys(pane_id="%4", keys="PLAYWRIGHT_BASE_URL=http://localhost:5173 '
            'pnpm exec playwright test")',
            "%4",
        ),
        Row(
            836,
            'wait_for_text(pane_id="%4", pattern="passed|failed|timed out", regex=True, timeout=120)',
            {"found": True, "matched_lines": ["1 passed"]},
        ),
        Row(837, 'capture_pane(pane_id="%4", start=-80)', "1 passed"),
        Row(917, 'list_panes(session_name="backend")', [{"pane_id": "%7"}]),
        Row(918, 'search_panes(pattern="listening")', {"matches": [], "total_panes_matched": 0}),
        Row(927, 'split_window(session_name="backend")', {"pane_id": "%8"}),
        Row(928, 'send_keys(pane_id="%8", keys="npm run serve")', "%8"),
        Row(930, 'wait_for_text(pane_id="%8", pattern="Listening on", timeout=30)', {"found": True}),
        Row(932, 'send_keys(pane_id="%7", keys="npm test -- --integration")', "%7"),
        Row(933, 'wait_for_text(pane_id="%7", pattern="passed|failed|error", regex=True)', {"found": True}),
        Row(935, 'capture_pane(pane_id="%7")', "5 passed"),
        Row(
            967,
            'search_panes(pattern="FAIL|ERROR|error:|Traceback", regex=True, session_name="ci")',
            {"matches": [{"pane_id": "%3"}, {"pane_id": "%6"}], "total_panes_matched": 2},
        ),
        Row(977, 'capture_pane(pane_id="%3", start=-60)', "FAIL: test_upload"),
        Row(978, 'capture_pane(pane_id="%6", start=-60)', "error: Type 'string' is not assignable"),
        Row(980, 'search_panes(pattern="FAIL", content_start=-200)', {"matches": [{"pane_id": "%3"}]}),
        Row(
            2543,
            'search_panes(pattern="FAIL|error", regex=True, limit=1, offset=1)',
            {"matches": [{"pane_id": "%6"}], "offset": 1, "limit": 1, "truncated": False},
        ),
        Row(771, 'search_panes(pattern="error")', {"matches": [{"pane_id": "%6"}]}),
        Row(1016, 'send_keys(pane_id="%2", keys="C-c", enter=False)', "%2"),
        Row(
            1025,
            'wait_for_text(pane_id="%2", pattern="[$#>%] *$", regex=True, timeout=5)',
            {"found": True, "pane_id": "%2"},
        ),
        Row(1034, r'send_keys(pane_id="%2", keys="C-\\", enter=False)', "%2"),
        Row(1035, 'kill_pane(pane_id="%2")', ("killed", "%2")),
        Row(1036, 'split_window(session_name="x")', {"pane_id": "%9"}),
        Row(1060, "list_panes()", [{"pane_id": "%1", "pane_title": ANY, "pane_current_path": ANY}]),
        Row(1071, 'clear_pane(pane_id="%1")', "%1"),
        Row(1072, 'send_keys(pane_id="%1", keys="pytest; tmux wait-for -S pytest_done")', "%1"),
        Row(1073, 'wait_for_channel(channel="pytest_done")', {"signalled": True}),
        Row(1074, 'capture_pane(pane_id="%1")', "1 failed"),
        Row(1099, "list_sessions()", [{"session_name": "backend"}]),
        Row(
            1108,
            'create_session(session_name="myproject", start_directory="/home/dev/myproject")',
            session("$4", "myproject", 1, active_pane_id="%10"),
            then=("display-message -p -t %10 #{pane_current_path}", "/home/dev/myproject"),
        ),
        Row(1109, 'split_window(session_name="myproject", direction="right")', {"pane_id": "%11"}),
        Row(1110, 'split_window(session_name="myproject", direction="below")', {"pane_id": "%12"}),
        Row(1111, 'select_layout(session_name="myproject", layout="main-vertical")', {"pane_count": 3}),
        Row(1112, 'set_pane_title(pane_id="%10", title="editor")', {"pane_title": "editor"}),
        Row(1112, 'set_pane_title(pane_id="%11", title="server")', {"pane_title": "server"}),
        Row(1113, 'set_pane_title(pane_id="%12", title="tests")', {"pane_title": "tests"}),
        Row(1114, 'send_keys(pane_id="%11", keys="npm run dev")', "%11"),
        Row(
            1115,
            'wait_for_text(pane_id="%11", pattern="ready|listening|Local:", regex=True, timeout=30)',
            {"found": True, "matched_lines": ["ready"]},
        ),
        Row(763, 'create_session(session_name="workspace", window_name="build")', {"window_count": 1}),
        Row(767, 'send_keys(session_name="workspace", keys="make test")', "%13"),
    ),
    (
        (f"{SCREEN} %2", "stuck"),
        (f"{SCREEN} %3", "1 failed"),
        (f"{SCREEN} %5", "5173"),
        (f"{SCREEN} %6", "error"),
    ),
)
