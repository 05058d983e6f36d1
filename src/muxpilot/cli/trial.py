"""A muxpilot to try out: a private tmux in a temporary folder, and a real client over stdio."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SOCKET = "muxpilot-trial"
WORDS, CODE = "muxpilot says hello", 7

_SETTINGS = ("TMUX", "MUXPILOT_", "LIBTMUX_")
"""Variables that could lead to the user's own tmux."""


@contextmanager
def private_tmux(environ: Mapping[str, str], tmux_bin: str = "tmux") -> Iterator[dict[str, str]]:
    """An environment in which muxpilot reaches a tmux of its own, which is ended with the block."""
    with tempfile.TemporaryDirectory(prefix="muxpilot-") as folder:
        private = {name: value for name, value in environ.items() if not name.startswith(_SETTINGS)}
        private |= {"TMUX_TMPDIR": folder, "MUXPILOT_SOCKET": SOCKET, "MUXPILOT_TMUX_CONFIG": os.devnull}
        private |= {"HISTFILE": os.devnull, "fish_history": ""}  # What is tried is not remembered.
        private |= {"MUXPILOT_STATE_DIR": f"{folder}/state", "MUXPILOT_TMUX_BIN": tmux_bin}
        try:
            yield private
        finally:
            kill = [tmux_bin, "-L", SOCKET, "kill-server"]
            subprocess.run(kill, env=private, capture_output=True, check=False)


def server_in(environ: dict[str, str]) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "muxpilot"], env=environ)


@dataclass(frozen=True, slots=True)
class Trial:
    seconds: float
    problem: str = ""


async def try_command(environ: dict[str, str], patience: float) -> Trial:
    """Run a command as an agent would, and compare what comes back."""
    with anyio.fail_after(patience):
        async with Client(stdio_client(server_in(environ))) as client:
            for _ in range(2):  # The first one makes the terminal.
                began = anyio.current_time()
                command = f"echo {WORDS}; sh -c 'exit {CODE}'"
                result = await client.call_tool("run_command", {"command": command})
                seconds = anyio.current_time() - began
            facts = result.structured_content or {}
            said = (facts.get("exit_code"), facts.get("output"))
            if said != (CODE, WORDS):
                answer = " ".join(getattr(block, "text", "") for block in result.content)
                return Trial(seconds, f"a trial command came back as {said!r}: {answer[:200]}")
            return Trial(seconds)
