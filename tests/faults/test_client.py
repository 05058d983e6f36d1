"""Clients that break off, never read, flood, and cancel."""

from __future__ import annotations

import json
import os
import random
import selectors
import time
from contextlib import suppress
from pathlib import Path

from tests.faults.stage import Stage
from tests.faults.trial import Trial, fault
from tests.lab import eventually, rss_mb
from tests.mcp.client import Json

FLOOD = 10_000
MOST_MB = 100
"""Megabytes that answers which nobody reads may cost."""


def message(number: int, tool: str, **arguments: object) -> bytes:
    params = {"name": tool, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(request).encode() + b"\n"


def cancellation(number: int) -> bytes:
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    return json.dumps(note).encode() + b"\n"


def close_input(stage: Stage) -> None:
    assert stage.client.process.stdin is not None
    stage.client.process.stdin.close()


@fault("client closes its end in the middle of a call")
def test_a_client_that_breaks_off_leaves_the_command_and_no_process(
    stage: Stage, trial: Trial, run: int
) -> None:
    stage.ready()
    go = stage.folder / "go"
    os.mkfifo(go)
    stage.begin("terminal", command=stage.once(f"cat {go}; (exit 7)"), timeout=20)
    eventually(stage.runs_of)
    stage.note_ours()
    if run % 2:
        assert stage.client.process.stdout is not None
        stage.client.process.stdout.close()
    close_input(stage)
    stage.client.process.wait(10)
    go.write_text("out\n")
    stage.start()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        done = stage.client.call("terminal", command="", timeout=10)
    assert (done["status"], done["exit_code"], done["output"]) == ("completed", 7, "out")
    assert stage.runs_of() == 1


@fault("client closes its reading end in the middle of calls")
def test_a_client_that_can_not_be_answered_is_left(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    stage.note_ours()
    for _ in range(20):
        stage.begin("list_panes")
    assert stage.client.process.stdout is not None
    stage.client.process.stdout.close()
    with suppress(BrokenPipeError):  # It may have noticed already; where all was answered, this is the first.
        stage.begin("list_panes")
    stage.client.process.wait(10)
    stage.start()
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()


def written(stage: Stage, data: bytes, seconds: float) -> int:
    """How many bytes the server has taken within this time; it may take none at all."""
    assert stage.client.process.stdin is not None
    pipe = stage.client.process.stdin.fileno()
    os.set_blocking(pipe, False)
    sent, end = 0, time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_WRITE)
        while sent < len(data) and selector.select(max(end - time.monotonic(), 0)):
            sent += os.write(pipe, data[sent : sent + 65536])
    os.set_blocking(pipe, True)
    return sent


@fault("client never reads, and asks for large answers")
def test_answers_that_nobody_reads_do_not_fill_the_memory(stage: Stage, trial: Trial, run: int) -> None:
    stage.lab.new_session("main", "cat")
    stage.lab.tmux("set-option", "-g", "history-limit", "50000")
    pane = stage.lab.tmux(
        "new-window", "-d", "-P", "-F", "#{pane_id}", "seq -f %050.0f 40000; exec sleep 1000"
    )
    eventually(lambda: "40000" in stage.lab.screen(pane))
    stage.start()
    stage.works()
    before = rss_mb(stage.pid)
    asked = b"".join(
        message(1000 + number, "capture_pane", target=pane, start=-45000, max_lines=None)
        for number in range(200)
    )
    written(stage, asked, 2.0)
    settled(stage)
    grown = rss_mb(stage.pid) - before
    assert grown < MOST_MB, f"{grown:.0f} MB for answers that nobody reads"
    stage.note_ours()
    close_input(stage)
    stage.client.process.wait(10)


def settled(stage: Stage) -> None:
    """It has nothing more to do: its time on the processor stands still."""
    spent = [-1, -2, -3]

    def same() -> bool:
        fields = Path(f"/proc/{stage.pid}/stat").read_text().rpartition(")")[2].split()
        spent.append(int(fields[11]) + int(fields[12]))
        return len(set(spent[-20:])) == 1

    eventually(same, 20)


@fault("client floods with 10,000 calls at once")
def test_a_flood_of_calls_is_answered_one_and_all(stage: Stage, trial: Trial, run: int) -> None:
    stage.ready()
    count = FLOOD if run else 1000
    numbers = range(100_000, 100_000 + count)
    flood = b"".join(message(number, "has_session", target="main") for number in numbers)
    answers = exchanged(stage, flood, set(numbers))
    assert sorted(answers) == list(numbers)
    for answer in answers.values():
        if "error" in answer:
            trial.lost()
        else:
            assert answer["result"]["structuredContent"]["exists"] is True
    with trial.recovering(stage.pid, stage.lab.server_pid):
        stage.works()


def exchanged(stage: Stage, data: bytes, wanted: set[int]) -> dict[int, Json]:
    """Write and read at the same time, until these requests are answered."""
    stdin, stdout = stage.client.process.stdin, stage.client.process.stdout
    assert stdin is not None
    assert stdout is not None
    os.set_blocking(stdin.fileno(), False)
    answers: dict[int, Json] = {}
    rest, end = b"", time.monotonic() + 100
    with selectors.DefaultSelector() as selector:
        selector.register(stdin, selectors.EVENT_WRITE)
        selector.register(stdout, selectors.EVENT_READ)
        while not wanted <= answers.keys():
            assert time.monotonic() < end, f"no answer to {sorted(wanted - answers.keys())[:20]}"
            for key, _ in selector.select(5):
                if key.fileobj is stdout:
                    *lines, rest = (rest + os.read(stdout.fileno(), 1 << 20)).split(b"\n")
                    answers |= {one["id"]: one for one in map(json.loads, lines) if "id" in one}
                elif data:
                    data = data[os.write(stdin.fileno(), data[:65536]) :]
                else:
                    selector.unregister(stdin)
    os.set_blocking(stdin.fileno(), True)
    return answers


@fault("client cancels calls at random", daily=2)
def test_calls_that_are_not_cancelled_are_right_and_nothing_is_left(
    stage: Stage, trial: Trial, run: int
) -> None:
    dice = random.Random(run)
    stage.ready()
    for terminal in ("default", "other"):
        stage.client.call("terminal", command="true", terminal_id=terminal)
    handles = len(os.listdir(f"/proc/{stage.pid}/fd"))  # noqa: PTH208 (numbers, not paths)
    wanted: dict[int, str] = {}
    data = b""
    for number in range(200_000, 200_060):
        tool, arguments = dice.choice(KINDS)
        data, wanted[number] = data + message(number, tool, **arguments), tool
        if dice.random() < 0.5:
            victim = number if dice.random() < 0.8 else dice.randrange(200_000, number + 1)
            data += cancellation(victim)
            wanted.pop(victim, None)
    answers = exchanged(stage, data, set(wanted))
    for number, tool in wanted.items():
        check(tool, answers[number])
    with trial.recovering(stage.pid, stage.lab.server_pid):
        for terminal in ("default", "other"):
            looked = stage.client.call("terminal", command="", terminal_id=terminal, timeout=10)
            assert looked["status"] == "completed", looked
    stage.works()
    eventually(lambda: len(os.listdir(f"/proc/{stage.pid}/fd")) <= handles + 2)  # noqa: PTH208
    eventually(lambda: len(stage.control_clients()) <= 1)


KINDS: tuple[tuple[str, dict[str, object]], ...] = (
    ("list_panes", {}),
    ("capture_pane", {"target": "%0"}),
    ("has_session", {"target": "main"}),
    ("wait_for_text", {"target": "%0", "pattern": "never", "timeout": 0.05}),
    ("terminal", {"command": "echo out; (exit 3)", "terminal_id": "default", "timeout": 20}),
    ("terminal", {"command": "echo out; (exit 3)", "terminal_id": "other", "timeout": 20}),
)


def check(tool: str, answer: Json) -> None:
    result = answer["result"]
    facts = result.get("structuredContent", {})
    if result.get("isError"):
        assert tool == "terminal", answer
        assert result["_meta"]["condition"] == "refused", answer
    elif tool == "terminal":
        assert (facts["exit_code"], facts["output"]) == (3, "out"), answer
    elif tool == "list_panes":
        assert len(facts["panes"]) >= 2
    elif tool == "has_session":
        assert facts["exists"]
    elif tool == "wait_for_text":
        assert facts["outcome"] == "timeout"
