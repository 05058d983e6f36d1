"""Target strings, resolved exactly, to ids, before tmux sees them.

tmux itself matches names by prefix and by pattern, so that `dev` may hit `development`. Here:

    %5  @2  $1             an id
    dev                    a session, by its whole name
    dev:1  dev:editor      a window of it, by index or by whole name
    dev:1.0                a pane of that window, by index
    dev:1.{bottom-right}   a pane by corner, or {active} for the active one
    :1  @2.1  $1:editor    the same with an id for a part; `:1` where there is only one session

A part that is left out means the active one, but not where something is to end (`require_kind`). More than
one match is an error that lists them. An id is written as tmux prints it (`%01` is refused), so that no two
spellings name one pane.
`parts_for` says how much of a snapshot a target takes: a session's name needs no list of a thousand panes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from muxpilot.errors import TargetAmbiguous, TargetError, TargetNotFound
from muxpilot.terminal.model import Pane, SearchedPane, Session, Window
from muxpilot.terminal.snapshot import PANES, SESSIONS, WINDOWS, Snapshot

_NUMBER = r"(?:0|[1-9][0-9]{0,9})"
_PANE_ID = re.compile(f"%{_NUMBER}")
_WINDOW_ID = re.compile(rf"(@{_NUMBER})(?:\.(.+))?")
_SESSION_ID = re.compile(rf"\${_NUMBER}")
_LIKE_AN_ID = re.compile(r"[%@$]\s*[-+]?\d.*", re.DOTALL)
_SHOWN = 8

SomePane = TypeVar("SomePane", Pane, SearchedPane)

SESSION, WINDOW, PANE = "session", "window", "pane"
ACTIVE = "{active}"
CORNERS = {
    f"{{{vertical}-{horizontal}}}": (f"pane_at_{vertical}", f"pane_at_{horizontal}")
    for vertical in ("top", "bottom")
    for horizontal in ("left", "right")
}


@dataclass(frozen=True, slots=True)
class Target:
    """One place: a pane, its window, and the session through which it was named."""

    session: Session
    window_id: str
    pane_id: str
    kind: str
    """What the string names by itself: a session, a window or a pane."""

    @property
    def id(self) -> str:
        """Of what it names by itself."""
        return {SESSION: self.session.session_id, WINDOW: self.window_id, PANE: self.pane_id}[self.kind]


def parts_for(target: str) -> tuple[str, ...]:
    """The parts of a snapshot that resolving this target takes."""
    target = target.removeprefix("=").removesuffix(":")
    if not _names_a_window(target):
        return (SESSIONS,)
    if "." in target or _PANE_ID.fullmatch(target):
        return (SESSIONS, WINDOWS, PANES)
    return (SESSIONS, WINDOWS)


def resolve(snapshot: Snapshot, target: str) -> Target:
    """The one pane that `target` names (its active pane, where it names a window or a session).

    Raises:
        TargetNotFound: nothing has that name; the message says what there is.
        TargetAmbiguous: more than one thing has it.
        TargetError: the string can't be a target.
    """
    target = target.removeprefix("=")
    if not target:
        raise TargetError("the target is empty", hint="Give a pane id such as %0, or a session name")
    if _PANE_ID.fullmatch(target):
        return _by_pane_id(snapshot, target)
    if window := _WINDOW_ID.fullmatch(target):
        return _by_window_id(snapshot, window[1], window[2])
    return _by_path(snapshot, target)


def resolve_session(snapshot: Snapshot, target: str) -> Session:
    """The one session that `target` names, by id or by whole name, or through one of its windows or panes."""
    name = target.removeprefix("=").removesuffix(":")
    if _names_a_window(name):
        return resolve(snapshot, name).session
    return _session(snapshot, name)


def session_named(snapshot: Snapshot, name: str) -> Session:
    """The session whose whole name this is, whatever is in it; else the one with this id."""
    return snapshot.session_by_name.get(name) or _session(snapshot, name)


def window_at(snapshot: Snapshot, session: Session, index: int) -> Window:
    """The window with this index: a name that looks like a number does not count."""
    windows = snapshot.windows_of[session.session_id]
    found = next((window for window in windows if window.window_index == index), None)
    if found is None:
        names = {f"{window.window_index}:{window.window_name}": window for window in windows}
        raise TargetNotFound(
            f"no window {index} in session {session.session_name!r}",
            hint=_there_are("windows", str(index), names),
        )
    return found


def place_of_panes(snapshot: Snapshot, target: str) -> tuple[str, str | None]:
    """The session that `target` names, and the window in it, if it names one (or something in one)."""
    if _names_a_window(target.removesuffix(":")):
        found = resolve(snapshot, target)
        return found.session.session_id, found.window_id
    return resolve_session(snapshot, target).session_id, None


def panes_within(snapshot: Snapshot, target: str) -> list[Pane]:
    """The panes of the session that `target` names, or of the window if it names one."""
    return those_within(snapshot.panes, snapshot, target)


def those_within(panes: Iterable[SomePane], snapshot: Snapshot, target: str) -> list[SomePane]:
    """The same of any rows that tell their window and session."""
    session_id, window_id = place_of_panes(snapshot, target)
    return [pane for pane in panes if pane.session_id == session_id and window_id in (None, pane.window_id)]


def panes_beside(snapshot: Snapshot, target: str) -> list[Pane]:
    """All panes of the one window that `target` names, or of the one that its pane is in."""
    found = resolve(snapshot, target)
    place = (found.session.session_id, found.window_id)
    return [pane for pane in snapshot.panes if (pane.session_id, pane.window_id) == place]


def _names_a_window(target: str) -> bool:
    """Or something in one; otherwise it can only be a session."""
    return bool(":" in target or _PANE_ID.fullmatch(target) or _WINDOW_ID.fullmatch(target))


def require_kind(found: Target, target: str, kind: str, tools: str = "kill") -> None:
    """`TargetError` where the string names another kind of thing: nothing may end, or be renamed, that was
    not named itself. `tools`: what the tools that do this begin with."""
    meant = f", or use {tools}_{found.kind}" if tools and (tools, found.kind) != ("rename", PANE) else ""
    if found.kind != kind:
        raise TargetError(
            f"{target!r} is a {found.kind}, not a {kind}: nothing was done",
            hint=f"Name the {kind} (list_{kind}s shows them){meant}",
        )


def is_pane_id(target: str) -> bool:
    return _PANE_ID.fullmatch(target) is not None


def is_window_id(target: str) -> bool:
    found = _WINDOW_ID.fullmatch(target)
    return found is not None and found[2] is None


def is_session_id(target: str) -> bool:
    return _SESSION_ID.fullmatch(target) is not None


def _by_pane_id(snapshot: Snapshot, pane_id: str) -> Target:
    panes = [pane for pane in snapshot.panes if pane.pane_id == pane_id]
    if not panes:
        count = len({pane.pane_id for pane in snapshot.panes})
        raise TargetNotFound(f"no pane {pane_id}", hint=f"list_panes shows what exists ({count} panes)")
    pane = panes[0]
    return Target(snapshot.session_by_id[pane.session_id], pane.window_id, pane.pane_id, PANE)


def _by_window_id(snapshot: Snapshot, window_id: str, pane_part: str | None) -> Target:
    window = next((window for window in snapshot.windows if window.window_id == window_id), None)
    if window is None:
        count = len({window.window_id for window in snapshot.windows})
        raise TargetNotFound(
            f"no window {window_id}", hint=f"list_windows shows what exists ({count} windows)"
        )
    return _in_window(snapshot, snapshot.session_by_id[window.session_id], window, pane_part)


def _by_path(snapshot: Snapshot, target: str) -> Target:
    session_part, colon, rest = target.partition(":")
    session = _only_session(snapshot) if colon and not session_part else _session(snapshot, session_part)
    if not rest:
        return Target(session, session.active_window_id, session.active_pane_id, SESSION)
    window, pane_part = _window(snapshot.windows_of[session.session_id], rest, session)
    return _in_window(snapshot, session, window, pane_part)


def _in_window(snapshot: Snapshot, session: Session, window: Window, pane_part: str | None) -> Target:
    """`pane_part` is None where the target names the window and no pane of it."""
    if pane_part is None:
        return Target(session, window.window_id, window.active_pane_id, WINDOW)
    pane_id = window.active_pane_id if pane_part == ACTIVE else _pane(snapshot, window, pane_part).pane_id
    return Target(session, window.window_id, pane_id, PANE)


def _session(snapshot: Snapshot, name: str) -> Session:
    by_id = is_session_id(name)
    found = snapshot.session_by_id.get(name) if by_id else snapshot.session_by_name.get(name)
    if found is None and not by_id and _LIKE_AN_ID.fullmatch(name):
        raise TargetError(
            f"{name!r:.80} is not an id as tmux prints it",
            hint="%1 is a pane, @2 a window, $3 a session: digits only, without leading zeros",
        )
    if found is None:
        raise TargetNotFound(
            f"no session {name!r}", hint=_there_are("sessions", name, snapshot.session_by_name)
        )
    return found


def _only_session(snapshot: Snapshot) -> Session:
    if len(snapshot.sessions) != 1:
        names = ", ".join(snapshot.session_by_name)
        raise TargetAmbiguous(f"there are {len(snapshot.sessions)} sessions", hint=f"Name one of {names}")
    return snapshot.sessions[0]


def _window(windows: Sequence[Window], text: str, session: Session) -> tuple[Window, str | None]:
    """A window may have dots in its name, so the text is read as a name, and as a window with a pane."""
    found: list[tuple[Window, str | None]] = [(window, None) for window in _matching(windows, text)]
    if "." in text:
        head, _, pane_part = text.rpartition(".")
        found += [(window, pane_part) for window in _matching(windows, head)]
    if not found:
        names = {f"{window.window_index}:{window.window_name}": window for window in windows}
        raise TargetNotFound(
            f"no window {text!r} in session {session.session_name!r}", hint=_there_are("windows", text, names)
        )
    if len(found) > 1:
        ids = ", ".join(f"{window.window_id} (index {window.window_index})" for window, _ in found)
        raise TargetAmbiguous(f"{text!r} may mean {len(found)} windows", hint=f"Use an id: {ids}")
    return found[0]


def _matching(windows: Sequence[Window], text: str) -> list[Window]:
    by_index = [window for window in windows if str(window.window_index) == text]
    by_name = [window for window in windows if window.window_name == text and window not in by_index]
    by_id = [window for window in windows if window.window_id == text]
    return by_index + by_name + by_id


def _pane(snapshot: Snapshot, window: Window, text: str) -> Pane:
    panes = snapshot.panes_of(window)
    if text in CORNERS:
        return pane_in_corner(panes, text)
    found = [pane for pane in panes if text in {str(pane.pane_index), pane.pane_id}]
    if not found:
        there = ", ".join(f"{pane.pane_index} ({pane.pane_id})" for pane in panes)
        raise TargetNotFound(f"no pane {text!r} in window {window.window_id}", hint=f"It has {there}")
    return found[0]


def pane_in_corner(panes: Sequence[Pane], corner: str) -> Pane:
    """The pane that touches both edges of this corner; of several, the innermost (largest left + top)."""
    touching = [pane for pane in panes if all(getattr(pane, edge) for edge in CORNERS[corner])]
    if not touching:
        raise TargetNotFound(f"no pane touches the corner {corner}", hint="list_panes shows where they are")
    return max(touching, key=lambda pane: pane.pane_left + pane.pane_top)


def _there_are(kind: str, wanted: str, names: dict[str, Session] | dict[str, Window]) -> str:
    if not names:
        return f"There are no {kind}"
    close = get_close_matches(wanted, names, 1)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{meant}The {kind} are: {', '.join(list(names)[:_SHOWN])}{more}"
