"""The terminal that muxpilot itself runs in: an agent may neither end it nor type into it.

An agent that types there could answer its own client's permission dialog. Rules it keeps:
- We run in a pane whose process is our ancestor, or whose terminal we or our ancestors have (`ancestry`).
  TMUX and TMUX_PANE count too, but are not needed: some clients remove them.
- Pane ids are unique only within one tmux server, so TMUX_PANE counts on the server that TMUX names. That is
  known by its process, or by its socket whatever path leads to it. Without TMUX it counts on every server.
- Only ids as tmux prints them are compared. An agent's `%01` is refused: to tmux it is pane %1.
- Every command that types or ends something passes `check` (see `tmux.effects`), so no tool can forget it.
  Tools ask earlier all the same (`Context.pane_to_type_in`), before they have done half of their work.

What this can't see: a pane in which another tmux client shows our pane.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

from muxpilot.errors import PaneRefused, TargetNotFound
from muxpilot.terminal.ancestry import Ancestry, ancestry_of, device_of
from muxpilot.terminal.option_table import can_end_sessions
from muxpilot.tmux import Columns, Effect, Identity, TmuxServer, failure, oneshot
from muxpilot.tmux.effects import exact_id
from muxpilot.tmux.version import OLDEST

ASK_THE_USER = "Ask the user to do it, if it must be done"
USE_ANOTHER = "Use another pane. The user can allow it with MUXPILOT_TYPE_IN_OWN_PANE=1"
KINDS = {"%": "pane", "@": "window", "$": "session"}

COPYING_OPTIONS = frozenset({"synchronize-panes"})
"""Options that pass what is typed in one pane on to others."""
SESSION_OPTIONS = frozenset({"destroy-unattached"})
"""Options that end one session alone."""


@dataclass(frozen=True, slots=True)
class Place:
    """A pane as one session sees it, with what tells whether it is ours."""

    pane_id: str
    window_id: str
    session_id: str
    pane_pid: int
    pane_dead: bool
    start_time: int
    server_pid: int = field(metadata={"format": "#{pid}"})
    pane_tty: str

    @property
    def ids(self) -> set[str]:
        return {self.pane_id, self.window_id, self.session_id}


_PLACES = Columns(Place)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where we are on one tmux server."""

    panes: frozenset[str] = frozenset()
    """Ours: one, unless tmux runs within tmux."""
    around: bool = False
    """Whether we run in this server, as far as is known."""
    adrift: bool = False
    """Whether the server started us, but not in a pane: in a popup, say, which ends with its session."""


