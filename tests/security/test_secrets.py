"""Secrets: what a call says is sensitive, and values of environments, stand nowhere that others look at."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.hard.shells import SHELLS, Console, Setting, console
from tests.lab import Lab, eventually
from tests.mcp.client import PATIENCE, RawClient, ToolError, mcp_server
from tests.tmux.people import person_attached

SECRET = "hunter2-swordfish"
HISTORIES = {
    "bash": "history",
    "zsh": "fc -l 1",
    "fish": "history",
    "ksh": "fc -l -100",
    "mksh": "fc -l -100",
}
"""How each shell that has a history shows it."""


class Argvs:
    """Every argv that was to be seen in /proc, as far as looking all the time sees it."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        while not self._over.is_set():
            for entry in os.scandir("/proc"):
                if entry.name.isdigit():
                    with suppress(OSError):
                        self.seen.add(Path(entry.path, "cmdline").read_bytes())

    def __enter__(self) -> Argvs:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def holding(self, secret: str) -> list[bytes]:
        """Those with this in them; the test's own process has it nowhere."""
        return [argv for argv in self.seen if secret.encode() in argv]


def argv_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def files_with(secret: str, folder: Path) -> list[str]:
    """Names of files below this folder that hold it."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and secret.encode() in path.read_bytes():
            found.append(str(path.relative_to(folder)))
    return found


def everywhere(shown: Console) -> str:
    """The screen and scrollback of each pane, tmux's buffers, and the title."""
    lab = shown.lab
    panes = lab.tmux("list-panes", "-a", "-F", "#{pane_id}").split()
    texts = [lab.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", pane) for pane in panes]
    titles = lab.tmux("list-panes", "-a", "-F", "#{pane_title} #{window_name} #{pane_start_command}")
    return "\n".join([*texts, titles, lab.tmux("list-buffers")])


@pytest.fixture
def shown(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Console]:
    with console(tmp_path, Setting(request.param)) as found:
        yield found


every_shell = pytest.mark.parametrize("shown", list(SHELLS), indirect=True)


@every_shell
def test_a_sensitive_command_is_run_and_stands_nowhere(shown: Console, tmp_path: Path) -> None:
    """Its text is neither on the screen nor in a file, a history, a buffer or an argv."""
    shown.run("true")
    with Argvs() as argvs:
        result = shown.run(
            f": {SECRET}; (echo a 'b  c'; exit 3)" if not shown.is_fish else FISHY, sensitive=True
        )
    assert (result["exit_code"], result["output"], result["command"]) == (3, "a b  c", "(sensitive)")
    assert "notes" not in result
    assert not argvs.holding(SECRET)
    assert shown.run("echo $?" if not shown.is_fish else "echo $status")["output"] == "3"
    if shown.shell in HISTORIES:
        assert SECRET not in shown.run(HISTORIES[shown.shell])["output"]
    assert SECRET not in everywhere(shown)
    shown.run("exit")  # Now the shell writes its history, where it has one.
    eventually(lambda: "dead" in shown.lab.tmux("list-panes", "-a", "-F", "#{?pane_dead,dead,}"))
    assert files_with(SECRET, tmp_path) == []


FISHY = f"true {SECRET}; echo a 'b  c'; sh -c 'exit 3'"


@every_shell
def test_a_sensitive_command_that_runs_on_leaves_no_file_behind(shown: Console, tmp_path: Path) -> None:
    """The call is over long before the command: its file is gone all the same, and at its end the output."""
    os.mkfifo(tmp_path / "gate")
    wait = f"true {SECRET}; echo {SECRET}; cat {tmp_path}/gate"
    seen = shown.run(wait, sensitive=True, timeout=0.5)["output"]
    while SECRET not in seen:
        seen += shown.run("", timeout=0.5)["output"]
    assert seen == SECRET
    folder = next((tmp_path / "state" / "panes").glob("*/tape")).parent
    assert not {"run", "command", "parsed"} & {path.name for path in folder.iterdir()}
    (tmp_path / "gate").write_text("done\n")
    last = shown.run("")
    assert (last["status"], last["exit_code"], last["output"]) == ("completed", 0, "done")
    assert files_with(SECRET, tmp_path / "state") == []
    assert "not kept" in str(shown.run("")["notes"])
    assert "not kept" in str(shown.client.call("list_commands", number=1)["notes"])
    assert shown.result("echo next") == (0, "next")


@every_shell
def test_a_sensitive_command_that_is_not_whole_is_refused(shown: Console, tmp_path: Path) -> None:
    """The shell would print it with its complaint."""
    for broken in (f"echo '{SECRET}", f"echo {SECRET} )", f"if true\necho {SECRET}"):
        error = shown.refused("terminal", command=broken, sensitive=True)
        assert error.condition == "bad_input"
        assert SECRET not in str(error)
    assert shown.result("echo still here") == (0, "still here")
    assert SECRET not in everywhere(shown)
    assert files_with(SECRET, tmp_path) == []


@pytest.mark.parametrize("shown", ["bash", "zsh", "dash"], indirect=True)
def test_a_sensitive_command_in_somebody_elses_pane(shown: Console, tmp_path: Path) -> None:
    pane = shown.lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}")
    shown.prompted(pane)
    done = shown.client.call(
        "run_command", target=pane, command=f"true {SECRET}; echo $((6 * 7))", sensitive=True
    )
    assert (done["exit_code"], done["output"]) == (0, "42")
    assert SECRET not in everywhere(shown)
    assert "(sensitive)" in shown.lab.screen(pane)
    shown.lab.tmux("send-keys", "-t", pane, "exit", "Enter")
    eventually(lambda: pane not in shown.lab.tmux("list-panes", "-a", "-F", "#{pane_id}").split())
    assert files_with(SECRET, tmp_path) == []


