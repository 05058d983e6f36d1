"""The agents that people use, as far as they go without an account: they start muxpilot and look at it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clients.programs import (
    MUXPILOT,
    OFFERED,
    PATIENCE,
    Json,
    as_flags,
    client_environ,
    installed,
    muxpilot_environ,
    run_client,
)
from tests.lab import Lab

pytestmark = [installed, pytest.mark.long]

NOBODY = "http://127.0.0.1:9"
"""Where no model answers: nothing here is to reach for one."""


def test_claude_code_connects(lab: Lab) -> None:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    adding = ["claude", "mcp", "add", "muxpilot", *as_flags(muxpilot_environ(lab)), "--", MUXPILOT]
    run_client(lab, *adding, environ=quiet)
    listed = run_client(lab, "claude", "mcp", "list", environ=quiet)
    assert f"muxpilot: {MUXPILOT}" in listed.stdout
    assert "✔ Connected" in listed.stdout


def test_gemini_cli_connects(lab: Lab) -> None:
    trusting = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    work = Path(lab.environ["HOME"], "work")  # In the home itself it would see no settings of the user.
    work.mkdir()
    flags = ["--scope", "user", "--timeout", str(int(PATIENCE * 1000)), *as_flags(muxpilot_environ(lab))]
    run_client(lab, "gemini", "mcp", "add", *flags, "muxpilot", MUXPILOT, cwd=work, environ=trusting)
    listed = run_client(lab, "gemini", "mcp", "list", cwd=work, environ=trusting)
    assert f"muxpilot: {MUXPILOT}  (stdio) - Connected" in listed.stderr


class Codex:
    """`codex app-server`: JSON-RPC, one object a line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._count = 0

    def request(self, method: str, **params: Any) -> Any:
        self._count += 1
        self.send({"id": self._count, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._count:
                assert "error" not in message, message
                return message["result"]
        raise AssertionError("codex is gone")

    def send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def codex_app_server(lab: Lab) -> Iterator[Codex]:
    """With muxpilot in its configuration, greeted, until the block ends."""
    home = Path(lab.environ["HOME"], "codex")
    home.mkdir()
    environ = "".join(f"{name} = {json.dumps(value)}\n" for name, value in muxpilot_environ(lab).items())
    (home / "config.toml").write_text(
        'model_provider = "nobody"\n'
        f'[model_providers.nobody]\nname = "nobody"\nbase_url = "{NOBODY}"\n'
        f"[mcp_servers.muxpilot]\ncommand = {json.dumps(MUXPILOT)}\n"
        f"[mcp_servers.muxpilot.env]\n{environ}"
    )
    with subprocess.Popen(
        ["codex", "app-server"],
        env=client_environ(lab, {"CODEX_HOME": str(home)}),
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            codex = Codex(process)
            codex.request("initialize", clientInfo={"name": "tests", "title": "tests", "version": "1"})
            codex.send({"method": "initialized"})
            yield codex
            assert process.stdin is not None
            process.stdin.close()
            process.wait(PATIENCE)
        finally:
            process.kill()


def test_codex_lists_our_tools(lab: Lab) -> None:
    with codex_app_server(lab) as codex:
        (muxpilot,) = codex.request("mcpServerStatus/list")["data"]
    assert muxpilot["serverInfo"]["name"] == "muxpilot"
    assert set(muxpilot["tools"]) == OFFERED
    assert [one["uri"] for one in muxpilot["resources"]] == ["tmux://sessions"]


def test_codex_runs_a_command_in_a_terminal(lab: Lab) -> None:
    with codex_app_server(lab) as codex:
        thread = codex.request("thread/start", ephemeral=True)["thread"]["id"]
        call = {"threadId": thread, "server": "muxpilot", "tool": "terminal"}
        result = codex.request("mcpServer/tool/call", **call, arguments={"command": "echo $((6 * 7)); false"})
    facts = result["structuredContent"]
    assert (facts["output"], facts["exit_code"]) == ("42", 1)
