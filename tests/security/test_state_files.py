"""Files of ours: a link in the place of one is refused, the umask leaves nothing open, and `%` stays `%`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from muxpilot.cli.install import files
from muxpilot.cli.install.failure import ConfigRefused
from muxpilot.errors import StateUnusable
from muxpilot.terminal.printout import Printout
from muxpilot.terminal.private import empty_private, open_private, read_private, write_private
from muxpilot.terminal.store import Store
from muxpilot.terminal.tape import Tape
from tests.hard.shells import SHELLS, Setting, console
from tests.lab import Lab, eventually
from tests.mcp.client import ToolError, mcp_server

PRECIOUS = b"precious\n" * 100


def soft_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def hard_link(path: Path, victim: Path) -> None:
    path.hardlink_to(victim)


def dangling_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim.with_name("not there"))


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


Trap = Callable[[Path, Path], None]
traps = pytest.mark.parametrize("trap", [soft_link, hard_link, dangling_link, pipe])


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file that must be as it was when the test is over, with no other beside it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file = folder / "victim"
    file.write_bytes(PRECIOUS)
    yield file
    assert file.read_bytes() == PRECIOUS
    assert [path.name for path in folder.iterdir()] == ["victim"]


@traps
def test_no_way_to_open_a_file_takes_a_link_or_a_pipe(tmp_path: Path, victim: Path, trap: Trap) -> None:
    path = tmp_path / "file"
    trap(path, victim)
    ways: list[Callable[[], object]] = [
        lambda: write_private(path, "x"),
        lambda: empty_private(path),
        lambda: read_private(path),
        lambda: open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT),
    ]
    for way in ways:
        with pytest.raises(StateUnusable, match=f"{path} is "):
            way()


@traps
@pytest.mark.parametrize("name", ["tape", "commands", "lock", "command", "recorder", "hooked"])
def test_a_trap_among_the_files_of_a_terminal_is_refused(
    lab: Lab, tmp_path: Path, victim: Path, trap: Trap, name: str
) -> None:
    """Nothing outside the state folder is written, emptied or told; the answer names what is in the way."""
    lab.environ["SHELL"] = "/bin/bash"
    with mcp_server(lab, state_dir=str(tmp_path / "state")) as client:
        assert client.call("terminal", command="echo one")["output"] == "one"
    (folder,) = (path.parent for path in (tmp_path / "state" / "panes").glob("*/commands"))
    (folder / name).unlink(missing_ok=True)
    trap(folder / name, victim)
    with mcp_server(lab, state_dir=str(tmp_path / "state")) as client:
        answer = client.text("terminal", command="echo two", timeout=5)
    assert "precious" not in answer
    if name not in {"hooked", "command"}:  # Of these two what is there is not used, and is removed.
        assert f"{folder / name} is" in answer


def test_the_output_file_of_a_command_is_a_new_one(tmp_path: Path, victim: Path) -> None:
    for trap in (soft_link, hard_link):
        trap(tmp_path / "output-1", victim)
        printout = Printout(tmp_path / "output-1", 24)
        printout.feed(b"line\r\n" * 100)
        printout.close()
        assert (tmp_path / "output-1").read_text() == "line\n" * 100
        (tmp_path / "output-1").unlink()


@pytest.mark.parametrize("where", ["panes", "panes/aaaaaaaaaaaaaaaa", "terminals"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, victim: Path, where: str) -> None:
    Store(tmp_path / "state").shelf("b" * 16)
    path = tmp_path / "state" / where
    if path.is_dir():
        for child in path.iterdir():
            child.rmdir()
        path.rmdir()
    path.symlink_to(victim.parent)
    with pytest.raises(StateUnusable, match=f"{path} is a link"):
        Store(tmp_path / "state").shelf("a" * 16)


def test_a_folder_that_becomes_a_link_is_refused_too(tmp_path: Path, victim: Path) -> None:
    store = Store(tmp_path / "state")
    shelf = store.shelf("a" * 16)
    assert store.is_there(shelf)
    shelf.folder.rmdir()
    assert not store.is_there(shelf)
    shelf.folder.symlink_to(victim.parent)
    with pytest.raises(StateUnusable, match="is a link"):
        store.is_there(shelf)


def test_a_state_folder_behind_a_link_of_the_users_own_is_used(tmp_path: Path) -> None:
    """Which disk it is on, its owner decides."""
    (tmp_path / "real").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "real")
    Store(tmp_path / "state").shelf("a" * 16)
    assert (tmp_path / "real" / "panes" / ("a" * 16)).is_dir()


@contextmanager
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def test_without_a_umask_nothing_is_open_to_others(lab: Lab, tmp_path: Path) -> None:
    lab.environ["SHELL"] = "/bin/bash"
    with no_umask(), mcp_server(lab, state_dir=str(tmp_path / "a" / "b" / "state"), fresh=True) as client:
        assert client.call("terminal", command="echo $((6 * 7)); umask")["output"].startswith("42")
        assert client.call("terminal", command="seq 9999")["output_truncated"]
        pane = client.call("terminal", command="true")["pane_id"]
        shell = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "exec cat")
        (tmp_path / "logs").mkdir(0o700)
        client.call("pipe_pane", target=shell, output_path=str(tmp_path / "logs" / "log"))
        eventually((tmp_path / "logs" / "log").exists)
        client.call("send_keys", target=shell, keys="x")
    assert pane
    assert open_to_others(tmp_path / "a") == []
    assert open_to_others(tmp_path / "logs") == []


@pytest.mark.parametrize("name", ["100%done", "%Y-%m-%d %H", "%%", "#{pid}%d#[x]##", "a%"])
def test_a_percent_sign_in_a_path_stays_what_it_is(lab: Lab, tmp_path: Path, name: str) -> None:
    """tmux takes a pipe's command for a date as well."""
    lab.environ["SHELL"] = "/bin/bash"
    with mcp_server(lab, state_dir=str(tmp_path / "work" / name)) as client:
        assert client.call("terminal", command="echo one; (exit 3)")["exit_code"] == 3
        pane = client.call("create_window", target="muxpilot")["window_id"]
        client.call("pipe_pane", target=pane, output_path=str(tmp_path / "work" / f"{name}.log"))
        eventually((tmp_path / "work" / f"{name}.log").exists)
        client.call("send_keys", target=pane, keys="echo piped")
        eventually(lambda: "piped" in (tmp_path / "work" / f"{name}.log").read_text())
    assert {path.name for path in (tmp_path / "work").iterdir()} == {name, f"{name}.log"}
    (tape,) = (tmp_path / "work" / name).glob("panes/*/tape")
    assert b"one" in tape.read_bytes()


