"""Pane content never moves the framing, even content made by one who knows tmux's next numbers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from muxpilot.tmux import Reply, TmuxServer, read_pane
from muxpilot.tmux.protocol import Parser
from tests.lab import TMUX, Lab, eventually

pytestmark = pytest.mark.anyio

FORGER = Path(__file__).with_name("forger.py")
HEIGHT = 120
FORGED_LINE = re.compile(r"%(end|begin|error)[ \d]+|%exit")


@pytest.fixture
def hits(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The bodies that held the very line that ends their own block: where a plain parser goes wrong."""
    found: list[bytes] = []
    close = Parser._close

    def spy(self: Parser, region: bytes, block: object, events: list[object]) -> None:
        good: bytes = block.good  # type: ignore[attr-defined]
        if region.count(b"\n" + good) > 1 or (region.startswith(good) and region.count(good) > 1):
            found.append(region)
        close(self, region, block, events)  # type: ignore[arg-type]

    monkeypatch.setattr(Parser, "_close", spy)
    return found


@pytest.mark.long
async def test_ten_thousand_reads_of_a_forging_pane_are_all_right(lab: Lab, hits: list[bytes]) -> None:
    lab.new_session("main", "cat")
    argv = [sys.executable, str(FORGER), TMUX, str(lab.endpoint.socket_path), str(HEIGHT)]
    session = lab.new_session("forger", *argv, size=(60, HEIGHT))
    pane = lab.tmux("display-message", "-p", "-t", session, "#{pane_id}")
    eventually(lambda: "%end" in lab.screen(pane))
    server = TmuxServer(lab.endpoint)
    try:
        wrong: list[Reply] = []
        for batch in range(500):
            commands = []
            for number in range(20):
                commands += [
                    ["capture-pane", "-p", "-t", pane],
                    ["display-message", "-p", "--", f"{batch}.{number}"],
                ]
            replies = await server.call_all(commands, timeout=30)
            wrong += [screen for screen in replies[::2] if not whole(screen)]
            wrong += [
                reply for number, reply in enumerate(replies[1::2]) if reply.text != f"{batch}.{number}"
            ]
        assert not wrong
        assert hits, "the forger never hit a number that was in use: this test shows nothing"
        assert len((await read_pane(server, pane)).split("\n")) == HEIGHT
    finally:
        await server.close()


def whole(screen: Reply) -> bool:
    """All of the pane's lines, each one of those that the forger writes (some half redrawn)."""
    lines = screen.text.split("\n")
    return screen.ok and len(lines) == HEIGHT and all(FORGED_LINE.fullmatch(line) for line in lines)
