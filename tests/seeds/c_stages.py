"""Where document C's calls are played: a stage for each state that its pages assume, and how one is played.

A fresh tmux server numbers from 0, so the ids that the document prints are the ids that exist. Mapped are:
absolute paths, which lie below the stage's own folder; `%A`, `%B`, `%C`; a cursor and a buffer's name, which
are those of the last answer that had one. What its shells run (npm, pytest, vim ...) are small scripts.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import ANY

from tests.lab import TMUX, Lab, eventually
from tests.mcp.client import Json, RawClient, mcp_server

PROJECT = "/home/user/myproject"
NO_STATUS = "start-server ; set-option -g status off ; "
"""An old tmux takes the status line off the size that a session is made with."""
LETTERS = {"%A": "%0", "%B": "%1", "%C": "%2"}
POSITIONAL = {"wait_for_channel": "channel"}
ENDLESS = "while :; do date +%N; sleep 0.1; done"
FILES = {
    ".profile": "PATH=$HOME/bin:$PATH PS1='$ '\n",
    "bin/npm": 'case "$*" in start) echo Server listening on port 8000;; "run serve") echo Listening on :1;;'
    '"run dev") echo ready;; test*) echo 5 passed;; esac',
    "bin/pnpm": 'case "$1" in start) echo "  Local: http://localhost:5173/";; exec) echo 1 passed;; esac',
    "bin/pytest": 'echo "FAIL: test_upload (AssertionError)"; echo "3 tests: 2 passed, 1 failed"\n'
    '[ "$1" = -x ] && echo "on $DATABASE_URL" && exec cat',
    "bin/vim": ENDLESS,
    "bin/watch": ENDLESS,
    "home/user/tests.txt": '$ echo "Running tests..."\nRunning tests...\n$ echo "PASS: test_auth (0.3s)"\n'
    'PASS: test_auth (0.3s)\n$ echo "FAIL: test_upload (AssertionError)"\n'
    "FAIL: test_upload (AssertionError)\n"
    '$ echo "3 tests: 2 passed, 1 failed"\n3 tests: 2 passed, 1 failed\n',
    "home/user/pytest.txt": "$ pytest -vv\ntests/test_api.py::test_health PASSED\n",
    "home/user/url.txt": "Local: http://localhost:5173/\n",
    "home/user/lint.txt": "error: Type 'string' is not assignable\n",
}
FOLDERS = ("home/user/myproject", "home/user/project", "home/dev/myproject", "home/user/.cache/tmux", "tmp")


@dataclass(frozen=True, slots=True)
class Row:
    """A call as the document prints it: JSON, `tool(name=value)`, a `tmux://` URI or `prompt name(...)`."""

    line: int
    call: str
    has: Any = None
    """What must be in the answer: fields, rows or text, with the values that the document prints."""
    before: str = ""
    """A tmux command that brings about what the page assumes."""
    seen: tuple[str, str] | None = None
    """A tmux command, and what it prints as soon as that is so."""
    then: tuple[str, str] | None = None
    """A tmux command, and what it must print soon after the call."""
    refused: str = ""
    """The document says that it is refused; the condition that we give."""
    wrong: str = ""
    """Why it does not work yet."""
    wrong_on_old: str = ""
    """The same, with a tmux before 3.3."""

    def parsed(self) -> tuple[str, Json]:
        if self.call.startswith("{"):
            found = json.loads(self.call)
            return found["tool"], found["arguments"]
        node = ast.parse(self.call.removeprefix("prompt "), mode="eval").body
        assert isinstance(node, ast.Call)
        tool = ast.unparse(node.func)
        given = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
        if node.args:
            given[POSITIONAL[tool]] = ast.literal_eval(node.args[0])
        return tool, given


@dataclass(frozen=True, slots=True)
class Stage:
    setup: tuple[str, ...]
    rows: tuple[Row, ...]
    ready: tuple[tuple[str, str], ...] = ()
    """tmux commands, and what they print once the stage is set."""
    socket: str = "lab"
    """The setting; empty: tmux's own default."""


def pane(pane_id: str, index: str, width: str, height: str, active: str = "1", **more: Any) -> dict[str, Any]:
    facts = {"pane_id": pane_id, "pane_index": index, "pane_width": width, "pane_height": height}
    facts |= {"pane_current_command": "sh", "pane_current_path": PROJECT, "pane_pid": ANY, "pane_title": ANY}
    return facts | {"pane_active": active, "window_id": "@0", "session_id": "$0", "is_caller": False} | more


