"""The same call by starting a `tmux` process: for when there is no server or session to attach to yet,
for commands that would block the connection (`wait-for`), and for those that would end it (`kill-server`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

import anyio

from muxpilot.errors import BadInput, CommandFailed, TargetNotFound, TmuxError
from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Reply
from muxpilot.tmux.quoting import command_argv


async def oneshot(endpoint: Endpoint, argv: Sequence[str], timeout: float) -> Reply:
    """Run one tmux command in a process of its own, which never outlives this call.

    Raises:
        TmuxError: the server could not be reached, or did not answer in `timeout` seconds. A command
            that tmux refuses is no exception but a `Reply` that is not ok.
    """
    process = await _start(endpoint, endpoint.argv(*command_argv(argv)))
    try:
        with anyio.fail_after(timeout):
            out, err = await process.communicate()
    except TimeoutError:
        raise failure.unresponsive(endpoint, timeout) from None
    finally:
        await _end(process)
    if process.returncode == 0:
        return Reply(True, out.removesuffix(b"\n"))
    return _refusal(endpoint, err.decode("utf-8", "backslashreplace"))


async def program_version(endpoint: Endpoint, timeout: float) -> str:
    """What `tmux -V` prints; needs no server."""
    process = await _start(endpoint, [endpoint.tmux_bin, "-V"])
    try:
        with anyio.fail_after(timeout):
            out, _ = await process.communicate()
    except TimeoutError:
        raise failure.unresponsive(endpoint, timeout) from None
    finally:
        await _end(process)
    return out.decode("utf-8", "replace").strip()


def _refusal(endpoint: Endpoint, message: str) -> Reply:
    error = failure.translate(message, endpoint)
    if isinstance(error, CommandFailed | TargetNotFound):
        return Reply(False, message.strip().encode())
    raise error


async def _start(endpoint: Endpoint, argv: list[str]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=endpoint.child_environ(),
        )
    except (FileNotFoundError, NotADirectoryError):
        raise failure.not_installed(endpoint) from None
    except OSError as error:
        if error.errno == 7:  # E2BIG
            raise BadInput(
                "the command is too long for the operating system", hint="Send it in smaller pieces"
            ) from None
        raise TmuxError(f"{endpoint.tmux_bin!r} could not be started: {error.strerror}") from error


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.wait()
