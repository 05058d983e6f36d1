"""Two real users on one machine: what one of them leaves in a shared folder, the other does not speak to.

Needs root, to be somebody else. The other user has a number and nothing more: no account, no files but those
in the test's own folder. They may not be able to read our Python, so a process of theirs starts as root,
imports what it needs, and then becomes theirs for good.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

import muxpilot
from tests.lab import TMUX, Lab
from tests.mcp.client import LEGACY, Json, RawClient, ToolError, mcp_server

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else"),
]
STRANGER = 64001
BECOME = f"""
import os
os.setgroups([])
os.setresgid({STRANGER}, {STRANGER}, {STRANGER})
os.setresuid({STRANGER}, {STRANGER}, {STRANGER})
"""
SERVED = f"""
import os, socket, struct, sys
{BECOME}
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
listener.listen()
print("ready", flush=True)
while True:
    client, _ = listener.accept()
    client.settimeout(5)
    while data := client.recv(65536):
        print(data.hex(), flush=True)
        # MSG_WRITE_OPEN, protocol 8: stream 3, no descriptor, O_CREAT|O_TRUNC, and a path.
        path = sys.argv[2].encode() + bytes(1)
        client.sendall(struct.pack("=IHHIIiii", 16 + 12 + len(path), 304, 0, 8, os.getpid(), 3, -1, 0) + path)
"""


SERVING = f"""
import encodings.idna, importlib, importlib.readers, importlib.resources, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import muxpilot
assert muxpilot.__file__.startswith(sys.argv[1])
for module in pkgutil.walk_packages(muxpilot.__path__, "muxpilot."):
    if module.name not in ("muxpilot.__main__", "muxpilot.cli.demo"):
        importlib.import_module(module.name)
