"""Plays a page: its calls, in order, over real stdio, on a tmux server of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT, Block, Json, blocks, calls, filled, fits, holds
from tests.lab import Lab
from tests.mcp.client import RawClient, mcp_server

BASHRC = f"PS1='$ '\nPS2='> '\n[ $PWD != {ROOT} ] || cd\n"


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
                elif block.kind == "answer":
                    assert fits(block.body, self.text), f"{where} was answered:\n{self.text}"
                elif block.kind == "json answer":
                    shown = json.loads(block.body)
                    facts = self.last.get("structuredContent")
                    assert holds(shown, facts), f"{where} was answered:\n{json.dumps(facts, indent=1)}"

    @property
    def text(self) -> str:
        text: str = self.last["content"][0]["text"]
        return text.replace(str(self._home), "~")

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
    lab.environ |= {"SHELL": "/bin/bash", "PATH": path, "HISTFILE": "/dev/null"}
    try:
        yield lab
    finally:
        lab.end()
