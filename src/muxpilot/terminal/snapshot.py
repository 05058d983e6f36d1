"""The tree of one tmux server, as of one moment: up to four questions in one round trip."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from muxpilot.terminal.model import BriefPane, Client, Pane, SearchedPane, Session, Window
from muxpilot.tmux import Columns, Table, TmuxServer


@dataclass(frozen=True)
class Snapshot:
    """What there was, as far as it was asked for. Look-ups are exact: no prefixes, no patterns."""

    sessions: Sequence[Session] = ()
    windows: Sequence[Window] = ()
    panes: Sequence[Pane] = ()
    clients: Sequence[Client] = ()
    brief_panes: Table = Table({}, {})  # noqa: RUF009 (never changed)
    """The fields of `BriefPane`, by column."""
    searched_panes: Sequence[SearchedPane] = ()

    @cached_property
    def session_by_id(self) -> dict[str, Session]:
        return {session.session_id: session for session in self.sessions}

    @cached_property
    def session_by_name(self) -> dict[str, Session]:
        return {session.session_name: session for session in self.sessions}

    @cached_property
    def windows_of(self) -> dict[str, list[Window]]:
        """Windows by session id, in the order of their indexes."""
        found: dict[str, list[Window]] = defaultdict(list)
        for window in self.windows:
            found[window.session_id].append(window)
        return found

    @cached_property
    def _panes(self) -> dict[tuple[str, str], list[Pane]]:
        found: dict[tuple[str, str], list[Pane]] = defaultdict(list)
        for pane in self.panes:
            found[pane.session_id, pane.window_id].append(pane)
        return found

    def panes_of(self, window: Window) -> list[Pane]:
        """The panes of a window, in the order of their indexes, as its session sees them."""
        return self._panes[window.session_id, window.window_id]

    @cached_property
    def _people(self) -> Counter[str]:
        return Counter(client.session_id for client in self.clients if client.is_person)

    def people_attached(self, session_id: str) -> int:
        """How many people watch this session. Our own clients do not count, nor do others of their kind."""
        return self._people[session_id]


SESSIONS, WINDOWS, PANES, CLIENTS = "sessions", "windows", "panes", "clients"
EVERYTHING = (SESSIONS, WINDOWS, PANES, CLIENTS)
BRIEF_PANES, SEARCHED_PANES = "brief_panes", "searched_panes"

_QUESTIONS: dict[str, tuple[Columns[Any], tuple[str, ...]]] = {
    SESSIONS: (Columns(Session), ("list-sessions",)),
    WINDOWS: (Columns(Window), ("list-windows", "-a")),
    PANES: (Columns(Pane), ("list-panes", "-a")),
    CLIENTS: (Columns(Client), ("list-clients",)),
    BRIEF_PANES: (Columns(BriefPane), ("list-panes", "-a")),
    SEARCHED_PANES: (Columns(SearchedPane), ("list-panes", "-a")),
}


async def take_snapshot(
    server: TmuxServer, parts: Sequence[str] = EVERYTHING, *, timeout: float | None = None
) -> Snapshot:
    """Look at everything, or at some parts of it, in one write and one answer."""
    requests = [_QUESTIONS[part][0].request() for part in parts]
    commands = [
        [*_QUESTIONS[part][1], "-F", request.format] for part, request in zip(parts, requests, strict=True)
    ]
    replies = await server.call_all(commands, timeout=timeout)
    version = await server.server_version(timeout)
    found: dict[str, Any] = {
        part: (request.read_table if part == BRIEF_PANES else request.read)(reply.text, version)
        for part, request, reply in zip(parts, requests, replies, strict=True)
    }
    return Snapshot(**found)
