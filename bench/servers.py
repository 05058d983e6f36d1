"""Our MCP server beside the peers': all over stdio, all on the same tmux server, call by call in turns.

What is asked at 1, 100 and 1,000 panes is a curve: where the work is the same, so should be the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.asks import LISTING, Ask
from bench.errors import LabFull
from bench.measure import Plan, timed_row
from bench.peers import Contender
from bench.rows import Gap, Point, Row, figures
from bench.rpc import StdioServer
from bench.sides import Side, acts, sides_on
from bench.tmux_lab import PANE, Lab, lab

TYPED = "ab"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that is asked of everybody, with any number of panes."""

    name: str
    ask: Callable[[Side], Ask | Gap]


OPERATIONS = (
    Operation("list_sessions", lambda side: side.dialect.sessions),
    Operation("list_panes", lambda side: side.dialect.panes),
    Operation("capture_pane, a screen", lambda side: side.dialect.capture(PANE, 0)),
    Operation("send_keys", lambda side: side.dialect.keys(PANE, TYPED)),
)


async def measure(
    plan: Plan, stages: Sequence[int], contenders: Sequence[Contender]
) -> tuple[list[Row], list[str]]:
    """The rows, and what could not be measured."""
    with lab() as tmux, sides_on(tmux, contenders) as sides:
        await tmux.filled()
        rows = await _listing(plan, sides)
        notices: list[str] = []
        try:
            for count in stages:
                await tmux.grow(count)
                rows += [await _measured(one, count, plan, sides) for one in OPERATIONS]
                tmux.run("send-keys", "-t", PANE, "C-u")  # Away with what send_keys typed.
        except LabFull as full:
            notices.append(str(full))
        for side in sides:
            _exercise(side, tmux)
        memory = {side.name: side.memory() for side in sides}
        rows += figures("server", "memory after all of these calls", "MB", memory)
    return rows, notices


def _exercise(side: Side, tmux: Lab) -> None:
    """A command and a wait as well, where it has them: who loads code when it is needed has it loaded now."""
    pane = tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "lab:", "exec sh").decode().strip()
    asks = (side.dialect.run("true", pane), side.dialect.wait(PANE, "never", 0.3))

    def ask_all(server: StdioServer) -> None:
        for ask in asks:
            if isinstance(ask, Ask):
                server.request(ask.request.method, ask.request.params)

    side.figure(ask_all)


async def _measured(operation: Operation, count: int, plan: Plan, sides: Sequence[Side]) -> Row:
    name = f"{operation.name}, {count:,} pane{'s' * (count > 1)}"
    point = Point(operation.name, "panes", count)
    return await timed_row("server", name, plan, acts(sides, operation.ask), point)


async def _listing(plan: Plan, sides: Sequence[Side]) -> list[Row]:
    """Sizes in all, and for each tool: a server with few tools lists them in few bytes."""
    row = await timed_row("server", "tools/list", plan, acts(sides, lambda _: LISTING))
    found = {side.name: side.figure(_listed) for side in sides}

    def each(figure: Callable[[_Listed], float]) -> dict[str, float | Gap | None]:
        return {name: one if isinstance(one, Gap) else figure(one) for name, one in found.items()}

    return [
        row,
        *figures("server", "tools offered", "tools", each(lambda one: one.tools), compared=False),
        *figures("server", "tools/list, in all", "bytes", each(lambda one: one.size)),
        *figures("server", "tools/list, each tool", "bytes", each(lambda one: one.size / one.tools)),
    ]


@dataclass(frozen=True, slots=True)
class _Listed:
    tools: int
    size: int


def _listed(server: StdioServer) -> _Listed:
    answer = server.request(LISTING.request.method, LISTING.request.params)
    return _Listed(len(answer.result["tools"]), answer.size)
