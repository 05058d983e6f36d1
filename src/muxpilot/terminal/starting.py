"""Getting a command to a shell: loaded into its line by hooks, typed, or sourced by one typed line.

Rules it keeps:
- Nothing is typed before a shell that we know sits at its prompt, with nothing half typed before it.
- What was sent is sent once; keys that a shell swallowed without any effect are pressed again.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from dataclasses import dataclass

from wcwidth import wcwidth

from muxpilot.errors import BadInput, PaneRefused
from muxpilot.terminal import shells
from muxpilot.terminal.following import Running
from muxpilot.terminal.front import ASH, SHELLS, Front, at_prompt, is_reading, owner_of, unread, write_to
from muxpilot.terminal.marks import Mark
from muxpilot.terminal.shelf import Hooks, Shelf
from muxpilot.terminal.sight import Place, place_of
from muxpilot.terminal.spot import Spot, spot_of
from muxpilot.terminal.transcript import Cue, Phase
from muxpilot.tmux import TmuxServer, encode, read_pane

LONGEST_COMMAND = 1 << 20
STEP = 0.002
SHOWING = 1.0
"""Seconds that a shell may take to show what was typed."""
SOON = 0.02
IDLE = 0.3
"""Seconds that a shell may take from the end of a command to its prompt."""
ASKING = 0.1
GIVING_UP = 0.5
"""Seconds in which a shell has cleared a line that was given up."""
STRANGER = 0.1
"""Seconds that another program may still be in front when it is about to end."""
STARTER = 1.0
"""The same for a shell that runs a script: it may be tmux's own, which starts an interactive one."""

_WHERE = b"\x1b[6n"
_PROMPT_SIGN = re.compile(r"[$#%>λ»\u203a\u276f\u2771\u25b6\u27e9\ue0b0]\s")
_PROMPT_END = re.compile(r"[\u279c\u2192)\]:|~]\s*$")


