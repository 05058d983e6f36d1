"""How a call came out: the command, as much of its output as there is room for, and what to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from muxpilot.errors import PaneRefused
from muxpilot.terminal.evidence import SHELL_GONE, Verdict
from muxpilot.terminal.following import Clock, Running
from muxpilot.terminal.printout import Excerpt, excerpt_of
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.spot import Spot

_WAIT_FOR_IT = "terminal with an empty command waits for it, interrupt stops it; or use another terminal_id"
_TYPE_INTO_IT = (
    "is_input types into it, no_enter without Enter, interrupt stops it; or use another terminal_id"
)

NOT_KEPT = "it was sensitive: its output is not kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call came out. `command` is None where there never was one."""

    command: Command | None
    excerpt: Excerpt
    state: str
    elapsed: float
    spot: Spot
    cwd: str | None = None
    notes: tuple[str, ...] = ()
    output_path: str | None = None
    inner_exit_code: int | None = None
    """Of the last command in a shell that runs in this command (ssh), where that shell says so."""


def ended_before(
    shelf: Shelf, last: Command | None, spot: Spot, clock: Clock, max_lines: int | None
) -> Outcome:
    """Nothing runs: how the last one ended."""
    state = "prompt" if not spot.pane_dead else SHELL_GONE
    if last is None:
        cwd = folder_of(spot.pane_pid)
        return Outcome(
            None, Excerpt("", 0), state, clock.elapsed, spot, cwd, ("muxpilot has run nothing here yet",)
        )
    path = shelf.output(last.number)
    notes = (*notes_of(last), NOT_KEPT) if last.hidden else notes_of(last)
    excerpt = Excerpt("", 0)
    if path.exists():
        excerpt = excerpt_of(path, 0, "", last.lines, max_lines or 0, partial=bool(last.missing))
    where = str(path) if excerpt.truncated else None
    return Outcome(last, excerpt, last.state, clock.elapsed, spot, last.cwd, notes, where)


def notes_of(command: Command, running: Running | None = None) -> tuple[str, ...]:
    notes = [command.reason] if command.reason else []
    if running is not None and running.printout.cleared:
        notes.append(f"it cleared {running.printout.cleared} earlier lines of its output")
    missing = command.missing or (missing_of(running) if running is not None else None)
    return (*notes, missing) if missing else tuple(notes)


def missing_of(running: Running) -> str | None:
    """What of its output is not in the answer, nor anywhere."""
    said = []
    if running.lost:
        said.append("it was not recorded all the time: some of its output may be missing")
    if running.printout.cut:
        said.append(f"{running.printout.cut:,} bytes had no room in the output file")
    if running.printout.gone:
        said.append("its output file is gone, and what was in it")
    return "; ".join(said) or None


def folder_of(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return None


def busy(command: Command, verdict: Verdict, spot: Spot) -> PaneRefused:
    """For whoever wants to run something while this runs."""
    return PaneRefused(
        f"{_short(command.command)!r} still runs in pane {spot.pane_id} ({verdict.state}): nothing was typed",
        hint=_TYPE_INTO_IT if verdict.waiting else _WAIT_FOR_IT,
    )


def _short(command: str) -> str:
    line = " ".join(command.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
