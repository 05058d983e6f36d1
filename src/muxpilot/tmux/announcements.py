"""What tmux announces to all control clients, heard through whichever command connection is open.

Listeners stay while connections come and go. They hear `Ended` when one is lost and `Opened` when there is
one again: what happened in between went unheard, so both are reasons to look.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from muxpilot.tmux.events import Notification
from muxpilot.tmux.session_watch import Ended

log = logging.getLogger("muxpilot")


@dataclass(frozen=True, slots=True)
class Opened:
    """There is a command connection again."""


Announcement = Notification | Ended | Opened
AnnouncementListener = Callable[[Announcement], None]


class Announcements:
    """Everybody who listens to one tmux server."""

    def __init__(self) -> None:
        self._listeners: list[AnnouncementListener] = []

    @contextlib.contextmanager
    def heard_by(self, listener: AnnouncementListener) -> Iterator[None]:
        """While this is open, `listener` hears what the command connection hears. It opens none by itself."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def tell(self, event: Announcement) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:  # One listener's mistake must not cost the others.
                log.exception("a listener failed on %r", type(event).__name__)