_OFTEN = ("bash", "fish")


@pytest.mark.parametrize(
    "shell", [one if one in _OFTEN else pytest.param(one, marks=pytest.mark.long) for one in SHELLS]
)
def test_no_name_of_the_state_folder_runs_anything(tmp_path: Path, shell: str) -> None:
    """What shells, tmux and our own scripts take for more than a letter, all in one name."""
    name = "a'b\"c%d#{pid}#(touch ran)\n$(touch ran)`touch ran`\\'\\\\ !1 ;touch ran;ü"
    with console(tmp_path, Setting(shell), name) as shown:
        assert shown.result("echo 'a  b'") == (0, "a  b")
        assert shown.result("echo 'c  d'; false", sensitive=True) == (1, "c  d")
        pane = shown.lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}")
        eventually(lambda: shown.lab.screen(pane).strip())  # A wide prompt has its sign in another line.
        for sensitive in (False, True):
            given = {"command": "echo 'e  f'; false", "target": pane, "sensitive": sensitive}
            done = shown.client.call("run_command", **given)
            assert (done["exit_code"], done["output"]) == (1, "e  f")
    assert [*(tmp_path / name / "panes").glob("*/tape")]
    assert not [*tmp_path.rglob("ran")]


def test_what_is_on_a_tape_that_is_a_link_is_not_told(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "tape").symlink_to(victim)
    with pytest.raises(StateUnusable):
        Tape(tmp_path).read(0)
    with pytest.raises(StateUnusable):
        Tape(tmp_path).empty()


def device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [device, a_pipe, folder])
@pytest.mark.parametrize("linked", [False, True])
def test_install_writes_over_nothing_but_a_regular_file(
    tmp_path: Path, make: Callable[[Path], None], linked: bool
) -> None:
    path = tmp_path / "config.json"
    try:
        make(path)
    except PermissionError:
        pytest.skip("only root makes device nodes")
    before = path.lstat()
    named = path
    if linked:
        named = tmp_path / "link.json"
        named.symlink_to(path)
    for way in (
        lambda: files.read(named),
        lambda: files.write(named, None, b"{}"),
        lambda: files.write(named, b"", b"{}"),
    ):
        with pytest.raises(ConfigRefused, match=r"is not a regular file|Is a directory"):
            way()
    after = path.lstat()
    assert (after.st_mode, after.st_ino, after.st_rdev) == (before.st_mode, before.st_ino, before.st_rdev)
    assert len(list(tmp_path.iterdir())) == 1 + linked


def test_install_changes_the_file_that_a_link_leads_to(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "config.json"
    real.parent.mkdir()
    real.write_text("{}")
    (tmp_path / "config.json").symlink_to(real)
    files.write(tmp_path / "config.json", b"{}", b'{"a": 1}')
    assert real.read_text() == '{"a": 1}'
    assert (tmp_path / "config.json").is_symlink()


def test_install_makes_folders_for_its_user_alone(tmp_path: Path) -> None:
    with no_umask():
        files.write(tmp_path / "a" / "b" / "config.json", None, b"{}")
    assert open_to_others(tmp_path / "a") == []


def test_a_trap_does_not_stay_in_the_way(lab: Lab, tmp_path: Path, victim: Path) -> None:
    """Once it is removed, the terminal goes on."""
    lab.environ["SHELL"] = "/bin/bash"
    with mcp_server(lab, state_dir=str(tmp_path / "state")) as client:
        client.call("terminal", command="echo one")
        (tape,) = (tmp_path / "state").glob("panes/*/tape")
        tape.rename(tape.with_name("kept"))
        tape.symlink_to(victim)
        with pytest.raises(ToolError, match="is not a regular file"):
            client.call("terminal", command="echo two")
        tape.unlink()
        assert client.call("terminal", command="echo three")["output"] == "three"