@pytest.mark.parametrize("shown", ["bash"], indirect=True)
def test_a_long_sensitive_output_is_not_said_to_be_anywhere(shown: Console, tmp_path: Path) -> None:
    done = shown.run(f"for i in $(seq 3000); do echo {SECRET}; done", sensitive=True)
    assert done["output_truncated"]
    assert "output_path" not in done
    assert "not kept" in done["output"]
    assert str(tmp_path) not in done["output"]
    assert files_with(SECRET, tmp_path) == []


@pytest.mark.parametrize("shown", ["bash"], indirect=True)
def test_what_a_killed_muxpilot_or_an_old_one_left_is_swept(shown: Console, tmp_path: Path) -> None:
    shown.run("true")
    folder = next((tmp_path / "state" / "panes").glob("*/tape")).parent
    for name in ("run", "command", "parsed"):
        (folder / name).write_text(SECRET)
    with mcp_server(shown.lab, state_dir=str(tmp_path / "state")) as another:
        another.call("terminal", command="true", terminal_id="other")
        assert files_with(SECRET, tmp_path / "state") == []


@pytest.mark.parametrize("shown", ["bash"], indirect=True)
def test_the_parser_gets_any_command_by_its_input(shown: Console, tmp_path: Path) -> None:
    """Of a command that is not sensitive too, nothing but its own shell has a copy."""
    pane = shown.lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}")
    shown.prompted(pane)
    with Argvs() as argvs:
        shown.client.call("run_command", target=pane, command=f"echo $(( {len(SECRET)} )) # '{SECRET}'")
    assert not argvs.holding(SECRET)
    assert "parsed" not in {path.name for path in (tmp_path / "state").rglob("*")}


@pytest.mark.parametrize("shown", ["bash"], indirect=True)
def test_a_secret_for_a_password_prompt_needs_no_warning(shown: Console, tmp_path: Path) -> None:
    shown.run("read -rs answer; echo got ${#answer}", timeout=3)
    told = shown.run(SECRET, is_input=True, sensitive=True)
    assert told["output"].split() == ["got", str(len(SECRET))]
    assert "notes" not in told
    assert files_with(SECRET, tmp_path / "state") == []


@pytest.mark.parametrize("shown", ["bash"], indirect=True)
@pytest.mark.parametrize(
    ("program", "word"),
    [
        ("cat", "shows what is typed"),
        ("python3 -q -i -c ''", "reads single keys"),
        ("bash -i", "single keys"),
    ],
)
def test_a_secret_that_may_be_shown_is_said_to_be(
    shown: Console, tmp_path: Path, program: str, word: str
) -> None:
    """What was recorded of it goes with the end of the program that showed it."""
    shown.run(program, timeout=3)
    told = shown.run(f": '{SECRET}'" if "bash" in program else f"'{SECRET}'", is_input=True, sensitive=True)
    assert word in str(told["notes"])
    assert SECRET not in str(told["notes"])
    ended = shown.run("C-d", timeout=10)
    assert ended["status"] == "completed"
    assert files_with(SECRET, tmp_path / "state") == []
    assert shown.result("echo next") == (0, "next")


@pytest.mark.parametrize("shown", ["bash"], indirect=True)
def test_keys_that_may_be_shown_are_said_to_be(shown: Console, tmp_path: Path) -> None:
    shown.run("true")
    sent = shown.client.call("send_keys", target=shown.pane(), keys=SECRET, enter=False, sensitive=True)
    assert "single keys" in sent["notes"][0]
    eventually(lambda: SECRET in shown.lab.screen(shown.pane()))
    shown.client.call("send_keys", target=shown.pane(), keys="C-c", enter=False)
    assert shown.result("echo next") == (0, "next")
    assert files_with(SECRET, tmp_path / "state") == []
    asking = shown.client.start("tools/call", {"name": "terminal", "arguments": {"command": "read -rs it"}})
    eventually(lambda: shown.lab.tmux("display-message", "-p", "-t", shown.pane(), "#{cursor_x}") == "0")
    quiet = shown.client.call("send_keys", target=shown.pane(), keys=SECRET, sensitive=True)
    assert "notes" not in quiet
    assert shown.client.wait(asking)["result"]["structuredContent"]["exit_code"] == 0