class Caller:
    """`pane_id`, `socket` and `server_pid` are what the environment says; None where it says nothing."""

    def __init__(
        self,
        pane_id: str | None = None,
        socket: str | None = None,
        server_pid: int | None = None,
        *,
        may_type: bool = False,
    ) -> None:
        self._pane_id = pane_id
        self._socket = socket
        self._server_pid = server_pid
        self._may_type = may_type
        self._known: WeakKeyDictionary[TmuxServer, tuple[Identity, Standing]] = WeakKeyDictionary()

    @cached_property
    def _ancestry(self) -> Ancestry:
        return ancestry_of(os.getpid())

    async def panes_on(self, server: TmuxServer) -> frozenset[str]:
        """Our own panes. Costs a round trip once for each server process."""
        return (await self._standing(server)).panes

    async def among(self, pane_ids: Sequence[str], server: TmuxServer) -> list[bool]:
        """Of each pane, whether it is ours."""
        if not (ours := await self.panes_on(server)):
            return [False] * len(pane_ids)
        return [pane_id in ours for pane_id in pane_ids]

    async def check(self, server: TmuxServer, effect: Effect) -> None:
        """The guard of every server: `PaneRefused` where this would end our terminal or type into it."""
        if effect.ends:
            await self.guard_ending(effect.place, server)
        elif effect.place is not None:
            await self.guard_typing(effect.place, server)

    async def guard_typing(self, pane_id: str, server: TmuxServer, hint: str = USE_ANOTHER) -> None:
        if exact_id(pane_id) in await self.panes_on(server) and not self._may_type:
            raise PaneRefused(f"muxpilot itself runs in pane {pane_id}: nothing was typed", hint=hint)

    async def guard_ending(self, place: str | None, server: TmuxServer) -> None:
        """For a pane, window or session by its id; None is the whole server. Others that share our window or
        session count as ours too: a window that is linked into two sessions is in both."""
        if await self._holds_us(place, server):
            what = "nothing was done to it" if (place or "").startswith("%") else "it was not killed"
            raise PaneRefused(f"muxpilot itself runs in {_named(place)}: {what}", hint=ASK_THE_USER)

    async def guard_move(self, moved: str, to_session: str | None, server: TmuxServer) -> None:
        """A session ends with its last window. Our pane would live on in another one, but whoever watches us
        would be detached."""
        exact_id(moved)
        standing, places = await self._look(server)
        sessions = {one.session_id for one in places if standing.adrift or one.pane_id in standing.panes}
        for session_id in sorted(sessions - {to_session}):
            if _is_all_of(moved, session_id, places):
                raise PaneRefused(
                    f"muxpilot itself runs in session {session_id}, which would end: nothing was moved",
                    hint=ASK_THE_USER,
                )

    async def guard_option(self, option: str, value: str, place: str | None, server: TmuxServer) -> None:
        """For options that would end our session, or bring us what is typed elsewhere. `place` is the id of
        what it would be set on; None is everything.

        Only what is set on another session leaves ours alone. Named by a window or a pane, tmux sets it on
        whichever session it takes them to be of, and an option of the server on all of it. Synchronized panes
        are refused on all of our server, too: our pane could be moved into their window while another call is
        about to type there.
        """
        name = option.partition("[")[0]
        place = place if name in SESSION_OPTIONS and (place or "").startswith("$") else None
        if not (can_end_sessions(name) or name in COPYING_OPTIONS) or value == "off":
            return
        if await self._holds_us(place, server):
            raise PaneRefused(
                f"muxpilot itself runs in {_named(place)}: {option} was not set", hint=ASK_THE_USER
            )

    async def _holds_us(self, place: str | None, server: TmuxServer) -> bool:
        if place is not None and not exact_id(place).startswith("$"):
            if not (await self._standing(server)).around:
                return False
            standing, places = await self._look(server)
        else:
            # Sessions and servers are killed by a process of its own. It connects anew, and so does the look.
            standing, places = await self._look(server, by_process=True)
        if place is None or place in standing.panes:
            return standing.around
        if any(place in one.ids for one in places if one.pane_id in standing.panes):
            return True
        sessions = {one.session_id for one in places} if standing.adrift else ()
        return any(_is_all_of(place, session_id, places) for session_id in sessions)

    async def _standing(self, server: TmuxServer) -> Standing:
        known = self._known.get(server)
        if known is not None and server.connection is not None and known[0] == server.identity:
            return known[1]
        return (await self._look(server))[0]

    async def _look(
        self, server: TmuxServer, *, by_process: bool = False
    ) -> tuple[Standing, Sequence[Place]]:
        """Ask tmux for its panes: where we are on this server, and all that there is."""
        request = _PLACES.request()
        asking = ["list-panes", "-a", "-F", request.format]
        if by_process:
            reply = await oneshot(server.endpoint, asking, server.timeout)
        else:
            reply = (await server.replies([asking]))[0]
        error = None if reply.ok else failure.translate(reply.text, server.endpoint)
        if error is not None and not isinstance(error, TargetNotFound):
            raise error  # Whoever does not know where we are must not go on.
        places = request.read(reply.text, OLDEST) if reply.ok else []  # No version escapes any of this.
        if not places:
            return self._standing_in(server, await _process_of(server), places), places
        standing = self._standing_in(server, places[0].server_pid, places)
        self._known[server] = ((places[0].server_pid, places[0].start_time), standing)
        return standing, places

    def _standing_in(self, server: TmuxServer, server_pid: int | None, places: Sequence[Place]) -> Standing:
        found = {one.pane_id for one in places if self._descends_from(one)}
        started_here = server_pid in self._ancestry.pids
        told = self._is_told_of(server, server_pid)
        named = {self._pane_id} if told and self._pane_id is not None else set()
        panes = frozenset(found | named)
        return Standing(panes, bool(panes) or started_here or told, started_here and not found)

    def _descends_from(self, pane: Place) -> bool:
        """A dead pane has no process of ours, and others may have its process number and terminal by now."""
        if pane.pane_dead:
            return False
        pids, terminals = self._ancestry.pids, self._ancestry.terminals
        return pane.pane_pid in pids or (bool(terminals) and device_of(pane.pane_tty) in terminals)

    def _is_told_of(self, server: TmuxServer, server_pid: int | None) -> bool:
        """Whether the environment means this server, or may mean it."""
        if self._socket is None:
            return self._pane_id is not None
        if server_pid is not None and server_pid == self._server_pid:
            return True
        return _is_same_file(self._socket, server.endpoint.socket_path)


async def _process_of(server: TmuxServer) -> int | None:
    """Of a server without panes."""
    reply = await oneshot(server.endpoint, ["display-message", "-p", "--", "#{pid}"], server.timeout)
    return int(reply.text) if reply.ok and reply.text.isdecimal() else None


def _is_same_file(one: str, other: Path) -> bool:
    """By device and inode, so that links of any kind lead to the same decision."""
    try:
        return other.samefile(one)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def _is_all_of(place: str, session_id: str, places: Sequence[Place]) -> bool:
    """Whether nothing of this session is left without that pane, window or session."""
    return all(place in one.ids for one in places if one.session_id == session_id)


def _named(place: str | None) -> str:
    return "this tmux server" if place is None else f"{KINDS[place[0]]} {place}"
