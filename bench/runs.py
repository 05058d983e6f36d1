"""Running commands: ours in a terminal of our own and in a person's pane, the peers' in panes of their own.

What comes back is compared too, because the peers answer with what their screen shows afterwards, and we with
what the command wrote: sizes are of the first answer, when a screen has nothing else on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.asks import Ask, Result, facts
from bench.bash_lab import bash_lab, bash_pane
from bench.errors import Mismatch
from bench.measure import Acts, Plan, timed_row
from bench.peers import Contender
from bench.progress import say
from bench.rows import Gap, Point, Row, figures
from bench.rpc import Answer
from bench.sides import OURS, Side, sides_on
from bench.tmux_lab import Lab

LENGTHS = (1, 100, 100_000, 1_000_000)
"""Lines of output: fitting into any answer, and more of them than tmux keeps."""
LOOKED_AT = (100, 100_000)
"""Of these it is counted how many lines can be had afterwards."""
ROUNDS, SECONDS = 5, 15.0


async def measure(
    plan: Plan, lengths: Sequence[int], contenders: Sequence[Contender]
) -> tuple[list[Row], list[str]]:
    """The rows, and what is said about lines that are left out."""
    with bash_lab() as tmux, sides_on(tmux, contenders) as sides:
        person = await bash_pane(tmux)
        own: dict[str, str | None] = {side.name: await bash_pane(tmux) for side in sides[1:]}
        own[OURS] = None
        beside = _race(sides, "true", own | {OURS: person})
        rows = [
            await timed_row("server", "run_command true", plan, _race(sides, "true", own)),
            await timed_row("server", "run_command true, a person's pane", plan, beside),
        ]
        curve = await _lengths(plan, lengths, sides, own)
        rows += [*curve, *await _first_answers(tmux, sides, curve)]
    return rows, ["of a command's lines we count what is in the answer, or in the file that the answer names"]


async def _lengths(
    plan: Plan, lengths: Sequence[int], sides: Sequence[Side], panes: dict[str, str | None]
) -> list[Row]:
    """A curve; who failed at fewer lines is not asked for more."""
    rows: list[Row] = []
    out: dict[str, Gap] = {}
    for lines in lengths:
        how = plan if lines <= 100 else plan.at_most(ROUNDS, SECONDS)
        race: Acts = {**_race(sides, f"seq {lines}", panes, whole(lines)), **out}
        point = Point("run_command", "lines", lines)
        rows.append(await timed_row("server", f"run_command seq {lines}", how, race, point))
        out = {side: found for side, found in rows[-1].sides.items() if isinstance(found, Gap)}
    return rows


def _race(
    sides: Sequence[Side],
    command: str,
    panes: dict[str, str | None],
    ours: Callable[[Result], object] | None = None,
) -> Acts:
    """`ours` reads more off our own answer than how it ended."""
    asks = {side.name: side.dialect.run(command, panes[side.name]) for side in sides}
    if ours is not None:
        mine = asks[OURS]
        assert isinstance(mine, Ask)
        asks[OURS] = Ask(mine.request, ours)
    return {side.name: side.act(asks[side.name]) for side in sides}


def whole(lines: int) -> Callable[[Result], object]:
    """How `seq` ended; where not all of it is in the answer, with all its lines on disk, each as it was.

    Raises:
        Mismatch: something is missing, or more than was written.
    """
    written = "".join(f"{number}\n" for number in range(1, lines + 1))

    def gist(result: Result) -> object:
        found = facts(result)
        path = found.get("output_path")
        output = Path(path).read_text() if path else found["output"]
        if output.rstrip("\n") != written.rstrip("\n"):
            raise Mismatch(f"seq {lines}: {kept(result):,} numbers of it in {path or 'the answer'}")
        return found["exit_code"]

    return gist


def kept(result: Result) -> int:
    """How many numbers can be had: on disk where the answer says so, else in the answer."""
    found = facts(result)
    path = found.get("output_path")
    output = Path(path).read_text() if path else found["output"]
    lines = output.split("\n") if isinstance(output, str) else output
    return sum(line.strip().isdigit() for line in lines)


async def _first_answers(tmux: Lab, sides: Sequence[Side], curve: Sequence[Row]) -> list[Row]:
    """Bytes of an answer, and how many lines of the output can be had with it."""
    rows = _sizes("true", await _answers(tmux, sides, "true", {}))
    for row in curve:
        if row.point and row.point.at in LOOKED_AT:
            command = f"seq {row.point.at}"
            out = {side: found for side, found in row.sides.items() if isinstance(found, Gap)}
            answers = await _answers(tmux, sides, command, out)
            rows += [*_sizes(command, answers), *_lines(command, answers)]
    return rows


def _lines(command: str, answers: Mapping[str, Answer | Gap]) -> list[Row]:
    counts = {name: one if isinstance(one, Gap) else kept(one.result) for name, one in answers.items()}
    return figures("server", f"run_command {command}, of its lines", "lines", counts, compared=False)


def _sizes(command: str, answers: Mapping[str, Answer | Gap]) -> list[Row]:
    sizes = {name: one if isinstance(one, Gap) else one.size for name, one in answers.items()}
    return figures("server", f"run_command {command}, first answer", "bytes", sizes)


async def _answers(
    tmux: Lab, sides: Sequence[Side], command: str, out: Mapping[str, Gap]
) -> dict[str, Answer | Gap]:
    """Each server's answer; a peer's pane shows nothing before. Who is known to fail is not asked."""
    say(f"server: the answer to {command}")
    return {side.name: out.get(side.name) or await _answer(tmux, side, command) for side in sides}


async def _answer(tmux: Lab, side: Side, command: str) -> Answer | Gap:
    ask = side.gap or side.dialect.run(command, None if side.name == OURS else await bash_pane(tmux))
    if isinstance(ask, Gap):
        return ask
    request = ask.request
    return side.figure(lambda server: server.request(request.method, request.params))
