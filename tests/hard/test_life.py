"""Shells that end, interrupts, deadlines, restarts: lines 15 to 17 and 34 to 37 of the hard cases."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hard.shells import SHELLS, Console, Setting, console, grouped
from tests.lab import children, eventually, running
from tests.mcp.client import RawClient, ToolError, mcp_server


@pytest.fixture(scope="module", params=[grouped("life", Setting(shell)) for shell in SHELLS])
def con(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with console(tmp_path_factory.mktemp("life"), request.param) as made:
        yield made


@pytest.fixture
def bash(tmp_path: Path) -> Iterator[Console]:
    with console(tmp_path, Setting("bash")) as made:
        yield made


def in_background(con: Console, command: str, **more: Any) -> int:
    """Start a call and return its number, once the command runs."""
    arguments = {"command": command, "timeout": 20, **more}
    return con.client.start("tools/call", {"name": "terminal", "arguments": arguments})


def answer(con: Console, number: int) -> Any:
    return con.client.wait(number)["result"]["structuredContent"]


def front(con: Console) -> str:
    return con.lab.tmux("display-message", "-p", "-t", con.pane(), "#{pane_current_command}")


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 3", 3), ("exec true", 0), ("exec sh -c 'exit 9'", 9), ("KILL", 137), ("set -e; false", 1)],
)
def test_15_a_shell_that_ends_is_told_at_once_and_replaced(con: Console, command: str, status: int) -> None:
    if con.is_fish and command == "set -e; false":
        pytest.skip("fish has no set -e")
    if command == "KILL":
        command = "kill -9 $fish_pid" if con.is_fish else "kill -9 $$"
    done = con.run(f"echo last words; {command}")
    assert (done["status"], done["state"], done["exit_code"]) == ("completed", "shell_exited", status)
    assert done["output"].splitlines()[0] == "last words"
    assert done["elapsed_seconds"] < 3
    assert con.result("echo again") == (0, "again")


def test_16_ctrl_c_from_the_agent(con: Console) -> None:
    con.run("echo ready")
    number = in_background(con, "env sleep 30")
    eventually(lambda: front(con) == "sleep")
    stopped = con.client.call("interrupt")
    assert stopped["stopped"]
    done = answer(con, number)
    assert (done["status"], done["exit_code"]) == ("completed", 130)
    assert done["elapsed_seconds"] < 10
    assert con.result("echo next") == (0, "next")


def test_16_ctrl_c_from_a_person(con: Console) -> None:
    con.run("echo ready")
    number = in_background(con, "env sleep 30; echo never")
    eventually(lambda: front(con) == "sleep")
    con.lab.tmux("send-keys", "-t", con.pane(), "C-c")
    done = answer(con, number)
    assert (done["status"], done["exit_code"]) == ("completed", 130)
    assert "never" not in done["output"]


def test_16_a_program_that_ignores_ctrl_c_is_only_killed_on_request(bash: Console) -> None:
    bash.run("true")
    number = in_background(bash, "sh -c 'trap : INT TERM; while :; do sleep 1; done'", timeout=20)
    eventually(lambda: front(bash) in {"sh", "sleep"})
    refused = bash.client.call("interrupt", timeout=0.3)
    assert not refused["stopped"]
    stopped = bash.client.call("interrupt", timeout=5, force=True)
    assert stopped["stopped"]
    assert stopped["sent"][-1] == "SIGKILL"
    assert answer(bash, number)["exit_code"] == 137


def test_17_a_deadline_ends_the_wait_and_not_the_command(con: Console, tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    done = con.run(f"echo begun; cat {go}; sh -c 'exit 6'", timeout=0.5)
    assert (done["status"], done["exit_code"], done["state"]) == ("running", None, "running")
    assert done["output"] == "begun"
    assert con.run("", timeout=0.1)["output"] == ""
    refusal = con.refused("terminal", command="echo other", timeout=1)
    assert refusal.condition == "refused"
    go.write_text("and more\n")
    done = con.run("", timeout=10)
    assert (done["status"], done["exit_code"], done["output"]) == ("completed", 6, "and more")
    assert con.run("")["exit_code"] == 6


def test_17_what_ended_between_two_calls_is_known(con: Console, tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    assert con.run(f"cat {go}; sh -c 'exit 8'", timeout=0.3)["status"] == "running"
    go.write_text("late\n")
    eventually(lambda: front(con) != "cat")
    assert con.result("echo next") == (0, "next")
    history = con.client.call("list_commands")["commands"]
    assert history[-2]["exit_code"] == 8
    assert con.client.call("list_commands", number=history[-2]["number"])["output"] == "late"


def test_a_timeout_of_zero_does_not_wait(con: Console) -> None:
    assert con.run("sleep 0.3; echo done", timeout=0)["status"] == "running"
    assert con.run("", timeout=10)["output"] == "done"


def test_24_a_program_that_waits_for_input_says_so_and_gets_it(con: Console) -> None:
    asked = con.run("sh -c 'printf \"name? \"; read x; echo hello $x; exit 4'", timeout=10)
    assert (asked["status"], asked["state"], asked["output"]) == ("running", "waiting_for_input", "name? ")
    assert asked["elapsed_seconds"] < 5
    done = con.run("you", is_input=True, timeout=10)
    assert (done["status"], done["exit_code"]) == ("completed", 4)
    assert done["output"].endswith("hello you")


def test_24_a_password_prompt(bash: Console) -> None:
    con = bash
    asked = con.run("sh -c 'stty -echo; printf \"Password: \"; read x; stty echo; echo; echo ok'", timeout=10)
    assert (asked["state"], asked["output"]) == ("waiting_for_input", "Password: ")
    done = con.run("secret", is_input=True, timeout=10)
    assert done["exit_code"] == 0
    assert "secret" not in done["output"]
    assert done["output"].endswith("ok")


def test_24_the_shells_own_read(con: Console) -> None:
    asked = con.run("read answer; echo got $answer", timeout=10)
    assert asked["state"] == "waiting_for_input"
    done = con.run("it", is_input=True, timeout=10)
    assert done["exit_code"] == 0
    assert done["output"].endswith("got it")


def test_input_for_nobody_is_refused(con: Console) -> None:
    con.run("true")
    refusal = con.refused("terminal", command="text", is_input=True, timeout=2)
    assert refusal.condition == "refused"
    assert con.result("echo next") == (0, "next")


def test_35_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    with console(tmp_path, Setting("bash")) as con:
        con.run("true")
        assert con.run(f"echo one; cat {go}; sh -c 'exit 7'", timeout=0.3)["status"] == "running"
        os.kill(con.client.process.pid, signal.SIGKILL)
        con.client.process.wait()
        with mcp_server(con.lab, safety="destructive", state_dir=str(tmp_path / "state")) as second:
            again = Console(second, con.lab, con.setting)
            looked = again.run("", timeout=0.2)
            assert (looked["status"], looked["output"]) == ("running", "one")
            go.write_text("two\n")
            done = again.run("", timeout=10)
            assert (done["status"], done["exit_code"], done["output"]) == ("completed", 7, "two")
            assert again.result("echo three") == (0, "three")


def test_35_what_ended_while_nobody_was_there_is_known(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    with console(tmp_path, Setting("zsh")) as con:
        con.run("true")
        con.run(f"cat {go}; sh -c 'exit 7'", timeout=0.3)
        os.kill(con.client.process.pid, signal.SIGKILL)
        con.client.process.wait()
        go.write_text("alone\n")
        eventually(lambda: front(con) == "zsh")
        with mcp_server(con.lab, safety="destructive", state_dir=str(tmp_path / "state")) as second:
            done = Console(second, con.lab, con.setting).run("", timeout=5)
            assert (done["status"], done["exit_code"], done["output"]) == ("completed", 7, "alone")


def test_34_the_tmux_server_is_killed_while_a_command_runs(bash: Console) -> None:
    bash.run("true")
    number = in_background(bash, "env sleep 30")
    eventually(lambda: front(bash) == "sleep")
    bash.lab.tmux("kill-server")
    started = time.monotonic()
    result = bash.client.wait(number)["result"]
    assert time.monotonic() - started < 5
    text = result["content"][0]["text"]
    assert result.get("isError") or "shell_exited" in text
    bash.lab.new_session("main", "cat")
    assert bash.result("echo new") == (0, "new")


def test_34_a_stopped_tmux_server_lets_the_call_end_by_its_deadline(bash: Console) -> None:
    bash.run("true")
    with bash.lab.stopped_server():
        started = time.monotonic()
        with pytest.raises(ToolError) as late:
            bash.client.call("terminal", command="echo late", timeout=2)
        assert time.monotonic() - started < 12
        assert late.value.condition == "server_unresponsive"
    assert bash.result("echo after") == (0, "after")


def test_36_nothing_is_left_behind(bash: Console) -> None:
    bash.run("true")
    pid = bash.client.process.pid
    handles = Path(f"/proc/{pid}/fd")

    def held() -> tuple[int, int]:
        return len(list(handles.iterdir())), len(children(pid))

    for _ in range(5):
        bash.run("seq 10")
    before = held()
    panes = bash.lab.tmux("list-panes", "-a").count("\n")
    for number in range(120):
        assert bash.result(f"echo {number}") == (0, str(number))
    assert held() == before
    assert bash.lab.tmux("list-panes", "-a").count("\n") == panes
    assert bash.lab.tmux("list-buffers") == ""
    folder = next((Path(bash.lab.environ["HOME"]) / "state" / "panes").iterdir())
    assert len(list(folder.glob("output-*"))) <= 110
    assert sum(path.stat().st_size for path in folder.iterdir()) < 4_000_000


def test_37_a_cancelled_call_leaves_the_command_and_the_terminal_usable(bash: Console) -> None:
    bash.run("true")
    number = in_background(bash, "env sleep 0.5; echo survived")
    eventually(lambda: front(bash) == "sleep")
    bash.client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    done = bash.run("", timeout=10)
    assert (done["exit_code"], done["output"]) == (0, "survived")


def test_37_a_client_that_closes_its_input_leaves_no_process(tmp_path: Path) -> None:
    with console(tmp_path, Setting("bash")) as con:
        con.run("true")
        in_background(con, "sleep 0.2")
        pid = con.client.process.pid
        assert con.client.process.stdin is not None
        con.client.process.stdin.close()
        eventually(lambda: not running(pid))
        assert "cat" in con.lab.tmux("list-panes", "-a", "-F", "#{pane_current_command}")


def test_26_calls_on_one_pane_come_one_after_the_other(con: Console) -> None:
    con.run("true")
    numbers = [in_background(con, f"echo {name}; sleep 0.1; echo end {name}") for name in "abc"]
    outputs = [answer(con, number)["output"] for number in numbers]
    assert sorted(outputs) == [f"{name}\nend {name}" for name in "abc"]


def test_26_different_terminals_run_side_by_side(bash: Console) -> None:
    for name in ("one", "two", "three"):
        bash.run("true", terminal_id=name)
    started = time.monotonic()
    numbers = [
        in_background(bash, f"sleep 1; echo {name}", terminal_id=name) for name in ("one", "two", "three")
    ]
    assert [answer(bash, number)["output"] for number in numbers] == ["one", "two", "three"]
    assert time.monotonic() - started < 2.5


def test_two_servers_share_a_terminal(tmp_path: Path) -> None:
    with console(tmp_path, Setting("bash")) as con:
        con.run("cd /tmp")
        with mcp_server(con.lab, safety="destructive", state_dir=str(tmp_path / "state")) as second:
            other = Console(second, con.lab, con.setting)
            assert other.result("pwd") == (0, "/tmp")
            results: list[tuple[int | None, str]] = []
            both = [
                threading.Thread(target=lambda c=c, n=n: results.append(c.result(f"echo {n}; sleep 0.2")))
                for c, n in ((con, "a"), (other, "b"))
            ]
            for thread in both:
                thread.start()
            for thread in both:
                thread.join()
            assert sorted(results) == [(0, "a"), (0, "b")]


def test_wrong_use_is_answered_clearly_and_types_nothing(bash: Console) -> None:
    bash.run("true")
    for wrong in (
        {"command": "echo no", "terminal_id": ""},
        {"command": "echo no", "terminal_id": "a\nb"},
        {"command": "echo no", "timeout": -1},
        {"command": "echo no", "timeout": "soon"},
        {"command": "a\0b"},
        {"command": "   "},
        {"command": "echo no", "unknown": 1},
    ):
        assert bash.refused("terminal", **wrong).condition == "bad_input"
    capped = bash.run("echo yes", timeout=500)
    assert capped["output"] == "yes"
    assert "60" in capped["notes"][0]
    assert "echo no" not in bash.lab.screen(bash.pane())


def test_a_client_is_kept_informed(bash: Console) -> None:
    bash.run("true")
    client: RawClient = bash.client
    params = {
        "name": "run_command",
        "arguments": {"command": "sleep 2.2", "timeout": 10},
        "_meta": {"progressToken": "p"},
    }
    number = client.start("tools/call", params)
    assert client.notification("notifications/progress")["params"]["total"] == 10
    assert client.wait(number)["result"]["structuredContent"]["exit_code"] == 0
