"""A person at a terminal: a real `tmux attach` on a real pty of a given size."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator

from tests.lab import TMUX, Lab, eventually


@contextlib.contextmanager
def person_attached(lab: Lab, session: str, width: int, height: int) -> Iterator[subprocess.Popen[bytes]]:
    """Attached and drawn, until the block ends."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    before = people(lab)
    process = subprocess.Popen(
        [TMUX, "-u", "-L", "lab", "attach-session", "-t", f"={session}"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**lab.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    reader = threading.Thread(target=_drain, args=(ours,), daemon=True)
    reader.start()
    try:
        eventually(lambda: people(lab) == before + 1)
        yield process
    finally:
        process.terminate()
        process.wait(10)
        os.close(ours)


def people(lab: Lab) -> int:
    return lab.tmux("list-clients", "-F", "#{client_control_mode}").split().count("0")


def _drain(fd: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(fd, 65536):
            pass
