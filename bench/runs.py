"""Running commands: ours in a terminal of our own and in a person's pane, the peer's in a pane of its own.

What comes back is compared too, because the peer answers with what its screen shows afterwards, and we with
what the command wrote: sizes are of the first answer, when a screen has nothing else on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bench.bash_lab import bash_lab, bash_pane
from bench.errors import Mismatch
from bench.measure import Plan, Row
from bench.operations import Operation, Request, Result, call
from bench.peer import Peer
from bench.progress import say
from bench.rpc import Answer, StdioServer
from bench.servers import commands_on, figures, measured, running
from bench.tmux_lab import Lab

MANY_LINES = 100_000
SHORT, MANY = "seq 100", f"seq {MANY_LINES}"
"""Lines that fit into any answer, and more of them than tmux keeps."""
NAMES = ("muxpilot", "libtmux-mcp")
ROUNDS = 7
TIMEOUT = 100.0
"""Seconds; the longest command here takes a few."""


async def measure(plan: Plan, peer: Peer | None) -> tuple[list[Row], list[str]]:
    """The rows, and what is said about lines that are left out."""
    with bash_lab() as tmux, running(commands_on(tmux, peer)) as servers:
        nothing, short, many = [await _first(tmux, servers, one) for one in ("true", SHORT, MANY)]
        rows = [*_sizes("true", nothing), *_sizes(SHORT, short), *_lines(SHORT, short), *_lines(MANY, many)]
        rows += await _times(tmux, servers, plan)
    return rows, _left_out(many)


def run(command: str, target: str | None = None) -> Request:
    """As we want it: without a target in our own terminal."""
    where = {} if target is None else {"target": target}
    return call("run_command", command=command, timeout=TIMEOUT, **where)


def ended(result: Result) -> object:
    """How it ended: both must have seen that."""
    facts = result["structuredContent"]
    return facts["exit_code"] if "exit_code" in facts else facts["exit_status"]


def whole(lines: int) -> Callable[[Result], object]:
    """How `seq` ended; ours with all its lines on disk, each as it was.

    Raises:
        Mismatch: something is missing, or more than was written.
    """
    written = "".join(f"{number}\n" for number in range(1, lines + 1))

    def gist(result: Result) -> object:
        facts = result["structuredContent"]
        if "output_lines" not in facts:
            return ended(result)  # The peer's: it says how it ended, no more.
        if facts["output_lines"] != lines or Path(facts["output_path"]).read_text() != written:
            raise Mismatch(f"seq {lines}: {facts['output_lines']:,} lines, {kept(result):,} numbers on disk")
        return ended(result)

    return gist


def kept(result: Result) -> int:
    """How many numbers can be had: on disk where the answer says so, else in the answer."""
    facts = result["structuredContent"]
    output = facts["output"] if "output_path" not in facts else Path(facts["output_path"]).read_text()
    lines = output.split("\n") if isinstance(output, str) else output
    return sum(line.strip().isdigit() for line in lines)


async def _first(tmux: Lab, servers: Sequence[StdioServer], command: str) -> list[Answer]:
    """Each server's answer; the peer's pane shows nothing before."""
    say(f"run: the answer to {command}")
    requests = (run(command), _theirs(command, await bash_pane(tmux)))
    return [server.request(one.method, one.params) for server, one in zip(servers, requests, strict=False)]


def _sizes(command: str, answers: Sequence[Answer]) -> list[Row]:
    return figures(f"run_command {command}, first answer", "bytes", [answer.size for answer in answers])


def _lines(command: str, answers: Sequence[Answer]) -> list[Row]:
    counts = [kept(answer.result) for answer in answers]
    return figures(f"run_command {command}, of its lines", "lines", counts, compared=False)


def _left_out(answers: Sequence[Answer]) -> list[str]:
    """What each says of its own answer."""
    said = [answer.result["structuredContent"]["output_truncated"] for answer in answers]
    words = [f"{name} says output_truncated {one}" for name, one in zip(NAMES, said, strict=False)]
    return [f"run_command {MANY}: {', '.join(words)}; of its lines we count what is in the answer or on disk"]


async def _times(tmux: Lab, servers: Sequence[StdioServer], plan: Plan) -> list[Row]:
    person, peers = await bash_pane(tmux), await bash_pane(tmux)
    few = Plan(min(plan.rounds, ROUNDS), 60.0)
    theirs, lines = _theirs("true", peers), whole(MANY_LINES)
    table = (
        (plan, Operation("run_command true, own terminal", run("true"), theirs, ended, (1,))),
        (plan, Operation("run_command true, a person's pane", run("true", person), theirs, ended, (1,))),
        (few, Operation(f"run_command {MANY}", run(MANY), _theirs(MANY, peers), lines, (1,))),
    )
    return [await measured(operation, 1, how, servers) for how, operation in table]


def _theirs(command: str, pane_id: str) -> Request:
    return call("run_command", command=command, pane_id=pane_id, timeout=TIMEOUT)