@dataclass(frozen=True, slots=True)
class Start:
    """A way to start a command in a shell that waits for one."""

    server: TmuxServer
    spot: Spot
    shelf: Shelf
    shell: Front
    hooks: Hooks | None
    count: int
    prompt: str
    """As it stands on the screen."""
    hidden: bool = False
    """The command is a secret: it is not typed or loaded, but sourced from a file that its shell removes."""

    @property
    def kind(self) -> str:
        assert self.shell.shell is not None
        return self.shell.shell

    def cue(self, command: str) -> Cue:
        """How it will be known on the tape; decided before anything is sent."""
        if self.hooks is None:
            return Cue(secrets.token_hex(8), sourced=True)
        if self.kind in shells.LOADED:
            return Cue(self.hooks.nonce, self.count)
        if shells.is_typable(command) and not self.hidden:
            return Cue(self.hooks.nonce, self.count, by_line=True)
        return Cue(secrets.token_hex(8), sourced=True)

    def loads(self, cue: Cue) -> bool:
        """Whether the hooks will say that they have it."""
        return not cue.sourced and not cue.by_line

    def is_waiting(self) -> bool:
        """Whether the shell waits for keys, and has read all that there were."""
        return unread(self.spot.pane_tty) == 0 and at_prompt(self.shell, self.spot.pane_tty)

    def prepare(self, command: str, cue: Cue) -> None:
        """All that may fail for want of room, before anything is noted or sent."""
        self.shelf.tape.check_room()
        if self.loads(cue) and self.hidden:
            self.shelf.write_command(shells.hidden_line(self.kind, self.shelf.folder))
            shells.write_hidden(self.kind, command, self.shelf.folder)
        elif self.loads(cue):
            self.shelf.write_command(command)
        elif cue.sourced:
            self.shelf.reserve_script(command)

    async def is_swallowed(self, running: Running, patience: float) -> bool:
        """Whether the keys have had no effect: the shell waits, and all that it has said is on the tape."""
        tape, transcript = self.shelf.tape, running.transcript
        if await running.until(self.shelf, lambda: transcript.phase is not Phase.TYPED, patience):
            return False
        for _ in range(2):  # A loop of tmux's own, in which it hands on what it has read.
            await spot_of(self.server, self.spot.pane_id)
        heard = tape.is_recording and tape.is_drained is True
        running.catch_up(self.shelf)
        return heard and transcript.phase is Phase.TYPED and self.is_waiting()

    async def send(self, command: str, cue: Cue) -> None:
        if cue.sourced:
            await self._source(command, cue)
        elif cue.by_line:
            await self._type(command, cue)
        else:
            await self._press(shells.load_keys(self.kind))

    async def _type(self, command: str, cue: Cue) -> None:
        await self._typed(command)
        write_to(self.spot.pane_tty, Mark("T", None, cue.nonce).encode())
        await self._press("\r")

    async def _source(self, command: str, cue: Cue) -> None:
        line = shells.source_line(self.kind, self.shelf.folder)
        write_to(self.spot.pane_tty, shells.HIDE)  # For as long as it takes until the line erases itself.
        after = await self._typed(line)
        shells.write_script(
            self.kind,
            command,
            cue.nonce,
            self.shelf.folder,
            column=self.spot.cursor_x,
            rows=self._rows(after, len(line)),
            prompt=self.prompt,
            height=self.spot.pane_height,
            hidden=self.hidden,
        )
        await self._press("\r")

    def _rows(self, after: Place, length: int) -> int:
        """How far down the cursor went; where the scrollback is full, row numbers do not tell."""
        if self.kind in shells.SCROLLING:
            return 0
        if after.may_have_dropped:
            return (self.spot.cursor_x + length) // self.spot.pane_width
        return max(after.row - self.spot.row, 0)

    async def _typed(self, text: str) -> Place:
        """Type, and return when the shell has read and shown it all."""
        if self.kind == ASH:
            await self._told_where_it_is()
        before = (self.spot.row, self.spot.cursor_x)
        await self._send("-l", "--", text)
        last: Place | None = None
        end = asyncio.get_running_loop().time() + SHOWING
        while True:
            digested = unread(self.spot.pane_tty) in (0, None) and is_reading(self.shell, self.spot.pane_tty)
            place = await place_of(self.server, self.spot.pane_id)
            if digested and place == last and (place.row, place.cursor_x) != before:
                return place
            if asyncio.get_running_loop().time() >= end:
                return place
            last = place if digested else None
            await asyncio.sleep(STEP / 4)

    async def _told_where_it_is(self) -> None:
        """busybox asks the terminal where its cursor is, and throws away what it reads with the answer.

        In the first row the answer looks like a key at first, and busybox waits 50 ms for the rest of it.
        """
        tape, tty, loop = self.shelf.tape, self.spot.pane_tty, asyncio.get_running_loop()
        if not tape.size:
            return  # That was long ago.
        end = loop.time() + ASKING
        while loop.time() < end:
            asked = tape.read(max(tape.size - len(_WHERE), 0)) == _WHERE
            if asked and unread(tty) in (0, None) and is_reading(self.shell, tty):
                break
            await asyncio.sleep(STEP / 4)
        if (await place_of(self.server, self.spot.pane_id)).cursor_y == 0:
            await asyncio.sleep(ASKING)

    async def _press(self, keys: str) -> None:
        codes = [f"{byte:02x}" for byte in keys.encode()]
        await self._send("-H", "--", *codes)

    async def _send(self, *keys: str) -> None:
        """To this very pane: one of the same id in another server, which took its place, gets nothing."""
        only = self.spot.server_identity
        await self.server.call("send-keys", "-t", self.spot.pane_id, *keys, only=only)


def check_command(command: str) -> None:
    """`BadInput` for what no shell can be given."""
    if not command.strip():
        raise BadInput(
            "the command is empty", hint="Give one, or look at what is running with `terminal`: command ''"
        )
    if len(encode(command)) > LONGEST_COMMAND:
        raise BadInput("the command is over 1 MB", hint="Put it into a file, and run that")


