"""Server processes without the wait: one process that has imported everything forks each of them.

A real process on real pipes all the same; what it saves is the second that Python takes to import the SDK.
Where the start itself is the subject, a test starts `python -m muxpilot`.
"""

from __future__ import annotations

import array
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

MESSAGE = 1 << 20
CLOCK = "MUXPILOT_TEST_CLOCK"


class Forked:
    """What tests need of `subprocess.Popen`."""

    stderr: IO[bytes] | None = None

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes], nursery: Nursery) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._nursery = nursery
        self._handle = os.pidfd_open(pid)
        self._status: int | None = None

    def wait(self, timeout: float = 30.0) -> int:
        if self._status is None:
            if not select.select([self._handle], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("muxpilot", timeout)
            os.close(self._handle)
            self._status = self._nursery.status(self.pid)
        return self._status

    def terminate(self) -> None:
        if self._status is None:
            signal.pidfd_send_signal(self._handle, signal.SIGTERM)

    def kill(self) -> None:
        if self._status is None:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            self.wait(10)


class Nursery:
    """Our end: asks for processes."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-m", "tests.mcp.nursery"]
            subprocess.run(command, stdin=theirs.fileno(), check=True)

    def start(self, environ: Mapping[str, str]) -> Forked:
        child_in, our_out = os.pipe()
        our_in, child_out = os.pipe()
        fds = array.array("i", [child_in, child_out, 2])
        request = json.dumps(dict(environ)).encode()
        self._socket.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds.tobytes())])
        os.close(child_in)
        os.close(child_out)
        return Forked(self._answer(), os.fdopen(our_out, "wb"), os.fdopen(our_in, "rb"), self)

    def status(self, pid: int) -> int:
        self._socket.send(str(pid).encode())
        return self._answer()

    def close(self) -> None:
        self._socket.close()

    def _answer(self) -> int:
        return int(self._socket.recv(MESSAGE))


def main() -> None:
    """Their end: forks, and tells how children ended. Nobody's child itself: some tests count theirs."""
    if os.fork():
        os._exit(0)
    from muxpilot.cli import main as muxpilot  # noqa: PLC0415
    from muxpilot.mcp import app, stdio  # noqa: F401, PLC0415

    ours = socket.socket(fileno=0)
    while True:
        message, fds, *_ = socket.recv_fds(ours, MESSAGE, 3)
        if not message:
            return
        if not fds:
            pid, status = os.waitpid(int(message), 0)
            ours.send(str(os.waitstatus_to_exitcode(status)).encode())
            continue
        pid = os.fork()
        if pid == 0:
            ours.detach()
            for standard, fd in enumerate(fds):
                os.dup2(fd, standard)
                os.close(fd)
            os.environ.clear()
            os.environ.update(json.loads(message))
            _set_clock()
            sys.exit(muxpilot([]))
        for fd in fds:
            os.close(fd)
        ours.send(str(pid).encode())


def _set_clock() -> None:
    """Where a test wants it, the wall clock is ahead of the machine's by as much as a file says just then."""
    path, true = os.environ.get(CLOCK), time.time
    if path is not None:
        time.time = lambda: true() + float(Path(path).read_text())


if __name__ == "__main__":
    main()
