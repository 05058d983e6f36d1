"""A private tmux server to measure on: own socket, own folder, no configuration, gone at the end.

Its first pane, `PANE`, shows the last of `LINES` numbered lines and then runs `cat`. All further ones are
windows of one pane that run `cat`: they need no waiting for. What is typed into `PANE` does not show, so that
every capture reads the same screen.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from bench.errors import LabFull
from bench.progress import say
from muxpilot.errors import TmuxError
from muxpilot.tmux import Endpoint, TmuxServer, read_pane

SOCKET = "bench"
PANE = "%0"
LINES = 1000
PATIENCE = 120.0
"""Seconds that anything here may take before something is wrong."""

GRACE = 30.0
"""Seconds that the server gets to leave."""

_FOREIGN = ("TMUX", "MUXPILOT_", "LIBTMUX_", "FASTMCP_", "PYTHON")
"""Variables of whoever started the harness: none of them may decide what is measured. (With
`PYTHONDONTWRITEBYTECODE` ours, which runs from its sources, would compile them at each start.)"""

_NUMBERED = "seq -f 'line %04g: the quick brown fox jumps over the lazy dog' 1 {}; exec cat"
_FILL = f"stty -echo; {_NUMBERED.format(LINES)}"
_PLAIN: Mapping[str, str] = MappingProxyType({"SHELL": "/bin/sh", "LC_ALL": "C.UTF-8"})


class Lab:
    """A running tmux server with nothing in it but what the harness put there."""

    def __init__(self, endpoint: Endpoint, pid: int, folder: Path) -> None:
        self.endpoint = endpoint
        self.pid = pid
        self.folder = folder
        self.panes = 1

    def run(self, *argv: str) -> bytes:
        """The same command by a process of its own: what a library without a connection does."""
        return _tmux(self.endpoint, *argv)

    @contextlib.asynccontextmanager
    async def server(self) -> AsyncIterator[TmuxServer]:
        """A connection of ours, closed afterwards."""
        server = TmuxServer(self.endpoint, timeout=PATIENCE)
        try:
            yield server
        finally:
            await server.close()

    async def grow(self, count: int) -> None:
        """Make it `count` panes.

        Raises:
            LabFull: tmux could not make as many.
        """
        missing = count - self.panes
        if missing <= 0:
            return
        say(f"making {missing} more panes")
        async with self.server() as server:
            try:
                await server.call_all([("new-window", "-d", "-t", "lab:", "--", "exec cat")] * missing)
            except TmuxError as error:
                raise LabFull(f"{count:,} panes can't be made here ({error.condition})") from error
        self.panes = count

    async def grow_long(self, count: int, lines: int) -> list[str]:
        """Make `count` more panes with so many lines each, and return their ids when they have them."""
        say(f"filling {count} pane{'s' * (count > 1)} with {lines:,} lines")
        made = ("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "lab:", "--", _NUMBERED.format(lines))
        async with self.server() as server:
            await server.call("set-option", "-g", "--", "history-limit", str(lines))
            panes = [reply.text for reply in await server.call_all([made] * count)]
            end = time.monotonic() + PATIENCE
            while await self._long_ones(server, lines) < count:
                if time.monotonic() > end:
                    raise TimeoutError("the panes were never filled")
        self.panes += count
        return panes

    async def _long_ones(self, server: TmuxServer, lines: int) -> int:
        sizes = (await server.call("list-panes", "-a", "-F", "#{e|+:#{history_size},#{cursor_y}}")).text
        return sizes.split("\n").count(str(lines))

    async def filled(self) -> None:
        """Return when the first pane shows its last line."""
        await self.shown(PANE, f"line {LINES:04}")

    async def shown(self, pane_id: str, text: str) -> None:
        """Return when the pane shows this. There is no event for that: look until it does."""
        end = time.monotonic() + PATIENCE
        async with self.server() as server:
            while text not in await read_pane(server, pane_id):
                if time.monotonic() > end:
                    raise TimeoutError(f"pane {pane_id} never showed {text!r}")


@contextlib.contextmanager
def lab(variables: Mapping[str, str] = _PLAIN) -> Iterator[Lab]:
    """Start one, and see it out. `variables` are for its panes, and for the servers that work on it."""
    _raise_limits()
    with tempfile.TemporaryDirectory(prefix="mxb-", ignore_cleanup_errors=True) as folder:
        environ = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        environ |= {**_PLAIN, **variables, "TMUX_TMPDIR": folder}
        endpoint = Endpoint(SOCKET, config=os.devnull, environ=environ)
        pid = 0
        try:
            _tmux(endpoint, "new-session", "-d", "-s", "lab", "-x", "80", "-y", "24", "-c", folder, _FILL)
            pid = int(_tmux(endpoint, "display-message", "-p", "#{pid}"))
            yield Lab(endpoint, pid, Path(folder))
        finally:
            _end(endpoint, pid)


def _tmux(endpoint: Endpoint, *argv: str, timeout: float = PATIENCE) -> bytes:
    done = subprocess.run(
        [endpoint.tmux_bin, "-u", "-L", endpoint.server, "-f", os.devnull, *argv],
        env=endpoint.child_environ(),
        capture_output=True,
        check=True,
        timeout=timeout,
    )
    return done.stdout


def _end(endpoint: Endpoint, pid: int) -> None:
    """See the server out; one that does not go (it may be out of descriptors) is killed by its id."""
    with contextlib.suppress(subprocess.SubprocessError):
        _tmux(endpoint, "kill-server", timeout=GRACE)
    if pid and not _gone(pid):
        say(f"the tmux server did not leave within {GRACE:.0f} s; killed")
        os.kill(pid, signal.SIGKILL)


def _gone(pid: int) -> bool:
    """Whether it has ended within `GRACE`: with 1,000 panes that comes seconds after `kill-server`."""
    if sys.platform != "linux":
        return True
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], GRACE)[0])
    finally:
        os.close(descriptor)


def _raise_limits() -> None:
    """A pane costs tmux a descriptor: allow as many as this user may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
