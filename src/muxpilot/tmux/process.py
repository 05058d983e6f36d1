"""A tmux client as a child process: what it prints, read as it comes, and its end seen to.

Rules it keeps:
- Nobody else starts tmux, and none is started on a socket that `socket_guard` has not admitted.
- Only one that may start a server gets our whole environment; every other is told to start none.
- It has ended when it has exited, not when its pipes are closed: the server gets them too, and one that is
  stopped holds them open. (asyncio's own `Process.wait` waits for the pipes, without end.)
- Its output is handed on in the same turn of the event loop in which it is read: a call's cost is mostly
  turns of the loop, and asyncio's own pipe reader takes three.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import functools
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import cast

import anyio

from muxpilot.errors import BadInput, TmuxError
from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.socket_guard import admit

CHUNK = 65536
COMPLAINT_LIMIT = 4096


@functools.cache
def _end_with_parent() -> Callable[[], None] | None:
    """tmux before 3.7 overlooks the end of a control client's input while it attaches: whoever is killed in
    that moment would leave it there. So Linux is asked to end it with us (`PR_SET_PDEATHSIG`)."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, signal.SIGKILL, 0, 0, 0) and None


def wait_without_threads() -> None:
    """Have asyncio hear of a child's end from the kernel, where that tells (Linux 5.3); from 3.12 on it does
    so by itself. Otherwise it starts a thread for each child, which sleeps until that has ended."""
    if sys.version_info >= (3, 12) or sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        os.close(os.pidfd_open(os.getpid()))
        asyncio.set_child_watcher(asyncio.PidfdChildWatcher())


class ClientProcess(asyncio.SubprocessProtocol):
    """A running `tmux`. `on_output` gets what it prints; `on_end` is called once, when that is over."""

    def __init__(self, on_output: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_output = on_output
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._stdout: int | None = None
        self._stderr: int | None = None
        self._complaint = bytearray()
        self.exited: asyncio.Future[int] = self._loop.create_future()

    async def start(
        self, endpoint: Endpoint, *arguments: str, may_start: bool = False, lasting: bool = False
    ) -> None:
        """Start it on the endpoint's socket. `may_start`: it may start a server there. One that is `lasting`
        is ended by the system where we are killed.

        Raises:
            SocketUnusable, ServerNotRunning: see `socket_guard`; nothing was started.
            TmuxError: there is nothing to start, or the machine has no room for it.
        """
        admission = admit(endpoint, may_start=may_start)
        argv = endpoint.argv(admission.path, *arguments, starts=admission.starts)
        environ = endpoint.child_environ() if admission.starts else endpoint.control_environ()
        await self._spawn(endpoint, argv, environ, lasting=lasting)

    async def start_for_version(self, endpoint: Endpoint) -> None:
        """Have the program print its version. It exits before it looks at any socket."""
        await self._spawn(endpoint, [endpoint.tmux_bin, "-V"], endpoint.control_environ())

    async def _spawn(
        self, endpoint: Endpoint, argv: list[str], environ: Mapping[str, str], *, lasting: bool = False
    ) -> None:
        (their_in, our_in), (our_out, their_out), (our_err, their_err) = _three_pipes(endpoint)
        self._listen(our_out, our_err)  # Before it runs: it may be over before we get to it.
        try:
            await self._loop.subprocess_exec(
                lambda: self,
                *argv,
                stdin=their_in,
                stdout=their_out,
                stderr=their_err,
                env=environ,
                preexec_fn=_end_with_parent() if lasting else None,
            )
        except BaseException as error:
            os.close(our_in)
            self.hang_up()
            raise _translated(error, endpoint) from error
        finally:
            for end in (their_in, their_out, their_err):
                os.close(end)
        stdin, _ = await self._loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(our_in, "wb", 0))
        self._stdin = stdin
        if self.exited.done():
            self.hang_up()

    def _listen(self, stdout: int, stderr: int) -> None:
        self._stdout, self._stderr = stdout, stderr
        for fd, ready in ((stdout, self._stdout_ready), (stderr, self._stderr_ready)):
            os.set_blocking(fd, False)
            self._loop.add_reader(fd, ready)

    @property
    def pid(self) -> int | None:
        return self._transport.get_pid() if self._transport else None

    @property
    def complaint(self) -> str:
        """What it printed as an error, up to a limit."""
        return self._complaint.decode("utf-8", "backslashreplace")

    def write(self, data: bytes) -> None:
        assert self._stdin is not None
        self._stdin.write(data)

    def write_last(self, data: bytes) -> None:
        """Write this, and end its input. Nothing happens where it is over already."""
        if self._stdin is not None:
            self._stdin.write(data)
            self._stdin.write_eof()

    def hang_up(self) -> None:
        """Close our ends: the server lets go of this client, and the client leaves."""
        stdin, self._stdin = self._stdin, None
        if stdin is not None and not stdin.is_closing():
            stdin.abort()
        self._close_stderr()
        if self._stdout is not None:
            self._forget(self._stdout)
            self._stdout = None
            self._on_end()

    async def stop(self, grace: float = 0.0) -> None:
        """Hang up and see it out: by itself, or killed after `grace` seconds."""
        self.hang_up()
        if self._transport is None:
            return
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(grace):
                await asyncio.shield(self.exited)
            if not self.exited.done():
                # Not by the transport: that would reap it behind asyncio's back.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._transport.get_pid(), signal.SIGKILL)
                await asyncio.shield(self.exited)
            self._transport.close()

    def process_exited(self) -> None:
        """Called by asyncio. Whatever it printed last is still in the pipes."""
        assert self._transport is not None
        while self._stderr_ready() or self._stdout_ready():
            pass
        self.hang_up()
        self.exited.set_result(self._transport.get_returncode() or 0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def _stdout_ready(self) -> bool:
        data = _read(self._stdout)
        if data:
            self._on_output(data)
        elif data is not None:
            self.hang_up()
        return bool(data)

    def _stderr_ready(self) -> bool:
        data = _read(self._stderr)
        if data:
            self._complaint += data[: COMPLAINT_LIMIT - len(self._complaint)]
        elif data is not None:
            self._close_stderr()
        return bool(data)

    def _close_stderr(self) -> None:
        if self._stderr is not None:
            self._forget(self._stderr)
            self._stderr = None

    def _forget(self, fd: int) -> None:
        self._loop.remove_reader(fd)
        os.close(fd)


def _three_pipes(endpoint: Endpoint) -> list[tuple[int, int]]:
    pipes: list[tuple[int, int]] = []
    try:
        while len(pipes) < 3:
            pipes.append(os.pipe())
    except OSError as error:
        for end in (end for pipe in pipes for end in pipe):
            os.close(end)
        raise _translated(error, endpoint) from error
    return pipes


def _read(fd: int | None) -> bytes | None:
    """What is there; empty at the end, None where there is nothing to read now."""
    if fd is None:
        return None
    with contextlib.suppress(BlockingIOError):
        return os.read(fd, CHUNK)
    return None


def _translated(error: BaseException, endpoint: Endpoint) -> BaseException:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return failure.not_installed(endpoint)
    if isinstance(error, OSError) and error.errno == errno.E2BIG:
        return BadInput("the command is too long for the operating system", hint="Send it in smaller pieces")
    if isinstance(error, OSError):
        return TmuxError(
            f"{endpoint.tmux_bin!r} could not be started: {error.strerror}",
            hint="Check MUXPILOT_TMUX_BIN, and this user's limits on processes and open files",
        )
    return error
