"""What a tmux server holds, as values: sessions, windows, panes and the clients that watch them.

Fields are named like tmux's format variables, so that one dataclass is both the question and the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Session:
    session_id: str
    session_name: str
    session_windows: int
    # tmux 3.2 dies of these two where the session is missing.
    session_created: int = field(metadata={"format": "#{?session_id,#{session_created},}"})
    session_activity: int = field(metadata={"format": "#{?session_id,#{session_activity},}"})
    session_group: str | None
    active_window_id: str = field(metadata={"format": "#{window_id}"})
    active_pane_id: str = field(metadata={"format": "#{pane_id}"})


@dataclass(frozen=True, slots=True)
class Window:
    """A window as one session sees it: the same window may be linked into several, at other indexes."""

    window_id: str
    session_id: str
    window_index: int
    window_name: str
    window_active: bool
    window_panes: int
    window_width: int
    window_height: int
    window_layout: str
    window_zoomed_flag: bool
    session_name: str
    active_pane_id: str = field(metadata={"format": "#{pane_id}"})


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane as one session sees it: listed once for each session that its window is linked into."""

    pane_id: str
    window_id: str
    session_id: str
    pane_index: int
    pane_active: bool
    pane_width: int
    pane_height: int
    pane_left: int
    pane_top: int
    pane_right: int
    pane_bottom: int
    pane_at_left: bool
    pane_at_right: bool
    pane_at_top: bool
    pane_at_bottom: bool
    pane_title: str
    pane_current_command: str
    pane_current_path: str
    pane_pid: int | None
    pane_tty: str
    pane_dead: bool
    pane_dead_status: int | None
    pane_in_mode: bool
    pane_synchronized: bool
    alternate_on: bool
    history_size: int
    history_limit: int


@dataclass(frozen=True, slots=True)
class BriefPane:
    """What a list tells of a pane. Each field costs tmux a microsecond a pane (by its one-letter name three
    quarters of that), program and folder ten."""

    pane_id: str = field(metadata={"format": "#D"})
    window_id: str
    session_id: str
    pane_index: int = field(metadata={"format": "#P"})
    pane_active: bool
    pane_width: int
    pane_height: int
    pane_title: str = field(metadata={"format": "#T"})
    pane_current_command: str
    pane_current_path: str
    pane_pid: int | None


@dataclass(frozen=True, slots=True)
class SearchedPane:
    """What a search needs to know of a pane, and tells of it."""

    pane_id: str
    window_id: str
    session_id: str
    pane_height: int
    history_size: int
    pane_current_command: str
    pane_current_path: str
    window_name: str
    session_name: str


@dataclass(frozen=True, slots=True)
class Client:
    """Something attached to a session: a person's terminal, or a program such as we are."""

    client_name: str
    client_pid: int
    session_id: str = field(metadata={"format": "#{session_id}"})
    client_width: int
    client_height: int
    client_tty: str
    client_control_mode: bool
    client_flags: str

    @property
    def is_person(self) -> bool:
        """Programs in control mode that ask not to count for the size are no audience; iTerm2 is."""
        return not (self.client_control_mode and "ignore-size" in self.client_flags.split(","))
