"""Which pane is which terminal of ours: written down in the state folder, and decided there alone.

Anybody who reaches the tmux server can set a pane's options, so these say nothing about whose a pane is. A
record names a pane by its server's process and start and by its id, which no other pane of that server gets.

    terminals/pane-HASH   the record of one pane
    terminals/name-HASH   the id of the pane that has this name on this server
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from muxpilot.errors import StateUnusable
from muxpilot.terminal.private import read_private, write_private
from muxpilot.tmux import Identity

_KEY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class TerminalRecord:
    terminal_id: str
    server_pid: int
    start_time: int
    pane_id: str
    key: str
    """The name of its folder."""

    @property
    def server(self) -> Identity:
        return (self.server_pid, self.start_time)


class TerminalRecords:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[Identity, str], TerminalRecord] = {}
        """A pane that is a terminal stays one; one that is not may be on its way to become one."""
        self._names: dict[tuple[Identity, str], str] = {}
        """Those that this process has made, for when somebody removes our files."""

    def of_pane(self, server: Identity, pane_id: str) -> TerminalRecord | None:
        """The record of this pane, where it is a terminal of ours."""
        known = self._known.get((server, pane_id))
        if known is None:
            known = _parsed(self._content("pane", server, pane_id))
            if known is None or (known.server, known.pane_id) != (server, pane_id):
                return None
            self._known[server, pane_id] = known
        return known

    def pane_named(self, server: Identity, terminal_id: str) -> str | None:
        """The pane that was this terminal last; whether it is still there, tmux knows."""
        pane_id = self._content("name", server, terminal_id).decode("ascii", "replace")
        pane_id = pane_id or self._names.get((server, terminal_id), "")
        record = self.of_pane(server, pane_id) if pane_id else None
        return pane_id if record is not None and record.terminal_id == terminal_id else None

    def write(self, record: TerminalRecord) -> None:
        write_private(self._path("pane", record.server, record.pane_id), json.dumps(asdict(record)))
        write_private(self._path("name", record.server, record.terminal_id), record.pane_id)
        self._known[record.server, record.pane_id] = record
        self._names[record.server, record.terminal_id] = record.pane_id

    def forget_before(self, oldest: float, folders: Path) -> None:
        """Remove those whose folder is gone, and names that are as old and lead nowhere."""
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError, StateUnusable):
                if path.lstat().st_mtime >= oldest:
                    continue
                record = _parsed(read_private(path)) if path.name.startswith("pane-") else None
                if record is None or not (folders / record.key).exists():
                    path.unlink()

    def _content(self, kind: str, server: Identity, name: str) -> bytes:
        try:
            return read_private(self._path(kind, server, name))
        except FileNotFoundError:
            return b""

    def _path(self, kind: str, server: Identity, name: str) -> Path:
        whole = f"{server[0]} {server[1]} {name}".encode("utf-8", "surrogateescape")
        return self._folder / f"{kind}-{hashlib.sha256(whole).hexdigest()[:32]}"


def _parsed(content: bytes) -> TerminalRecord | None:
    """None for what was cut short, or is not a record."""
    try:
        record = TerminalRecord(**json.loads(content))
    except (ValueError, TypeError, RecursionError):
        return None
    texts = (record.terminal_id, record.pane_id, record.key)
    return record if all(isinstance(one, str) for one in texts) and _KEY.fullmatch(record.key) else None
