"""A watching connection is kept going: old output gives way to an answer, and silence is broken once."""

from __future__ import annotations

import asyncio

import pytest

from muxpilot.tmux import pulse
from muxpilot.tmux.pulse import LATE, Pulse

pytestmark = pytest.mark.anyio


class Watch:
    """Stands for a connection, and remembers what was done to it."""

    def __init__(self) -> None:
        self.waited = 0.0
        self.done: list[str] = []
        self._changed = asyncio.Event()
        self.pulse = Pulse(lambda: self.waited, self._note, lambda: self._note("nudged"))

    def _note(self, what: str) -> None:
        self.done.append(what)
        self._changed.set()

    async def until(self, what: str) -> None:
        while what not in self.done:
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), 10)


@pytest.fixture
async def watch(monkeypatch: pytest.MonkeyPatch, anyio_backend: str) -> Watch:
    monkeypatch.setattr(pulse, "BEAT", 0.01)
    return Watch()


async def test_old_output_gives_way_to_a_late_answer(watch: Watch) -> None:
    watch.waited = LATE + 0.1
    watch.pulse.heard("%1", int(LATE * 1000) + 1)
    watch.pulse.heard("%2", 0)
    await watch.until("nudged")
    assert watch.done == ["%1", "nudged"]


async def test_old_output_is_kept_while_nobody_waits(watch: Watch) -> None:
    watch.pulse.heard("%1", 9000)
    await watch.until("nudged")
    assert watch.done == ["nudged"]


async def test_silence_is_broken_once(watch: Watch) -> None:
    watch.pulse.heard("%1", 0)
    await watch.until("nudged")
    assert watch.pulse._timer is None


async def test_a_connection_that_has_ended_is_left_alone(watch: Watch) -> None:
    watch.pulse.heard("%1", 0)
    watch.pulse.stop()
    assert watch.pulse._timer is not None
    assert watch.pulse._timer.cancelled()
