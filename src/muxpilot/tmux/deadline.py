"""A point in time, passed down instead of a duration that would start anew in each step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from muxpilot.tmux import failure
from muxpilot.tmux.endpoint import Endpoint


class Deadline:
    """By when one call on one tmux server must have ended."""

    def __init__(self, seconds: float, endpoint: Endpoint) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._endpoint = endpoint

    def left(self) -> float:
        """Seconds left; `ServerUnresponsive` where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise failure.unresponsive(self._endpoint, self._seconds)
        return left

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """What stands in this block ends by the deadline."""
        try:
            with anyio.fail_after(self.left()):
                yield
        except TimeoutError:
            raise failure.unresponsive(self._endpoint, self._seconds) from None
