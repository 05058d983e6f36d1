"""For every tool and request: calls that must be accepted, and what must be seen to have happened.

Each string parameter is given in at least one of them, so that nothing passes by refusing everything. If you
add a tool or a string parameter, add a `Benign` here; the hostile values come by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.security.world import World

Json = dict[str, Any]
MARK = "m$((40+2))k"
"""In a shell's command; `m42k` in its output shows that it ran."""


class Answer:
    """What came back, whichever way it was asked."""

    def __init__(self, raw: Json) -> None:
        result = raw.get("result", {})
        self.raw = raw
        self.accepted = "error" not in raw and not result.get("isError")
        self.result = result
        self.data: Json = result.get("structuredContent") or {}
        self.text = "\n".join(one.get("text", "") for one in result.get("content", []))

    def __str__(self) -> str:
        return json.dumps(self.raw)[:600]


Call = Callable[[str, Json], Answer]


@dataclass(frozen=True, slots=True)
class Benign:
    arguments: Callable[[World], Json]
    seen: Callable[[World, Answer], object]
    """Polled: what tmux does may take a moment."""
    before: Callable[[World, Call], object] = lambda _, __: None
    """What must be there first. Hostile calls do without."""


def call(arguments: Callable[[World], Json], seen: Callable[[World, Answer], object]) -> Benign:
    return Benign(arguments, seen)


def _about(kind: str, value: Callable[[World], str]) -> list[Benign]:
    """A tool that tells about its target, by the id that is in its answer."""
    return [call(lambda w: {"target": value(w)}, lambda w, a: a.data[f"{kind}_id"] == value(w))]


def _names(field: str, answer: Answer, rows: str) -> set[str]:
    return {one[field] for one in answer.data[rows]}


def _filtered(field: str, rows: str, value: Callable[[World], str]) -> list[Benign]:
    """The two ways to give a filter."""
    return [
        call(lambda w: {"filters": {field: value(w)}}, lambda w, a: _names(field, a, rows) == {value(w)}),
        call(
            lambda w: {"filters": json.dumps({field: value(w)})},
            lambda w, a: _names(field, a, rows) == {value(w)},
        ),
    ]


def _environment(tool: str, base: Callable[[World], Json]) -> Benign:
    """A variable for a new program: seen by what the shell there answers."""

    def seen(w: World, answer: Answer) -> bool:
        pane = answer.data.get("pane_id") or answer.data.get("active_pane_id") or ""
        if "typed to" not in w.screen(pane):
            w.tmux("send-keys", "-t", pane, "echo typed to $SONG", "Enter")
        return "typed to tweet" in w.screen(pane)

    return call(lambda w: {**base(w), "environment": {"SONG": "tweet"}}, seen)


def _pane_path(w: World, answer: Answer) -> bool:
    pane = answer.data.get("pane_id") or answer.data.get("active_pane_id") or ""
    return w.ask("#{pane_current_path}", pane) == str(w.playground)


def _run_first(tool: str, **arguments: Any) -> Callable[[World, Call], object]:
    def before(w: World, ask: Call) -> None:
        given = {name: value(w) if callable(value) else value for name, value in arguments.items()}
        answer = ask(tool, given)
        assert answer.accepted, str(answer)

    return before


def _session(w: World) -> str:
    return w.scratch.session


def _window(w: World) -> str:
    return w.scratch.window


def _cat(w: World) -> str:
    return w.scratch.cat


def _pane_count(w: World) -> int:
    return int(w.ask("#{window_panes}", w.scratch.window))


def _typed(pane: Callable[[World], str], text: str) -> Callable[[World, Answer], object]:
    return lambda w, _: text in w.screen(pane(w))


