"""`muxpilot demo`: a real MCP client starts the server, drives a terminal, and shows what came back.

It uses a private tmux socket in a temporary folder and leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import sys
import time

import anyio

from muxpilot.cli.trial import SERVER, SOCKET, private_tmux
from muxpilot.errors import BadInput

try:
    import mcp_types as types
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client
except ImportError:
    raise BadInput(
        "the demo's client, the MCP SDK, is not installed",
        hint="make demo installs it; else pip install 'muxpilot[demo]'",
    ) from None

MOST_LINES = 20

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
    with private_tmux(os.environ) as environ:
        anyio.run(_show, environ)
    return 0


async def _show(environ: dict[str, str]) -> None:
    started = time.perf_counter()
    async with Client(stdio_client(_server(environ))) as client:
        show = _Show(client)
        tools = (await client.list_tools()).tools
        names = ", ".join(tool.name for tool in tools)
        print(f"{BOLD}An MCP client started muxpilot over stdio{PLAIN} {DIM}({_since(started)}){PLAIN}")
        print(f"{DIM}It offers {len(tools)} tools: {names}{PLAIN}\n")
        print(f"{BOLD}To watch{PLAIN}: TMUX_TMPDIR={environ['TMUX_TMPDIR']} tmux -L {SOCKET} attach\n")
        await _drive(show)
        print(f"\n{BOLD}That was a real tmux server on a private socket; it is gone now.{PLAIN}")
        print(f"{DIM}Against your own, `tmux attach` shows you what the agent sees, while it works.{PLAIN}")


def _server(environ: dict[str, str]) -> StdioServerParameters:
    python, *arguments = SERVER
    return StdioServerParameters(command=python, args=arguments, env=environ)


async def _drive(show: _Show) -> None:
    await show.call("a command that fails: its exact exit code", "terminal", command="ls /no-such-folder")
    await show.call("folder and variables stay", "terminal", command="cd /tmp; export WHO=you")
    await show.call("until the next call", "terminal", command='echo "hello $WHO from $PWD"')
    await show.call("a long output: both ends here, all of it on disk", "terminal", command="seq 100000")
    await show.call(
        "a program that asks", "terminal", command="sh -c 'printf \"name? \"; read x; echo hi $x'"
    )
    await show.call("is answered", "terminal", command="muxpilot", is_input=True)
    await show.call("one that takes too long goes on", "terminal", command="sleep 60", timeout=0.5)
    await show.call("until Ctrl-C", "interrupt")
    await show.call("side by side, and shared with you", "list_panes")
    await show.call("a wrong name is an error that helps", "capture_pane", target="muxpilo")


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
        lines = _aligned(_text(result))
        for line in lines if len(lines) <= MOST_LINES else [*lines[:4], "...", *lines[-3:]]:
            print(f"  {colour}│{PLAIN} {line}")
        if len(lines) > MOST_LINES:
            note = next(line for line in lines if "left out" in line)
            print(f"  {DIM}(in the middle of it: {note}){PLAIN}")


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
