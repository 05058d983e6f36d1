"""The same call by starting a `tmux` process: for when there is no server or session to attach to yet,
for commands that would block the connection (`wait-for`), and for those that would end it (`kill-server`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import anyio

from muxpilot.errors import CommandFailed, TargetNotFound
from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint
from muxpilot.tmux.events import Reply
from muxpilot.tmux.process import ClientProcess
from muxpilot.tmux.quoting import command_argv, command_line


async def oneshot(endpoint: Endpoint, argv: Sequence[str], timeout: float) -> Reply:
    """Run one tmux command in a process of its own, which never outlives this call and starts no server.

    Raises:
        TmuxError: the server could not be reached, or did not answer in `timeout` seconds. A command
            that tmux refuses is no exception but a `Reply` that is not ok.
    """
    ran = await _run(endpoint, lambda process: process.start(endpoint, *command_argv(argv)), timeout)
    return _reply(endpoint, *ran)


async def oneshot_by_input(
    endpoint: Endpoint, argv: Sequence[str], timeout: float, *, may_start: bool = False
) -> Reply:
    """The same, with the command as the process's input, where nobody else can read it. Where no server runs,
    it starts one only if it `may_start`.

    Anybody on the machine can read an argv, and the first client becomes the server, which keeps its argv for
    life. So whatever a caller has given goes this way: names, commands, and above all environments.
    """
    start = ["start-server", ";"] if may_start else []
    ran = await _run(
        endpoint,
        lambda process: process.start(endpoint, *start, "source-file", "-", may_start=may_start),
        timeout,
        command_line(argv),
    )
    return _reply(endpoint, *ran)


def _reply(endpoint: Endpoint, code: int, out: bytes, complaint: str) -> Reply:
    if code == 0:
        return Reply(True, out.removesuffix(b"\n"))
    refusal = complaint.strip() or out.decode("utf-8", "backslashreplace").strip()
    error = failure.translate(refusal, endpoint)
    if isinstance(error, CommandFailed | TargetNotFound):
        return Reply(False, refusal.encode())
    raise error


async def oneshot_script(
    endpoint: Endpoint, commands: Sequence[Sequence[str]], timeout: float
) -> tuple[bytes, str]:
    """Run several tmux commands in one process: what they printed, and what tmux complained of.

    One that tmux refuses does not keep the rest from running. The commands go in as the process's input: any
    number of them, and where no program of the same user can read them (an argv it could).
    """
    script = b"".join(command_line(argv) for argv in commands)
    _, out, complaint = await _run(
        endpoint, lambda process: process.start(endpoint, "source-file", "-"), timeout, script
    )
    return out, complaint


async def program_version(endpoint: Endpoint, timeout: float) -> str:
    """What `tmux -V` prints; needs no server."""
    _, out, _ = await _run(endpoint, lambda process: process.start_for_version(endpoint), timeout)
    return out.decode("utf-8", "replace").strip()


async def _run(
    endpoint: Endpoint,
    start: Callable[[ClientProcess], Awaitable[None]],
    timeout: float,
    script: bytes | None = None,
) -> tuple[int, bytes, str]:
    out = bytearray()
    process = ClientProcess(out.extend, lambda: None)
    try:
        with anyio.fail_after(timeout):
            await start(process)
            if script is not None:
                process.write_last(script)
            code = await asyncio.shield(process.exited)
    except TimeoutError:
        raise failure.unresponsive(endpoint, timeout) from None
    finally:
        await process.stop()
    return code, bytes(out), process.complaint