_COMMANDS: dict[str, list[Benign]] = {
    "terminal": [
        call(
            lambda _: {"command": f"echo {MARK}", "terminal_id": "work", "timeout": 10},
            lambda _, a: "m42k" in a.data["output"] and a.data["terminal_id"] == "work",
        )
    ],
    "run_command": [
        call(
            lambda w: {"command": f"echo {MARK}", "target": w.scratch.sh, "timeout": 10},
            lambda w, a: a.data["output"] == "m42k" and a.data["pane_id"] == w.scratch.sh,
        )
    ],
    "interrupt": [
        Benign(
            lambda w: {"target": w.scratch.sh, "timeout": 5},
            lambda w, a: a.data["stopped"] and w.ask("#{pane_current_command}", w.scratch.sh) == "sh",
            _run_first("run_command", command="sleep 1000", target=lambda w: w.scratch.sh, timeout=0.3),
        ),
        Benign(
            lambda _: {"terminal_id": "work", "timeout": 5},
            lambda _, a: a.data["stopped"] and a.data["terminal_id"] == "work",
            _run_first("terminal", command="sleep 1000", terminal_id="work", timeout=0.3),
        ),
    ],
    "list_commands": [
        Benign(
            lambda w: {"target": w.scratch.sh},
            lambda _, a: "seen-it" in a.text,
            _run_first("run_command", command="echo seen-it", target=lambda w: w.scratch.sh, timeout=10),
        ),
        Benign(
            lambda _: {"terminal_id": "work"},
            lambda _, a: "seen-it" in a.text,
            _run_first("terminal", command="echo seen-it", terminal_id="work", timeout=10),
        ),
    ],
}

_SESSIONS: dict[str, list[Benign]] = {
    "list_sessions": _filtered("session_name", "sessions", lambda _: "scratch2"),
    "get_session_info": _about("session", _session),
    "has_session": [
        call(
            lambda w: {"target": w.scratch.session},
            lambda w, a: a.data == {"exists": True, "session_id": w.scratch.session},
        )
    ],
    "create_session": [
        call(
            lambda w: {
                "session_name": "made",
                "window_name": "also",
                "start_directory": str(w.playground),
                "environment": {},
            },
            lambda w, _: (
                w.ask("#{window_name}", "=made:") == "also"
                and w.ask("#{pane_current_path}", "=made:") == str(w.playground)
            ),
        ),
        _environment("create_session", lambda _: {"session_name": "sings"}),
    ],
    "rename_session": [
        call(
            lambda w: {"target": w.scratch.session, "new_name": "renamed"},
            lambda w, _: w.ask("#{session_name}", w.scratch.session) == "renamed",
        )
    ],
}

_WINDOWS: dict[str, list[Benign]] = {
    "list_windows": [
        *_filtered("window_name", "windows", lambda _: "two"),
        call(
            lambda w: {"target": w.scratch.session},
            lambda w, a: _names("window_id", a, "windows") == {w.scratch.window, w.scratch.window2},
        ),
    ],
    "get_window_info": _about("window", _window),
    "create_window": [
        call(
            lambda w: {
                "target": w.scratch.session,
                "window_name": "new",
                "start_directory": str(w.playground),
                "direction": "before",
            },
            lambda w, a: (
                w.ask("#{window_name}", a.data["window_id"]) == "new"
                and a.data["session_id"] == w.scratch.session
                and w.ask("#{window_index}", a.data["window_id"]) < w.ask("#{window_index}", w.scratch.window)
                and _pane_path(w, a)
            ),
        ),
        _environment("create_window", lambda w: {"target": w.scratch.session}),
    ],
    "rename_window": [
        call(
            lambda w: {"target": w.scratch.window, "new_name": "renamed"},
            lambda w, _: w.ask("#{window_name}", w.scratch.window) == "renamed",
        )
    ],
    "select_window": [
        call(
            lambda w: {"target": w.scratch.window2},
            lambda w, _: w.ask("#{window_active}", w.scratch.window2) == "1",
        ),
        call(
            lambda w: {"target": w.scratch.session, "direction": "next"},
            lambda w, _: w.ask("#{window_active}", w.scratch.window2) == "1",
        ),
    ],
    "select_layout": [
        call(
            lambda w: {"target": w.scratch.window, "layout": "even-horizontal"},
            lambda w, _: w.ask("#{pane_top}", w.scratch.sh) == "0",
        )
    ],
    "resize_window": [
        call(
            lambda w: {"target": w.scratch.window, "width": 90},
            lambda w, _: w.ask("#{window_width}", w.scratch.window) == "90",
        )
    ],
    "move_window": [
        call(
            lambda w: {
                "target": w.scratch.window2,
                "destination_index": "7",
                "destination_session": w.scratch.session2,
            },
            lambda w, _: w.ask("#{window_index} #{session_name}", w.scratch.window2) == "7 scratch2",
        )
    ],
}

