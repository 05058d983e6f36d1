"""What is kept on disk: a folder for each pane, and which pane is which terminal. Private, bounded, pruned.

Rules it keeps:
- Folders are 0700 and files 0600, whatever the umask; below the state folder no link is followed.
- Folders of panes that nobody used for `KEEP_DAYS` go, and in all there is no more than the limit on disk.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import time
from pathlib import Path

from muxpilot.errors import StateUnusable
from muxpilot.terminal.disk_limit import DiskLimit
from muxpilot.terminal.printout import LARGEST as LARGEST_OUTPUT
from muxpilot.terminal.private import check_folder, is_our_folder, make_folders, state_named
from muxpilot.terminal.records import TerminalRecords
from muxpilot.terminal.shelf import COMMAND_FILES, Shelf
from muxpilot.terminal.tape import LARGEST, Tape

KEEP_DAYS = 7.0
DISK_LIMIT = 2_000_000_000
_LEFT_BEHIND = frozenset({*COMMAND_FILES, "parsed"})
"""Files with the text of a command, that are there only because a muxpilot was killed or is an old one."""


class Store:
    """All of it, below one folder."""

    def __init__(self, folder: Path, limit: int = DISK_LIMIT) -> None:
        self.folder = folder
        self._panes = folder / "panes"
        self._terminals = folder / "terminals"
        self.records = TerminalRecords(self._terminals)
        self.disk = DiskLimit(self._panes, limit)
        self._checked = False

    def shelf(self, key: str) -> Shelf:
        """The folder of this pane, made where it is missing.

        Raises:
            StateUnusable: the state folder can't be used.
        """
        with state_named(self.folder):
            self._check()
            folder = self._panes / key
            folder.mkdir(0o700, exist_ok=True)
            check_folder(folder)
        return Shelf(
            folder, min(LARGEST, self.disk.largest_tape), min(LARGEST_OUTPUT, self.disk.largest_output)
        )

    def kept(self, key: str) -> Shelf | None:
        """The folder of this pane, where there is one: whoever only looks makes none.

        Raises:
            StateUnusable: the state folder can't be used.
        """
        shelf = Shelf(self._panes / key)
        with state_named(self.folder):
            return shelf if self.is_there(shelf) else None

    def new_shelf(self) -> Shelf:
        return self.shelf(secrets.token_hex(8))

    def is_there(self, shelf: Shelf) -> bool:
        """Whether its folder is. Raises `StateUnusable` where a link has taken its place."""
        return is_our_folder(self._panes) and is_our_folder(shelf.folder)

    def _check(self) -> None:
        if self._checked and is_our_folder(self._panes) and is_our_folder(self._terminals):
            return
        make_folders(self.folder)
        facts = self.folder.stat()
        if facts.st_uid != os.geteuid():
            raise StateUnusable(
                f"the state folder {self.folder} belongs to somebody else", hint="Set MUXPILOT_STATE_DIR"
            )
        if stat.S_IMODE(facts.st_mode) & 0o077:
            self.folder.chmod(0o700)
        for folder in (self._panes, self._terminals):
            folder.mkdir(0o700, exist_ok=True)
            check_folder(folder)
        self._checked = True
        self._forget_old()

    def _forget_old(self) -> None:
        """Panes that nobody has used for days. One that is recorded is there, however long it was silent, and
        whatever the clock says."""
        oldest, total = time.time() - KEEP_DAYS * 86400, 0
        for folder in self._panes.iterdir():
            with contextlib.suppress(OSError, StateUnusable):
                check_folder(folder)
                files = list(folder.iterdir())
                facts = [path.lstat() for path in [folder, *files]]
                total += sum(one.st_size for one in facts[1:])
                if max(one.st_mtime for one in facts) < oldest and not Tape(folder).is_recording:
                    shutil.rmtree(folder, ignore_errors=True)
                elif not _LEFT_BEHIND.isdisjoint(path.name for path in files):
                    _forget_commands(Shelf(folder))
        self.disk.begin_with(total)
        self.records.forget_before(oldest, self._panes)


def _forget_commands(shelf: Shelf) -> None:
    """Whoever put them there is gone, or is at work there now and sees to it."""
    with shelf.locked_now() as alone:
        if alone:
            shelf.withdraw_command()
            (shelf.folder / "parsed").unlink(missing_ok=True)
