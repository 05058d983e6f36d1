"""What was run in a pane before: how it ended, and its output, as far as it is kept."""

from __future__ import annotations

from typing import Any

from muxpilot.errors import BadInput
from muxpilot.terminal.outcome import NOT_KEPT, notes_of
from muxpilot.terminal.printout import Excerpt, excerpt_of
from muxpilot.terminal.run import Runner
from muxpilot.terminal.shelf import Command
from muxpilot.terminal.spot import spot_of
from muxpilot.tmux import TmuxServer


async def commands_of(runner: Runner, server: TmuxServer, pane_id: str, limit: int) -> list[dict[str, Any]]:
    """The newest last."""
    desk = runner.desk(await spot_of(server, pane_id))
    return [_facts(command) for command in desk.shelf.commands() if command.command][-limit:]


async def output_of(
    runner: Runner, server: TmuxServer, pane_id: str, number: int
) -> tuple[dict[str, Any], Excerpt, str | None]:
    """One of them, what it wrote, and where that is, if it wrote anything."""
    desk = runner.desk(await spot_of(server, pane_id))
    found = next((command for command in desk.shelf.commands() if command.number == number), None)
    path = desk.shelf.output(number)
    if found is None:
        raise BadInput(
            f"no command {number} is kept for pane {pane_id}", hint="list_commands shows which are"
        )
    if not path.exists():
        return _facts(found), Excerpt("", 0), None
    return _facts(found), excerpt_of(path, 0, "", found.lines, partial=bool(found.missing)), str(path)


def _facts(command: Command) -> dict[str, Any]:
    notes = (*notes_of(command), NOT_KEPT) if command.hidden else notes_of(command)
    return {
        "number": command.number,
        "command": command.command,
        "state": command.state,
        "exit_code": command.exit_code,
        "cwd": command.cwd,
        "started": round(command.started, 3),
        "seconds": None if command.seconds is None else round(command.seconds, 3),
        "output_lines": command.lines,
        **({"notes": list(notes)} if notes else {}),
    }
