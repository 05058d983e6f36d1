"""One control client process and its pipes: bytes out, bytes in, and its end seen to.

Read straight from the descriptor and handed on in the same turn of the event loop: a call's cost is mostly
the loop's, and asyncio's own pipe reader takes three turns and a 256 KB buffer for what is often 100 bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

import anyio

from muxpilot.errors import TmuxError
from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint

CHUNK = 65536


class ControlClient:
    """A running `tmux -C`. `on_bytes` gets what it prints, `on_end` is called once when that is over."""

    def __init__(self, on_bytes: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_bytes = on_bytes
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._process: asyncio.subprocess.Process | None = None
        self._stdout = -1

    async def start(self, endpoint: Endpoint, arguments: list[str]) -> None:
        """Start it. Raises `TmuxError` where there is nothing to start."""
        ours, theirs = os.pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *endpoint.argv("-C", *arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=theirs,
                stderr=asyncio.subprocess.PIPE,
                env=endpoint.child_environ(),
            )
        except (FileNotFoundError, NotADirectoryError):
            os.close(ours)
            raise failure.not_installed(endpoint) from None
        except OSError as error:
            os.close(ours)
            raise TmuxError(f"{endpoint.tmux_bin!r} could not be started: {error.strerror}") from error
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        os.set_blocking(ours, False)
        self._stdout = ours
        self._loop.add_reader(ours, self._readable)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def write(self, data: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(data)

    async def complaint(self) -> str:
        """What it printed as an error. Only to be asked after its end."""
        if self._process is None or self._process.stderr is None:
            return ""
        return (await self._process.stderr.read()).decode("utf-8", "backslashreplace")

    def hang_up(self) -> None:
        """Close both pipes: the server lets go of this client, and the client leaves."""
        if self._stdout != -1:
            self._loop.remove_reader(self._stdout)
            os.close(self._stdout)
            self._stdout = -1
            self._on_end()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    async def stop(self, grace: float) -> None:
        """Hang up and see the process out: by itself, or killed after `grace` seconds."""
        self.hang_up()
        if self._process is None:
            return
        with anyio.move_on_after(grace):
            await self._process.wait()
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    def _readable(self) -> None:
        try:
            data = os.read(self._stdout, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._on_bytes(data)
        else:
            self.hang_up()
