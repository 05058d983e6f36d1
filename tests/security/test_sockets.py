"""A `server` is chosen by an agent: it must not delete a file, start a server anywhere, or reach a stranger.

tmux unlinks whatever lies where it starts a server, and obeys whoever listens. So these calls name files,
devices, links and sockets of all kinds, in many spellings, and afterwards everything is as it was.
"""

from __future__ import annotations

import ast
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import muxpilot
from muxpilot.errors import BadInput, MuxpilotError, ServerNotRunning, SocketUnusable
from muxpilot.tmux import Endpoint, ServerPool, TmuxServer, find_servers, is_alive
from muxpilot.tmux.folder_trust import Trust, trust_of
from muxpilot.tmux.socket_guard import LONGEST_PATH, admit
from tests.lab import TMUX, Lab
from tests.mcp.client import Json, RawClient, ToolError, mcp_server

SOURCE = Path(muxpilot.__file__).parent
CONTENT = b"my thesis\n" * 100

VALUES: dict[str, Any] = {
    "target": "%0",
    "source": "%1",
    "command": "true",
    "layout": "tiled",
    "format_string": "x",
    "option": "status",
    "value": "on",
    "hook_name": "session-created",
    "pattern": "x",
    "patterns": ["x"],
    "keys": "x",
    "buffer_name": f"muxpilot_{'0' * 32}_x",
}
MORE: dict[str, Json] = {
    "batch_read": {"operations": [{"tool": "get_server_info", "arguments": {}}]},
    "send_keys_batch": {"operations": [{"target": "%0", "keys": "x"}]},
    "terminal": {"command": "true"},
    "wait_for_text": {"pattern": "x"},
    "capture_since": {"target": "%0"},
    "resize_pane": {"height": 5},
    "resize_window": {"height": 50},
    "move_window": {"destination_index": 9},
}
"""Arguments that are valid, so that only the socket is left to refuse."""
LAST = "kill_server"


def arguments(tool: Json) -> Json:
    schema = tool["inputSchema"]
    given = {name: _value(name, schema["properties"][name]) for name in schema.get("required", [])}
    return {**given, **MORE.get(tool["name"], {})}


def _value(name: str, schema: Json) -> object:
    if name in VALUES:
        return VALUES[name]
    if "enum" in schema:
        return schema["enum"][0]
    return {"integer": 1, "number": 1, "boolean": True, "array": []}.get(schema.get("type", ""), "x")


def looks(path: Path) -> tuple[object, ...]:
    """All that an owner could notice of a file, and what is in it."""
    found = path.lstat()
    kept = (found.st_ino, found.st_mode, found.st_uid, found.st_nlink, found.st_size, found.st_mtime_ns)
    link = path.readlink() if path.is_symlink() else None
    content = path.read_bytes() if stat.S_ISREG(found.st_mode) else None
    return (*kept, found.st_rdev, link, content)


@contextmanager
def untouched(*paths: Path) -> Iterator[None]:
    """These stay as they are, and nothing new lies beside them."""
    before = [looks(path) for path in paths]
    beside = [sorted(path.parent.iterdir()) for path in paths]
    yield
    assert [looks(path) for path in paths] == before
    assert [sorted(path.parent.iterdir()) for path in paths] == beside


REASONS = (
    "can't be used as a tmux socket",
    "no tmux server was started on",
    "can't be used for tmux sockets",
)


def refused(client: RawClient, tool: str, /, **given: Any) -> None:
    """For its socket, and for nothing else."""
    try:
        said = str(client.call(tool, **given))
        assert "'succeeded': 0" in said, (tool, said)  # Of a batch.
    except ToolError as error:
        said = str(error)
    assert any(reason in said for reason in REASONS), (tool, said)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder of the user's that has nothing to do with tmux."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


# What may lie at a path


def regular(path: Path) -> None:
    path.write_bytes(CONTENT)


def empty(path: Path) -> None:
    path.touch()