@contextmanager
def new_server(lab: Lab, folder: Path) -> Iterator[RawClient]:
    """A muxpilot whose tmux does not run yet, with every record on that there is."""
    with mcp_server(
        lab,
        stderr=subprocess.PIPE,
        audit_log=str(folder / "audit"),
        log_level="DEBUG",
        state_dir=str(folder / "state"),
        safety="destructive",
    ) as client:
        yield client


def logs_of(client: RawClient, folder: Path) -> str:
    client.process.terminate()
    client.process.wait(PATIENCE)
    assert client.process.stderr is not None
    return client.process.stderr.read().decode() + (folder / "audit").read_text()


@pytest.mark.parametrize("value", [SECRET, f"{SECRET};", f"a b'\"$HOME #(x) %d\n{SECRET}", f"{SECRET}\\"])
def test_an_environment_reaches_the_shell_and_no_argv(lab: Lab, tmp_path: Path, value: str) -> None:
    """Not even that of the server, which was a client once and keeps its argv for life."""
    with new_server(lab, tmp_path) as client, Argvs() as argvs:
        client.call("create_session", session_name="first", environment={"TOKEN": value})
        pid = int(lab.tmux("display-message", "-p", "#{pid}"))
        pane = int(lab.tmux("display-message", "-p", "-t", "=first:", "#{pane_pid}"))
        assert f"TOKEN={value}".encode() in Path(f"/proc/{pane}/environ").read_bytes().split(b"\0")
        client.call("create_session", session_name="second", environment={"TOKEN": value})
        client.call("create_window", target="first", environment={"TOKEN": value})
        client.call("split_window", target="first", environment={"TOKEN": value})
        client.call("respawn_pane", target="%0", environment={"TOKEN": value})
        assert lab.tmux("list-panes", "-a").count("\n") == 3
        said = logs_of(client, tmp_path)
    assert b"start-server" in argv_of(pid)
    assert not argvs.holding(SECRET)
    assert SECRET not in said
    assert files_with(SECRET, tmp_path) == []


def test_no_name_or_command_stays_in_the_servers_argv(lab: Lab, tmp_path: Path) -> None:
    with new_server(lab, tmp_path) as client:
        client.call("create_session", session_name=SECRET, window_name=SECRET, start_directory=str(tmp_path))
        found = argv_of(lab.server_pid)
    assert SECRET.encode() not in found
    assert os.fsencode(tmp_path) not in found.replace(os.fsencode(lab.endpoint.socket_path), b"")


def test_without_a_session_to_attach_to_nothing_goes_by_an_argv_either(lab: Lab) -> None:
    """One that would end with its last client is not attached to: commands go by processes then."""
    lab.new_session("main", "cat")
    with person_attached(lab, "main", 80, 24), mcp_server(lab) as client, Argvs() as argvs:
        lab.tmux("set-option", "-t", "main", "destroy-unattached", "on")
        client.call("create_window", target="main", environment={"TOKEN": SECRET})
        client.call("rename_window", target="main:0", new_name=f"x {SECRET} '\"; #h")
        assert lab.tmux("display-message", "-p", "-t", "main:0", "#{window_name}") == f"x {SECRET} '\"; #h"
    assert not argvs.holding(SECRET)


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("create_session", {"session_name": "a:b", "environment": {"TOKEN": SECRET}}),
    ("create_session", {"session_name": "main", "environment": {"TOKEN": SECRET}}),
    ("create_session", {"environment": {"no name": SECRET}}),
    ("create_session", {"environment": {"TOKEN": f"{SECRET}\0"}}),
    ("create_window", {"target": "nowhere", "environment": {"TOKEN": SECRET}}),
    ("split_window", {"target": "%77", "environment": {"TOKEN": SECRET}}),
    ("run_command", {"target": "%0", "command": f"echo {SECRET}", "sensitive": True}),
    ("run_command", {"target": "%0", "command": SECRET, "sensitive": True, "timeot": 1}),
    ("send_keys", {"target": "%0", "keys": f"{SECRET}\0", "sensitive": True}),
]


def test_a_refusal_repeats_no_secret(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("main", "cat")
    said = ""
    with new_server(lab, tmp_path) as client:
        for tool, arguments in REFUSED:
            with pytest.raises(ToolError) as refused:
                client.call(tool, **arguments)
            said += str(refused.value)
        said += logs_of(client, tmp_path)
    assert SECRET not in re.sub(r"\s", "", said)
    assert files_with(SECRET, tmp_path / "state") == []
