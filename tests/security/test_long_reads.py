"""Reading is never so much at once that another client of tmux has to wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest

from muxpilot.tmux.bulk import LINES_AT_ONCE, BulkReads
from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, mcp_server

PANES = 6
LINES = 20_000
LONG = 230_000
MOST = 200_000


def fill(lab: Lab, name: str, lines: int) -> None:
    lab.tmux("set-option", "-g", "history-limit", str(lines))
    program = f"seq -f '%.0f {'y' * 70}' {lines}; echo DONE; exec cat"
    lab.tmux("new-window", "-d", "-n", name, "-t", "main:", program)


def filled(lab: Lab, name: str) -> None:
    eventually(lambda: "DONE" in lab.screen(f"main:{name}"), 60)


@contextmanager
def another_client(lab: Lab) -> Iterator[list[float]]:
    """Asks tmux again and again; how long each answer took."""
    waits: list[float] = []
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            started = time.monotonic()
            lab.tmux("display-message", "-p", "x")
            waits.append(time.monotonic() - started)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield waits
    finally:
        is_over.set()
        thread.join()


def together(client: RawClient, count: int, tool: str, arguments: dict[str, Any]) -> None:
    """So many calls at once, all of which are answered."""
    numbers = [client.start("tools/call", {"name": tool, "arguments": arguments}) for _ in range(count)]
    for number in numbers:
        assert not client.wait(number)["result"].get("isError")


@pytest.mark.timeout(120)
def test_many_searches_at_once_do_not_stop_tmux(lab: Lab) -> None:
    lab.new_session("main", "cat")
    for number in range(PANES):
        fill(lab, f"w{number}", LINES)
    for number in range(PANES):
        filled(lab, f"w{number}")
    with mcp_server(lab, safety="readonly") as client, another_client(lab) as waits:
        together(client, 50, "search_panes", {"pattern": "zzz"})
    assert max(waits) < 1.0


@pytest.mark.timeout(120)
def test_a_very_long_scrollback_does_not_stop_tmux(lab: Lab) -> None:
    lab.new_session("main", "cat")
    fill(lab, "long", LONG)
    filled(lab, "long")
    with mcp_server(lab, safety="readonly") as client, another_client(lab) as waits:
        lines = client.text("capture_pane", target="main:long", start=-(10**9), max_lines=None).split("\n")
        assert lines[0] == f"[{LONG + 1 - MOST + 1} earlier lines left out]"
        assert (lines[1].split()[0], lines[-1]) == (str(LONG - MOST + 3), "DONE")
        earlier = client.text("capture_pane", target="main:long", start=-(10**9), end=-MOST)
        assert (
            earlier.startswith(f"[{LONG + 1 - MOST - 500} earlier lines left out]") or "left out" in earlier
        )
        found = client.call("search_panes", pattern="yyy", max_matched_lines_per_pane=1)
        assert len(found["partly_searched_panes"]) == 1
        assert client.text("search_panes", pattern="^77 y", regex=True).startswith("0 of")
        below = client.call("search_panes", pattern="^77 y", regex=True, content_end=-MOST - 1)
        assert below["total_panes_matched"] == 1
        for _ in range(2):
            client.call("wait_for_text", target="main:long", patterns=["zzz"], timeout=0.2)
    assert max(waits) < 1.0


@pytest.mark.anyio
async def test_long_reads_take_turns() -> None:
    """First come, first served; one that is too long for any company goes alone."""
    bulk = BulkReads()
    under_way: list[int] = []
    seen: list[list[int]] = []

    async def read(lines: int) -> None:
        async with bulk.turn(lines):
            under_way.append(lines)
            seen.append([*under_way])
            await anyio.lowlevel.checkpoint()
            under_way.remove(lines)

    half = LINES_AT_ONCE // 2
    async with anyio.create_task_group() as group:
        for lines in (half, half, 10 * half, half):
            group.start_soon(read, lines)
        cancelled = anyio.CancelScope()

        async def given_up() -> None:
            with cancelled:
                await read(1)

        group.start_soon(given_up)
        await anyio.lowlevel.checkpoint()
        cancelled.cancel()
    assert all(sum(one) <= LINES_AT_ONCE or len(one) == 1 for one in seen)
    assert [half, half] in seen
    async with bulk.turn(10 * half):
        assert not under_way
