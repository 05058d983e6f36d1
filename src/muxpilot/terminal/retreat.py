"""Taking back what was typed and never entered: whoever typed it was killed, or cut off, in between.

Rules it keeps:
- Only a line that ends as ours did is cleared. What a person has begun to type stays.
- Whatever of it still reaches the shell finds nothing to run.
"""

from __future__ import annotations

from muxpilot.terminal import shells
from muxpilot.terminal.front import write_to
from muxpilot.terminal.shelf import Command, Shelf
from muxpilot.terminal.spot import Spot, spot_of
from muxpilot.tmux import TmuxServer, read_pane

TELLING = 24
"""Characters at the end of a line by which it is known."""


async def take_back(server: TmuxServer, spot: Spot, shelf: Shelf, command: Command) -> None:
    """Leave the shell as if this command had never been tried."""
    shelf.withdraw_command()
    front = spot.front()
    if front is None or front.shell is None or not (command.cue.sourced or command.cue.by_line):
        return
    line = command.command
    if command.cue.sourced:
        write_to(spot.pane_tty, shells.SHOW.encode())
        line = shells.source_line(front.shell, shelf.folder)
    if await _stands_there(server, spot.pane_id, line.rstrip()):
        await server.call("send-keys", "-t", spot.pane_id, "--", "C-c")


async def _stands_there(server: TmuxServer, pane_id: str, line: str) -> bool:
    """Whether this line stands left of the cursor, as far as the last of it tells."""
    spot = await spot_of(server, pane_id)
    first = max(spot.cursor_y - 1, 0)
    rows = (await read_pane(server, pane_id, start=first, end=spot.cursor_y)).split("\n")
    shown = "".join(rows[: spot.cursor_y - first + 1]).rstrip()[-TELLING:]
    return bool(shown) and line.endswith(shown)
