"""A muxpilot to try out: a private tmux in a temporary folder, and a command run in it over stdio."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import anyio
import orjson

from muxpilot.errors import MuxpilotError
from muxpilot.tmux import Endpoint, oneshot

SOCKET = "muxpilot-trial"
WORDS, CODE = "muxpilot says hello", 7
PATIENCE = 10.0
"""Seconds that the private tmux has to end."""

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
            with suppress(MuxpilotError):  # There may be none.
                anyio.run(oneshot, Endpoint(SOCKET, tmux_bin, environ=private), ["kill-server"], PATIENCE)


SERVER = (sys.executable, "-m", "muxpilot")


@dataclass(frozen=True, slots=True)
class Trial:
    seconds: float
    problem: str = ""


async def try_command(environ: dict[str, str], patience: float) -> Trial:
    """Run a command as an agent would, and compare what comes back."""
    command = f"echo {WORDS}; sh -c 'exit {CODE}'"
    with anyio.fail_after(patience):
        async with _server(environ) as server:
            for _ in range(2):  # The first one makes the terminal.
                began = anyio.current_time()
                result = await server.ask("tools/call", name="run_command", arguments={"command": command})
                seconds = anyio.current_time() - began
    facts = result.get("structuredContent", {})
    said = (facts.get("exit_code"), facts.get("output"))
    if said == (CODE, WORDS):
        return Trial(seconds)
    answer = result["content"][0]["text"]
    return Trial(seconds, f"a trial command came back as {said!r}: {answer[:200]}")


@asynccontextmanager
async def _server(environ: dict[str, str]) -> AsyncIterator[_Server]:
    process = await asyncio.create_subprocess_exec(
        *SERVER, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    server = _Server(process)
    try:
        client = {"name": "muxpilot-trial", "version": "1"}
        await server.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        yield server
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


class _Server:
    """One question at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._count = 0

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Raises `ConnectionError` where the server ends instead, or says no."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._count += 1
        question = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        stdin.write(orjson.dumps(question) + b"\n")
        line = await stdout.readline()
        if not line:
            raise ConnectionError("the server ended")
        answer = orjson.loads(line)
        if "result" not in answer:
            raise ConnectionError(f"{method} was refused: {answer.get('error')}")
        found: dict[str, Any] = answer["result"]
        return found
