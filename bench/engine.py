"""The engine beside what it replaces: a `tmux` process for each command.

Ours includes what callers get (typed rows, decoded text); theirs is the bare process and its bytes.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bench.errors import LabFull
from bench.measure import Act, Plan, Sample, timed_row
from bench.rows import Point, Row
from bench.tmux_lab import LINES, PANE, Lab, lab
from muxpilot.terminal.model import Client, Pane, Session, Window
from muxpilot.terminal.snapshot import EVERYTHING, PANES, take_snapshot
from muxpilot.tmux import Columns, TmuxServer, read_pane

Answer = TypeVar("Answer")

OURS, PROCESS = "muxpilot", "tmux processes"

MANY = 1000
HI = ("display-message", "-p", "--", "hi")
NUMBERED = [("display-message", "-p", "--", str(number)) for number in range(MANY)]
IN_ORDER = [str(number) for number in range(MANY)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One line of the table before it is measured; `long` where twice is enough."""

    name: str
    ours: Act
    theirs: Act
    point: Point | None = None
    long: bool = False


async def measure(plan: Plan, stages: Sequence[int]) -> tuple[list[Row], list[str]]:
    """The rows at each of these pane counts, in growing order, and what could not be measured."""
    rows: list[Row] = []
    with lab() as tmux:
        await tmux.filled()
        for count in stages:
            try:
                await tmux.grow(count)
            except LabFull as full:
                return rows, [str(full)]
            async with tmux.server() as server:
                for one in rows_at(count, tmux, server):
                    how = plan.at_most(2) if one.long else plan
                    acts = {OURS: one.ours, PROCESS: one.theirs}
                    rows.append(await timed_row("engine", one.name, how, acts, one.point))
    return rows, []


def rows_at(count: int, tmux: Lab, server: TmuxServer) -> Iterator[Comparison]:
    """What is measured with so many panes."""
    yield _command(count, tmux, server)
    if count == 1:
        yield _commands(tmux, server)
        yield from _captures(tmux, server)
    yield from _snapshots(count, tmux, server)


def _command(count: int, tmux: Lab, server: TmuxServer) -> Comparison:
    """The least that a call can cost with so many panes: tmux looks at each of them whenever it wakes."""

    async def one() -> str:
        return (await server.call(*HI)).text

    name = f"display-message, {_panes(count)}"
    return Comparison(name, _ours(one), _theirs(lambda: _text(tmux.run(*HI))))


def _commands(tmux: Lab, server: TmuxServer) -> Comparison:
    async def many() -> list[str]:
        return [reply.text for reply in await server.call_all(NUMBERED)]

    def many_processes() -> list[str]:
        return [_text(tmux.run(*argv)) for argv in NUMBERED]

    return Comparison(
        f"{MANY:,} display-message, in order",
        _ours(many, lambda answers: answers == IN_ORDER),
        _theirs(many_processes, lambda answers: answers == IN_ORDER),
        long=True,
    )


def _captures(tmux: Lab, server: TmuxServer) -> Iterator[Comparison]:
    async def screen() -> str:
        return await read_pane(server, PANE)

    async def scrollback() -> str:
        return await read_pane(server, PANE, start="-")

    capture = ("capture-pane", "-p", "-t", PANE)
    yield Comparison("capture, a screen", _ours(screen), _theirs(lambda: _text(tmux.run(*capture))))
    yield Comparison(
        f"capture, {LINES:,} lines", _ours(scrollback), _theirs(lambda: _text(tmux.run(*capture, "-S", "-")))
    )


def _snapshots(count: int, tmux: Lab, server: TmuxServer) -> Iterator[Comparison]:
    questions = [
        ("list-panes", "-a", "-F", _format(Pane)),
        ("list-sessions", "-F", _format(Session)),
        ("list-windows", "-a", "-F", _format(Window)),
        ("list-clients", "-F", _format(Client)),
    ]
    for name, parts, asked in (
        ("of panes", (PANES,), questions[:1]),
        ("of everything", EVERYTHING, questions),
    ):

        async def snapshot(parts: tuple[str, ...] = parts) -> int:
            return len((await take_snapshot(server, parts)).panes)

        def processes(asked: list[tuple[str, ...]] = asked) -> int:
            panes, *_ = [tmux.run(*argv).count(b"\n") for argv in asked]
            return panes

        point = Point(f"snapshot {name}", "panes", count)
        yield Comparison(f"snapshot {name}, {_panes(count)}", _ours(snapshot), _theirs(processes), point)


def _panes(count: int) -> str:
    return f"{count:,} {'pane' if count == 1 else 'panes'}"


def _format(row_type: type[Any]) -> str:
    return Columns(row_type).request().format


def _text(out: bytes) -> str:
    return out.decode().removesuffix("\n")


def _same(answer: Any) -> object:
    return answer


def _ours(action: Callable[[], Awaitable[Answer]], gist: Callable[[Answer], object] = _same) -> Act:
    async def act() -> Sample:
        started = time.perf_counter()
        answer = await action()
        return Sample(time.perf_counter() - started, gist(answer))

    return act


def _theirs(action: Callable[[], Answer], gist: Callable[[Answer], object] = _same) -> Act:
    async def act() -> Sample:
        started = time.perf_counter()
        answer = action()
        return Sample(time.perf_counter() - started, gist(answer))

    return act
