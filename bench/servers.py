"""Our MCP server beside the peer's: both over stdio, both on the same tmux server, call by call in turns."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence

from bench.errors import LabFull
from bench.measure import Act, Plan, Row, Sample, Stat, stat, timed_row
from bench.memory import resident_mb
from bench.operations import LISTING, OPERATIONS, Operation, Request
from bench.peer import SETTINGS, Peer
from bench.progress import say
from bench.rpc import Command, StdioServer
from bench.tmux_lab import PANE, SOCKET, Lab, lab

STARTS = 7


async def measure(plan: Plan, stages: Sequence[int], peer: Peer | None) -> tuple[list[Row], list[str]]:
    """The rows, and what could not be measured."""
    with lab() as tmux:
        await tmux.filled()
        commands = commands_on(tmux, peer)
        rows = await _starts(min(plan.rounds, STARTS), commands)
        with running(commands) as servers:
            rows += _listing_rows(servers)
            notices = await _stages(plan, stages, tmux, servers, rows)
            rows += figures("memory afterwards", "MB", [resident_mb(server.pid) for server in servers])
    return rows, notices


def commands_on(tmux: Lab, peer: Peer | None) -> list[Command]:
    """How each side is started on this tmux server: ours, and the peer where there is one."""
    common = tmux.endpoint.child_environ()
    ours = {
        "MUXPILOT_SOCKET": SOCKET,
        "MUXPILOT_TMUX_CONFIG": os.devnull,
        "MUXPILOT_SAFETY": "destructive",
        "MUXPILOT_STATE_DIR": str(tmux.folder / "state"),
    }
    commands = [Command("muxpilot", [sys.executable, "-m", "muxpilot"], common | ours)]
    if peer is not None:
        commands.append(Command("libtmux-mcp", peer.argv, common | {"LIBTMUX_SOCKET": SOCKET, **SETTINGS}))
    return commands


@contextlib.contextmanager
def running(commands: Sequence[Command]) -> Iterator[list[StdioServer]]:
    """All of them, started and greeted, and seen out."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(StdioServer(command)) for command in commands]
        for server in servers:
            server.initialize()
        yield servers


async def _starts(rounds: int, commands: Sequence[Command]) -> list[Row]:
    say("server: starts")
    firsts: list[list[Sample]] = [[] for _ in commands]
    acts = [_start(command, first) for command, first in zip(commands, firsts, strict=True)]
    listed = await timed_row("server", "start to tools/list", Plan(rounds, 60.0), acts[0], _second(acts))
    stats = [stat(first[1:]) for first in firsts]  # Without the one that warmed up.
    initialized = Row("server", "start to initialize", "ms", stats[0], stats[1] if len(stats) > 1 else None)
    return [initialized, listed]


def _start(command: Command, first: list[Sample]) -> Act:
    """A start up to the list of tools; `first` gets how long the handshake's answer took."""

    async def act() -> Sample:
        started = time.perf_counter()
        with StdioServer(command) as server:
            server.initialize()
            first.append(Sample(time.perf_counter() - started, None))
            server.request(LISTING.method, LISTING.params)
            return Sample(time.perf_counter() - started, None)

    return act


async def _stages(
    plan: Plan, stages: Sequence[int], tmux: Lab, servers: Sequence[StdioServer], rows: list[Row]
) -> list[str]:
    for count in stages:
        try:
            await tmux.grow(count)
        except LabFull as full:
            return [str(full)]
        for operation in OPERATIONS:
            if count in operation.at:
                rows.append(await measured(operation, count, plan, servers))
        tmux.run("send-keys", "-t", PANE, "C-u")  # Away with what send_keys typed.
    return []


async def measured(operation: Operation, count: int, plan: Plan, servers: Sequence[StdioServer]) -> Row:
    """One operation on running servers, in turns."""
    name = operation.name if operation.at == (1,) else f"{operation.name}, {count:,} pane{'s' * (count > 1)}"
    say(f"server: {name}")
    requests = (operation.ours, operation.theirs)
    acts = [_asked(server, request, operation) for server, request in zip(servers, requests, strict=False)]
    return await timed_row("server", name, plan, acts[0], _second(acts))


def _asked(server: StdioServer, request: Request, operation: Operation) -> Act:
    async def act() -> Sample:
        answer = server.request(request.method, request.params)
        return Sample(answer.seconds, operation.gist(answer.result), answer.size)

    return act


def _second(acts: Sequence[Act]) -> Act | None:
    return acts[1] if len(acts) > 1 else None


def _listing_rows(servers: Sequence[StdioServer]) -> list[Row]:
    """Sizes per tool, because a server with few tools lists them in few bytes."""
    answers = [server.request(LISTING.method, LISTING.params) for server in servers]
    counts = [len(answer.result["tools"]) for answer in answers]
    each = [answer.size / count for answer, count in zip(answers, counts, strict=True)]
    return figures("tools offered", "tools", counts, compared=False) + figures(
        "tools/list, each tool", "bytes", each
    )


def figures(
    name: str, unit: str, values: Sequence[float | None], *, compared: bool = True, section: str = "server"
) -> list[Row]:
    """A row of plain numbers; none where one of them is not known."""
    known = [Stat(value) for value in values if value is not None]
    if len(known) < len(values):
        return []
    return [Row(section, name, unit, known[0], known[1] if len(known) > 1 else None, compared)]
