"""A tmux that is missing, too old, of another protocol, or misconfigured: an error that says what to do."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from muxpilot.errors import (
    BadInput,
    MuxpilotError,
    ServerMismatch,
    ServerNotRunning,
    SocketUnusable,
    TmuxError,
    TmuxNotInstalled,
    TmuxTooOld,
)
from muxpilot.terminal.sessions import create_session
from muxpilot.tmux import Endpoint, TmuxServer
from muxpilot.tmux.version import Version
from tests.lab import TMUX, Lab

pytestmark = pytest.mark.anyio


async def failure(endpoint: Endpoint) -> MuxpilotError:
    server = TmuxServer(endpoint, timeout=3)
    try:
        await server.call("list-sessions")
    except MuxpilotError as error:
        return error
    finally:
        await server.close()
    raise AssertionError("it worked")


async def test_no_tmux_installed(lab: Lab, tmp_path: Path) -> None:
    error = await failure(replace(lab.endpoint, tmux_bin=str(tmp_path / "tmux")))
    assert isinstance(error, TmuxNotInstalled)
    assert "MUXPILOT_TMUX_BIN" in error.hint
    with pytest.raises(TmuxNotInstalled):
        await create_session(TmuxServer(replace(lab.endpoint, tmux_bin="no-such-tmux")), name="x")


async def test_no_tmux_on_the_path_says_how_to_install_it(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    endpoint = replace(lab.endpoint, tmux_bin="tmux", environ={**lab.environ, "PATH": "/nowhere"})
    error = await failure(endpoint)
    assert isinstance(error, TmuxNotInstalled)
    assert "apt install tmux" in error.hint


async def test_a_program_that_is_not_executable(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "tmux").write_text("not a program")
    error = await failure(replace(lab.endpoint, tmux_bin=str(tmp_path / "tmux")))
    assert isinstance(error, TmuxError)
    assert "could not be started: Permission denied" in str(error)


async def test_no_server_running(lab: Lab) -> None:
    error = await failure(lab.endpoint)
    assert isinstance(error, ServerNotRunning)
    assert str(lab.endpoint.socket_path) in str(error)
    assert "create_session" in error.hint


async def test_a_socket_that_is_no_socket(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("I am a file")
    error = await failure(replace(lab.endpoint, server=str(path)))
    assert isinstance(error, SocketUnusable)
    assert "not a socket" in str(error)
    assert path.read_text() == "I am a file"


async def test_a_socket_that_is_a_folder(lab: Lab, tmp_path: Path) -> None:
    assert isinstance(await failure(replace(lab.endpoint, server=str(tmp_path))), SocketUnusable)


async def test_a_leftover_socket_counts_as_no_server(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "stale"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    error = await failure(replace(lab.endpoint, server=str(path)))
    assert isinstance(error, ServerNotRunning)


@pytest.mark.skipif(os.getuid() == 0, reason="root may use anybody's socket")
async def test_a_socket_of_somebody_else(lab: Lab, tmp_path: Path) -> None:
    lab.new_session()
    lab.endpoint.socket_path.chmod(0)
    assert isinstance(await failure(lab.endpoint), SocketUnusable)


async def test_a_folder_with_unsafe_permissions(lab: Lab) -> None:
    folder = lab.endpoint.socket_path.parent
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    with pytest.raises(SocketUnusable, match="mode 0700"):
        await create_session(TmuxServer(lab.endpoint), name="x")


@contextlib.contextmanager
def server_of_another_protocol(path: Path) -> Iterator[None]:
    """Answers like a tmux server does that speaks protocol 7: a MSG_VERSION, then the end."""
    header = struct.pack("=IHHII", 12, 16, 0, 7, os.getpid())
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    with (
                        client,
                        contextlib.suppress(OSError),
                    ):  # One may only have wanted to know who answers.
                        client.recv(65536)
                        client.sendall(header)
                        client.recv(65536)

        threading.Thread(target=answer, daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)


async def test_a_server_of_an_incompatible_version(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "alien"
    with server_of_another_protocol(path):
        error = await failure(replace(lab.endpoint, server=str(path)))
    assert isinstance(error, ServerMismatch)
    assert "server 7" in str(error)
    assert "MUXPILOT_TMUX_BIN" in error.hint


def fake_tmux(tmp_path: Path, version: str) -> str:
    """The real tmux, but for what it says of its age."""
    script = tmp_path / "old-tmux"
    script.write_text(f'#!/bin/sh\n[ "$1" = -V ] && {{ echo "tmux {version}"; exit; }}\nexec tmux "$@"\n')
    script.chmod(0o755)
    return str(script)


async def test_a_tmux_that_is_too_old(lab: Lab, tmp_path: Path) -> None:
    server = TmuxServer(replace(lab.endpoint, tmux_bin=fake_tmux(tmp_path, "2.9a")))
    with pytest.raises(TmuxTooOld, match=r"tmux 2\.9a is too old: muxpilot needs 3\.2"):
        await create_session(server, name="x")
    assert not lab.endpoint.socket_path.exists()


@pytest.mark.parametrize("name", ["", "a/b", ".", "..", "a\0b", "\ud800"])
def test_a_server_name_that_can_be_none_is_refused(name: str) -> None:
    with pytest.raises(BadInput):
        Endpoint(name)


async def test_a_socket_path_that_is_too_long(lab: Lab) -> None:
    error = await failure(replace(lab.endpoint, server="/tmp/" + "x" * 200))
    assert isinstance(error, BadInput)
    assert "shorter" in error.hint


def other_tmux(lab: Lab, tmp_path: Path, otherwise: str) -> str:
    """A program of the other side of 3.6 than the server's: it says so, and is not understood."""
    version = "3.3a" if Version.parse(lab.tmux("-V")) >= Version(3, 6) else "3.7c"
    script = tmp_path / "other-tmux"
    script.write_text(f'#!/bin/sh\ncase "$*" in *-V*) echo "tmux {version}" ;; {otherwise} esac\n')
    script.chmod(0o755)
    return str(script)


async def test_a_server_that_can_not_take_our_files_is_named(lab: Lab, tmp_path: Path) -> None:
    """tmux from 3.6 on can't attach to an older server, nor the other way round; neither side says why."""
    lab.new_session()
    program = other_tmux(lab, tmp_path, f'*-C*) exec cat >/dev/null ;; *) exec {TMUX} "$@" ;;')
    server = TmuxServer(replace(lab.endpoint, tmux_bin=program), timeout=2)
    with pytest.raises(ServerMismatch, match=r"the program 3\."):
        await server.call("list-sessions")
    await server.close()


async def test_a_server_that_always_hangs_up_is_named_and_not_asked_without_end(
    lab: Lab, tmp_path: Path
) -> None:
    lab.new_session()
    asked = tmp_path / "asked"
    hangs_up = f'*) echo >>{asked}; echo "server exited unexpectedly" >&2; exit 1 ;;'
    server = TmuxServer(replace(lab.endpoint, tmux_bin=other_tmux(lab, tmp_path, hangs_up)), timeout=20)
    with pytest.raises(ServerMismatch, match="hangs up"):
        await server.call("list-sessions")
    assert asked.read_text().count("\n") < 10
    await server.close()