def folder(path: Path) -> None:
    path.mkdir()


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    """A stand-in for /dev/null."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make devices")


def stale_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))


def datagram_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
        left.bind(str(path))


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


KINDS = [regular, empty, folder, fifo, device, stale_socket, datagram_socket, circle, dangling]
STARTING: list[tuple[str, Json]] = [
    ("create_session", {"session_name": "x"}),
    ("terminal", {"command": "true"}),
    ("run_command", {"command": "true"}),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_call_replaces_what_lies_at_a_path(kind: Callable[[Path], None], lab: Lab, home: Path) -> None:
    """However the path is spelled: as it is, by a link, by a hard link, with dots and slashes."""
    kind(home / "it")
    spellings = ["it", "./it", "../home/it", "/it"]
    (home / "link").symlink_to("it")
    spellings.append("link")
    if not (home / "it").is_dir():
        os.link(home / "it", home / "hard", follow_symlinks=False)
        spellings.append("hard")
    with mcp_server(lab, safety="destructive") as client, untouched(*home.iterdir()):
        for name in spellings:
            for tool, given in STARTING:
                refused(client, tool, server=f"{home}/{name}", **given)
    assert not lab.endpoint.socket_path.parent.exists(), "and no tmux was started elsewhere"


@pytest.mark.parametrize("tier", ["readonly", "mutating", "destructive"])
@pytest.mark.parametrize("toolsets", ["full", "classic,full", "mini,full"])
def test_no_tool_touches_a_file_that_it_is_given_as_a_server(
    tier: str, toolsets: str, lab: Lab, home: Path
) -> None:
    """Every tool that the server lists, those that are added later too."""
    thesis = home / "thesis"
    regular(thesis)
    lab.new_session("main", "cat")
    with mcp_server(lab, safety=tier, toolsets=toolsets) as client, untouched(thesis):
        tools = client.request("tools/list")["tools"]
        named = [tool for tool in tools if "server" in tool["inputSchema"]["properties"]]
        assert len(named) > 20
        for tool in named:
            for alias in ("server", "socket_path"):
                refused(client, tool["name"], **arguments(tool), **{alias: str(thesis)})
        assert client.call("list_servers", extra_socket_paths=[str(thesis)])["servers"][0]["is_alive"]
        batch = [{"tool": "get_server_info", "arguments": {"server": str(thesis)}}]
        refused(client, "batch_read", operations=batch)


def test_the_same_calls_work_on_a_server_of_the_user_s(lab: Lab) -> None:
    """So the test above does not pass because its arguments are refused."""
    lab.new_session("main", "cat")
    lab.tmux("split-window", "cat")
    with mcp_server(lab, safety="destructive") as client:
        for tool in client.request("tools/list")["tools"]:
            parameters = tool["inputSchema"]["properties"]
            if "server" not in parameters or tool["name"] == LAST:
                continue
            quick = {"timeout": 0.1} if "timeout" in parameters else {}
            given = {**arguments(tool), **quick, "server": str(lab.endpoint.socket_path)}
            answer = client.request("tools/call", {"name": tool["name"], "arguments": given})
            condition = answer.get("_meta", {}).get("condition", "")
            missing = "buffer" in tool["name"] and "buffer" in answer["content"][0]["text"]
            assert missing or condition in {"", "not_found", "refused", "ambiguous", "bad_target"}, (
                tool["name"],
                answer,
            )


def test_resources_and_completion_refuse_it_too(lab: Lab, home: Path) -> None:
    thesis = home / "thesis"
    regular(thesis)
    lab.new_session("main", "cat")
    with mcp_server(lab) as client, untouched(thesis):
        for name in ("socket_name", "server"):
            uri = f"tmux://sessions?{name}={quote(str(thesis), safe='')}"
            answer = client.wait(client.start("resources/read", {"uri": uri}))
            assert "not a socket" in answer["error"]["message"]
        template = "tmux://panes/{pane_id}{?socket_name}"
        params = {
            "ref": {"type": "ref/resource", "uri": template},
            "argument": {"name": "pane_id", "value": ""},
            "context": {"arguments": {"socket_name": str(thesis)}},
        }
        answer = client.wait(client.start("completion/complete", params))
        assert "not a socket" in answer["error"]["message"]


def test_a_file_in_the_tmux_folder_is_no_server_by_its_name(lab: Lab) -> None:
    """tmux's own lock files lie there."""
    lab.new_session("main", "cat")
    where = lab.endpoint.socket_path.parent
    (where / "other.lock").write_bytes(CONTENT)
    (where / "link").symlink_to("other.lock")
    with mcp_server(lab) as client, untouched(where / "other.lock", where / "link"):
        for name in ("other.lock", "link"):
            for tool, given in STARTING:
                refused(client, tool, server=name, **given)


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parent / "made")


