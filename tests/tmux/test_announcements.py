"""What the whole server announces, and what tmux announces to nobody: heard across lost connections."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest

from muxpilot.errors import TargetNotFound
from muxpilot.tmux import Ended, Opened, TmuxServer
from muxpilot.tmux.events import (
    LayoutChanged,
    SessionRenamed,
    SessionsChanged,
    SubscriptionChanged,
    WindowAdded,
    WindowRenamed,
)
from tests.lab import Lab, children, eventually

pytestmark = pytest.mark.anyio


class Ear:
    """Collects events, and tells when one of some kind has come."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self._changed = asyncio.Event()

    def __call__(self, event: Any) -> None:
        self.heard.append(event)
        self._changed.set()

    async def until(self, kind: type, text: str = "") -> Any:
        with anyio.fail_after(10):
            while True:
                found = [event for event in self.heard if isinstance(event, kind) and text in str(event)]
                if found:
                    return found[0]
                self._changed.clear()
                await self._changed.wait()


async def test_what_happens_in_any_session_is_heard(server: TmuxServer, lab: Lab) -> None:
    ear = Ear()
    with server.announcements.heard_by(ear):
        await server.server_version()
        await ear.until(Opened)
        lab.new_session("other", "cat")
        await ear.until(SessionsChanged)
        lab.tmux("new-window", "-d", "-t", "other:", "cat")
        await ear.until(WindowAdded)
        lab.tmux("rename-window", "-t", "other:1", "better")
        await ear.until(WindowRenamed, "better")
        lab.tmux("rename-session", "-t", "other", "another")
        await ear.until(SessionRenamed, "another")


async def test_a_listener_outlives_connections(server: TmuxServer, lab: Lab) -> None:
    ear = Ear()
    lab.new_session("second", "cat")
    with server.announcements.heard_by(ear):
        await server.call("display-message", "-p", "--", "x")
        lab.tmux("kill-session", "-t", lab.tmux("list-clients", "-F", "#{session_id}"))
        await ear.until(Ended)
        ear.heard.clear()
        await server.call("display-message", "-p", "--", "x")
        await ear.until(Opened)
        lab.new_session("third", "cat")
        await ear.until(SessionsChanged)


async def test_after_leaving_nothing_is_heard(server: TmuxServer, lab: Lab) -> None:
    ear, other = Ear(), Ear()
    with server.announcements.heard_by(other):
        with server.announcements.heard_by(ear):
            await server.call("display-message", "-p", "--", "x")
        ear.heard.clear()
        lab.new_session("other", "cat")
        await other.until(SessionsChanged)
    assert ear.heard == []


async def test_a_listener_that_fails_costs_the_others_nothing(server: TmuxServer, lab: Lab) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("a mistake")

    ear = Ear()
    with server.announcements.heard_by(broken), server.announcements.heard_by(ear):
        await server.call("display-message", "-p", "--", "x")
        lab.new_session("other", "cat")
        await ear.until(SessionsChanged)


async def test_a_session_tells_of_layouts_and_unannounced_facts(server: TmuxServer, lab: Lab) -> None:
    lab.new_session("other", "cat")
    lab.tmux("set-option", "-g", "remain-on-exit", "on")
    ear = Ear()
    async with server.watcher.session("$1", ear):
        await ear.until(SubscriptionChanged)
        lab.tmux("split-window", "-d", "-t", "other", "cat")
        await ear.until(LayoutChanged)
        lab.tmux("select-pane", "-t", "%1", "-T", "a new title")
        told = await ear.until(SubscriptionChanged, "a new title")
        assert told.where[-1] == "%1"
        ear.heard.clear()
        lab.tmux("send-keys", "-t", "%2", "C-c")
        eventually(lambda: lab.tmux("display-message", "-p", "-t", "%2", "#{pane_dead}") == "1")
        assert (await ear.until(SubscriptionChanged)).where[-1] == "%2"


async def test_no_name_can_speak_in_tmux_place(server: TmuxServer, tmp_path: Path) -> None:
    """A program's name and folder hold lines that look like notifications and replies."""
    evil = tmp_path / "a\n%exit now\n%begin 1 1 1\n%window-add @9"
    evil.mkdir()
    ear = Ear()
    async with server.watcher.session("$0", ear):
        argv = ["exec -a 'x\n%exit\n%begin 1 1 1' sleep 99"]
        await server.call("respawn-pane", "-k", "-t", "%0", "-c", str(evil), "--", "bash", "-c", *argv)
        told = await ear.until(SubscriptionChanged, "%exit now")
        assert "a?%exit now?%begin 1 1 1?%window-add @9" in told.value
        assert not [event for event in ear.heard if event in (Ended(), WindowAdded("@9", True))]
        async with server.watcher.session("$0", ear):
            pass


async def test_who_listens_to_a_session_hears_its_end_once(server: TmuxServer, lab: Lab) -> None:
    lab.new_session("other", "cat")
    ear = Ear()
    async with server.watcher.session("$1", ear):
        lab.tmux("kill-session", "-t", "other")
        await ear.until(Ended)
    assert ear.heard.count(Ended()) == 1


async def test_the_last_listener_takes_the_connection_along(server: TmuxServer) -> None:
    await server.call("display-message", "-p", "--", "x")
    async with server.watcher.session("$0", Ear()), server.watcher.session("$0", Ear()):
        assert len(children()) == 2
    await server.door.closed()
    assert len(children()) == 1


async def test_facts_are_looked_for_only_while_somebody_listens(server: TmuxServer, lab: Lab) -> None:
    pane, ear = Ear(), Ear()
    async with server.watcher.pane("$0", "%0", pane, listener=pane):
        async with server.watcher.session("$0", ear):
            await ear.until(SubscriptionChanged)
        await server.watcher._sessions["$0"]._connection.request(["refresh-client"], 5)  # type: ignore[union-attr]
        pane.heard.clear()
        lab.tmux("select-pane", "-t", "%0", "-T", "unheard")
        await asyncio.sleep(1.3)  # tmux looks once a second, if it looks
    assert not [event for event in pane.heard if isinstance(event, SubscriptionChanged)]


async def test_a_session_that_does_not_exist_can_not_be_listened_to(server: TmuxServer) -> None:
    with pytest.raises(TargetNotFound):
        async with server.watcher.session("$42", Ear()):
            pass
