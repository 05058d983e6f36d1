"""Real faults on real processes: every pending call ends by its deadline with a named condition, the next
call works, and nothing is left running."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable

import anyio
import pytest

from muxpilot.errors import MuxpilotError, ServerGone, ServerNotRunning, ServerUnresponsive
from muxpilot.terminal.keys import press
from muxpilot.tmux import TmuxServer
from tests.lab import Lab, children, eventually, running

pytestmark = pytest.mark.anyio

DEADLINE = 1.0


async def pending_calls(server: TmuxServer, count: int = 20) -> list[asyncio.Task[MuxpilotError | None]]:
    """Calls under way on a stopped server: commands that change something, so that none is repeated."""

    async def call() -> MuxpilotError | None:
        try:
            await server.call("set-option", "-s", "--", "@x", "1", timeout=DEADLINE)
        except MuxpilotError as error:
            return error
        return None

    tasks = [asyncio.create_task(call()) for _ in range(count)]
    await anyio.lowlevel.checkpoint()
    return tasks


async def conditions(tasks: list[asyncio.Task[MuxpilotError | None]]) -> tuple[set[type], float]:
    started = time.monotonic()
    ended = await asyncio.gather(*tasks)
    return {type(error) for error in ended}, time.monotonic() - started


async def works(server: TmuxServer) -> bool:
    return (await server.call("display-message", "-p", "--", "works")).text == "works"


async def test_a_server_killed_with_9_fails_pending_calls_at_once(server: TmuxServer, lab: Lab) -> None:
    assert await works(server)
    with lab.stopped_server() as pid:
        tasks = await pending_calls(server)
        os.kill(pid, signal.SIGKILL)
        found, took = await conditions(tasks)
    assert found == {ServerGone}
    assert took < DEADLINE
    with pytest.raises(ServerNotRunning, match="create_session starts one"):
        await server.call("display-message", "-p", "--", "x")
    lab.new_session("again")
    assert await works(server)
    await server.close()
    assert children() == []


async def test_a_stopped_server_ends_calls_by_their_deadline(server: TmuxServer, lab: Lab) -> None:
    assert await works(server)
    with lab.stopped_server():
        found, took = await conditions(await pending_calls(server))
        assert found == {ServerUnresponsive}
        assert took < DEADLINE + 1
        started = time.monotonic()
        with pytest.raises(ServerUnresponsive):  # A new connection fares no better, and no worse.
            await server.call("display-message", "-p", "--", "x", timeout=0.3)
        assert time.monotonic() - started < 1.3
    assert await works(server)
    await server.close()
    assert children() == []
    eventually(lambda: lab.tmux("list-clients") == "")


async def test_a_call_with_no_connection_yet_ends_by_its_deadline_on_a_stopped_server(lab: Lab) -> None:
    lab.new_session()
    server = TmuxServer(lab.endpoint, timeout=0.3)
    with lab.stopped_server():
        started = time.monotonic()
        with pytest.raises(ServerUnresponsive):
            await server.call("display-message", "-p", "--", "x")
        assert time.monotonic() - started < 1.3
    assert await works(server)
    await server.close()
    assert children() == []


async def kill_session(server: TmuxServer, lab: Lab) -> None:
    lab.tmux("new-session", "-d", "-s", "other", "cat")
    lab.tmux("kill-session", "-t", "main")


async def kill_client(server: TmuxServer, lab: Lab) -> None:
    """It may be gone already: a server may answer for a client that has just been killed."""
    if server.connection is not None and server.connection.pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(server.connection.pid, signal.SIGKILL)


async def detach_client(server: TmuxServer, lab: Lab) -> None:
    lab.tmux("detach-client", "-s", "main")


@pytest.mark.parametrize("fault", [kill_session, kill_client, detach_client])
async def test_a_lost_connection_is_replaced_by_the_next_call(
    server: TmuxServer, lab: Lab, fault: Callable[[TmuxServer, Lab], Awaitable[None]]
) -> None:
    assert await works(server)
    first = server.connection
    assert first is not None
    await fault(server, lab)
    with anyio.fail_after(5):
        await first.closed
    assert await works(server)
    assert server.connection is not first
    await server.close()
    assert children() == []


async def test_calls_pending_when_the_client_dies_end_with_server_gone(server: TmuxServer, lab: Lab) -> None:
    assert await works(server)
    with lab.stopped_server():
        tasks = await pending_calls(server)
        await kill_client(server, lab)
        found, took = await conditions(tasks)
    # The stopped server still holds the pipes, so it may be the deadline that ends them: named either way.
    assert found <= {ServerGone, ServerUnresponsive}
    assert took < DEADLINE + 1
    assert await works(server)


async def test_a_read_that_loses_its_connection_is_sent_again(server: TmuxServer, lab: Lab) -> None:
    assert await works(server)
    for _ in range(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_client, server, lab)
            for _ in range(5):
                tasks.start_soon(works, server)
        assert await works(server)


async def test_a_change_that_loses_its_connection_is_never_sent_again(server: TmuxServer, lab: Lab) -> None:
    """However the connection ends, `append` is done once, or an error says that it may have been."""
    assert await works(server)
    lab.tmux("set-option", "-s", "@log", "")
    done = uncertain = 0
    for _ in range(50):
        task = asyncio.create_task(server.call("set-option", "-s", "-a", "--", "@log", "x"))
        await anyio.lowlevel.checkpoint()
        await kill_client(server, lab)
        try:
            await task
            done += 1
        except ServerGone:
            uncertain += 1
        assert await works(server)
    written = len((await server.call("show-options", "-s", "-v", "--", "@log")).text)
    assert done <= written <= done + uncertain


@pytest.mark.long
async def test_clients_that_come_and_go_do_not_crash_tmux(server: TmuxServer, lab: Lab) -> None:
    """tmux before 3.7 dies when a control client arrives while another leaves, or while sessions end."""
    lab.tmux("set-option", "-g", "exit-empty", "off")
    pid = lab.server_pid

    async def watch() -> None:
        for _ in range(40):
            async with server.watcher.pane("$0", "%0", lambda _: None):
                pass

    async def connect() -> None:
        for _ in range(40):
            await server.call("display-message", "-p", "--", "x")
            server._retire()

    async def sessions() -> None:
        for number in range(40):
            with contextlib.suppress(ServerGone):  # `connect` takes the connection away in between.
                await server.start("new-session", "-d", "-s", f"s{number}", "--", "cat")
                await server.call("kill-session", "-t", f"=s{number}")

    async with anyio.create_task_group() as tasks:
        for task in (watch, connect, sessions):
            tasks.start_soon(task)
    assert running(pid)
    assert await works(server)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
async def test_clients_that_nobody_waits_for_any_more_do_not_crash_tmux(
    server: TmuxServer, lab: Lab, seed: int
) -> None:
    """A client that is killed while it arrives is noticed late: perhaps when the next one arrives."""
    lab.tmux("new-session", "-d", "-s", "two", "cat")
    assert await works(server)
    pid, dice = lab.server_pid, random.Random(seed)

    async def watch(session_id: str, pane_id: str) -> None:
        async with server.watcher.pane(session_id, pane_id, lambda _: None):
            await anyio.sleep_forever()

    for _ in range(150):
        watches = [asyncio.create_task(watch(f"${number}", f"%{number}")) for number in range(2)]
        for task in watches:
            await anyio.sleep(dice.uniform(0, 0.006))  # Not to wait for anything: to hit any moment.
            task.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        assert running(pid)
    assert await works(server)


async def test_a_connection_that_is_stuck_is_replaced(server: TmuxServer, lab: Lab) -> None:
    """A hook of the user's that waits holds up the client whose command it follows."""
    assert await works(server)
    lab.tmux("set-hook", "-g", "after-list-sessions", "run-shell 'sleep 30'")
    with pytest.raises(ServerUnresponsive):
        await server.call("list-sessions", timeout=0.3)
    lab.tmux("set-hook", "-gu", "after-list-sessions")
    assert (await server.call("display-message", "-p", "--", "free", timeout=3)).text == "free"


