"""A real muxpilot inside a real tmux pane, as an agent's client would start it there.

The pane runs a relay: a program that starts muxpilot as its child, connected to the test by two fifos, and
writes down whatever is typed into its terminal. So the canaries are the relay's process, which ends with its
pane, and its notes, which show every key that arrived.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.lab import TMUX, Lab, eventually, running
from tests.mcp.client import LEGACY, RawClient

RELAY = """
import json, os, subprocess, sys, tty
folder, way = sys.argv[1:]
plan = json.load(open(f"{folder}/plan"))
environ = {name: value for name, value in os.environ.items() if name not in plan["removed"]} | plan["environ"]
program = [sys.executable, "-m", "muxpilot"]

def start():
    given, answers = open(f"{folder}/in", "rb"), open(f"{folder}/out", "wb")
    if way == "itself":
        os.dup2(given.fileno(), 0)
        os.dup2(answers.fileno(), 1)
        os.execve(program[0], program, environ)
    return subprocess.Popen(program, stdin=given, stdout=answers, env=environ)

if way == "orphan":
    if not os.fork():
        start()
        os._exit(0)
    os.wait()
else:
    muxpilot = start()
if way == "job":
    sys.exit(muxpilot.wait())
tty.setcbreak(0)
print("conversation of a person with an agent", flush=True)
with open(f"{folder}/typed", "ab", buffering=0) as typed:
    while data := os.read(0, 4096):
        typed.write(data)
"""
TMUX_NAMES = ("TMUX", "TMUX_PANE")
SENTINEL = "END."
SHOWN = "conversation of a person with an agent"


class Pipes:
    """What a client needs of a process that it did not start itself."""

    stderr: IO[bytes] | None = None

    def __init__(self, folder: Path) -> None:
        # Opened both ways, so that it does not wait for the other end; the answers end when muxpilot does.
        self.stdin = os.fdopen(os.open(folder / "in", os.O_RDWR), "wb")
        self.stdout = os.fdopen(os.open(folder / "out", os.O_RDONLY | os.O_NONBLOCK), "rb")

    def wait(self) -> str:
        return "muxpilot has closed its output"


class UserLab(Lab):
    """A lab whose tmux runs as another user."""

    def __init__(self, folder: Path, user: int | None = None) -> None:
        super().__init__(folder)
        self.user = user
        if user is not None:
            os.chown(folder, user, user)

    def try_tmux(self, *argv: str) -> subprocess.CompletedProcess[str]:
        if self.user is None:
            return super().try_tmux(*argv)
        return subprocess.run(
            [TMUX, "-u", "-L", "lab", "-f", "/dev/null", *argv],
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            cwd="/",
            user=self.user,
            group=self.user,
            extra_groups=[],
        )

    @property
    def socket(self) -> Path:
        return Path(self.environ["TMUX_TMPDIR"]) / f"tmux-{self.user or os.getuid()}" / "lab"


class OwnPane:
    """The pane that muxpilot runs in, and a client that speaks with this muxpilot."""

    def __init__(self, lab: UserLab, folder: Path, pane: str, client: RawClient) -> None:
        self.lab = lab
        self.folder = folder
        self.pane_id = pane
        self.client = client
        self.window_id, self.session_id, pid = self._shown("#{window_id} #{session_id} #{pane_pid}").split(
            " "
        )
        self.pid = int(pid)
        self.sessions = lab.tmux("list-sessions", "-F", "#{session_id}")
        self.server_pid = lab.server_pid
        self.neighbour = self._shown("#{pane_id}", "agent:neighbour")
        self.other = self._shown("#{pane_id}", "other")

    def _shown(self, format_: str, target: str = "") -> str:
        return self.lab.tmux("display-message", "-p", "-t", target or self.pane_id, format_)

    def is_untouched(self) -> bool:
        """Nothing was ended, moved or cleared, and nothing was typed."""
        assert running(self.server_pid)
        assert running(self.pid)
        assert self._shown("#{pane_id} #{pane_pid} #{pane_dead}") == f"{self.pane_id} {self.pid} 0"
        assert self._shown("#{window_id} #{session_id}") == f"{self.window_id} {self.session_id}"
        assert self.lab.tmux("list-sessions", "-F", "#{session_id}") == self.sessions
        assert SHOWN in self.lab.screen(self.pane_id)
        return self.typed() == ""

    def typed(self) -> str:
        """All that was typed into it so far: keys arrive in order, so what comes before ours is all."""
        notes = self.folder / "typed"
        self.lab.tmux("send-keys", "-t", self.pane_id, "-l", SENTINEL)
        eventually(lambda: notes.read_text().endswith(SENTINEL))
        return notes.read_text().replace(SENTINEL, "")


def python_for(user: int | None) -> tuple[str, dict[str, str]] | None:
    """An interpreter that this user may run, and the environment that it needs; None where there is none."""
    if user is None:
        return sys.executable, {}
    known = {"PYTHONPATH": ":".join(path for path in sys.path if path.endswith(("site-packages", "src")))}
    for program in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            subprocess.run(
                [program, "-c", "import muxpilot.mcp.app"],
                env=known,
                check=True,
                capture_output=True,
                cwd="/",
                user=user,
                group=user,
                extra_groups=[],
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return program, known
    return None


def _laid_out(lab: UserLab, folder: Path, removed: tuple[str, ...], settings: dict[str, str]) -> list[str]:
    """The files that the relay needs, and the beginning of its command."""
    found = python_for(lab.user)
    assert found is not None
    python, more = found
    environ = {
        **more,
        "MUXPILOT_SOCKET": "lab",
        "MUXPILOT_TMUX_BIN": TMUX,
        "MUXPILOT_TMUX_CONFIG": "/dev/null",
        "MUXPILOT_STATE_DIR": str(folder / "state"),
        **{f"MUXPILOT_{name.upper()}": value for name, value in settings.items()},
    }
    (folder / "plan").write_text(json.dumps({"removed": removed, "environ": environ}))
    (folder / "relay").write_text(RELAY)
    (folder / "typed").touch()
    for name in ("in", "out"):
        os.mkfifo(folder / name)
    if lab.user is not None:
        for path in (folder, *folder.iterdir()):
            os.chown(path, lab.user, lab.user)
    return [python, str(folder / "relay"), str(folder)]


@contextmanager
def muxpilot_in_a_pane(
    lab: UserLab, folder: Path, *, removed: tuple[str, ...] = TMUX_NAMES, way: str = "child", **settings: str
) -> Iterator[OwnPane]:
    """In a session `agent`, whose second window `neighbour` runs `cat`, as the session `other` does.

    `removed`: the variables that the client removes. `way`: muxpilot is a child of the pane's process, or
    this process itself, or an orphan that has the pane's terminal, or a job of the server, in no pane.
    """
    relay = [*_laid_out(lab, folder, removed, settings), way]
    pipes = Pipes(folder)
    try:
        in_pane = ["sleep", "1000"] if way == "job" else relay
        pane = lab.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "agent", *in_pane)
        lab.tmux("new-window", "-d", "-n", "neighbour", "-t", "agent:", "cat")
        lab.tmux("new-session", "-d", "-s", "other", "cat")
        if way == "job":
            lab.tmux("run-shell", "-b", shlex.join(relay))
        client = RawClient(pipes, LEGACY)  # type: ignore[arg-type]
        client.greeting = client.open()
        yield OwnPane(lab, folder, pane, client)
    finally:
        pipes.stdin.close()
        pipes.stdout.close()