async def shell_in_front(spot: Spot, seconds: float) -> Front:
    """The shell that waits at its prompt in this pane; one that is still starting is waited for.

    Raises:
        PaneRefused: another program is in front, or the shell stays busy.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        front = spot.front()
        if front is not None and front.shell is not None and at_prompt(front, spot.pane_tty):
            refuse_strange(front, spot)
            return front
        waited = loop.time() - began
        strange = STARTER if front is not None and front.name in SHELLS else STRANGER
        if front is not None and front.shell is None and waited >= strange:
            raise PaneRefused(
                f"{front.name} is in front in pane {spot.pane_id}, not a shell: nothing was typed",
                hint="send_keys types into it; terminal with is_input too",
            )
        if waited >= seconds:
            name = front.name if front is not None else "what is in front"
            raise PaneRefused(
                f"{name} in pane {spot.pane_id} does not wait for a command: nothing was typed",
                hint="It is busy, or still starting: try again later, or use another pane",
            )
        # Nobody tells that a process has begun to read.
        await asyncio.sleep(STEP if waited > SOON else STEP / 4)


def refuse_strange(shell: Front, spot: Spot) -> None:
    """`PaneRefused` for another user's shell (root's apart), which could not read our files."""
    if owner_of(shell.pid) not in (None, 0, os.geteuid()):
        raise PaneRefused(
            f"the shell in pane {spot.pane_id} is another user's: nothing was typed",
            hint="is_input and send_keys type into it, but how a command ended can't be known there",
        )


async def is_idle(spot: Spot) -> bool:
    """Whether a shell waits for a command there, or is about to."""
    clock = asyncio.get_running_loop().time() + IDLE
    while True:
        front = spot.front()
        if front is None or front.shell is None or asyncio.get_running_loop().time() >= clock:
            return front is None
        if at_prompt(front, spot.pane_tty):
            return True
        await asyncio.sleep(STEP)  # Nobody tells that a process has begun to read.


async def prompt_or_refusal(server: TmuxServer, spot: Spot, known: str) -> tuple[Spot, str]:
    """The prompt that the cursor stands behind, as the screen shows it, and the pane as it was then; `known`
    is the line that it ended last, which may be wrapped. One that was just given up may stand for a moment.

    Raises:
        PaneRefused: a person has begun to type there, as far as the screen tells.
    """
    end = asyncio.get_running_loop().time() + GIVING_UP
    while True:
        line = (await read_pane(server, spot.pane_id, start=spot.cursor_y, end=spot.cursor_y)).rstrip("\n")
        before, behind = _cut(line, spot.cursor_x)
        empty = _ends(known, before.rstrip()) or _is_prompt(before)
        if empty and (not behind.strip() or behind.startswith("  ")):  # Something may stand far right.
            return spot, before
        if asyncio.get_running_loop().time() >= end:
            raise PaneRefused(
                f"something is half typed in pane {spot.pane_id} ({line.strip()[-60:]!r}): nothing was typed",
                hint="A person may be typing there; use another pane, or a terminal of your own",
            )
        await asyncio.sleep(SOON)
        spot = await spot_of(server, spot.pane_id)


def _ends(known: str, shown: str) -> bool:
    return shown != "" and known.endswith(shown)


def _cut(line: str, column: int) -> tuple[str, str]:
    """Left and right of a column of the screen."""
    at, width = 0, 0
    while at < len(line) and width < column:
        width += max(wcwidth(line[at]), 0)
        at += 1
    return line[:at], line[at:]


def _is_prompt(before: str) -> bool:
    """Whether what stands left of the cursor is a prompt and no more: its first sign is its last."""
    sign = _PROMPT_SIGN.search(f"{before} ")
    if sign is not None:
        return not before[sign.end() :].strip()
    return not before.strip() or _PROMPT_END.search(before) is not None