async def test_the_last_session_ends_and_another_server_takes_its_place(server: TmuxServer, lab: Lab) -> None:
    assert await works(server)
    await server.call("kill-session", "-t", "main")
    with pytest.raises(ServerNotRunning):
        await server.call("list-sessions")
    lab.new_session("second")
    assert (await server.call("list-sessions", "-F", "#{session_name}")).text == "second"


async def test_kill_server_by_us_ends_it_for_good(server: TmuxServer, lab: Lab) -> None:
    assert await works(server)
    pid = lab.server_pid
    await server.call("kill-server")
    eventually(lambda: not running(pid))
    await server.close()
    assert children() == []


async def test_keys_for_a_pane_of_a_server_that_was_replaced_go_to_nobody(
    server: TmuxServer, lab: Lab
) -> None:
    await server.call("list-sessions")
    before = server.identity
    lab.end()
    lab.new_session("main", "cat")
    await server.call("list-sessions")
    with pytest.raises(ServerGone, match="another tmux server"):
        await press(server, "%0", "for the pane that was there", key=False, enter=True, only=before)
    await press(server, "%0", "for this one", key=False, enter=True, only=server.identity)
    eventually(lambda: lab.screen("%0").count("for this one") == 2)
    assert "that was there" not in lab.screen("%0")
