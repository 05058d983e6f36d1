"""Compiling and matching without holding up anybody else.

Rules it keeps:
- What surely takes little is done at once: short literals, and small patterns on little text.
- Everything else goes to a thread. RE2 gives up Python's lock there, so the event loop runs on.
- A thread can't be stopped: each piece of work is short, or asks between two steps whether anybody still
  waits for it.
- The patterns of all calls under way together have a bounded size.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter
from typing import TypeVar

from muxpilot.errors import BadInput
from muxpilot.terminal.patterns import Pattern, check_number, compile_pattern, is_quickly_compiled

INLINE = 200_000
"""Steps times bytes that are matched at once: some 2 ms at worst."""
BUDGET = 200_000
"""Steps of all patterns that are in use at a time, with `EACH` for one that is no short literal."""
EACH = 400
"""For the memory that RE2 may use while it matches, however small the program is."""

WINDOW_SECONDS, SHARE = 0.1, 0.2
"""How much of each window a wait may spend on matching before that goes to a thread."""

Result = TypeVar("Result")
Stop = Callable[[], bool]
"""Whether nobody waits any more."""


class _Budget:
    def __init__(self) -> None:
        self.used = 0

    def take(self, pattern: Pattern) -> int:
        """Raises `BadInput` where the calls under way leave no room for it."""
        cost = cost_of(pattern)
        if self.used + cost > BUDGET:
            raise BadInput(
                "the patterns of all calls under way are too large together",
                hint="Wait until some have ended, or use fewer or simpler patterns",
            )
        self.used += cost
        return cost

    def give_back(self, cost: int) -> None:
        self.used -= cost


BUDGET_IN_USE = _Budget()
"""Of this process."""


def cost_of(pattern: Pattern) -> int:
    return pattern.steps + (0 if pattern.is_fast else EACH)


@asynccontextmanager
async def compiled(
    texts: Sequence[str], *, regex: bool = False, match_case: bool = False
) -> AsyncIterator[list[Pattern]]:
    """These patterns, for as long as the block takes.

    Raises:
        BadInput: there are too many, one can't be compiled, or all that are in use would be too large.
    """
    check_number(len(texts))
    patterns: list[Pattern] = []
    taken = 0
    try:
        for text in texts:
            patterns.append(await _compiled(text, regex, match_case))
            taken += BUDGET_IN_USE.take(patterns[-1])
        yield patterns
    finally:
        BUDGET_IN_USE.give_back(taken)


async def _compiled(text: str, regex: bool, match_case: bool) -> Pattern:
    work = partial(compile_pattern, text, regex=regex, match_case=match_case)
    return work() if is_quickly_compiled(text, regex=regex) else await in_thread(lambda _: work())


def weight_of(patterns: Sequence[Pattern]) -> int:
    """Steps that each byte of a text may cost."""
    return sum(one.steps for one in patterns if not one.is_fast)


async def matched(work: Callable[[Stop], Result], weight: int, size: int) -> Result:
    """What `work` finds in `size` bytes with patterns of this weight; in a thread where it may take long."""
    return work(never) if weight * size <= INLINE else await in_thread(work)


_THREADS = ThreadPoolExecutor(2, "matching")
"""Started when the first piece of work comes."""


async def in_thread(work: Callable[[Stop], Result]) -> Result:
    """Whoever is cancelled does not wait for it any longer; it learns of that by its `Stop`."""
    left = False

    def run() -> Result:
        return work(lambda: left)

    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, run)
    finally:
        left = True


def never() -> bool:
    """The `Stop` of work that is done at once."""
    return False


class Patience:
    """Says whether matching may still be done at once, by what it has really taken lately."""

    def __init__(self, weight: int) -> None:
        self._weight = weight
        self._since = 0.0
        self._spent = 0.0
        self.is_over = False

    def allows(self, size: int) -> bool:
        """For so many bytes. Once the answer was no it stays so: what was put off must not be overtaken."""
        self.is_over |= self._weight * size > INLINE
        return not self.is_over

    def timed(self, work: Callable[[], Result]) -> Result:
        """Do it, and count what it took. Short literals are not even timed."""
        if not self._weight:
            return work()
        started = perf_counter()
        try:
            return work()
        finally:
            self._count(started, perf_counter())

    def _count(self, started: float, ended: float) -> None:
        if started - self._since > WINDOW_SECONDS:
            self._since, self._spent = started, 0.0
        self._spent += ended - started
        self.is_over |= self._spent > WINDOW_SECONDS * SHARE