_PANES: dict[str, list[Benign]] = {
    "list_panes": [
        *_filtered("pane_id", "panes", _cat),
        call(
            lambda w: {"target": w.scratch.window},
            lambda w, a: _names("pane_id", a, "panes") == {w.scratch.cat, w.scratch.sh},
        ),
    ],
    "get_pane_info": _about("pane", _cat),
    "find_pane_by_position": [
        call(
            lambda w: {"corner": "bottom-left", "target": w.scratch.window},
            lambda w, a: a.data["pane_id"] == w.scratch.sh,
        )
    ],
    "split_window": [
        call(
            lambda w: {
                "target": w.scratch.cat,
                "direction": "right",
                "size": "30%",
                "start_directory": str(w.playground),
                "shell": "printf begun; exec cat",
            },
            lambda w, a: (
                "begun" in w.screen(a.data["pane_id"])
                and _pane_path(w, a)
                and w.ask("#{pane_width}", a.data["pane_id"]) in {"29", "30"}
            ),
        ),
        _environment("split_window", lambda w: {"target": w.scratch.cat}),
    ],
    "select_pane": [
        call(
            lambda w: {"target": w.scratch.cat, "direction": "down"},
            lambda w, _: w.ask("#{pane_active}", w.scratch.sh) == "1",
        )
    ],
    "resize_pane": [
        call(
            lambda w: {"target": w.scratch.cat, "height": 7},
            lambda w, _: w.ask("#{pane_height}", w.scratch.cat) == "7",
        )
    ],
    "set_pane_title": [
        call(
            lambda w: {"target": w.scratch.cat, "title": "a new title"},
            lambda w, _: w.ask("#{pane_title}", w.scratch.cat) == "a new title",
        )
    ],
    "swap_pane": [
        call(
            lambda w: {"source": w.scratch.cat, "target": w.scratch.cat2},
            lambda w, _: w.ask("#{window_id}", w.scratch.cat) == w.scratch.window2,
        )
    ],
    "break_pane": [
        call(
            lambda w: {
                "target": w.scratch.sh,
                "window_name": "alone",
                "destination_session": w.scratch.session2,
            },
            lambda w, _: w.ask("#{session_name} #{window_name}", w.scratch.sh) == "scratch2 alone",
        )
    ],
    "join_pane": [
        call(
            lambda w: {
                "source": w.scratch.cat2,
                "target": w.scratch.cat3,
                "direction": "right",
                "size": "30%",
            },
            lambda w, _: w.ask("#{window_id} #{pane_top}", w.scratch.cat2) == f"{w.scratch.window3} 0",
        )
    ],
    "respawn_pane": [
        call(
            lambda w: {
                "target": w.scratch.cat,
                "shell": "printf again; exec cat",
                "start_directory": str(w.playground),
            },
            lambda w, _: (
                "again" in w.screen(w.scratch.cat)
                and w.ask("#{pane_current_path}", w.scratch.cat) == str(w.playground)
            ),
        ),
        _environment("respawn_pane", lambda w: {"target": w.scratch.sh}),
    ],
    "clear_pane": [
        call(lambda w: {"target": w.scratch.cat}, lambda w, _: not w.screen(w.scratch.cat).strip())
    ],
    "pipe_pane": [
        Benign(
            lambda w: {"target": w.scratch.cat, "output_path": str(w.playground / "100%done #{pid}.log")},
            lambda w, _: _piped(w, "100%done #{pid}.log"),
        )
    ],
    "enter_copy_mode": [
        call(
            lambda w: {"target": w.scratch.cat},
            lambda w, _: w.ask("#{pane_in_mode}", w.scratch.cat) == "1",
        )
    ],
    "exit_copy_mode": [
        Benign(
            lambda w: {"target": w.scratch.cat},
            lambda w, _: w.ask("#{pane_in_mode}", w.scratch.cat) == "0",
            lambda w, _: w.tmux("copy-mode", "-t", w.scratch.cat),
        )
    ],
}


def _piped(w: World, name: str) -> bool:
    """What the pane prints from now on is in the file of exactly that name."""
    w.tmux("send-keys", "-t", w.scratch.cat, "piped", "Enter")
    file = w.playground / name
    return file.exists() and "piped" in file.read_text()


def _cursor(w: World, ask: Call) -> str:
    return str(ask("capture_since", {"target": w.scratch.cat, "server": "lab"}).data["cursor"])


