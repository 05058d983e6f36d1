"""Many panes read at once, and searched: the same text as tmux prints, whatever stands or happens in them."""

from __future__ import annotations

import dataclasses
import secrets
import time

import pytest

from muxpilot.errors import MuxpilotError, ServerUnresponsive
from muxpilot.terminal import search as searching
from muxpilot.terminal.model import SearchedPane
from muxpilot.terminal.patterns import compile_pattern
from muxpilot.terminal.search import LINES_AT_ONCE, batches, search
from muxpilot.terminal.snapshot import SEARCHED_PANES, take_snapshot
from muxpilot.tmux import TmuxServer, Version, pane_text, read_pane, read_panes
from tests.lab import Lab, eventually, rss_mb
from tests.tmux.test_pane_text import TEXT, shown

pytestmark = pytest.mark.anyio


async def panes_of(server: TmuxServer) -> list[SearchedPane]:
    return list((await take_snapshot(server, [SEARCHED_PANES])).searched_panes)


async def test_many_are_read_as_one_is(lab: Lab) -> None:
    pane = shown(lab, TEXT)
    server = TmuxServer(lab.endpoint)
    one = await read_pane(server, pane, start="-", join_wrapped=True)
    many = await read_panes(server, [pane, "%0", "%77", pane], start="-")
    await server.close()
    assert many == [one.encode(), b"\n" * 19, None, one.encode()]
    assert "é € 漢字 👩" in one


async def test_a_range_is_a_range(lab: Lab) -> None:
    pane = shown(lab, "\n".join(f"line {number}" for number in range(50)))
    server = TmuxServer(lab.endpoint)
    (text,) = await read_panes(server, [pane], start=-3, end=-2)
    await server.close()
    assert text == b"line 27\nline 28"


async def test_marks_that_a_pane_shows_already_move_nothing(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever would know the mark of the pane after its own could still not cut its own text short."""
    first, second = "0" * 16, "1" * 16
    forger = shown(lab, f"begin\n{second}\n{second}\nend")
    server = TmuxServer(lab.endpoint)
    await server.server_version()
    marks = iter([first, second])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(marks))
    forged, plain = await read_panes(server, [forger, "%0"])
    await server.close()
    assert forged is not None
    assert forged.rstrip() == f"begin\n{second}\n{second}\nend".encode()
    assert plain == b"\n" * 19


async def test_bytes_that_are_no_utf8_are_shown_not_lost() -> None:
    version = Version(3, 3, "a")
    assert pane_text._lines(b"a\xffb\n", version) == rb"a\xffb"
    assert pane_text._lines("é  \n\n".encode(), version) == "é  \n".encode()
    assert pane_text._lines("é  \n\n".encode(), Version(3, 2, "a")) == "é\n".encode()


async def test_reading_many_leaks_nothing_in_the_server(lab: Lab) -> None:
    pane = shown(lab, "x" * 60 + "\n" + "\n".join(f"line {number}" for number in range(1900)))
    server = TmuxServer(lab.endpoint)
    await read_panes(server, [pane] * 100, start="-")
    before = rss_mb(lab.server_pid)
    for _ in range(15):
        await read_panes(server, [pane] * 100, start="-")
    grown = rss_mb(lab.server_pid) - before
    await server.close()
    assert grown < 10  # It has printed some 30 MB.


async def test_a_stopped_server_ends_the_search_by_its_deadline(lab: Lab) -> None:
    lab.new_session("main", "cat")
    server = TmuxServer(lab.endpoint, timeout=1)
    panes = await panes_of(server)
    with lab.stopped_server():
        started = time.monotonic()
        with pytest.raises(ServerUnresponsive):
            await search(server, panes * 3, compile_pattern("x"))
        assert time.monotonic() - started < 3
    assert await search(server, panes, compile_pattern("x")) == []
    await server.close()


async def test_a_server_that_ends_is_no_empty_answer(lab: Lab) -> None:
    lab.new_session("main", "cat")
    server = TmuxServer(lab.endpoint)
    panes = await panes_of(server)
    lab.end()
    with pytest.raises(MuxpilotError):
        await search(server, panes, compile_pattern("x"))
    await server.close()


@pytest.mark.parametrize("pattern", ["^$", "x*", "nothing"])
async def test_a_pane_that_is_gone_does_not_match(lab: Lab, pattern: str) -> None:
    lab.new_session("main", "cat")
    server = TmuxServer(lab.endpoint)
    (pane,) = await panes_of(server)
    gone = dataclasses.replace(pane, pane_id="%77")
    found = await search(server, [gone, pane, gone], compile_pattern(pattern, regex=True))
    await server.close()
    assert [match.pane for match in found] == [pane] * (pattern != "nothing")


async def test_panes_are_found_in_their_order_over_many_batches(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "LINES_AT_ONCE", 50)
    monkeypatch.setattr(searching, "LINES_A_TURN", 2)
    lab.new_session("main", "cat")
    for number in range(9):
        lab.tmux("new-window", "-d", "-t", "main", f"seq -f 'hit {number}.%g' 5; exec cat")
    server = TmuxServer(lab.endpoint)
    eventually(lambda: all(f"hit {number}.5" in lab.screen(f"%{number + 1}") for number in range(9)))
    found = await search(server, await panes_of(server), compile_pattern("hit"), most=2)
    await server.close()
    assert [match.pane.pane_id for match in found] == [f"%{number}" for number in range(1, 10)]
    assert [match.lines for match in found] == [[f"hit {n}.1", f"hit {n}.2"] for n in range(9)]
    assert {match.left_out for match in found} == {3}


async def test_batches_hold_all_panes_and_not_too_much(lab: Lab) -> None:
    lab.new_session("main", "cat")
    server = TmuxServer(lab.endpoint)
    (pane,) = await panes_of(server)
    await server.close()
    some, more, most = LINES_AT_ONCE // 2, 3 * LINES_AT_ONCE // 4, 12 * LINES_AT_ONCE
    few = LINES_AT_ONCE // 5
    sizes = [0, 10, more, few, few, most, some]
    panes = [dataclasses.replace(pane, history_size=size) for size in sizes]
    assert [[one.history_size for one in batch] for batch in batches(panes, None)] == [
        [0, 10, more, few],
        [few],
        [most],
        [some],
    ]
    assert [len(batch) for batch in batches(panes, 0)] == [7]
    assert [len(batch) for batch in batches(panes, -some)] == [5, 1, 1]
    assert list(batches([], None)) == []
