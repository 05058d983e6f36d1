"""The connection: replies in order, deadlines, cancellation, any argument."""

from __future__ import annotations

import asyncio
import os
import signal

import anyio
import pytest

from muxpilot.errors import BadInput, CommandFailed, ServerUnresponsive, TargetNotFound
from muxpilot.tmux import Connection, Notification, TmuxServer, oneshot
from muxpilot.tmux.events import SessionRenamed, WindowAdded
from tests.lab import Lab, children

pytestmark = pytest.mark.anyio


async def test_a_command_returns_what_it_printed(server: TmuxServer) -> None:
    assert (await server.call("display-message", "-p", "--", "#{session_name}")).text == "main"


async def test_a_thousand_pipelined_commands_are_answered_in_order_in_one_write(server: TmuxServer) -> None:
    await server.call("display-message", "-p", "--", "connect")
    writes = count_writes(server)
    replies = await server.call_all([["display-message", "-p", "--", str(number)] for number in range(1000)])
    assert [reply.text for reply in replies] == [str(number) for number in range(1000)]
    assert writes == [1]


def count_writes(server: TmuxServer) -> list[int]:
    """How often the connection is written to, counted in place from now on."""
    connection = server.connection
    assert connection is not None
    count, write = [0], connection._client.write

    def counted(data: bytes) -> None:
        count[0] += 1
        write(data)

    connection._client.write = counted  # type: ignore[method-assign]
    return count


async def test_only_what_somebody_waits_for_counts_as_waiting(server: TmuxServer, lab: Lab) -> None:
    await server.call("display-message", "-p", "--", "connect")
    connection = server.connection
    assert connection is not None
    tmux = lab.server_pid
    os.kill(tmux, signal.SIGSTOP)
    try:
        connection.post(["has-session"])
        assert connection.waited == 0.0
        asked = asyncio.ensure_future(connection.request(["has-session"], 30))
        await anyio.wait_all_tasks_blocked()
        assert connection.waited > 0.0
        asked.cancel()
        await asyncio.wait([asked])
        assert connection.waited == 0.0
    finally:
        os.kill(tmux, signal.SIGCONT)


async def test_concurrent_callers_each_get_their_own_reply(server: TmuxServer) -> None:
    async def ask(number: int) -> bool:
        return (await server.call("display-message", "-p", "--", f"n{number}")).text == f"n{number}"

    assert all(await asyncio.gather(*(ask(number) for number in range(200))))


async def test_a_refused_command_raises_with_tmuxs_words(server: TmuxServer) -> None:
    with pytest.raises(CommandFailed, match="unknown command: no-such-command"):
        await server.call("no-such-command")
    with pytest.raises(TargetNotFound, match="no pane %99"):
        await server.call("list-panes", "-t", "%99")


async def test_a_refusal_in_the_middle_shifts_nothing(server: TmuxServer) -> None:
    replies = await server.replies(
        [
            ["display-message", "-p", "--", "a"],
            ["nonsense"],
            ["display-message", "-p", "--", "b"],
            ["kill-pane", "-t", "%77"],
        ]
    )
    assert [(reply.ok, reply.text) for reply in replies[::2]] == [(True, "a"), (True, "b")]
    assert [reply.ok for reply in replies] == [True, False, True, False]


async def test_cancelled_callers_do_not_shift_replies(server: TmuxServer) -> None:
    await server.call("display-message", "-p", "--", "connect")
    for number in range(100):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.call, "display-message", "-p", "--", "dropped")
            await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        assert (await server.call("display-message", "-p", "--", str(number))).text == str(number)


async def test_a_deadline_ends_the_call_and_the_next_one_works(server: TmuxServer, lab: Lab) -> None:
    await server.call("display-message", "-p", "--", "connect")
    with lab.stopped_server(), pytest.raises(ServerUnresponsive, match="did not answer within"):
        await server.call("display-message", "-p", "--", "late", timeout=0.2)
    assert (await server.call("display-message", "-p", "--", "next")).text == "next"


async def test_an_argument_of_one_megabyte_arrives_whole(server: TmuxServer) -> None:
    text = "0123456789abcde\n" * 65536
    await server.call("set-buffer", "-b", "big", "--", text)
    assert (await server.call("list-buffers", "-F", "#{buffer_size}")).text == str(len(text))


async def test_nul_is_refused_before_anything_is_sent(server: TmuxServer) -> None:
    await server.call("display-message", "-p", "--", "connect")
    writes = count_writes(server)
    with pytest.raises(BadInput):
        await server.call_all(
            [["display-message", "-p", "--", "fine"], ["display-message", "-p", "--", "a\0b"]]
        )
    assert writes == [0]
    assert (await server.call("display-message", "-p", "--", "next")).text == "next"


async def test_notifications_are_pushed_to_the_sink(lab: Lab) -> None:
    session_id = lab.new_session()
    seen: list[Notification] = []
    connection = await Connection.open(lab.endpoint, session_id, 5, on_notification=seen.append)
    try:
        await connection.request(["rename-session", "-t", session_id, "--", "renamed"], 5)
        await connection.request(["new-window", "-d", "-t", session_id, "--", "cat"], 5)
        await connection.request(["display-message", "-p", "--", "sync"], 5)
        assert SessionRenamed(session_id, "renamed") in seen
        assert any(isinstance(event, WindowAdded) for event in seen)
    finally:
        await connection.close()


async def test_closing_leaves_no_process_and_no_client(lab: Lab) -> None:
    session_id = lab.new_session()
    connection = await Connection.open(lab.endpoint, session_id, 5)
    assert connection.pid in children()
    await connection.close()
    assert connection.pid not in children()
    assert lab.tmux("list-clients") == ""


async def test_a_oneshot_answers_the_same_as_the_connection(server: TmuxServer) -> None:
    for argv in (["display-message", "-p", "--", "a;"], ["list-panes", "-F", "#{pane_id}"], ["nonsense"]):
        by_process = await oneshot(server.endpoint, argv, 5)
        (by_connection,) = await server.replies([argv])
        assert (by_process.ok, by_process.ok and by_process.body) == (
            by_connection.ok,
            by_connection.ok and by_connection.body,
        )


async def test_a_cancelled_oneshot_leaves_no_process(server: TmuxServer) -> None:
    with anyio.move_on_after(0.1):
        await oneshot(server.endpoint, ["wait-for", "--", "never"], 30)
    assert children() == []


async def test_a_command_that_blocks_does_not_hold_up_the_connection(server: TmuxServer) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.call, "wait-for", "--", "channel")
        for _ in range(20):
            await server.call("display-message", "-p", "--", "still here", timeout=2)
        await server.call("wait-for", "-S", "--", "channel")