_READING: dict[str, list[Benign]] = {
    "capture_pane": [call(lambda w: {"target": w.scratch.cat}, lambda _, a: a.text.startswith("hello"))],
    "capture_since": [
        call(lambda w: {"target": w.scratch.cat}, lambda w, a: a.data["pane_id"] == w.scratch.cat),
        Benign(
            lambda w: {"cursor": w.kept["cursor"]},
            lambda _, a: a.data["lines"] == ["behind the cursor"],
            lambda w, ask: (
                w.kept.update(cursor=_cursor(w, ask)),
                w.tmux("send-keys", "-t", w.scratch.cat, "-l", "behind the cursor"),
            ),
        ),
    ],
    "snapshot_pane": [
        call(lambda w: {"target": w.scratch.cat}, lambda _, a: a.data["content"].startswith("hello"))
    ],
    "search_panes": [
        call(
            lambda w: {"pattern": "hello from", "target": w.scratch.session2},
            lambda w, a: _names("pane_id", a, "matches") == {w.scratch.cat3},
        )
    ],
    "batch_read": [
        call(
            lambda w: {
                "operations": [
                    {"tool": "capture_pane", "arguments": {"target": "nowhere"}},
                    {"tool": "capture_pane", "arguments": {"target": w.scratch.cat}},
                ],
                "on_error": "continue",
            },
            lambda _, a: "hello from scratch" in a.text and a.data["failed"] == 1,
        )
    ],
}

_TYPING: dict[str, list[Benign]] = {
    "send_keys": [
        call(lambda w: {"target": w.scratch.cat, "keys": "typed text"}, _typed(_cat, "typed text"))
    ],
    "send_keys_batch": [
        call(
            lambda w: {
                "operations": [
                    {"target": "nowhere", "keys": "x"},
                    {"target": w.scratch.cat, "keys": "typed text"},
                ],
                "on_error": "continue",
            },
            _typed(_cat, "typed text"),
        )
    ],
    "paste_text": [call(lambda w: {"target": w.scratch.cat, "text": "pasted"}, _typed(_cat, "pasted"))],
}


def _at_entry(answer: Answer) -> bool:
    return bool(answer.data["matched_at_entry"])


_WAITING: dict[str, list[Benign]] = {
    "wait_for_text": [
        call(
            lambda w: {"target": w.scratch.cat, "patterns": "hello from", "stop": "nope", "timeout": 0.05},
            lambda _, a: _at_entry(a),
        ),
        call(
            lambda w: {
                "target": w.scratch.cat,
                "patterns": ["hello from"],
                "stop": ["nope"],
                "timeout": 0.05,
            },
            lambda _, a: _at_entry(a),
        ),
    ],
    "wait_for_content_change": [
        call(
            lambda w: {"target": w.scratch.cat, "timeout": 0.05},
            lambda w, a: a.data["pane_id"] == w.scratch.cat,
        )
    ],
    "wait_for_idle": [
        call(
            lambda w: {"target": w.scratch.cat, "quiet_seconds": 0.02, "timeout": 1},
            lambda w, a: a.data["idle"] and a.data["pane_id"] == w.scratch.cat,
        )
    ],
    "wait_for_exit": [
        call(
            lambda w: {"target": w.scratch.sh, "timeout": 0.05},
            lambda w, a: a.data["outcome"] == "nothing_running" and a.data["pane_id"] == w.scratch.sh,
        )
    ],
    "wait_for_channel": [
        Benign(
            lambda _: {"channel": "bell", "timeout": 0.5},
            lambda _, a: a.data["signalled"],
            lambda w, _: w.tmux("wait-for", "-S", "bell"),
        )
    ],
    "signal_channel": [
        call(lambda _: {"channel": "ding"}, lambda w, _: w.tmux("wait-for", "ding").returncode == 0)
    ],
}

_SERVERS: dict[str, list[Benign]] = {
    "list_servers": [
        call(
            lambda w: {"extra_socket_paths": [str(w.hidden_socket)]},
            lambda w, a: (
                {str(w.sockets / "lab"), str(w.hidden_socket)}
                <= {one["socket_path"] for one in a.data["servers"]}
            ),
        )
    ],
    "get_server_info": [call(lambda _: {}, lambda _, a: a.data["is_alive"] and a.data["session_count"] >= 4)],
    "list_clients": [call(lambda _: {}, lambda _, a: "clients" in a.data)],
}

