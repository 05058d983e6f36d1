"""Creating sessions: what was asked for, or a refusal; never something else in silence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from muxpilot.errors import BadInput, CommandFailed, TargetNotFound
from muxpilot.terminal.sessions import create_session
from muxpilot.terminal.snapshot import SESSIONS, take_snapshot
from muxpilot.tmux import TmuxServer, Version, is_alive
from tests.lab import Lab, eventually

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "name", ["", "a.b", "a:b", "a\nb", "a\tb", "a\\b", "\x1b[0m", "%1", "@2", "$3", "=x", "a\0b"]
)
async def test_a_name_that_tmux_cannot_hold_is_refused(lab: Lab, name: str) -> None:
    server = TmuxServer(lab.endpoint)
    with pytest.raises(BadInput):
        await create_session(server, name=name)
    assert not lab.endpoint.socket_path.exists()


async def test_a_name_that_is_taken_is_refused(server: TmuxServer) -> None:
    with pytest.raises(BadInput, match="session 'main' already exists"):
        await create_session(server, name="main")


async def test_a_name_that_this_tmux_changes_is_undone(server: TmuxServer, lab: Lab) -> None:
    """tmux up to 3.4 stores `$HOME` with a backslash; newer ones hold it."""
    if await server.server_version() >= Version(3, 5):
        assert (await create_session(server, name="a$HOME")).session_name == "a$HOME"
        return
    with pytest.raises(BadInput, match="can't hold"):
        await create_session(server, name="a$HOME")
    assert lab.tmux("list-sessions", "-F", "#{session_name}") == "main"


async def test_size_folder_window_name_and_environment_are_taken(
    server: TmuxServer, lab: Lab, tmp_path: Path
) -> None:
    created = await create_session(
        server,
        name="full",
        window_name="edit#{pid}",
        start_directory=str(tmp_path),
        width=101,
        height=33,
        environment={"GREETING": "a b;\n#{pid}"},
    )
    shape = lab.tmux("display-message", "-p", "-t", "full", "#{window_width}x#{window_height} #{window_name}")
    assert shape == "101x33 edit#{pid}"
    eventually(
        lambda: (
            lab.tmux("display-message", "-p", "-t", created.pane_id, "#{pane_current_path}") == str(tmp_path)
        )
    )
    assert "GREETING=a b;\n#{pid}" in lab.tmux("show-environment", "-t", "full")


@pytest.mark.parametrize("path", ["/no/such/folder", "~nobody-here/x", "/x" * 3000, "a\0b", "/etc/passwd"])
async def test_a_folder_that_does_not_exist_is_refused(server: TmuxServer, path: str) -> None:
    with pytest.raises(BadInput, match="is not a folder"):
        await create_session(server, start_directory=path)


@pytest.mark.parametrize("name", ["lost server", "no sessions", "x (Permission denied)", "server exited"])
async def test_a_name_that_sounds_like_a_failure_is_just_a_name(server: TmuxServer, name: str) -> None:
    await create_session(server, name=name)
    with pytest.raises(BadInput, match="already exists"):
        await create_session(server, name=name)


async def test_a_server_with_no_session_left_is_a_server(server: TmuxServer, lab: Lab) -> None:
    lab.tmux("set-option", "-g", "exit-empty", "off")
    await server.call("kill-session", "-t", "main")
    assert (await take_snapshot(server, [SESSIONS])).sessions == []
    with pytest.raises(TargetNotFound, match="has no sessions"):
        await take_snapshot(server)
    assert (await create_session(server, name="again")).session_name == "again"


async def test_a_variable_that_is_none_is_refused(server: TmuxServer) -> None:
    with pytest.raises(BadInput, match="no name of an environment variable"):
        await create_session(server, environment={"A=B": "x"})


def with_config(lab: Lab, text: str) -> TmuxServer:
    path = Path(lab.environ["HOME"]) / "tmux.conf"
    path.write_text(text)
    return TmuxServer(replace(lab.endpoint, config=str(path)))


async def test_a_broken_configuration_is_told_and_out_of_the_way(lab: Lab) -> None:
    server = with_config(lab, "set -g @a 1\nthis is no command\n")
    created = await create_session(server, name="here")
    (warning,) = created.warnings
    assert "tmux.conf:2: unknown command: this" in warning
    assert lab.tmux("display-message", "-p", "-t", created.pane_id, "#{pane_in_mode}") == "0"
    assert (await create_session(server, name="next")).warnings == ()
    await server.close()


async def test_a_good_configuration_gives_no_warning(lab: Lab) -> None:
    server = with_config(lab, "set -g @a 1\n")
    assert (await create_session(server)).warnings == ()
    assert lab.tmux("show-options", "-gv", "@a") == "1"
    await server.close()


async def test_a_shell_that_ends_at_once_is_told(lab: Lab) -> None:
    server = with_config(lab, "set -g default-command false\nset -g exit-empty on\n")
    with pytest.raises(CommandFailed, match="ended again at once.*default-command"):
        await create_until_it_is_told(server, lab)
    await server.close()


async def create_until_it_is_told(server: TmuxServer, lab: Lab) -> None:
    for _ in range(50):
        await create_session(server)
        eventually(lambda: not is_alive(lab.endpoint))
