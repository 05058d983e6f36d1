"""Which session our command connection attaches to: the one where a quiet client disturbs least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from muxpilot.tmux.formats import Columns


@dataclass(frozen=True, slots=True)
class Host:
    """A session seen as a place to attach to."""

    session_id: str
    session_name: str
    session_attached: bool
    session_activity: int
    session_alerts: str
    destroyed_when_left: bool = field(metadata={"format": "#{destroy-unattached}"})
    version: str
    server_pid: int = field(metadata={"format": "#{pid}"})
    start_time: int


HOSTS = Columns(Host)


def best_host(hosts: Sequence[Host], home: str) -> Host | None:
    """None where no session will do.

    Attaching clears the alerts of a session's current window and counts as using the session, which
    decides what `tmux attach` picks: among sessions that nobody is attached to, the one last used. So: our
    own, else one that a person is attached to, else one with no alerts, of these the one used longest ago.
    Never one that tmux destroys when we leave.
    """
    return min(
        (host for host in hosts if not host.destroyed_when_left),
        key=lambda host: (
            host.session_name != home,
            not host.session_attached,
            bool(host.session_alerts),
            host.session_activity,
        ),
        default=None,
    )