_SETTINGS: dict[str, list[Benign]] = {
    "display_message": [
        call(
            lambda w: {"format_string": "pane #{pane_id}", "target": w.scratch.cat2},
            lambda w, a: a.text == f"pane {w.scratch.cat2}",
        )
    ],
    "show_option": [
        call(
            lambda _: {"option": "status-interval", "scope": "session", "target": "scratch"},
            lambda _, a: a.data["value"] in {"15", 15},
        )
    ],
    "set_option": [
        call(
            lambda _: {"option": "@note", "value": "sung", "scope": "session", "target": "scratch"},
            lambda w, _: w.ask("#{@note}", "=scratch:") == "sung",
        ),
        call(
            lambda _: {"option": "status-left", "value": "[#{session_name}]", "target": "scratch"},
            lambda w, _: w.ask("#{T:status-left}", "=scratch:") == "[scratch]",
        ),
        call(
            lambda _: {"option": "mouse", "value": "on", "target": "scratch"},
            lambda w, _: "mouse on" in w.tmux("show-options", "-t", "=scratch:").stdout,
        ),
        call(  # Its value is a tmux command, which a hook would take.
            lambda _: {"option": "@word", "value": "list-keys", "target": "scratch"},
            lambda w, _: w.ask("#{@word}", "=scratch:") == "list-keys",
        ),
    ],
    "show_environment": [
        Benign(
            lambda _: {"target": "scratch"},
            lambda _, a: a.data["variables"].get("NOTE") == "sung",
            lambda w, _: w.tmux("set-environment", "-t", "=scratch:", "NOTE", "sung"),
        )
    ],
    "set_environment": [
        call(
            lambda _: {"name": "NOTE", "value": "sung", "target": "scratch"},
            lambda w, _: "NOTE=sung" in w.tmux("show-environment", "-t", "=scratch:").stdout,
        )
    ],
    "show_hooks": [
        Benign(
            lambda _: {"scope": "session", "target": "scratch"},
            lambda _, a: "alert-silence" in a.text,
            lambda w, _: w.tmux("set-hook", "-t", "=scratch:", "alert-silence", "display-message x"),
        )
    ],
    "show_hook": [
        Benign(
            lambda _: {"hook_name": "alert-silence", "scope": "session", "target": "scratch"},
            lambda _, a: "display-message" in a.text,
            lambda w, _: w.tmux("set-hook", "-t", "=scratch:", "alert-silence", "display-message x"),
        )
    ],
}


def _load(w: World, ask: Call) -> None:
    answer = ask("load_buffer", {"content": "from a buffer", "logical_name": "b", "server": "lab"})
    w.kept["buffer"] = answer.data.get("buffer_name", "")


def _buffers(w: World) -> str:
    return w.tmux("list-buffers").stdout


_BUFFERS: dict[str, list[Benign]] = {
    "load_buffer": [
        call(
            lambda _: {"content": "from a buffer", "logical_name": "mine"},
            lambda w, a: (
                a.data["buffer_name"].endswith("mine")
                and w.tmux("show-buffer", "-b", a.data["buffer_name"]).stdout == "from a buffer"
            ),
        )
    ],
    "paste_buffer": [
        Benign(
            lambda w: {"buffer_name": w.kept["buffer"], "target": w.scratch.cat},
            _typed(_cat, "from a buffer"),
            _load,
        )
    ],
    "show_buffer": [
        Benign(lambda w: {"buffer_name": w.kept["buffer"]}, lambda _, a: a.text == "from a buffer", _load)
    ],
    "delete_buffer": [
        Benign(
            lambda w: {"buffer_name": w.kept["buffer"]},
            lambda w, _: w.kept["buffer"] not in _buffers(w),
            _load,
        )
    ],
}


def _gone(kind: str, target: str) -> Callable[[World, Answer], object]:
    listing = {"pane": "list-panes", "window": "list-windows"}.get(kind)

    def seen(w: World, _: Answer) -> bool:
        everywhere = [listing, "-a"] if listing else ["list-sessions"]
        ids = w.tmux(*everywhere, "-F", f"#{{{kind}_id}}").stdout.split()
        return (
            getattr(w.scratch, target) not in ids
            and w.scratch.session2 in w.tmux("list-sessions", "-F", "#{session_id}").stdout.split()
        )

    return seen


