"""What real programs write to a terminal: run one on a pty of its own, type when it is ready, keep its bytes.

A step is a text that must have been written since the last one, and the keys to press then.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0
WIDTH, HEIGHT = 100, 24
Step = tuple[bytes, bytes]


def record(argv: Sequence[str], folder: Path, steps: Sequence[Step] = ()) -> bytes:
    """All that it wrote until it ended by itself.

    Raises:
        AssertionError: it did not write what a step waits for, or did not end.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        _become(argv, folder)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    try:
        return _play(terminal, steps)
    finally:
        os.close(terminal)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _become(argv: Sequence[str], folder: Path) -> None:
    """In the child. It goes on only when the terminal has its size."""
    size = struct.pack("HHHH", HEIGHT, WIDTH, 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    environ = {
        "TERM": "screen-256color",
        "LC_ALL": "C.UTF-8",
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
    }
    environ |= {"LESS": "-R", "GIT_CONFIG_NOSYSTEM": "1", "COLUMNS": str(WIDTH), "LINES": str(HEIGHT)}
    os.chdir(folder)
    try:
        os.execvpe(argv[0], list(argv), environ)  # noqa: S606
    finally:
        os._exit(127)


def _play(terminal: int, steps: Sequence[Step]) -> bytes:
    written, seen, end = b"", 0, time.monotonic() + PATIENCE
    left = list(steps)
    while True:
        assert select.select([terminal], [], [], end - time.monotonic())[0], (
            f"no {left or 'end'}: {written!r}"
        )
        data = _read(terminal)
        if not data:
            assert not left, f"it ended before {left}: {written!r}"
            return written
        written += data
        if left and left[0][0] in written[seen:]:
            os.write(terminal, left.pop(0)[1])
            seen = len(written)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError as error:  # How Linux tells that nobody holds the other end any more.
        if error.errno != errno.EIO:
            raise
        return b""
