"""Patterns: however many, long or nasty they are, nobody else waits for them."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from muxpilot.errors import BadInput
from muxpilot.terminal import matching, patterns, search
from muxpilot.terminal.changes import Line
from muxpilot.terminal.filters import kept
from muxpilot.terminal.hunt import Hunt
from muxpilot.terminal.matching import BUDGET_IN_USE, compiled, in_thread
from muxpilot.terminal.model import SearchedPane
from muxpilot.terminal.patterns import LONGEST, MOST, compile_pattern
from tests.lab import Lab, rss_mb
from tests.mcp.client import RawClient, ToolError, mcp_server

LOOP_SECONDS = 0.05
"""How long one turn of the event loop may take."""

WORST = [
    r"\pL" * patterns.MOST_CLASSES,
    r"[^\pL\pM]" * (patterns.MOST_CLASSES // 2),
    r"\PL{1000}",
    r"\pL{1000}",
    r"(\pL{100}){10}",
    r"(?i)\p{Any}{1000}",
    r"\w{1000}" * 100,
    r".{1000}" * 120,
    r".{0,1000}",
    r"((a{100}){10}b)" * 60,
    r"((((a{20}){10}){5}))" * 45,
    r"(((a*)*)*)*" * 90,
    "(" * 400 + "a" + ")*" * 200 + ")" * 200,
    r"[^\x{41}-\x{10ff}]" * 50,
    "\u017fK" * 500,
    "k" * LONGEST,
    "|".join(f"a{number}" for number in range(200)),
    "[" + "".join(map(chr, range(0x100, 0x100 + 1900, 2))) + "]{50}",
    r"a[ab]{999}c",
    r".{0,500}a.{0,500}x",
]
SLOW = [rf"a[ab]{{{300 + number}}}c" for number in range(MOST)]
"""RE2 can't keep their states: in lines of a and b it takes microseconds for each byte."""


@contextmanager
def turns() -> Iterator[list[float]]:
    """CPU seconds that this thread took for each turn of the loop.

    What else the machine does is left out, and so is collecting the garbage of all tests before this one.
    """
    gc.collect()
    gc.disable()
    taken: list[float] = []
    loop = asyncio.get_running_loop()
    last = time.thread_time()

    def turn() -> None:
        nonlocal last
        now = time.thread_time()
        taken.append(now - last)
        last = now
        next_turn.append(loop.call_later(0.001, turn))

    next_turn: list[asyncio.Handle] = [loop.call_soon(turn)]
    try:
        yield taken
    finally:
        taken.append(time.thread_time() - last)
        next_turn[-1].cancel()
        gc.enable()


@pytest.mark.anyio
@pytest.mark.parametrize("match_case", [False, True])
async def test_compiling_never_holds_up_the_loop(match_case: bool) -> None:
    refused = 0
    with turns() as taken:
        for text in WORST:
            try:
                async with compiled([text], regex=True, match_case=match_case):
                    pass
            except BadInput:
                refused += 1
    assert max(taken) < LOOP_SECONDS
    assert 0 < refused < len(WORST)


@pytest.mark.anyio
async def test_a_call_with_all_of_them_is_answered_too() -> None:
    with turns() as taken, pytest.raises(BadInput):
        async with compiled(WORST, regex=True):
            pass
    assert max(taken) < LOOP_SECONDS
    assert BUDGET_IN_USE.used == 0


@pytest.mark.anyio
async def test_matching_never_holds_up_the_loop() -> None:
    lines = [Line("ab" * 500 + "ba" * 500) for _ in range(20)]
    async with compiled(SLOW, regex=True) as found:
        with turns() as taken:
            assert await Hunt(found, []).judged(lines) is None
    assert max(taken) < LOOP_SECONDS


@pytest.mark.anyio
async def test_filters_never_hold_up_the_loop() -> None:
    rows: list[dict[str, Any]] = [{"name": "ab" * 500} for _ in range(20)]
    with turns() as taken:
        assert await kept(rows, {"name__regex": SLOW[0]}, ["name"]) == []
    assert max(taken) < LOOP_SECONDS


@pytest.mark.anyio
async def test_a_search_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def text_of(*_: object, **__: object) -> list[bytes]:
        return [(b"ab" * 100 + b"\n") * 100] * 500

    pane = SearchedPane("%0", "@0", "$0", 24, 0, "sh", "/", "window", "session")
    monkeypatch.setattr(search, "read_panes", text_of)
    monkeypatch.setattr(search, "MATCHING_SECONDS", 0.2)
    with turns() as taken, pytest.raises(BadInput, match=r"took more than 0\.2 seconds.*simpler pattern"):
        await search.search(cast(Any, None), [pane] * 500, compile_pattern(SLOW[0], regex=True))
    assert max(taken) < LOOP_SECONDS