_DESTROY: dict[str, list[Benign]] = {
    "kill_pane": [call(lambda w: {"target": w.scratch.cat}, _gone("pane", "cat"))],
    "kill_window": [call(lambda w: {"target": w.scratch.window}, _gone("window", "window"))],
    "kill_session": [call(lambda w: {"target": w.scratch.session}, _gone("session", "session"))],
    "kill_server": [
        Benign(
            lambda _: {"server": "doomed"},
            lambda w, _: w.tmux("list-sessions", server="doomed").returncode != 0,
            lambda w, _: w.tmux("new-session", "-d", "exec cat", server="doomed"),
        )
    ],
}

_PROMPTS: dict[str, list[Benign]] = {
    "list_prompts": [call(lambda _: {}, lambda _, a: "diagnose_failing_pane" in a.text)],
    "get_prompt": [
        call(
            lambda _: {"name": "diagnose_failing_pane", "arguments": {"pane_id": "%777"}},
            lambda _, a: "%777" in a.text,
        )
    ],
}

FULL = {
    **_COMMANDS,
    **_SESSIONS,
    **_WINDOWS,
    **_PANES,
    **_READING,
    **_TYPING,
    **_WAITING,
    **_SERVERS,
    **_SETTINGS,
    **_BUFFERS,
    **_DESTROY,
    **_PROMPTS,
}

CLASSIC: dict[str, list[Benign]] = {
    "tmux_list_sessions": [call(lambda _: {}, lambda _, a: "scratch2" in a.text)],
    "tmux_create_session": [
        call(
            lambda _: {"name": "made", "command": "printf begun; exec cat", "window_name": "also"},
            lambda w, _: w.ask("#{window_name}", "=made:") == "also" and "begun" in w.screen("=made:"),
        )
    ],
    "tmux_rename_session": [
        call(
            lambda _: {"old_name": "scratch", "new_name": "renamed"},
            lambda w, _: w.ask("#{session_name}", w.scratch.session) == "renamed",
        )
    ],
    "tmux_kill": [
        call(lambda w: {"target": w.scratch.window, "type": "window"}, _gone("window", "window")),
        call(lambda w: {"target": w.scratch.cat}, _gone("pane", "cat")),
    ],
    "tmux_list_windows": [
        call(lambda _: {"session": "scratch2"}, lambda _, a: "three" in a.text and "two" not in a.text)
    ],
    "tmux_create_window": [
        call(
            lambda _: {"session": "scratch", "name": "new", "command": "printf begun; exec cat"},
            lambda w, _: "begun" in w.screen("=scratch:new"),
        )
    ],
    "tmux_select_window": [
        call(
            lambda w: {"target": w.scratch.window2},
            lambda w, _: w.ask("#{window_active}", w.scratch.window2) == "1",
        )
    ],
    "tmux_rename_window": [
        call(
            lambda w: {"target": w.scratch.window, "new_name": "renamed"},
            lambda w, _: w.ask("#{window_name}", w.scratch.window) == "renamed",
        )
    ],
    "tmux_list_panes": [
        call(
            lambda w: {"target": w.scratch.window2},
            lambda w, a: w.scratch.cat2 in a.text and w.scratch.sh not in a.text,
        )
    ],
    "tmux_split_window": [
        call(
            lambda w: {"target": w.scratch.cat, "size": "5", "command": "printf begun; exec cat"},
            lambda w, _: (
                _pane_count(w) == 3
                and any(
                    "begun" in w.screen(pane)
                    for pane in w.tmux(
                        "list-panes", "-t", w.scratch.window, "-F", "#{pane_id}"
                    ).stdout.split()
                )
            ),
        )
    ],
    "tmux_select_pane": [
        call(lambda w: {"target": w.scratch.sh}, lambda w, _: w.ask("#{pane_active}", w.scratch.sh) == "1")
    ],
    "tmux_resize_pane": [
        call(
            lambda w: {"target": w.scratch.cat, "direction": "down", "amount": 3},
            lambda w, _: w.ask("#{pane_height}", w.scratch.cat) == "18",
        )
    ],
    "tmux_send_keys": [
        call(lambda w: {"target": w.scratch.cat, "keys": "typed text"}, _typed(_cat, "typed text"))
    ],
    "tmux_read_pane": [call(lambda w: {"target": w.scratch.cat}, lambda _, a: "hello from" in a.text)],
}

