"""When matching is done at once, and when it is left to a thread."""

from __future__ import annotations

import threading

import pytest

from muxpilot.errors import BadInput
from muxpilot.terminal import matching
from muxpilot.terminal.matching import BUDGET_IN_USE, INLINE, Patience, compiled, cost_of, matched, never
from muxpilot.terminal.patterns import SHORT, compile_pattern


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("weight", "size", "at_once"), [(0, 10**9, True), (10, INLINE // 10, True), (11, INLINE // 10, False)]
)
async def test_little_work_is_done_at_once(weight: int, size: int, at_once: bool) -> None:
    thread = await matched(lambda _: threading.current_thread(), weight, size)
    assert (thread is threading.current_thread()) is at_once


def test_patience_is_over_for_good() -> None:
    """What was put off must not be overtaken by what came later."""
    patience = Patience(100)
    assert patience.allows(10)
    assert not patience.allows(INLINE)
    assert not patience.allows(1)


def test_patience_ends_where_matching_really_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([1.0, 1.015, 1.02, 1.03, 1.04, 1.05])
    monkeypatch.setattr(matching, "perf_counter", lambda: next(times))
    patience = Patience(100)
    assert patience.timed(lambda: 5) == 5
    assert patience.allows(1)
    patience.timed(never)
    assert not patience.allows(1)


def test_short_literals_are_never_put_off() -> None:
    patience = Patience(matching.weight_of([compile_pattern("x" * SHORT)]))
    patience.timed(never)
    assert patience.allows(10**12)


@pytest.mark.anyio
async def test_what_is_in_use_is_counted_until_the_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async with compiled(["a", "b"], regex=True) as found:
        used = sum(map(cost_of, found))
        assert BUDGET_IN_USE.used == used
        monkeypatch.setattr(matching, "BUDGET", used)
        with pytest.raises(BadInput, match="too large together"):
            async with compiled(["c"]):
                pass
        assert BUDGET_IN_USE.used == used
    assert BUDGET_IN_USE.used == 0
