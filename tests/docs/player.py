"""Plays a page: its calls, in order, over real stdio, on a tmux server of its own."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from muxpilot.cli import main as muxpilot
from tests.docs.pages import ROOT, Block, Json, blocks, calls, filled, fits, holds
from tests.lab import Lab
from tests.mcp.client import RawClient, mcp_server

BASHRC = f"PS1='$ '\nPS2='> '\n[ $PWD != {ROOT} ] || cd\n"

THEIR_OWN = {"XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"}
"""Variables that would lead out of the house."""


class Player:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._home = Path(lab.environ["HOME"])
        self._known: Json = {}
        self.last: Json = {}

    def play(self, page: Path) -> None:
        """Every block of the page; fails at the first that is not so, and says where that is."""
        with ExitStack() as servers:
            client = servers.enter_context(self._server({}))
            for block in blocks(page):
                where = f"{page.name}:{block.line}"
                if block.kind == "<!-- serve":
                    servers.close()
                    settings = dict(one.split("=", 1) for one in block.body.split())
                    client = servers.enter_context(self._server(settings))
                elif block.kind == "<!-- file":
                    self._write(block)
                elif block.kind in {"<!-- call", "call", "call error"}:
                    self._call(client, block, where)
                elif block.kind == "console":
                    self._type(block, where)
                elif block.kind == "answer":
                    assert fits(block.body, self.text), f"{where} was answered:\n{self.text}"
                elif block.kind == "json answer":
                    shown = json.loads(block.body)
                    facts = self.last.get("structuredContent")
                    assert holds(shown, facts), f"{where} was answered:\n{json.dumps(facts, indent=1)}"

    @property
    def text(self) -> str:
        return self._homely(self.last["content"][0]["text"])

    @contextmanager
    def _server(self, settings: dict[str, str]) -> Iterator[RawClient]:
        before = self._lab.environ
        self._lab.environ = {**before, **settings}
        try:
            with mcp_server(self._lab) as client:
                yield client
        finally:
            self._lab.environ = before

    def _write(self, block: Block) -> None:
        name, _, text = block.body.partition("\n")
        path = self._home / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _type(self, block: Block, where: str) -> None:
        """Commands of muxpilot's, each with what it prints; `~/muxpilot` is where it is installed."""
        for one in block.body.removeprefix("$ ").split("\n$ "):
            line, _, shown = one.partition("\n")
            program, *arguments = shlex.split(line)
            assert program == "muxpilot", f"{where}: {line}"
            printed = self._homely(self._printed(arguments))
            assert fits(shown, printed), f"{where} {line}\nprinted:\n{printed}"

    def _printed(self, arguments: list[str]) -> str:
        environ = patch.dict(os.environ, self._lab.environ, clear=True)
        with (self._home / "printed").open("w+") as told, environ:
            with redirect_stdout(told), redirect_stderr(told), suppress(SystemExit):
                muxpilot(arguments)
            told.seek(0)
            return told.read()

    def _homely(self, text: str) -> str:
        """As it would be for somebody whose home it is."""
        ours = Path(sys.executable).parent
        return text.replace(str(self._home), "~").replace(str(ours), "/home/you/muxpilot/.venv/bin")

    def _call(self, client: RawClient, block: Block, where: str) -> None:
        found = list(calls(block.body))
        for number, (tool, given) in enumerate(found, 1):
            arguments: dict[str, Any] = filled(given, self._known)
            self.last = client.request("tools/call", {"name": tool, "arguments": arguments})
            self._known |= self.last.get("structuredContent") or {}
            wrong = block.kind == "call error" and number == len(found)
            said = f"{where} {tool} {json.dumps(arguments)}\nwas answered:\n{self.text}"
            assert bool(self.last.get("isError")) == wrong, said


@contextmanager
def house(folder: Path) -> Iterator[Lab]:
    """A home folder where everybody gets the same bash, and this Python first."""
    lab = Lab(folder)
    (folder / ".bash_profile").write_text(BASHRC)  # tmux starts login shells.
    (folder / ".bashrc").write_text(BASHRC)
    path = f"{Path(sys.executable).parent}:{lab.environ['PATH']}"
    lab.environ = {name: value for name, value in lab.environ.items() if name not in THEIR_OWN}
    lab.environ |= {"SHELL": "/bin/bash", "PATH": path, "HISTFILE": "/dev/null"}
    try:
        yield lab
    finally:
        lab.end()