@pytest.mark.parametrize("kind", [regular, fifo, device, link_to_nothing], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("named", ["call", "settings"])
def test_what_tmux_would_take_for_its_lock_stays(
    kind: Callable[[Path], None], named: str, lab: Lab, home: Path
) -> None:
    """tmux opens PATH.lock beside the socket of a new server, follows a link there, and removes it."""
    lab.new_session("main", "cat")
    where = lab.endpoint.socket_path.parent if named == "call" else home
    kind(where / "my.lock")
    settings: Json = {"socket_path": f"{home}/my"} if named == "settings" else {}
    try:
        with mcp_server(lab, **settings) as client, untouched(where / "my.lock"):
            for tool, given in STARTING:
                refused(client, tool, **given, **({} if settings else {"server": "my"}))
    finally:
        (where / "my.lock").unlink(missing_ok=True)
        lab.try_tmux("-S", str(where / "my"), "kill-server")


def test_a_lock_of_tmux_s_own_is_in_nobody_s_way(lab: Lab) -> None:
    """One that a killed tmux left behind, and another server whose name happens to end like that."""
    lab.new_session("main", "cat")
    where = lab.endpoint.socket_path.parent
    (where / "one.lock").touch(0o600)
    try:
        with mcp_server(lab) as client:
            for name in ("one", "two.lock", "two"):
                client.call("create_session", session_name="x", server=name)
                assert client.call("list_sessions", server=name)["sessions"]
    finally:
        for name in ("one", "two", "two.lock"):
            lab.try_tmux("-L", name, "kill-server")


# Where a server may be started


def test_no_server_is_started_elsewhere(lab: Lab, home: Path) -> None:
    """Not even where nothing is: tmux would also remove PATH.lock beside it."""
    (home / "Cargo.lock").write_bytes(CONTENT)
    (home / "missing").symlink_to("Cargo")
    with mcp_server(lab) as client, untouched(home / "Cargo.lock", home / "missing"):
        for name in ("Cargo", "missing", "no-folder/x", "Cargo.lock/x"):
            for tool, given in STARTING:
                refused(client, tool, server=f"{home}/{name}", **given)


def test_a_server_is_started_in_the_tmux_folder_by_name_or_path(lab: Lab) -> None:
    where = lab.endpoint.socket_path.parent
    try:
        with mcp_server(lab) as client:
            client.call("create_session", session_name="a", server="one")
            client.call("create_session", session_name="b", server=f"/{where}/./two")
            rows = client.call("list_servers")["servers"]
            assert {row["socket_name"] for row in rows} == {"one", "two"}
            assert stat.S_IMODE(where.stat().st_mode) == 0o700
    finally:
        for name in ("one", "two"):
            lab.try_tmux("-L", name, "kill-server")


@pytest.mark.parametrize("left_over", [False, True])
def test_a_server_is_started_where_the_settings_say(left_over: bool, lab: Lab, home: Path) -> None:
    chosen = home / "chosen"
    if left_over:
        stale_socket(chosen)
    (home / "link").symlink_to("chosen")
    try:
        with mcp_server(lab, socket_path=str(chosen)) as client:
            client.call("create_session", session_name="a", server=str(home / "link"))
            client.call("create_session", session_name="b")
            assert {row["session_name"] for row in client.call("list_sessions")["sessions"]} == {"a", "b"}
            refused(client, "create_session", session_name="c", server=str(home / "other"))
    finally:
        lab.try_tmux("-S", str(chosen), "kill-server")


def test_what_the_settings_name_is_not_replaced_unless_it_is_a_socket(lab: Lab, home: Path) -> None:
    thesis = home / "thesis"
    regular(thesis)
    with mcp_server(lab, socket_path=str(thesis)) as client, untouched(thesis):
        for tool, given in STARTING:
            refused(client, tool, **given)


def test_no_server_is_started_in_a_folder_that_others_can_write_to(lab: Lab, home: Path) -> None:
    """Somebody could put a socket there between our look and tmux's."""
    shared = home / "shared"
    shared.mkdir()
    for mode in (0o1777, 0o777, 0o770):
        shared.chmod(mode)
        endpoint = replace(lab.endpoint, server=str(shared / "x"), named_by_settings=True)
        with pytest.raises(SocketUnusable, match="could put a socket there first"):
            admit(endpoint, may_start=True)
        with pytest.raises(ServerNotRunning):
            admit(endpoint, may_start=False)


# Sockets that are there


def test_a_socket_of_ours_elsewhere_is_spoken_to_but_no_server_started_on_it(lab: Lab, home: Path) -> None:
    path = home / "socket"
    lab.tmux("-S", str(path), "new-session", "-d", "-s", "main", "cat")
    try:
        with mcp_server(lab) as client:
            listed = client.call("list_sessions", server=str(path))["sessions"]
            assert [row["session_name"] for row in listed] == ["main"]
            client.call("create_session", session_name="second", server=str(path))
        endpoint = replace(lab.endpoint, server=str(path))
        assert not admit(endpoint, may_start=True).starts
        assert admit(replace(endpoint, named_by_settings=True), may_start=True).starts
    finally:
        lab.tmux("-S", str(path), "kill-server")


def test_a_folder_that_others_can_change_is_refused_while_its_socket_is_ours(lab: Lab, home: Path) -> None:
    path = home / "open" / "inner" / "socket"
    path.parent.mkdir(parents=True)
    with listening(path) as heard:
        endpoint = replace(lab.endpoint, server=str(path))
        assert is_alive(endpoint)
        for mode in (0o777, 0o775, 0o770, 0o707):
            path.parent.parent.chmod(mode)
            with pytest.raises(SocketUnusable, match=f"change {path.parent.parent},"):
                is_alive(endpoint)
            with pytest.raises(SocketUnusable):
                admit(endpoint, may_start=False)
            assert find_servers(lab.environ, [path]) == []
        path.parent.parent.chmod(0o1777)
        assert is_alive(endpoint)
    assert heard == []


def test_a_tmux_folder_that_is_a_link_or_open_to_others_is_refused(lab: Lab, home: Path) -> None:
    where = lab.endpoint.socket_path.parent
    where.symlink_to(home)
    with pytest.raises(SocketUnusable, match="is not a folder"):
        admit(lab.endpoint, may_start=True)
    with pytest.raises(SocketUnusable, match="not start one outside of the tmux folder"):
        admit(replace(lab.endpoint, server=str(where / "x")), may_start=True)
    where.unlink()
    where.mkdir()
    for mode in (0o701, 0o755, 0o770):
        where.chmod(mode)
        with pytest.raises(SocketUnusable, match="mode 0700"):
            admit(lab.endpoint, may_start=True)
    assert list(home.iterdir()) == []


@contextmanager
def listening(path: Path) -> Iterator[list[bytes]]:
    """A program of this user's that is no tmux, and all that it is sent."""
    heard: list[bytes] = []

    def take(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client, suppress(OSError):
                    while data := client.recv(65536):
                        heard.append(data)
                        client.shutdown(socket.SHUT_WR)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=take, args=(listener,), daemon=True)
        thread.start()
        yield heard
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_a_live_socket_that_is_no_tmux_is_sent_nothing_that_a_caller_wrote(lab: Lab, home: Path) -> None:
    """It may be a program's door to commands: an agent's text could mean something to it."""
    path = home / "player"
    lab.environ["MY_TOKEN"] = "only-for-a-server-that-we-start"
    with listening(path) as heard, mcp_server(lab, safety="destructive") as client:
        for tool, given in [*STARTING, ("kill_server", {}), ("list_sessions", {})]:
            text = {"session_name": "INJECTED"} if tool == "create_session" else {}
            with pytest.raises(ToolError):
                client.call(tool, server=str(path), **{**given, **text})
        assert path.is_socket()
    sent = b"".join(heard)
    assert b"list-sessions" in sent, "it was asked whether it is a tmux server"
    assert b"INJECTED" not in sent
    assert b"new-session" not in sent
    assert b"MY_TOKEN" not in sent


def test_only_a_client_that_starts_a_server_gets_the_whole_environment(lab: Lab, tmp_path: Path) -> None:
    """Each tmux process of a whole day, recorded by a stand-in for the program."""
    record = tmp_path / "record"
    program = tmp_path / "tmux-recorder"
    program.write_text(
        f'#!/bin/sh\necho "$MY_TOKEN|$*" >> {record}\nexec {TMUX} "$@"\n'  # One write, so lines stay whole.
    )
    program.chmod(0o755)
    lab.environ["MY_TOKEN"] = "secret"
    with mcp_server(lab, tmux_bin=str(program), safety="destructive") as client:
        client.call("list_servers")
        client.call("terminal", command="echo $MY_TOKEN")
        client.call("create_session", session_name="more")
        client.call("search_panes", pattern="secret")
        client.call("signal_channel", channel="x")
        client.call("wait_for_channel", channel="x", timeout=5)
        client.call("kill_server")
    runs = [line.partition("|")[::2] for line in record.read_text().splitlines()]
    starts = [argv for token, argv in runs if token == "secret"]
    assert len(starts) == 1
    assert "start-server" in starts[0]
    others = [argv for token, argv in runs if not token]
    assert len(others) > 5
    assert all(argv == "-V" or f" -S {lab.endpoint.socket_path} -N " in argv for argv in others), others


# One socket, many spellings


@pytest.mark.anyio
async def test_every_spelling_of_a_socket_leads_to_one_server(lab: Lab, home: Path) -> None:
    lab.new_session("main", "cat")
    path = lab.endpoint.socket_path
    (home / "link").symlink_to(path)
    (home / "folder").symlink_to(path.parent)
    os.link(path, home / "hard")
    pool = ServerPool(lab.endpoint, 5.0)
    spellings = [path, home / "link", home / "folder" / "lab", home / "hard", f"/{path}", f"{path}/../lab"]
    spellings += [f"{path.parent}/./lab", f"{path.parent}//lab", f"{path}/", "lab"]
    try:
        assert {pool.get(str(spelling)) for spelling in spellings} == {pool.get()}
        elsewhere = ServerPool(replace(lab.endpoint, server="other"), 5.0)
        first = elsewhere.get(str(home / "hard"))
        assert {elsewhere.get(str(spelling)) for spelling in spellings} == {first}
    finally:
        await pool.close()


def test_a_server_is_listed_once_whatever_paths_lead_to_it(lab: Lab, home: Path) -> None:
    lab.new_session("main", "cat")
    (home / "link").symlink_to(lab.endpoint.socket_path)
    extra = [home / "link", Path(f"/{lab.endpoint.socket_path}"), home / "nothing"]
    assert [one.path for one in find_servers(lab.environ, extra)] == [lab.endpoint.socket_path]


def test_names_that_no_text_can_hold_do_not_hide_the_others(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with listening(lab.endpoint.socket_path.parent / "\udcff"), mcp_server(lab) as client:
        assert [row["socket_name"] for row in client.call("list_servers")["servers"]] == ["lab"]


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../x", "", "a\0b"])
def test_a_name_can_not_leave_the_tmux_folder(name: str, lab: Lab) -> None:
    with pytest.raises(BadInput):
        replace(lab.endpoint, server=name)


def test_a_name_that_looks_like_a_flag_is_a_name(lab: Lab) -> None:
    try:
        with mcp_server(lab) as client:
            client.call("create_session", session_name="x", server="-V")
            assert [row["socket_name"] for row in client.call("list_servers")["servers"]] == ["-V"]
    finally:
        lab.try_tmux("-L", "-V", "kill-server")


def test_a_path_is_as_long_as_the_system_allows(lab: Lab, home: Path) -> None:
    left = LONGEST_PATH - len(str(home)) - 1
    for length, error in ((left, SocketUnusable), (left + 1, BadInput)):
        with pytest.raises(error):
            admit(replace(lab.endpoint, server=str(home / ("x" * length))), may_start=True)


def test_a_tmux_tmpdir_that_does_not_exist_is_ignored_as_tmux_does(lab: Lab) -> None:
    environ = {**lab.environ, "TMUX_TMPDIR": "/no/such/folder"}
    assert Endpoint("x", environ=environ).socket_path == Path("/tmp") / f"tmux-{os.getuid()}" / "x"


@pytest.mark.anyio
async def test_a_server_that_ends_while_it_is_asked_is_started_again(lab: Lab) -> None:
    server = TmuxServer(lab.endpoint)
    for _ in range(5):
        assert (await server.start("new-session", "-d", "-P", "--", "cat")).ok
        pid = lab.server_pid
        lab.tmux("kill-server")
        with suppress(MuxpilotError):
            await server.call("list-sessions")
        assert (await server.start("new-session", "-d", "--", "cat")).ok
        assert lab.server_pid != pid
        lab.tmux("kill-server")
    await server.close()


# The class, not the instance


DOORS = {
    "tmux/process.py": {"subprocess_exec"},
    "tmux/socket_guard.py": {"AF_UNIX"},
    "terminal/syntax.py": {"run_process"},  # A shell, to read a command without running it.
    "cli/doctor.py": {"subprocess"},  # `tmux -V`: no socket.
    "terminal/ancestry.py": {"subprocess"},  # `ps`, where there is no /proc.
    "cli/trial.py": {"subprocess", "create_subprocess_exec"},  # muxpilot itself.
}
STARTERS = {"subprocess", "subprocess_exec", "subprocess_shell", "create_subprocess_exec", "run_process"}
STARTERS |= {"create_subprocess_shell", "open_process", "Popen", "popen", "posix_spawn", "fork"}
STARTERS |= {"posix_spawnp", "execv", "execve", "execvp", "execvpe", "execl", "execlp", "forkpty", "spawnv"}
CONNECTORS = {"AF_UNIX", "open_unix_connection", "create_unix_connection", "connect_unix"}


def test_nothing_else_starts_a_program_or_connects_to_a_socket() -> None:
    """Then nothing gets past the guard, which those that do have to ask."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = {getattr(node, "attr", ""), getattr(node, "id", "")}
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = {alias.name for alias in node.names} | {getattr(node, "module", "") or ""}
            if wanted := names & (STARTERS | CONNECTORS):
                found.setdefault(path.relative_to(SOURCE).as_posix(), set()).update(wanted)
    assert found == DOORS
    source = (SOURCE / "tmux/process.py").read_text()
    assert source.count("self._spawn(") == 2, "one for the version, and one that asks the guard"
    assert source.index("admit(endpoint") < source.index("self._spawn(")


def test_what_others_can_do_in_a_folder(home: Path) -> None:
    assert trust_of(home).trust is Trust.PRIVATE
    assert trust_of(Path("/")).trust is Trust.PRIVATE
    assert not trust_of(home / "missing" / "deeper").exists
    (home / "file").touch()
    assert trust_of(home / "file").trust is Trust.UNSAFE
    assert trust_of(home / "file" / "x").trust is Trust.UNSAFE
