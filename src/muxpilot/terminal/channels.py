"""tmux's `wait-for` channels: one side waits, the other signals. A signal that nobody waits for is kept."""

from __future__ import annotations

import re

from muxpilot.errors import BadInput, ServerGone, ServerUnresponsive
from muxpilot.terminal.vigil import check_seconds
from muxpilot.tmux import TmuxServer, oneshot

_CHANNEL = re.compile(r"[A-Za-z0-9_.:@/-]{1,200}")


async def wait_for_channel(server: TmuxServer, channel: str, seconds: float) -> bool:
    """True once it is signalled, False when the time is up.

    Raises:
        ServerNotRunning, ServerGone: there is no server to wait on, or it went away meanwhile.
    """
    _check(channel)
    check_seconds("timeout", seconds)
    before = await _server_pid(server)
    try:
        reply = await oneshot(server.endpoint, ["wait-for", "--", channel], seconds)
    except ServerUnresponsive:
        return False
    # A client that waits leaves as if all were well when its server ends.
    if not reply.ok or await _server_pid(server) != before:
        raise ServerGone(
            f"the tmux server went away while {channel} was waited for",
            hint="Look at what became of the command",
        )
    return True


async def _server_pid(server: TmuxServer) -> str:
    return (await server.call("display-message", "-p", "--", "#{pid}")).text


async def signal_channel(server: TmuxServer, channel: str) -> None:
    _check(channel)
    await server.server_version()
    await server.call("wait-for", "-S", "--", channel)


def _check(channel: str) -> None:
    if not _CHANNEL.fullmatch(channel):
        raise BadInput(f"{channel!r:.80} is no channel name", hint="Letters, digits and _ . : @ / -")
