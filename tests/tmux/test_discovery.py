from __future__ import annotations

import socket
from pathlib import Path

from muxpilot.tmux import find_servers
from tests.lab import Lab


def test_live_and_dead_sockets_are_told_apart(lab: Lab, tmp_path: Path) -> None:
    lab.new_session()
    folder = lab.endpoint.socket_path.parent
    with socket.socket(socket.AF_UNIX) as leftover:
        leftover.bind(str(folder / "dead"))
    (folder / "no-socket").write_text("")
    found = {server.name: server.alive for server in find_servers(lab.environ)}
    assert found == {"lab": True, "dead": False}


def test_extra_paths_are_looked_at_too(lab: Lab, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(elsewhere))
        listener.listen()
        found = find_servers(lab.environ, extra=[elsewhere, tmp_path / "missing"])
    assert [(server.path, server.alive) for server in found] == [(elsewhere, True)]


def test_no_folder_means_no_servers(lab: Lab) -> None:
    assert find_servers(lab.environ) == []


def test_a_probe_does_not_disturb_the_server(lab: Lab) -> None:
    lab.new_session()
    for _ in range(50):
        assert find_servers(lab.environ)[0].alive
    assert lab.tmux("list-clients") == ""
