"""What was run in a pane before: how it ended, and its output, as far as it is kept."""

from __future__ import annotations

from typing import Any

from muxpilot.errors import BadInput
from muxpilot.terminal.outcome import NOT_KEPT, notes_of
from muxpilot.terminal.printout import Excerpt, excerpt_of
from muxpilot.terminal.run import Runner
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.spot import spot_of
from muxpilot.tmux import TmuxServer


async def commands_of(runner: Runner, server: TmuxServer, pane_id: str, limit: int) -> list[dict[str, Any]]:
    """The newest last."""
    shelf = await _shelf_of(runner, server, pane_id)
    commands = shelf.commands() if shelf is not None else []
    return [_facts(command) for command in commands if command.command][-limit:]


async def output_of(
    runner: Runner, server: TmuxServer, pane_id: str, number: int
) -> tuple[dict[str, Any], Excerpt, str | None]:
    """One of them, what it wrote, and where that is, if it wrote anything."""
    shelf = await _shelf_of(runner, server, pane_id)
    commands = shelf.commands() if shelf is not None else []
    found = next((command for command in commands if command.number == number), None)
    if shelf is None or found is None:
        raise BadInput(
            f"no command {number} is kept for pane {pane_id}", hint="list_commands shows which are"
        )
    path = shelf.output(number)
    if not path.exists():
        return _facts(found), Excerpt("", 0), None
    return _facts(found), excerpt_of(path, 0, "", found.lines, partial=bool(found.missing)), str(path)


async def _shelf_of(runner: Runner, server: TmuxServer, pane_id: str) -> Shelf | None:
    """None where nothing was ever run there. Who looks must not make a folder: that is a readonly call."""
    spot = await spot_of(server, pane_id)
    record = runner.store.records.of_pane(spot.server_identity, spot.pane_id)
    return runner.store.kept(record.key if record is not None else spot.key)


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
