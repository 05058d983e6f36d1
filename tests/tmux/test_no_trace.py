"""We attach quietly: sizes, environments and sessions of a person stay as they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from muxpilot.terminal.snapshot import take_snapshot
from muxpilot.tmux import TmuxServer
from muxpilot.tmux.host import Host, best_host
from tests.lab import Lab, eventually
from tests.tmux.people import person_attached

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def us(lab: Lab) -> AsyncIterator[TmuxServer]:
    """Connected, and watching a pane of `main` too."""
    server = TmuxServer(lab.endpoint)
    try:
        await server.call("display-message", "-p", "--", "connect")
        session, pane = lab.tmux("display-message", "-p", "-t", "main", "#{session_id} #{pane_id}").split()
        async with server.watcher.pane(session, pane, lambda _: None):
            yield server
    finally:
        await server.close()


def sizes(lab: Lab) -> str:
    return lab.tmux("list-windows", "-a", "-F", "#{window_width}x#{window_height}")


@pytest.mark.parametrize("window_size", ["latest", "largest", "smallest", "manual"])
async def test_a_persons_window_keeps_its_size(lab: Lab, window_size: str) -> None:
    lab.new_session("main")
    lab.tmux("set-option", "-g", "window-size", window_size)
    with person_attached(lab, "main", 97, 31), person_attached(lab, "main", 83, 29):
        before = sizes(lab)
        async with us(lab):
            assert sizes(lab) == before
        assert sizes(lab) == before


async def test_a_detached_session_keeps_its_size(lab: Lab) -> None:
    lab.new_session("main", size=(123, 45))
    async with us(lab):
        assert sizes(lab) == "123x45"
    assert sizes(lab) == "123x45"


async def test_no_environment_of_ours_enters_a_session(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.new_session("main")
    before = lab.tmux("show-environment", "-t", "main"), lab.tmux("show-environment", "-g")
    lab.environ |= {"DISPLAY": ":99", "SSH_AUTH_SOCK": "/intruder", "MUXPILOT_SECRET": "s"}
    async with us(lab):
        pass
    assert (lab.tmux("show-environment", "-t", "main"), lab.tmux("show-environment", "-g")) == before


async def test_session_attached_counts_people_only(lab: Lab) -> None:
    session_id = lab.new_session("main")
    async with us(lab) as server, us(lab):
        assert lab.tmux("display-message", "-p", "-t", "main", "#{session_attached}") == "4"
        assert (await take_snapshot(server)).people_attached(session_id) == 0
        with person_attached(lab, "main", 80, 24):
            assert (await take_snapshot(server)).people_attached(session_id) == 1


async def test_nothing_is_left_after_closing(lab: Lab) -> None:
    lab.new_session("main")
    before = (
        lab.tmux("list-sessions", "-F", "#{session_name} #{session_windows}"),
        lab.tmux("show-options", "-g"),
    )
    async with us(lab):
        pass
    eventually(lambda: lab.tmux("list-clients") == "")
    assert (
        lab.tmux("list-sessions", "-F", "#{session_name} #{session_windows}"),
        lab.tmux("show-options", "-g"),
    ) == before
    assert lab.tmux("list-buffers") == ""


async def test_a_session_that_dies_when_left_is_never_attached_to(lab: Lab) -> None:
    lab.new_session("main")
    lab.new_session("fragile")
    with person_attached(lab, "fragile", 80, 24):
        lab.tmux("set-option", "-t", "fragile", "destroy-unattached", "on")
        server = TmuxServer(lab.endpoint)
        await server.call("display-message", "-p", "--", "connect")
        where = lab.tmux("list-clients", "-F", "#{client_control_mode} #{session_name}")
        assert "1 main" in where.splitlines()
        assert "1 fragile" not in where.splitlines()
        await server.close()
        assert "fragile" in lab.tmux("list-sessions")


async def test_where_every_session_dies_when_left_single_processes_do_the_work(lab: Lab) -> None:
    lab.new_session("main")
    with person_attached(lab, "main", 80, 24):
        lab.tmux("set-option", "-t", "main", "destroy-unattached", "on")
        server = TmuxServer(lab.endpoint)
        assert (await take_snapshot(server)).sessions[0].session_name == "main"
        assert server.connection is None
        await server.close()
        assert "main" in lab.tmux("list-sessions")


def host(
    name: str, *, attached: bool = False, activity: int = 0, alerts: str = "", fragile: bool = False
) -> Host:
    return Host("$0", name, attached, activity, alerts, fragile, "3.3a", 1, 1)


def test_the_place_to_attach_is_the_one_that_disturbs_least() -> None:
    ours, watched = host("muxpilot", activity=9), host("watched", attached=True, activity=8)
    stale, recent = host("stale", activity=1), host("recent", activity=5)
    assert best_host([stale, recent, watched, ours], "muxpilot") == ours
    assert best_host([stale, recent, watched], "muxpilot") == watched
    assert best_host([recent, stale], "muxpilot") == stale
    assert best_host([host("rings", alerts="0!"), recent], "muxpilot") == recent
    assert best_host([host("x", fragile=True)], "muxpilot") is None
