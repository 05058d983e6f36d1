"""`muxpilot demo`: a real MCP client starts the server, drives a terminal, and shows what came back.

It uses a private tmux socket in a temporary folder and leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SOCKET = "muxpilot-demo"

_SETTINGS = ("TMUX", "MUXPILOT_", "LIBTMUX_")
"""Variables that could lead the demo to the user's own tmux."""

BOLD, DIM, GREEN, CYAN, RED, PLAIN = (
    ("\033[1m", "\033[2m", "\033[32m", "\033[36m", "\033[31m", "\033[0m")
    if sys.stdout.isatty()
    else ("",) * 6
)


def run() -> int:
    """Show it; returns the exit status."""
    if shutil.which("tmux") is None:
        print("The demo needs tmux. Install it (apt install tmux, brew install tmux) and try again.")
        return 1
    with _private_tmux() as environ:
        anyio.run(_show, environ)
    return 0


@contextmanager
def _private_tmux() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="muxpilot-demo-") as folder:
        environ = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
        environ |= {"TMUX_TMPDIR": folder, "MUXPILOT_SOCKET": SOCKET, "MUXPILOT_TMUX_CONFIG": os.devnull}
        try:
            yield environ
        finally:
            subprocess.run(
                ["tmux", "-L", SOCKET, "kill-server"], env=environ, capture_output=True, check=False
            )


async def _show(environ: dict[str, str]) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "muxpilot"], env=environ)
    started = time.perf_counter()
    async with Client(stdio_client(server)) as client:
        show = _Show(client)
        tools = (await client.list_tools()).tools
        names = ", ".join(tool.name for tool in tools)
        print(f"{BOLD}An MCP client started muxpilot over stdio{PLAIN} {DIM}({_since(started)}){PLAIN}")
        print(f"{DIM}It offers {len(tools)} tools: {names}{PLAIN}\n")
        await _drive(show)
        print(f"\n{BOLD}That was a real tmux server on a private socket; it is gone now.{PLAIN}")
        print(f"{DIM}Against your own, `tmux attach` shows you what the agent sees, while it works.{PLAIN}")


async def _drive(show: _Show) -> None:
    await show.call("what is there?", "list_sessions")
    created = await show.call("make a session", "create_session", session_name="demo", x=72, y=14)
    pane = created["active_pane_id"]
    cursor = (await show.call("remember where it stands", "capture_since", target=pane))["cursor"]
    await show.call(
        "type a command", "send_keys", target=pane, keys="uname -s; sleep 0.3; echo the answer is $((6 * 7))"
    )
    await show.call(
        "wait for its output, not for its echo", "wait_for_text", target=pane, patterns=["answer is"]
    )
    await show.call("read only what is new", "capture_since", cursor=cursor)
    await show.call("find it in all panes", "search_panes", pattern="answer is 42")
    await show.call("a wrong name is an error that helps", "capture_pane", target="dem")


class _Show:
    """Calls tools and prints what was asked and answered."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, title: str, tool: str, **arguments: object) -> dict[str, str]:
        started = time.perf_counter()
        result = await self._client.call_tool(tool, arguments)
        self._print(title, tool, arguments, result, _since(started))
        return dict(result.structured_content or {})

    def _print(
        self, title: str, tool: str, arguments: dict[str, object], result: types.CallToolResult, took: str
    ) -> None:
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        colour = RED if result.is_error else GREEN
        print(f"{BOLD}{title}{PLAIN}\n  {CYAN}{tool}({given}){PLAIN} {DIM}{took}{PLAIN}")
        for line in _aligned(_text(result)):
            print(f"  {colour}│{PLAIN} {line}")


def _aligned(text: str) -> list[str]:
    """A tab-separated table in columns; other text as it is."""
    rows = [line.split("\t") for line in text.split("\n")]
    if len({len(row) for row in rows}) != 1 or len(rows[0]) == 1:
        return text.split("\n")
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def _since(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:.1f} ms"
