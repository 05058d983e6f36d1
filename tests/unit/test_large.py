"""Large answers: a few at a time, and none before the last ones are read."""

from __future__ import annotations

import anyio
import pytest

from muxpilot.mcp.large import AT_A_TIME, LargeAnswers

pytestmark = pytest.mark.anyio


async def test_a_few_at_a_time() -> None:
    large, under_way, most = LargeAnswers(), 0, 0

    async def answer() -> None:
        nonlocal under_way, most
        async with large.turn():
            under_way += 1
            most = max(most, under_way)
            await anyio.lowlevel.checkpoint()
            under_way -= 1

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(answer)
    assert most == AT_A_TIME


async def test_none_while_the_last_ones_are_unread() -> None:
    large, read, made = LargeAnswers(), anyio.Event(), 0
    large.drained = read.wait

    async def answer() -> None:
        nonlocal made
        async with large.turn():
            made += 1

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(answer)
        await anyio.wait_all_tasks_blocked()
        assert made == 0
        read.set()
    assert made == 20