import anyio
anyio.run(anyio.run_process, ["true"])  # What it imports when it is used.
{BECOME}
sys.argv[1:] = []
from muxpilot.cli import main
sys.exit(main())
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder like /tmp: everybody may add files, nobody may touch those of others."""
    folder = Path(tempfile.mkdtemp(prefix="mxp-", dir="/tmp"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def served_by_a_stranger(path: Path, victim: Path) -> Iterator[list[str]]:
    """A fake tmux server of another user's on this socket; when the block has ended, all that it was sent."""
    heard: list[str] = []
    process = subprocess.Popen(
        [sys.executable, "-c", SERVED, str(path), str(victim)],
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
        env={},
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield heard
    finally:
        process.kill()
        heard += process.stdout.read().split()
        process.wait()
        process.stdout.close()


def everything(client: RawClient, path: Path) -> None:
    """All that can name a socket; each is refused, or knows of nothing."""
    calls: tuple[tuple[str, Json], ...] = (
        ("create_session", {}),
        ("terminal", {"command": "true"}),
        ("run_command", {"command": "true"}),
    )
    for tool, given in (*calls, ("list_sessions", {}), ("kill_server", {}), ("get_server_info", {})):
        with pytest.raises(ToolError) as error:
            client.call(tool, server=str(path), **given)
        assert error.value.condition == "socket_unusable", error.value
    assert client.call("list_servers", extra_socket_paths=[str(path)]) == {"servers": []}
    uri = f"tmux://sessions?socket_name={quote(str(path), safe='')}"
    answer = client.wait(client.start("resources/read", {"uri": uri}))
    assert "can't be used as a tmux socket" in answer["error"]["message"]
    params = {
        "ref": {"type": "ref/resource", "uri": "tmux://panes/{pane_id}{?socket_name}"},
        "argument": {"name": "pane_id", "value": ""},
        "context": {"arguments": {"socket_name": str(path)}},
    }
    answer = client.wait(client.start("completion/complete", params))
    assert "can't be used as a tmux socket" in answer["error"]["message"]


def test_nothing_is_sent_to_another_user_s_fake_server(lab: Lab, shared: Path, tmp_path: Path) -> None:
    path, victim = shared / "socket", tmp_path / "written"
    (tmp_path / "link").symlink_to(path)
    with served_by_a_stranger(path, victim) as heard:
        os.link(path, shared / "hard")
        with mcp_server(lab, safety="destructive") as client:
            for spelling in (path, tmp_path / "link", shared / "hard", Path(f"{shared}/./socket")):
                everything(client, spelling)
    assert heard == []
    assert not victim.exists()


def test_a_plain_tmux_does_speak_to_it(lab: Lab, shared: Path, tmp_path: Path) -> None:
    """So the fake would have heard something."""
    path = shared / "socket"
    with served_by_a_stranger(path, tmp_path / "written") as heard:
        process = subprocess.Popen(
            [TMUX, "-S", str(path), "ls"],
            env=lab.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert b"TMUX_TMPDIR" in bytes.fromhex("".join(heard))


def test_nothing_is_sent_where_only_the_listener_is_another_user(
    lab: Lab, shared: Path, tmp_path: Path
) -> None:
    """The socket file is ours: it was given to us."""
    path = shared / "socket"
    with served_by_a_stranger(path, tmp_path / "written") as heard:
        os.chown(path, 0, 0)
        with mcp_server(lab, safety="destructive") as client:
            with pytest.raises(ToolError, match="runs as another user"):
                client.call("list_sessions", server=str(path))
            everything(client, path)
    assert heard == []


def test_a_tmux_folder_of_another_user_s_is_refused(lab: Lab, shared: Path, tmp_path: Path) -> None:
    """Who comes first makes /tmp/tmux-0."""
    folder = shared / "tmux-0"
    folder.mkdir()
    os.chown(folder, STRANGER, STRANGER)
    lab.environ["TMUX_TMPDIR"] = str(shared)
    with served_by_a_stranger(folder / "lab", tmp_path / "written") as heard, mcp_server(lab) as client:
        for tool in ("list_sessions", "create_session"):
            for server in (None, "lab", "other", str(folder / "lab")):
                with pytest.raises(ToolError) as error:
                    client.call(tool, server=server)
                assert error.value.condition == "socket_unusable"
        with pytest.raises(ToolError, match="no tmux server was started"):
            client.call("create_session", server=str(folder / "other"))
        assert client.call("list_servers") == {"servers": []}
    assert heard == []


def test_our_socket_in_a_folder_of_another_user_s_is_refused(lab: Lab, shared: Path) -> None:
    """They can put theirs in its place between our look and tmux's."""
    folder = shared / "theirs"
    folder.mkdir()
    path = folder / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.setblocking(False)
        os.chown(folder, STRANGER, STRANGER)
        with mcp_server(lab) as client, pytest.raises(ToolError, match=f"can change {folder}"):
            client.call("list_sessions", server=str(path))
        with pytest.raises(BlockingIOError):
            listener.accept()


@contextmanager
def muxpilot_of_a_stranger(folder: Path) -> Iterator[RawClient]:
    """muxpilot as an ordinary user, with a home of their own."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    os.chown(home, STRANGER, STRANGER)
    package = shutil.copytree(Path(muxpilot.__file__).parent, folder / "lib" / "muxpilot")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMUX_TMPDIR": str(home),
        "SHELL": "/bin/sh",
        "MUXPILOT_SAFETY": "destructive",
        "MUXPILOT_TMUX_BIN": TMUX,
        "MUXPILOT_TMUX_CONFIG": "/dev/null",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SERVING, str(package.parent)],
        cwd="/",
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    client = RawClient(process, LEGACY)
    try:
        client.open()
        yield client
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


def test_an_ordinary_user_works_and_does_not_reach_root_s_server(lab: Lab, shared: Path) -> None:
    path = shared / "socket"
    lab.tmux("-S", str(path), "new-session", "-d", "-s", "root", "cat")
    path.chmod(0o777)
    try:
        with muxpilot_of_a_stranger(shared) as client:
            everything(client, path)
            assert client.call("terminal", command="id -u")["output"] == str(STRANGER)
            (row,) = client.call("list_servers")["servers"]
            assert row["socket_path"].startswith(f"{shared}/home/tmux-{STRANGER}/")
            client.call("kill_server")
        assert lab.tmux("-S", str(path), "list-sessions", "-F", "#{session_name}") == "root"
    finally:
        lab.try_tmux("-S", str(path), "kill-server")