MINI: dict[str, list[Benign]] = {
    "list_sessions": [call(lambda _: {}, lambda _, a: "scratch2" in a.text)],
    "has_session": [call(lambda _: {"name": "scratch"}, lambda _, a: json.loads(a.text)["exists"])],
    "list_windows": [call(lambda _: {"name": "scratch2"}, lambda _, a: "three" in a.text)],
    "capture_pane": [call(lambda _: {"name": "scratch"}, lambda _, a: "hello from" in a.text)],
    "send_keys": [call(lambda _: {"name": "scratch", "keys": "typed text"}, _typed(_cat, "typed text"))],
    "kill_session": [call(lambda _: {"name": "scratch"}, _gone("session", "session"))],
    "new_session": [
        call(
            lambda w: {"name": "made", "command": f"echo {MARK}", "cwd": str(w.playground)},
            lambda w, _: (
                "m42k" in w.screen("=made:") and w.ask("#{pane_current_path}", "=made:") == str(w.playground)
            ),
        )
    ],
}


def content_uri(pane: str) -> str:
    return f"tmux://panes/{quote(pane, safe='')}/content?socket_name=lab"


def _completion(ref: Json, name: str, value: str, **given: str) -> Json:
    return {
        "ref": ref,
        "argument": {"name": name, "value": value},
        "context": {"arguments": {"socket_name": "lab", **given}},
    }


_TEMPLATE = {"type": "ref/resource", "uri": "tmux://sessions/{session_name}{?socket_name}"}
_WINDOW_TEMPLATE = {
    "type": "ref/resource",
    "uri": "tmux://sessions/{session_name}/windows/{window_index}{?socket_name}",
}


def _first_text(answer: Answer) -> str:
    return str(answer.result["contents"][0]["text"])


REQUESTS: dict[str, list[Benign]] = {
    "resources/read": [
        call(lambda _: {"uri": "tmux://sessions?socket_name=lab"}, lambda _, a: "scratch2" in _first_text(a)),
        call(
            lambda _: {"uri": "tmux://sessions/scratch?socket_name=lab"},
            lambda w, a: w.scratch.window in _first_text(a),
        ),
        call(
            lambda _: {"uri": "tmux://sessions/scratch/windows?socket_name=lab"},
            lambda w, a: w.scratch.window2 in _first_text(a),
        ),
        call(
            lambda _: {"uri": "tmux://sessions/scratch/windows/0?socket_name=lab"},
            lambda w, a: w.scratch.sh in _first_text(a),
        ),
        call(
            lambda w: {"uri": f"tmux://panes/{quote(w.scratch.cat)}?socket_name=lab"},
            lambda w, a: w.scratch.cat in _first_text(a),
        ),
        call(lambda w: {"uri": content_uri(w.scratch.cat)}, lambda _, a: "hello from" in _first_text(a)),
    ],
    "resources/subscribe": [
        call(lambda w: {"uri": content_uri(w.scratch.cat)}, lambda _, a: a.accepted),
    ],
    "resources/unsubscribe": [
        Benign(
            lambda w: {"uri": content_uri(w.scratch.cat)},
            lambda _, a: a.accepted,
            lambda w, ask: ask("resources/subscribe", {"uri": content_uri(w.scratch.cat)}),
        ),
    ],
    "completion/complete": [
        call(
            lambda _: _completion(_TEMPLATE, "session_name", "scr"),
            lambda _, a: set(a.result["completion"]["values"]) == {"scratch", "scratch2"},
        ),
        call(
            lambda _: _completion(_WINDOW_TEMPLATE, "window_index", "", session_name="scratch"),
            lambda _, a: a.result["completion"]["values"] == ["0", "1"],
        ),
        call(
            lambda _: _completion({"type": "ref/prompt", "name": "diagnose_failing_pane"}, "pane_id", "%"),
            lambda w, a: w.scratch.cat in a.result["completion"]["values"],
        ),
    ],
}
"""What else a client can ask with text in it. Prompts come by their own list."""

TABLES = {"full": FULL, "classic": CLASSIC, "mini": MINI}
