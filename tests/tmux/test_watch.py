"""Raw pane output, pushed: exact bytes, only from watched panes, bounded in memory, honest about gaps."""

from __future__ import annotations

import asyncio
import os
import resource
import time

import anyio
import pytest

from muxpilot.errors import ServerUnresponsive, TargetNotFound
from muxpilot.terminal.panes import respawn_pane
from muxpilot.tmux import Ended, Notification, Output, PaneEvent, Paused, TmuxServer, Watcher, session_watch
from muxpilot.tmux.events import WindowAdded
from tests.lab import Lab, children, eventually, rss_mb

pytestmark = pytest.mark.anyio


class Recorder:
    """Collects what a pane wrote, and tells when something is in it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.others: list[PaneEvent] = []
        self._changed = asyncio.Event()

    def __call__(self, event: PaneEvent) -> None:
        if isinstance(event, Output):
            self.data += event.data
        else:
            self.others.append(event)
        self._changed.set()

    async def until(self, wanted: bytes | type) -> None:
        with anyio.fail_after(20):
            while not self._has(wanted):
                self._changed.clear()
                await self._changed.wait()

    def _has(self, wanted: bytes | type) -> bool:
        if isinstance(wanted, bytes):
            return wanted in self.data
        return any(isinstance(event, wanted) for event in self.others)


@pytest.fixture
def watcher(server: TmuxServer) -> Watcher:
    return server.watcher


async def new_pane(server: TmuxServer, command: str) -> str:
    """A window of `main` whose program waits for one line of input before it starts."""
    argv = [
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        "main",
        "--",
        f"stty -echo; read go; {command}",
    ]
    return (await server.call(*argv)).text


async def test_every_byte_that_a_program_writes_arrives(server: TmuxServer, watcher: Watcher) -> None:
    every_byte = "".join(f"\\{byte:03o}" for byte in range(256))
    pane = await new_pane(server, f"stty raw; printf '{every_byte}€👩‍👩‍👧END'; cat")
    heard = Recorder()
    async with watcher.pane("$0", pane, heard):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"END")
    assert bytes(range(256)) + "€👩‍👩‍👧END".encode() in heard.data


async def test_two_hundred_thousand_lines_arrive_whole(server: TmuxServer, watcher: Watcher) -> None:
    pane = await new_pane(server, "seq 200000; echo END; cat")
    heard = Recorder()
    async with watcher.pane("$0", pane, heard):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"END")
    expected = b"".join(b"%d\r\n" % number for number in range(1, 200_001))
    assert heard.data.lstrip().startswith(expected)


async def test_panes_that_nobody_watches_are_silenced(server: TmuxServer, watcher: Watcher) -> None:
    watched = await new_pane(server, "echo END; cat")
    noisy = await new_pane(server, "while :; do echo noise; sleep 0.01; done")
    heard = Recorder()
    async with watcher.pane("$0", watched, heard):
        session = watcher._sessions["$0"]
        await server.call("send-keys", "-t", noisy, "--", "Enter")
        with anyio.fail_after(10):
            while noisy not in session._silenced:
                await anyio.sleep(0.01)
        connection = session._connection
        assert connection is not None
        await connection.request(["refresh-client"], 5)
        noise: list[Notification] = []
        connection._on_notification = noise.append
        await more_output(server, noisy)
        await connection.request(["refresh-client"], 5)
        assert noise == []
        connection._on_notification = session._on_notification
        await server.call("send-keys", "-t", watched, "--", "Enter")
        await heard.until(b"END")
        assert b"noise" not in heard.data


@pytest.mark.parametrize(
    "floods", [pytest.param(1, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)]
)
async def test_floods_that_nobody_watches_are_survived(
    server: TmuxServer, watcher: Watcher, lab: Lab, floods: int
) -> None:
    """tmux before 3.7 dies of a pane that is turned off while its output is under way."""
    panes = [await new_pane(server, "yes flood") for _ in range(floods)]
    for pane in panes:
        await server.call("send-keys", "-t", pane, "--", "Enter")
    watched = await new_pane(server, "echo END; cat")
    pid = lab.server_pid
    for _ in range(10):
        async with watcher.pane("$0", watched, Recorder()):
            with anyio.fail_after(10):
                while not watcher._sessions["$0"]._silenced >= set(panes):
                    await anyio.sleep(0.01)
            heard = Recorder()
            async with watcher.pane("$0", panes[0], heard):
                await heard.until(b"flood")
            assert heard.others == []
    heard = Recorder()
    async with watcher.pane("$0", watched, heard):
        await server.call("send-keys", "-t", watched, "--", "Enter")
        await heard.until(b"END")
    assert lab.server_pid == pid


async def test_a_flooding_pane_that_is_watched_can_get_a_new_program(
    server: TmuxServer, watcher: Watcher, lab: Lab
) -> None:
    """No version of tmux survives `respawn-pane` while output of the pane is queued for a control client."""
    pid = lab.server_pid
    for _ in range(5):
        pane = await new_pane(server, "yes flood")
        heard = Recorder()
        async with watcher.pane("$0", pane, heard):
            await server.call("send-keys", "-t", pane, "--", "Enter")
            await heard.until(b"flood")
            await respawn_pane(server, pane, shell="read go; echo E''ND; exec cat")
            await server.call("send-keys", "-t", pane, "--", "Enter")
            await heard.until(b"END")
            assert heard.others == [Paused(pane)]
        await server.call("kill-pane", "-t", pane)
    assert lab.server_pid == pid


async def more_output(server: TmuxServer, pane: str) -> None:
    """Until the pane has printed ten lines more."""

    async def printed() -> int:
        argv = ["display-message", "-p", "-t", pane, "--", "#{e|+:#{history_size},#{cursor_y}}"]
        return int((await server.call(*argv)).text)

    enough = await printed() + 10
    with anyio.fail_after(20):
        while await printed() < enough:
            await anyio.sleep(0.01)


async def test_a_silenced_pane_can_be_watched_later(server: TmuxServer, watcher: Watcher, lab: Lab) -> None:
    first, second = await new_pane(server, "cat"), await new_pane(server, "echo one; read go; echo two; cat")
    heard = Recorder()
    async with watcher.pane("$0", first, Recorder()):
        await server.call("send-keys", "-t", second, "--", "Enter")
        with anyio.fail_after(10):
            while second not in watcher._sessions["$0"]._silenced:
                await anyio.sleep(0.01)
        eventually(lambda: "one" in lab.screen(second))
        await watcher._sessions["$0"]._connection.request(["refresh-client"], 5)  # type: ignore[union-attr]
        async with watcher.pane("$0", second, heard):
            await server.call("send-keys", "-t", second, "--", "Enter")
            await heard.until(b"two")
    assert b"one" not in heard.data


async def test_two_watchers_of_one_pane_share_a_connection(server: TmuxServer, watcher: Watcher) -> None:
    pane = await new_pane(server, "echo END; cat")
    first, second = Recorder(), Recorder()
    async with watcher.pane("$0", pane, first), watcher.pane("$0", pane, second):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await first.until(b"END")
        await second.until(b"END")
        assert len(children()) == 2  # the command connection and one watching connection
    await server.door.closed()
    assert len(children()) == 1


async def test_the_listener_hears_of_windows(server: TmuxServer, watcher: Watcher) -> None:
    heard: list[Notification] = []
    arrived = asyncio.Event()

    def listen(event: Notification) -> None:
        heard.append(event)
        if isinstance(event, WindowAdded):
            arrived.set()

    async with watcher.pane("$0", "%0", Recorder(), listener=listen):
        await new_pane(server, "cat")
        with anyio.fail_after(5):
            await arrived.wait()


@pytest.mark.parametrize("end", [["kill-session", "-t", "main"], ["kill-server"]])
async def test_the_watch_ends_once_with_its_session(
    server: TmuxServer, watcher: Watcher, end: list[str]
) -> None:
    heard = Recorder()
    async with watcher.pane("$0", "%0", heard):
        await server.call(*end)
        await heard.until(Ended)
    assert heard.others == [Ended()]


async def test_a_watch_ends_though_tmux_moves_us_to_another_session(
    server: TmuxServer, watcher: Watcher, lab: Lab
) -> None:
    lab.tmux("set-option", "-g", "detach-on-destroy", "off")
    lab.new_session("other", "cat")
    heard = Recorder()
    async with watcher.pane("$0", "%0", heard):
        await server.call("kill-session", "-t", "main")
        await heard.until(Ended)
    assert heard.others == [Ended()]


async def test_a_reader_that_fails_costs_nobody_else_anything(server: TmuxServer, watcher: Watcher) -> None:
    pane = await new_pane(server, "echo one; read go; echo END; cat")
    heard = Recorder()

    def broken(_: PaneEvent) -> None:
        raise RuntimeError("a mistake")

    async with watcher.pane("$0", pane, heard), watcher.pane("$0", pane, broken):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"one")
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"END")
        async with watcher.pane("$0", "%0", Recorder()):
            pass


async def test_many_watches_on_a_stopped_server_all_end_by_their_deadline(
    server: TmuxServer, watcher: Watcher, lab: Lab
) -> None:
    async def watch() -> None:
        with pytest.raises(ServerUnresponsive):
            async with watcher.pane("$0", "%0", Recorder(), timeout=0.5):
                pass

    with lab.stopped_server():
        started = time.monotonic()
        await asyncio.gather(*(watch() for _ in range(8)))
        assert time.monotonic() - started < 2
    async with watcher.pane("$0", "%0", Recorder()):
        pass


async def test_a_pane_that_is_not_in_the_session_is_named(server: TmuxServer, watcher: Watcher) -> None:
    with pytest.raises(TargetNotFound, match=r"no pane %99 in session \$0"):
        async with watcher.pane("$0", "%99", Recorder()):
            pass


async def test_a_session_that_does_not_exist_is_named(server: TmuxServer, watcher: Watcher) -> None:
    with pytest.raises(TargetNotFound, match=r"no session \$42"):
        async with watcher.pane("$42", "%0", Recorder()):
            pass
    assert children() == []


@pytest.mark.long
async def test_an_endless_flood_neither_grows_memory_nor_delays_calls(
    server: TmuxServer, watcher: Watcher, lab: Lab
) -> None:
    pane = await new_pane(server, "yes 'a line of some length, printed as fast as it goes'")
    count = 0

    def sink(event: PaneEvent) -> None:
        nonlocal count
        count += len(event.data) if isinstance(event, Output) else 0

    async with watcher.pane("$0", pane, sink):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        ours, theirs = rss_mb(os.getpid()), rss_mb(lab.server_pid)
        slowest, end = 0.0, time.monotonic() + 4
        while time.monotonic() < end:
            started = time.monotonic()
            await server.call("display-message", "-p", "--", "x", timeout=2)
            slowest = max(slowest, time.monotonic() - started)
        assert count > 1_000_000
        assert slowest < 1.0
        assert rss_mb(os.getpid()) - ours < 20
        assert rss_mb(lab.server_pid) - theirs < 150
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert peak < 1024


async def test_a_gap_is_told_and_the_stream_goes_on(
    server: TmuxServer, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We do not read for two seconds while tmux may hold output for one: it drops some, and says so."""
    monkeypatch.setattr(session_watch, "FLAGS", "ignore-size,pause-after=1")
    pane = await new_pane(server, "yes flood & read stop; kill $!; echo E''ND; cat")
    heard = Recorder()
    async with watcher.pane("$0", pane, heard):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"flood")
        end = time.monotonic() + 20
        while not any(isinstance(event, Paused) for event in heard.others) and time.monotonic() < end:
            time.sleep(1.5)  # noqa: ASYNC251 (the stall is the point)
            await anyio.sleep(0.2)
        await heard.until(Paused)
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"END")


async def test_a_gap_at_the_end_of_a_flood_is_told_too(
    server: TmuxServer, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tmux gives up what it holds for us while it writes, and forgets to say so until it is spoken to."""
    monkeypatch.setattr(session_watch, "FLAGS", "ignore-size,pause-after=1")
    pane = await new_pane(server, "yes flood | head -c 3000000; cat")
    heard = Recorder()
    async with watcher.pane("$0", pane, heard):
        await server.call("send-keys", "-t", pane, "--", "Enter")
        await heard.until(b"flood")
        time.sleep(1.5)  # noqa: ASYNC251 (the stall is the point)
        await heard.until(Paused)
        await server.call("send-keys", "-t", pane, "--", "E''ND", "Enter")
        await heard.until(b"E''ND")