@pytest.mark.anyio
async def test_work_that_nobody_waits_for_ends() -> None:
    """A thread can't be stopped from outside: it must ask."""
    begun, ended = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(stop: matching.Stop) -> None:
        loop.call_soon_threadsafe(begun.set)
        while not stop():
            time.sleep(0.001)
        loop.call_soon_threadsafe(ended.set)

    task = asyncio.create_task(in_thread(work))
    await begun.wait()
    task.cancel()
    await asyncio.wait_for(ended.wait(), 10)


def test_a_slow_pattern_and_a_fast_one_find_the_same_lines() -> None:
    text = b"one\nerror two\n\nerror\n" * 400
    pieces = [*search._pieces(text, 50)]
    assert b"\n".join(pieces) == text
    assert all(len(piece) < 100 for piece in pieces)


@pytest.mark.parametrize(
    "arguments",
    [
        {"patterns": ["x"] * (MOST + 1)},
        {"patterns": ["x"] * 2000, "regex": True},
        {"patterns": ["x"] * MOST, "stop": "x"},
        {"stop": ["x"] * (MOST + 1)},
    ],
)
def test_a_call_takes_twenty_patterns(lab: Lab, arguments: dict[str, Any]) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, safety="readonly") as client:
        with pytest.raises(ToolError, match="patterns.*20 at most"):
            client.call("wait_for_text", target="%0", timeout=5, **arguments)
        found = client.call("wait_for_text", target="%0", patterns=["x"] * 19, stop="y", timeout=0.05)
        assert found["outcome"] == "timeout"


def test_a_list_takes_twenty_filters(lab: Lab) -> None:
    lab.new_session("main", "cat")
    operators = ("exact", "iexact", "contains", "startswith", "endswith", "regex", "iregex")
    fields = ("session_id", "session_name", "window_count")
    filters = {f"{field}__{one}": "a{1000}" for field in fields for one in operators}
    with mcp_server(lab, safety="readonly") as client, pytest.raises(ToolError, match="20 at most"):
        client.call("list_sessions", filters=filters)


@pytest.mark.parametrize("text", [r"\pL" * 3333, "k" * 10_000, r"\pL{1000}" * 900])
def test_patterns_of_ten_thousand_characters_are_refused_at_once(lab: Lab, text: str) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, safety="readonly") as client:
        number = client.start(
            "tools/call",
            {
                "name": "wait_for_text",
                "arguments": {"target": "%0", "patterns": [text] * MOST, "regex": True},
            },
        )
        started = time.monotonic()
        client.request("ping")
        assert time.monotonic() - started < 1
        assert "At most 1000" in client.wait(number)["result"]["content"][0]["text"]


def begin_wait(client: RawClient, wanted: list[str], timeout: float = 600) -> int:
    arguments = {"target": "%0", "patterns": wanted, "regex": True, "timeout": timeout}
    return client.start("tools/call", {"name": "wait_for_text", "arguments": arguments})


def test_all_patterns_in_use_have_a_bounded_size(lab: Lab) -> None:
    """The first waits hold what they have; one that finds no room says so, and room comes back."""
    lab.new_session("main", "cat")
    big = [rf"[a-z]{{900}}{number}" for number in range(MOST)]
    with mcp_server(lab, safety="readonly") as client:
        before = rss_mb(client.process.pid)
        numbers = [begin_wait(client, big) for _ in range(20)]
        refused = None
        while refused is None:
            client.request("ping")
            refused = next((one for one in numbers if client.has_answered(one)), None)
        text = client.wait(refused)["result"]["content"][0]["text"]
        assert "too large together" in text
        assert rss_mb(client.process.pid) - before < 150
        for number in numbers:
            client.send(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            )
        found = client.wait(begin_wait(client, big, 0.05))["result"]["structuredContent"]
        assert found["outcome"] == "timeout"


def test_slow_patterns_in_a_flood_hold_up_nobody(lab: Lab) -> None:
    lab.new_session("main", "sh", "-c", "while :; do echo " + "ab" * 500 + "; done")
    with mcp_server(lab, safety="readonly") as client:
        number = begin_wait(client, SLOW, 3)
        slowest = 0.0
        while not client.has_answered(number):
            started = time.monotonic()
            client.request("ping")
            slowest = max(slowest, time.monotonic() - started)
        found = client.wait(number)["result"]["structuredContent"]
    assert slowest < 1
    assert found["found"] is False
    assert found["elapsed_seconds"] < 10


def test_a_slow_pattern_still_finds_what_is_written(lab: Lab) -> None:
    lab.new_session("main", "cat", size=(200, 50))
    with mcp_server(lab) as client:
        wanted = [rf"x[ab]{{{20 + one}}}y" for one in range(10)]
        wanted += [rf"a[ab]{{{400 + one}}}c" for one in range(9)]
        number = begin_wait(client, wanted, 20)
        client.call("send_keys", target="%0", keys="x" + "ab" * 12 + "y", literal=True)
        found = client.wait(number)["result"]["structuredContent"]
    assert found["found"] is True
    assert found["matched_index"] == 4
