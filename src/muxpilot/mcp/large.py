"""Long captures: a few at a time, and none while the client has not read what it got before.

Else a client that asks for hundreds of them at once, and does not read, would have all of them made and kept.
Other answers have bounds of their own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio

AT_A_TIME = 4


async def _nothing_to_wait_for() -> None:
    return


class LargeAnswers:
    def __init__(self) -> None:
        self._seats = anyio.Semaphore(AT_A_TIME)
        self.drained: Callable[[], Awaitable[None]] = _nothing_to_wait_for
        """Returns when the client has been sent everything so far."""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self._seats:
            with suppress(ConnectionError):  # Then nobody will read this one either.
                await self.drained()
            yield
