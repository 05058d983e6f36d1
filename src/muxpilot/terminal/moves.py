"""Moving windows and panes: a session ends with its last window, so moving that away ends it.

Who may not end things may not do so by a move. tmux decides and moves in one go, so that two moves side by
side, each of them harmless by itself, can't end a session together.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from muxpilot.errors import BadInput
from muxpilot.terminal.snapshot import SESSIONS, WINDOWS, Snapshot, take_snapshot
from muxpilot.tmux import TmuxServer, conditional

_HAS_OTHER_WINDOWS = "#{!=:#{session_windows},1}"
_HAS_OTHER_PANES = "#{!=:#{window_panes},1}"

Command = Sequence[str]


async def sessions_with(server: TmuxServer, window_id: str) -> dict[str, str]:
    """The sessions that show this window, by id: their names."""
    snapshot = await take_snapshot(server, (SESSIONS, WINDOWS))
    return {
        window.session_id: _name(snapshot, window.session_id)
        for window in snapshot.windows
        if window.window_id == window_id
    }


def _name(snapshot: Snapshot, session_id: str) -> str:
    session = snapshot.session_by_id.get(session_id)
    return session.session_name if session is not None else session_id


async def move(
    server: TmuxServer, command: Command, losing: dict[str, str], *, of_window: str | None, may_end: bool
) -> None:
    """Run this command, which takes a window away from each of the sessions that are `losing` it; or only a
    pane `of_window`, which stays where it has others.

    Raises:
        BadInput: one of them would end, and that is not allowed. Nothing was moved.
    """
    if may_end or not losing:
        await server.call(*command)
        return
    refusal = secrets.token_hex(8)
    kept = [*command]
    for session_id in losing:
        kept = conditional(session_id, _HAS_OTHER_WINDOWS, [kept], [_said(refusal)])
    if of_window is not None:
        kept = conditional(of_window, _HAS_OTHER_PANES, [command], [kept])
    if (await server.call(*kept)).text == refusal:
        raise BadInput(
            f"this would end session {' or '.join(map(repr, losing.values()))}, whose last window it is: "
            "nothing was moved",
            hint="Make another window there first; a person can allow it with MUXPILOT_SAFETY=destructive",
        )


def _said(word: str) -> list[str]:
    return ["display-message", "-p", "--", word]
