"""A tmux server that may be mistreated, a muxpilot on it with all tools, and somebody who must not notice.

`main` is there for whatever a call does; `bystander` is named by nobody.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lab import TMUX, Lab, eventually
from tests.mcp.client import RawClient, mcp_server

Json = dict[str, Any]
CONDITIONS = {
    *(
        "bad_input",
        "bad_target",
        "not_found",
        "ambiguous",
        "refused",
        "pane_ended",
        "tmux_error",
        "socket_unusable",
    ),
    *("server_not_running", "server_mismatch", "server_gone", "server_unresponsive", "command_failed"),
}
"""Whatever a call may be told. Not `error`, which is what nobody thought of, nor `protocol_broken`."""
UNREADABLE = {-32600, -32700}
"""How JSON-RPC says that a message can't be read: half a character, too deep. -32603 would be our fault."""
SECONDS = 20.0
MOST_PANES = 30


class Stage:
    def __init__(self, folder: Path, lab: Lab, client: RawClient) -> None:
        self.canary = folder / "canary"
        self.client = client
        self.folder = folder
        self._lab = lab
        self._seen = ("", "")

    def tools(self) -> dict[str, Json]:
        return {tool["name"]: tool for tool in self.client.request("tools/list")["tools"]}

    def ready(self) -> None:
        """Everything is in its place, made anew where it was ended."""
        panes = self._lab.try_tmux("list-panes", "-a", "-F", "#{session_name}").stdout.split("\n")
        if "bystander" not in panes or len(panes) > MOST_PANES:
            self._lab.try_tmux("kill-server")
            self._lab.new_session("bystander", "printf 'nobody asked me'; exec cat")
            eventually(lambda: "nobody" in self._lab.screen("bystander"))
        if "main" not in panes or len(panes) > MOST_PANES:
            self._lab.new_session("main", "exec cat")
            self._lab.tmux("split-window", "-d", "-t", "main", "exec sh")
            self._lab.tmux("new-window", "-d", "-t", "main", "-n", "two", "exec cat")
        self._seen = self._bystander()

    def call(self, name: str, arguments: Json) -> Json:
        """The answer, which must be one: a result, or a refusal with its condition."""
        started = time.monotonic()
        answer = self.client.wait(self.client.start("tools/call", {"name": name, "arguments": arguments}))
        assert time.monotonic() - started < SECONDS
        if "error" in answer:
            assert answer["error"]["code"] in UNREADABLE, answer
            return {"isError": True}
        result: Json = answer["result"]
        if result.get("isError"):
            assert result["_meta"]["condition"] in CONDITIONS, result
        return result

    def check(self) -> None:
        """Nothing ran that was only text, nobody else noticed, and the server still answers."""
        gone = self._lab.try_tmux(
            "run-shell", "true"
        ).returncode  # Behind whatever tmux may have been told to run.
        assert not self.canary.exists()
        listed = self.call("list_sessions", {})
        if gone or "isError" in listed or "bystander" not in listed["content"][0]["text"]:
            return  # It was ended, as a destructive tool may; `ready` begins anew.
        assert self._bystander() == self._seen

    def _bystander(self) -> tuple[str, str]:
        pid = self._lab.try_tmux("display-message", "-p", "#{pid}").stdout
        shown = self._lab.try_tmux("capture-pane", "-p", "-t", "=bystander:").stdout
        return pid, shown

    def run(self, command: str) -> None:
        self._lab.tmux("run-shell", command)

    def end(self) -> None:
        """Calls may have made tmux servers of other names too."""
        for socket in self.folder.glob("tmux-*/*"):
            subprocess.run(
                [TMUX, "-S", str(socket), "kill-server"], capture_output=True, timeout=20, check=False
            )


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    lab = Lab(folder)
    with mcp_server(lab, safety="destructive") as client:
        one = Stage(folder, lab, client)
        try:
            yield one
        finally:
            one.end()
            lab.end()
