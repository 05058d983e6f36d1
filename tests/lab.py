"""A private tmux for one test: its own folder, its own socket, ended by id.

`MUXPILOT_TEST_TMUX` names another tmux program to test against.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from muxpilot.tmux import Endpoint

TMUX = os.environ.get("MUXPILOT_TEST_TMUX", "tmux")


class Lab:
    """One tmux server that does not exist yet, and `tmux` processes to look at it from outside."""

    def __init__(self, folder: Path) -> None:
        environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("TMUX", "MUXPILOT_", "LIBTMUX_", "XDG_STATE"))
        }
        # Not the shell of whoever runs the tests: `bash -c cat` becomes cat, `dash -c cat` stays around it.
        shell = shutil.which("bash") or "/bin/sh"
        ours = {"TMUX_TMPDIR": str(folder), "HOME": str(folder), "ENV": "", "PS1": "$ ", "SHELL": shell}
        self.environ = {**environ, **ours}
        self.endpoint = Endpoint("lab", TMUX, "/dev/null", self.environ)

    def tmux(self, *argv: str) -> str:
        """What an ordinary `tmux` process prints; fails the test where it fails."""
        done = self.try_tmux(*argv)
        assert done.returncode == 0, done.stderr
        return done.stdout.removesuffix("\n")

    def try_tmux(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TMUX, "-u", "-L", "lab", "-f", "/dev/null", *argv],
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    def new_session(self, name: str = "main", *argv: str, size: tuple[int, int] = (80, 24)) -> str:
        """A session that runs `sh`, or the command in `argv`; returns its session id."""
        width, height = size
        flags = ["-d", "-P", "-F", "#{session_id}", "-s", name, "-x", str(width), "-y", str(height)]
        session_id = self.tmux("new-session", *flags, *(argv or ("sh",)))
        if self.tmux("-V").split()[1] < "3.3":  # It takes the size of whoever asks.
            self.tmux("resize-window", "-t", session_id, "-x", str(width), "-y", str(height))
            self.tmux("set-option", "-w", "-u", "-t", session_id, "window-size")
        return session_id

    @property
    def server_pid(self) -> int:
        return int(self.tmux("display-message", "-p", "#{pid}"))

    def screen(self, pane: str = "") -> str:
        return self.tmux("capture-pane", "-p", *(["-t", pane] if pane else []))

    def end(self) -> None:
        """No server is left: an old tmux with a client that does not read may survive `kill-server`."""
        asked = self.try_tmux("display-message", "-p", "#{pid}")
        self.try_tmux("kill-server")
        if asked.returncode != 0:
            return
        try:
            eventually(lambda: not running(int(asked.stdout)), 5)
        except AssertionError:
            os.kill(int(asked.stdout), signal.SIGKILL)

    @contextmanager
    def stopped_server(self) -> Iterator[int]:
        """The server as it is after `kill -STOP`, until the block ends."""
        pid = self.server_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            yield pid
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def eventually(what: Callable[[], object], seconds: float = 10.0) -> None:
    """For what tmux offers no event for: look again until it is so, or fail."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"not so within {seconds} s"
        time.sleep(0.01)


def running(pid: int) -> bool:
    """Whether this process is there and no zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def children(pid: int | None = None) -> list[int]:
    """Processes whose parent is this one (or `pid`), living or unreaped."""
    folder = Path(f"/proc/{pid or os.getpid()}/task")
    found: list[int] = []
    for task in folder.iterdir():
        with suppress(OSError):
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
