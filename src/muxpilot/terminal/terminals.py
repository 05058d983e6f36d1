"""Terminals of our own: windows of one session, each with a name, a shell with hooks, and a tape.

Rules it keeps:
- The state folder says which pane a terminal is (see `records`), so any process of ours finds it again; tmux
  says whether that pane is still there. The pane's option is for people to see, and decides nothing.
- A terminal outlives its shell: the pane stays, and the next command starts a new shell in it.
- What can't be hooked (an unknown shell, a start file that throws hooks out) is still a terminal: commands
  are then run as in anybody's pane.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
from pathlib import Path

from muxpilot.errors import BadInput, PaneRefused, ServerNotRunning, TargetNotFound
from muxpilot.terminal import shells
from muxpilot.terminal.bell import Bell
from muxpilot.terminal.following import Clock
from muxpilot.terminal.front import SHELLS, Front
from muxpilot.terminal.marks import Mark, MarkScanner
from muxpilot.terminal.private import state_named
from muxpilot.terminal.records import TerminalRecord
from muxpilot.terminal.run import Runner
from muxpilot.terminal.sessions import create_session
from muxpilot.terminal.shelf import Hooks, Shelf
from muxpilot.terminal.spot import Spot, spot_of
from muxpilot.terminal.starting import shell_in_front
from muxpilot.tmux import Identity, TmuxServer, is_alive, literal_format

TERMINAL_OPTION = "@muxpilot_terminal"
"""Its name, as an option of the pane, for whoever wants to see it in a status bar."""
SIZE = (120, 40)
MAKING = "making"
"""The shelf whose lock is held by whoever makes a terminal."""
HOOKING = 5.0
"""Seconds that a shell gets to take its hooks."""
LONGEST_ID = 64
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Terminals:
    """The named terminals of one muxpilot, in the session that the configuration names."""

    def __init__(self, runner: Runner, session: str) -> None:
        self._runner = runner
        self._session = session
        self._locks: dict[tuple[TmuxServer, str], asyncio.Lock] = {}
        self._panes: dict[tuple[TmuxServer, str], str] = {}

    async def pane_of(self, server: TmuxServer, terminal_id: str) -> str | None:
        """Its pane, if there is one."""
        check_terminal_id(terminal_id)
        spot = await self._recorded(server, terminal_id)
        return spot.pane_id if spot is not None else None

    async def ready(self, server: TmuxServer, terminal_id: str, clock: Clock) -> Spot:
        """Its pane, as it is now: made where there is none, with a new shell where the last one is gone."""
        check_terminal_id(terminal_id)
        async with self._locks.setdefault((server, terminal_id), asyncio.Lock()):
            spot = await self._known(server, terminal_id)
            if spot is None or spot.pane_dead:
                store = self._runner.store
                with state_named(store.folder):
                    async with store.shelf(MAKING).locked(max(clock.left, HOOKING)):
                        spot = await spot_of(server, await self._prepared(server, terminal_id, clock))
            self._panes[server, terminal_id] = spot.pane_id
            return spot

    async def _prepared(self, server: TmuxServer, terminal_id: str, clock: Clock) -> str:
        """With nobody else at it: another process of ours may have been faster."""
        spot = await self._known(server, terminal_id)
        if spot is None:
            return await self._make(server, terminal_id, clock)
        if spot.pane_dead:
            await self._revive(server, spot, clock)
        return spot.pane_id

    async def _known(self, server: TmuxServer, terminal_id: str) -> Spot | None:
        """Where it was the last time, if it still is, or wherever it is."""
        remembered = self._panes.pop((server, terminal_id), None)
        if remembered is not None:
            with contextlib.suppress(
                TargetNotFound, ServerNotRunning
            ):  # Its tmux may be gone, and it with it.
                spot = await spot_of(server, remembered)
                if self._runner.terminal_id(spot) == terminal_id:
                    return spot
        return await self._recorded(server, terminal_id)

    async def _recorded(self, server: TmuxServer, terminal_id: str) -> Spot | None:
        """Where the state folder says that it is, if that pane is still there."""
        if server.connection is None and not is_alive(server.endpoint):
            return None
        store = self._runner.store
        with state_named(store.folder):
            pane_id = store.records.pane_named(await _identity(server), terminal_id)
        if pane_id is None:
            return None
        try:
            spot = await spot_of(server, pane_id)
        except TargetNotFound:
            return None
        return spot if self._runner.terminal_id(spot) == terminal_id else None

    async def _make(self, server: TmuxServer, terminal_id: str, clock: Clock) -> str:
        shelf = self._runner.store.new_shelf()
        nonce = secrets.token_hex(8)
        shell, own = await _shell_to_be(server)
        extra = {}
        if shell is not None:
            shells.write_start(shell, nonce, shelf.folder, own)
            extra = shells.environment(shell, shelf.folder)
        pane_id = await self._new_pane(server, terminal_id, extra)
        await server.call_all(
            [
                ["set-option", "-p", "-t", pane_id, "--", "remain-on-exit", "on"],
                ["set-option", "-p", "-t", pane_id, "--", TERMINAL_OPTION, terminal_id],
            ]
        )
        spot = await spot_of(server, pane_id)
        record = TerminalRecord(terminal_id, *spot.server_identity, pane_id, shelf.key)
        self._runner.store.records.write(record)
        await self._hook(server, shelf, pane_id, nonce, own, clock)
        return pane_id

    async def _new_pane(self, server: TmuxServer, terminal_id: str, extra: dict[str, str]) -> str:
        flags = [item for name, value in extra.items() for item in ("-e", f"{name}={value}")]
        if server.connection is not None or is_alive(server.endpoint):
            found = await server.replies([["has-session", "-t", f"={self._session}"]])
            if found[0].ok:
                argv = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", f"={self._session}:", *flags]
                return (await server.call(*argv, "-n", literal_format(terminal_id))).text.strip()
        created = await create_session(
            server,
            name=self._session,
            window_name=terminal_id,
            width=SIZE[0],
            height=SIZE[1],
            environment=extra,
        )
        # tmux keeps what it was given for the whole session: windows that others open are not to have it.
        forget = [["set-environment", "-t", created.session_id, "-u", "--", name] for name in extra]
        if forget:
            await server.call_all(forget)
        return created.pane_id

    async def _revive(self, server: TmuxServer, spot: Spot, clock: Clock) -> None:
        """A new shell where the last one has ended."""
        desk = self._runner.desk(spot)
        self._runner.load(desk, spot)
        nonce = secrets.token_hex(8)
        shell, own = await _shell_to_be(server)
        flags: list[str] = []
        if shell is not None:
            shells.write_start(shell, nonce, desk.shelf.folder, own)
            extra = shells.environment(shell, desk.shelf.folder)
            flags = [item for name, value in extra.items() for item in ("-e", f"{name}={value}")]
        if desk.last is not None and desk.last.cwd:
            flags += ["-c", literal_format(desk.last.cwd)]
        async with server.watcher.hushed(spot.pane_id):
            await server.call("respawn-pane", "-t", spot.pane_id, *flags)
        await self._hook(server, desk.shelf, spot.pane_id, nonce, own, clock)

    async def _hook(
        self,
        server: TmuxServer,
        shelf: Shelf,
        pane_id: str,
        nonce: str,
        own: dict[str, str],
        clock: Clock,
    ) -> None:
        """Wait for the shell, and see that it has its hooks; without them it is a shell like any other."""
        shelf.keep_hooks(None)
        position = shelf.tape.size
        await shelf.tape.record(server, pane_id)
        try:
            shell = await shell_in_front(await spot_of(server, pane_id), max(clock.left, 1.0))
        except PaneRefused:
            return  # Slow, or none that we know: `run` says so.
        assert shell.shell is not None
        if shell.shell not in shells.BY_ENVIRONMENT:
            shells.write_start(shell.shell, nonce, shelf.folder, own)
            line = shells.hook_line(shell.shell, shelf.folder)
            await server.call("send-keys", "-t", pane_id, "-l", "--", line)
            await server.call("send-keys", "-t", pane_id, "--", "Enter")
        elif await _mark_on(shelf, position, nonce, 0.05) is None:
            await server.call(
                "send-keys", "-t", pane_id, "--", "Enter"
            )  # Its first prompt came before the tape.
        mark = await _mark_on(shelf, position, nonce, HOOKING)
        if mark is not None:
            spot = await spot_of(server, pane_id)
            settled = await shell_in_front(spot, HOOKING)
            await server.call("clear-history", "-t", pane_id)
            self._keep(shelf, settled, nonce, spot, mark)

    def _keep(self, shelf: Shelf, shell: Front, nonce: str, spot: Spot, mark: Mark) -> None:
        assert shell.shell is not None
        shelf.keep_hooks(Hooks(shell.shell, shell.identity, nonce))
        desk = self._runner.desk(spot)
        desk.counts, desk.position = {nonce: mark.count}, shelf.tape.size


async def _identity(server: TmuxServer) -> Identity:
    """Which server this is now."""
    await server.server_version()
    if server.connection is not None and server.identity is not None:
        return server.identity
    pid, started = (await server.call("display-message", "-p", "--", "#{pid} #{start_time}")).text.split()
    return int(pid), int(started)


def check_terminal_id(terminal_id: str) -> None:
    if not terminal_id.strip() or len(terminal_id) > LONGEST_ID or _CONTROL.search(terminal_id):
        raise BadInput(
            f"terminal_id {terminal_id!r:.100} is no name for a terminal",
            hint=f"1 to {LONGEST_ID} printable characters, such as 'default'",
        )


async def _shell_to_be(server: TmuxServer) -> tuple[str | None, dict[str, str]]:
    """Which shell tmux will start, as far as its options tell; the variables that our hooks stand in for."""
    own: dict[str, str] = {}
    if server.connection is None and not is_alive(server.endpoint):
        environ = server.endpoint.environ
        own = {name: environ[name] for name in ("ENV", "ZDOTDIR") if environ.get(name)}
        return _kind(environ.get("SHELL") or "/bin/sh"), own
    names = (
        ["show-options", "-g", "-v", "--", "default-command"],
        ["show-options", "-g", "-v", "--", "default-shell"],
    )
    variables = [["show-environment", "-g", "--", name] for name in ("ENV", "ZDOTDIR")]
    replies = await server.replies([*names, *variables])
    for name, reply in zip(("ENV", "ZDOTDIR"), replies[2:], strict=True):
        if reply.ok and reply.text.startswith(f"{name}="):
            own[name] = reply.text.partition("=")[2].strip()
    command = replies[0].text.strip() or replies[1].text.strip()
    return _kind(command), {name: value for name, value in own.items() if value}


def _kind(command: str) -> str | None:
    """The kind of shell that this command starts: its first word, wherever a link leads."""
    words = command.split()
    path = Path(words[0]) if words else Path("sh")
    names = [path.name, path.resolve().name] if path.is_absolute() else [path.name]
    if path.resolve().name == "busybox" and len(words) > 1:
        names = [words[1]]
    return next((SHELLS[name] for name in reversed(names) if name in SHELLS), None)


async def _mark_on(shelf: Shelf, position: int, nonce: str, seconds: float) -> Mark | None:
    """The first end mark with this nonce on the tape."""
    scanner, clock, bell = MarkScanner(), Clock(seconds), Bell(shelf.tape.path)
    try:
        while clock.left:
            data = shelf.tape.read(position)
            position += len(data)
            for piece in scanner.feed(data):
                if isinstance(piece, Mark) and piece.nonce == nonce and piece.kind == "D":
                    return piece
            if not data:
                await bell.wait(clock.left)
    finally:
        bell.close()
    return None
