"""Typing goes to the pane that was looked at, and to no other that bears its id."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from muxpilot.errors import ServerGone
from muxpilot.terminal.front import Front
from muxpilot.terminal.spot import spot_of
from muxpilot.terminal.starting import Start
from muxpilot.terminal.store import Store
from muxpilot.tmux import TmuxServer
from tests.lab import Lab, eventually, running

pytestmark = pytest.mark.anyio


async def test_another_server_on_the_same_socket_gets_nothing(
    server: TmuxServer, lab: Lab, tmp_path: Path
) -> None:
    spot = await spot_of(server, "%0")
    shelf = Store(tmp_path / "state").shelf(spot.key)
    start = Start(server, spot, shelf, Front(spot.pane_pid, "sh", "dash", ""), None, 0, "$ ")
    pid = lab.server_pid
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not running(pid))
    lab.new_session("other", "cat")
    assert (await server.call("list-sessions", "-F", "#{session_name}")).text == "other"
    with pytest.raises(ServerGone, match="nothing was sent"):
        await start._press("rm -r everything\r")
    assert lab.screen("%0").strip() == ""
