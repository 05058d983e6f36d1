"""A tape: everything that a pane's program writes, in a private file, as it comes.

tmux itself feeds it (`pipe-pane` to a `cat`), so it goes on whether we live or not, it keeps what a dying
process wrote last, and a flood costs us nothing but reading. Where somebody else has the pane's pipe, the
tape is written by us from the watching connection.

Rules it keeps:
- A tape only grows; it is emptied only between two commands, under the pane's lock, and always after one that
  was sensitive.
- A tape that is a link, or not our own file, is neither read nor written (see `private`).
- Whoever waits for more is woken (see `bell`).
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import secrets
import shlex
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from muxpilot.terminal.describe import facts_of_pane
from muxpilot.terminal.front import sleeps_reading, write_to
from muxpilot.terminal.marks import Mark
from muxpilot.terminal.private import (
    empty_private,
    make_folders,
    open_private,
    read_private,
    size_of,
    write_private,
)
from muxpilot.terminal.processes import is_alive, is_running
from muxpilot.tmux import Columns, Ended, Output, PaneEvent, TmuxServer, pipe_command

CHUNK = 1 << 18
LARGEST = 1 << 30
"""Bytes at which a recorder stops: a program that writes without end must not fill the disk."""
STARTING = 2.0
"""Seconds that a recorder may take to start."""
NOTICING = 50
"""Looks within which tmux has noticed that a recorder is gone."""
NOBODY = "0" * 16
"""A nonce that no command has."""
LARGEST_IDLE = 1 << 20
"""Bytes that a tape may have when a command begins; a larger one is emptied first."""
ROOM = 1 << 16
"""Bytes that must be free on its disk for a command to begin: how it ends could not be known."""

_NAME, _PROCESS = re.compile(rb"[0-9a-f]{16}"), re.compile(rb"[0-9]{1,10}")


@dataclass(frozen=True, slots=True)
class _Pipe:
    pane_id: str
    session_id: str
    pane_tty: str
    pane_pipe: bool


_PIPE = Columns(_Pipe)


class Tape:
    """The tape of one pane, in that pane's folder."""

    def __init__(self, folder: Path, largest: int = LARGEST) -> None:
        self.path = folder / "tape"
        self._largest = largest
        self._recorder = folder / "recorder"
        """Names the recorder of now; a file of that name holds its process id. One that was stopped before it
        had quite started writes its id too, late: under another name, where it deceives nobody."""
        self._seen: tuple[bytes, int] = (b"", 0)
        self._gap = False
        self.is_second_hand = self.is_cut_off = False
        """Whether we write it, from what tmux sends us, and whether that has ended. The last words of a pane
        that goes are dropped on their way to us."""

    @property
    def size(self) -> int:
        return size_of(self.path)

    @property
    def written(self) -> float:
        """When it was written to last."""
        try:
            return os.lstat(self.path).st_mtime
        except FileNotFoundError:
            return 0.0

    @property
    def is_recording(self) -> bool:
        """Whether the process that writes it is there."""
        pid = self.recorder_pid
        return pid is not None and is_running(pid, self.path)

    @property
    def is_drained(self) -> bool | None:
        """Whether all that has reached its writer is on the tape; None where that can't be seen."""
        pid = self.recorder_pid
        if pid is None:
            return None
        return not is_running(pid, self.path) or sleeps_reading(pid)

    @property
    def recorder_pid(self) -> int | None:
        """The process that writes it, or wrote it, as far as that is known."""
        name = _content(self._recorder)
        if not _NAME.fullmatch(name):
            return None
        if self._seen[0] != name:
            pid = _content(self._process_file(name.decode("ascii"))).strip()
            if not _PROCESS.fullmatch(pid):
                return None
            self._seen = (name, int(pid))
        return self._seen[1]

    def _process_file(self, name: str) -> Path:
        return self._recorder.with_name(f"recorder-{name}")

    @property
    def has_stopped(self) -> bool:
        """Whether a recorder of ours has ended, at its limit or by somebody's hand, or has lost its file."""
        if not self.path.exists() or self._died:
            return True
        return self._recorder.exists() and not self.is_recording and not self._may_be_starting

    @property
    def _may_be_starting(self) -> bool:
        try:
            asked = self._recorder.stat().st_mtime
        except FileNotFoundError:
            return False
        return abs(time.time() - asked) < STARTING  # A clock that was set back must not make it last.

    def read(self, position: int, size: int = CHUNK) -> bytes:
        try:
            handle = open_private(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return b""
        try:
            return os.pread(handle, size, position)
        finally:
            os.close(handle)

    def take_gap(self) -> bool:
        """Whether something was not written to it, that nobody has been told of."""
        gap, self._gap = self._gap, False
        return gap

    def empty(self) -> None:
        """Begin anew. Its writer appends, so nothing is left of what was."""
        empty_private(self.path)

    @property
    def is_in_the_way(self) -> bool:
        """Whether what is on it, of commands that have ended, takes room that the next one needs."""
        return self.size > LARGEST_IDLE or (self.size > 0 and self._room < ROOM)

    @property
    def _room(self) -> int:
        """Bytes that are free on its disk; some file systems count none, and have no end that is known."""
        disk = os.statvfs(self.path.parent)
        return disk.f_bavail * disk.f_frsize if disk.f_blocks else LARGEST

    def check_room(self) -> None:
        """`OSError` where a command's output would find none."""
        if self._room < ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def record(self, server: TmuxServer, pane_id: str) -> bool:
        """Have tmux write it from now on; False where somebody else has the pane's pipe."""
        if self.is_recording:
            return True
        facts = await facts_of_pane(server, _PIPE, pane_id)
        if facts.pane_pipe and not self._died:
            return await self._is_starting()
        if facts.pane_pipe and not await self._is_let_go(server, facts):
            self._forget_recorder()
            return False
        self._forget_recorder()
        os.close(self._opened())
        name = secrets.token_hex(8)
        write_private(self._recorder, name)
        where, process = (shlex.quote(str(path)) for path in (self.path, self._process_file(name)))
        limit = f"ulimit -f {self._largest // 512}"  # In blocks of 512 bytes, as POSIX has it.
        # -C: what already has that name, a link perhaps, is not written to.
        command = f"umask 077; {limit}; set -C; echo $$ >{process}; exec cat >>{where}"
        await server.call("pipe-pane", "-t", pane_id, "--", pipe_command(command))
        return True

    def _opened(self) -> int:
        """To append to, made where it is missing. Raises `StateUnusable` where it is not our own file."""
        return open_private(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def _forget_recorder(self) -> None:
        for path in self._recorder.parent.glob("recorder*"):
            path.unlink(missing_ok=True)

    async def _is_starting(self) -> bool:
        """Whether the pipe that is there will be ours in a moment: nobody tells when it has started."""
        end = asyncio.get_running_loop().time() + STARTING
        while not self.is_recording:
            if not self._may_be_starting or asyncio.get_running_loop().time() > end:
                return False
            await asyncio.sleep(0.002)
        return True

    async def resume(self, server: TmuxServer, pane_id: str) -> None:
        """After a recorder has ended: begin anew, with an empty tape."""
        make_folders(self.path.parent)
        self.empty()
        if self._writes_to_nowhere:
            await server.replies([["pipe-pane", "-t", pane_id]])
        await self.record(server, pane_id)

    @property
    def _died(self) -> bool:
        """Whether the recorder of now had started, and is not there any more."""
        pid = self.recorder_pid
        return pid is not None and not is_alive(pid)

    @property
    def _writes_to_nowhere(self) -> bool:
        """Whether the recorder that we know is there, and its file has been taken away."""
        try:
            return str(Path(f"/proc/{self._seen[1]}/fd/1").readlink()) == f"{self.path} (deleted)"
        except OSError:
            return False

    async def _is_let_go(self, server: TmuxServer, facts: _Pipe) -> bool:
        """tmux notices that nobody reads its pipe when it writes there: a mark that means nothing is enough.

        False where the pipe is still there: it is somebody else's, who has taken the place of ours.
        """
        with contextlib.suppress(BlockingIOError):  # Then it is being written to anyhow.
            write_to(facts.pane_tty, Mark("N", None, NOBODY).encode())
        for _ in range(NOTICING):
            if not (await facts_of_pane(server, _PIPE, facts.pane_id)).pane_pipe:
                return True
            await asyncio.sleep(0.002)
        return False

    async def stop(self, server: TmuxServer, pane_id: str) -> None:
        """Take our pipe off a pane that is not ours."""
        if self.is_recording or self._may_be_starting:
            await server.replies([["pipe-pane", "-t", pane_id]])
        self._forget_recorder()

    @contextlib.asynccontextmanager
    async def recorded(
        self, server: TmuxServer, pane_id: str, *, resumed: bool = False
    ) -> AsyncIterator[None]:
        """While this is open, the tape is written, one way or the other. `resumed`: a command runs by now."""
        self.is_second_hand = not await self.record(server, pane_id)
        if not self.is_second_hand:
            yield
            return
        facts = await facts_of_pane(server, _PIPE, pane_id)
        self._gap, self.is_cut_off = resumed, False
        with os.fdopen(self._opened(), "ab", buffering=0) as file:

            def write(event: PaneEvent) -> None:
                if isinstance(event, Output):
                    self._gap |= not _wrote(file.fileno(), event.data)
                elif isinstance(event, Ended):
                    self.is_cut_off = True
                else:
                    self._gap = True

            async with server.watcher.pane(facts.session_id, pane_id, write):
                yield


def _wrote(handle: int, data: bytes) -> bool:
    """Whether all of it found room."""
    try:
        return os.write(handle, data) == len(data)
    except OSError:
        return False


def _content(path: Path) -> bytes:
    """Nothing where the file is missing."""
    try:
        return read_private(path)
    except OSError:
        return b""