def window(
    window_id: str, name: str, index: str, panes: int, active: str = "1", **more: Any
) -> dict[str, Any]:
    facts = {"window_id": window_id, "window_name": name, "window_index": index, "pane_count": panes}
    facts |= {"session_id": "$0", "session_name": "dev", "window_layout": ANY, "window_active": active}
    return facts | {"window_width": "80", "window_height": "24"} | more


def session(session_id: str, name: str, count: int, **more: Any) -> dict[str, Any]:
    facts = {"session_id": session_id, "session_name": name, "window_count": count}
    return facts | {"session_attached": "0", "session_created": ANY} | more


class Player:
    """Plays one stage's calls in their order, on one server."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        self.folder = folder
        self.lab = furnished(folder)
        self._last: dict[str, str] = {}

    def play(self) -> list[Json | AssertionError]:
        """Each row's answer, or what went wrong around it."""
        try:
            for command in self.stage.setup:
                self.tmux(command)
            for command, pattern in self.stage.ready:
                self._see(command, pattern)
            with mcp_server(self.lab, socket=self.stage.socket) as client:
                return [self._answer(client, row) for row in self.stage.rows]
        finally:
            for command in self.stage.setup:
                if command.startswith("-"):
                    self.lab.try_tmux(*shlex.split(self.mapped(command))[:2], "kill-server")
            self.lab.end()

    def tmux(self, command: str) -> str:
        return self.lab.tmux(*shlex.split(self.mapped(command)))

    def mapped(self, value: Any) -> Any:
        """The same with what can't be as printed; see above."""
        if isinstance(value, str):
            for printed, real in {**LETTERS, **self._last}.items():
                value = value.replace(printed, real)
            return re.sub(r"(?<![\w/:*])/(?=(home|tmp)/)", f"{self.folder}/", value)
        if isinstance(value, dict):
            return {name: self.mapped(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.mapped(one) for one in value]
        return value

    def _answer(self, client: RawClient, row: Row) -> Json | AssertionError:
        try:
            if row.before:
                self.tmux(row.before)
            if row.seen:
                self._see(*row.seen)
            answer = self._ask(client, row)
            if row.then:
                self._see(*row.then)
        except AssertionError as error:
            return error
        told = answer.get("structuredContent", {})
        if "cursor" in told:
            self._last["capture-since-v1:..."] = told["cursor"]
        if "buffer_name" in told:
            self._last["libtmux_mcp_a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6_loop"] = told["buffer_name"]
        return answer

    def _ask(self, client: RawClient, row: Row) -> Json:
        if row.call.startswith("tmux://"):
            return client.request("resources/read", {"uri": row.call})
        name, arguments = row.parsed()
        method = "prompts/get" if row.call.startswith("prompt ") else "tools/call"
        return client.request(method, {"name": name, "arguments": self.mapped(arguments)})

    def _see(self, command: str, pattern: str) -> None:
        argv = shlex.split(self.mapped(command))

        def shows() -> bool:
            done = self.lab.try_tmux(*argv)
            return re.search(pattern, (done.stdout + done.stderr).rstrip()) is not None

        eventually(shows)


def furnished(folder: Path) -> Lab:
    """A lab with the document's folders and programs, where everything is allowed."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/tmux").symlink_to(shutil.which(TMUX) or TMUX)
    for name, text in FILES.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n" if name.startswith("bin/") else text)
        path.chmod(0o755)
    lab = Lab(folder)
    lab.environ |= {"PATH": f"{folder}/bin:{lab.environ['PATH']}", "SHELL": "/bin/sh"}
    lab.environ["LIBTMUX_SAFETY"] = "destructive"
    return lab


def facts(answer: Json) -> Any:
    """What a client reads: the structure of a tool's answer, a resource's document, or text."""
    if "contents" in answer:
        (document,) = answer["contents"]
        return (
            json.loads(document["text"]) if document["mimeType"] == "application/json" else document["text"]
        )
    if "messages" in answer:
        return answer["messages"][0]["content"]["text"]
    return answer.get("structuredContent", text(answer))


def text(answer: Json) -> str:
    parts: Iterable[Json] = answer.get("content", ())
    return "\n".join(part["text"] for part in parts)


def agrees(printed: Any, ours: Any) -> bool:
    """Whether ours says what is printed, though more, and with real types where they print strings."""
    if isinstance(printed, dict):
        return isinstance(ours, dict) and all(
            name in ours and agrees(value, ours[name]) for name, value in printed.items()
        )
    if isinstance(printed, list):
        rows = ours if isinstance(ours, list) else next(iter(ours.values()))
        return bool(printed or not rows) and all(any(agrees(one, row) for row in rows) for one in printed)
    if isinstance(printed, str) and isinstance(ours, bool | int):
        return printed == str(int(ours))
    return bool(printed == ours)
