"""Many panes: what a tool asks of tmux does not grow with them in round trips, nor in commands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from muxpilot.config import Settings
from muxpilot.mcp.context import Context
from muxpilot.mcp.tools import act, find, look
from muxpilot.mcp.tools.waiting import wait_for_text
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.caller import Caller
from muxpilot.terminal.cursors import Cursors
from muxpilot.terminal.run import Runner
from muxpilot.terminal.store import Store
from muxpilot.terminal.terminals import Terminals
from muxpilot.tmux import ServerPool, TmuxServer
from tests.lab import Lab, eventually
from tests.mcp.client import mcp_server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def context(lab: Lab, tmp_path: Path, anyio_backend: str) -> AsyncIterator[Context]:
    lab.new_session("main", "cat")
    runner = Runner(Store(tmp_path / "state"))
    caller = Caller()
    servers = ServerPool(lab.endpoint, timeout=30, guard=caller.check)
    terminals = Terminals(runner, "muxpilot")
    context = Context(Settings(), servers, caller, Attention(), Cursors(), runner, terminals, unused)
    await caller.panes_on(servers.get())  # Asked once for each server; what follows is as ever.
    yield context
    await context.servers.close()


async def unused(*_: object) -> dict[str, Any]:
    raise AssertionError("no tool here calls another")


def written(server: TmuxServer) -> list[list[bytes]]:
    """The commands of each write to the connection from now on. A nonce follows each of them."""
    connection = server.connection
    assert connection is not None
    writes: list[list[bytes]] = []
    write = connection._client.write

    def spy(data: bytes) -> None:
        writes.append([line.split(b" ")[0] for line in data.splitlines()[::2]])
        write(data)

    connection._client.write = spy  # type: ignore[method-assign]
    return writes


async def test_list_panes_over_500_panes_is_one_command_in_one_round_trip(context: Context) -> None:
    tmux = context.tmux(None)
    await tmux.call_all([["new-window", "-d", "-t", "main", "--", "exec cat"]] * 499)
    writes = written(tmux)
    result = await look.list_panes.call(context, {})
    assert len(orjson.loads(orjson.dumps(result["structuredContent"]))["panes"]) == 500
    assert writes == [[b"list-panes"]]


async def test_search_panes_over_100_panes_leaves_the_connection_to_others(context: Context) -> None:
    tmux = context.tmux(None)
    await tmux.call_all([["new-window", "-d", "-t", "main", "--", "echo hit; exec cat"]] * 100)
    writes = written(tmux)
    assert await found(context, 100) == 100
    assert {command for commands in writes for command in commands} == {b"list-panes"}


async def test_typing_is_one_round_trip(context: Context) -> None:
    await look.list_panes.call(context, {})
    writes = written(context.tmux(None))
    await act.send_keys.call(context, {"target": "%0", "keys": "x"})
    assert writes == [[b"display-message", b"if-shell"]]


async def test_typing_looks_first_while_the_scrollback_may_be_full_soon(context: Context) -> None:
    tmux = context.tmux(None)
    await tmux.call("set-option", "-g", "--", "history-limit", "50")
    made = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "--", "stty -echo; seq 60; exec cat"]
    pane = (await tmux.call(*made)).text
    await wait_for_text.call(context, {"target": pane, "patterns": "60", "timeout": 10})
    writes = written(tmux)
    looks = []
    for step in range(5):
        if step == 2:
            await tmux.call_all([["send-keys", "-R", "-t", pane], ["clear-history", "-t", pane]])
            await tmux.call("resize-window", "-t", pane, "-x", "80", "-y", "10")
        writes.clear()
        await act.send_keys.call(context, {"target": pane, "keys": "x", "enter": False})
        looks.append([b"capture-pane" in commands for commands in writes])
    assert looks == [[False, True], [True], [True], [False], [False]]


async def found(context: Context, wanted: int) -> int:
    """How many panes show `hit`, asked again while they are being started."""
    count = 0
    for _ in range(200):
        result = await find.search_panes.call(context, {"pattern": "hit"})
        count = result["structuredContent"]["total_panes_matched"]
        if count >= wanted:
            break
    return count


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("main", [b"list-sessions"]),
        ("main:0", [b"list-sessions", b"list-windows"]),
        ("main:0.0", [b"list-sessions", b"list-windows", b"list-panes"]),
        ("%0", None),
    ],
)
async def test_a_target_asks_for_no_more_than_it_names(
    context: Context, target: str, asked: list[bytes] | None
) -> None:
    await context.tmux(None).server_version()
    writes = written(context.tmux(None))
    assert await context.pane_id(target, None) == "%0"
    assert writes == ([asked] if asked else [])


@pytest.mark.long
def test_search_panes_over_100_panes_of_10_000_lines(lab: Lab) -> None:
    """What it takes is measured in `bench`."""
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "history-limit", "20000")
    script = 'seq -f "line number %g of some ordinary length" 10000; exec cat'
    for _ in range(100):
        lab.tmux("new-window", "-d", "-t", "main", script)
    full = "\n".join(["0", *["9977"] * 100])
    eventually(lambda: lab.tmux("list-panes", "-a", "-F", "#{history_size}") == full, 60)
    with mcp_server(lab) as client:
        found = client.call("search_panes", pattern="NUMBER 9999 of", limit=None)
        assert found["total_panes_matched"] == 100
        assert {tuple(one["matched_lines"]) for one in found["matches"]} == {
            ("line number 9999 of some ordinary length",)
        }
        assert client.call("search_panes", pattern="no such thing")["total_panes_matched"] == 0
        every = client.call("search_panes", pattern="length$", regex=True)
        assert len(every["truncated_panes"]) == 100
