"""capture_since: never a line lost in silence, and nothing told twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from muxpilot.errors import BadInput, PaneEnded
from muxpilot.terminal.cursors import Cursors, Glimpse
from muxpilot.tmux import TmuxServer
from tests.lab import Lab
from tests.terminal.pen import Pen

pytestmark = pytest.mark.anyio


@pytest.fixture
async def engine(lab: Lab, anyio_backend: str) -> AsyncIterator[TmuxServer]:
    server = TmuxServer(lab.endpoint)
    yield server
    await server.close()


class Reader:
    """Reads a pane again and again with the latest cursor."""

    def __init__(self, server: TmuxServer, pane_id: str) -> None:
        self.server = server
        self.pane_id = pane_id
        self.cursors = Cursors()
        self.cursor = ""

    async def begin(self) -> list[str]:
        return self._taken(await self.cursors.begin(self.server, self.pane_id)).lines

    async def read(self) -> Glimpse:
        return self._taken(await self.cursors.go_on(self.server, self.cursor))

    def _taken(self, glimpse: Glimpse) -> Glimpse:
        self.cursor = glimpse.cursor
        return glimpse


@pytest.fixture
async def pen(lab: Lab, tmp_path: Path) -> Pen:
    return Pen(lab, tmp_path)


@pytest.fixture
async def reader(engine: TmuxServer, pen: Pen) -> AsyncIterator[Reader]:
    reader = Reader(engine, pen.pane_id)
    yield reader
    reader.cursors.close()


async def test_only_what_came_since_is_told(pen: Pen, reader: Reader) -> None:
    pen.settle("old\n$ ")
    assert await reader.begin() == ["old", "$"]
    pen.settle("make\none\ntwo\n$ ")
    assert (await reader.read()).lines == ["$ make", "one", "two", "$"]
    assert (await reader.read()).lines == []


async def test_a_line_that_is_written_in_pieces_is_told_each_time_it_grew(pen: Pen, reader: Reader) -> None:
    await reader.begin()
    pen.settle("load")
    assert (await reader.read()).lines == ["load"]
    pen.settle("ing\n")
    assert (await reader.read()).lines == ["loading"]


async def test_lines_equal_to_those_before_are_told(pen: Pen, reader: Reader) -> None:
    pen.settle("same\n" * 60)
    await reader.begin()
    pen.settle("same\n" * 3)
    glimpse = await reader.read()
    assert (glimpse.lines, glimpse.missed) == (["same"] * 3, False)


async def test_all_lines_of_a_long_output_are_told_while_the_scrollback_holds_them(
    pen: Pen, reader: Reader
) -> None:
    await reader.begin()
    pen.settle("".join(f"line {number}\n" for number in range(1500)))
    glimpse = await reader.read()
    assert glimpse.lines == [f"line {number}" for number in range(1500)]
    assert not glimpse.missed


@pytest.mark.parametrize("text", ["same", "line {}"])
async def test_a_small_scrollback_tells_all_it_holds_or_says_that_lines_were_missed(
    lab: Lab, tmp_path: Path, text: str
) -> None:
    lab.new_session("keeper")
    lab.tmux("set-option", "-g", "history-limit", "100")
    pen = Pen(lab, tmp_path)
    server = TmuxServer(lab.endpoint)
    reader = Reader(server, pen.pane_id)
    try:
        await reader.begin()
        written = told = 0
        for count in (5, 90, 20, 40, 7, 1, 300, 60, 0, 110, 99, 30):
            lines = [text.format(written + number) for number in range(count)]
            pen.settle("".join(f"{line}\n" for line in lines))
            glimpse = await reader.read()
            assert glimpse.missed or glimpse.lines == lines
            assert not (glimpse.missed and count < 80), "so few lines can't be gone"
            assert glimpse.missed or count < 125, "so many can't be held"
            written, told = written + count, told + (not glimpse.missed)
        assert told >= 8
    finally:
        reader.cursors.close()
        await server.close()


async def test_a_pane_without_scrollback_says_what_was_missed(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("keeper")
    lab.tmux("set-option", "-g", "history-limit", "0")
    pen = Pen(lab, tmp_path)
    server = TmuxServer(lab.endpoint)
    reader = Reader(server, pen.pane_id)
    try:
        await reader.begin()
        pen.settle("a\nb\n")
        assert (await reader.read()).lines == ["a", "b"]
        pen.settle("c\n" * 100)
        assert (await reader.read()).missed
    finally:
        reader.cursors.close()
        await server.close()


@pytest.mark.parametrize("width", [10, 40, 200])
async def test_another_width_changes_nothing_about_the_lines(
    lab: Lab, pen: Pen, reader: Reader, width: int
) -> None:
    long = "x" * 150
    pen.settle("".join(f"line {number} {long}\n" for number in range(40)))
    await reader.begin()
    pen.settle(f"new {long}\n")
    lab.tmux("resize-window", "-t", "pen", "-x", str(width), "-y", "24")
    pen.settle(f"newer {long}\n")
    glimpse = await reader.read()
    assert (glimpse.lines, glimpse.missed) == ([f"new {long}", f"newer {long}"], False)


@pytest.mark.parametrize("height", [3, 10, 60])
async def test_another_height_changes_nothing_about_the_lines(
    lab: Lab, pen: Pen, reader: Reader, height: int
) -> None:
    pen.settle("".join(f"line {number}\n" for number in range(40)))
    await reader.begin()
    pen.settle("new\n")
    lab.tmux("resize-window", "-t", "pen", "-x", "80", "-y", str(height))
    pen.settle("newer\n")
    glimpse = await reader.read()
    assert (glimpse.lines, glimpse.missed) == (["new", "newer"], False)


async def test_a_cleared_scrollback_is_said(lab: Lab, pen: Pen, reader: Reader) -> None:
    pen.settle("".join(f"line {number}\n" for number in range(100)))
    await reader.begin()
    pen.settle("".join(f"lost {number}\n" for number in range(100)))
    lab.tmux("clear-history", "-t", pen.pane_id)
    assert (await reader.read()).missed
    pen.settle("after\n")
    assert (await reader.read()).lines == ["after"]


async def test_a_scrollback_that_was_cleared_and_grew_again_is_noticed(
    lab: Lab, pen: Pen, reader: Reader
) -> None:
    pen.settle("same\n" * 60)
    await reader.begin()
    pen.settle("same\n" * 100)
    lab.tmux("clear-history", "-t", pen.pane_id)
    pen.settle("same\n" * 100)
    assert (await reader.read()).missed


async def test_a_cleared_screen_keeps_what_tmux_keeps(pen: Pen, reader: Reader) -> None:
    pen.settle("old\n")
    await reader.begin()
    pen.settle("before\n\033[H\033[2Jafter\n")
    glimpse = await reader.read()
    assert glimpse.missed or {"before", "after"} <= set(glimpse.lines)


@pytest.mark.parametrize("wipe", ["\033[H\033[2J\033[3J", "\033c"], ids=["clear", "reset"])
async def test_what_a_program_wiped_away_is_said(pen: Pen, reader: Reader, wipe: str) -> None:
    pen.settle("old\n" * 50)
    await reader.begin()
    pen.settle(f"before\n{wipe}after\n")
    glimpse = await reader.read()
    assert glimpse.missed
    assert "after" in glimpse.lines


async def test_a_program_that_took_the_screen_and_gave_it_back_loses_no_line(
    pen: Pen, reader: Reader
) -> None:
    pen.settle("old\n")
    await reader.begin()
    pen.settle("before\n\033[?1049h\033[HEDITOR\n")
    glimpse = await reader.read()
    assert (glimpse.lines, glimpse.place.alternate_on) == (["EDITOR"], True)
    pen.settle("\033[2;1HSTATUS")
    assert (await reader.read()).lines == ["STATUS"]
    pen.settle("\033[?1049lafter\n")
    glimpse = await reader.read()
    assert (glimpse.lines, glimpse.missed) == (["before", "after"], False)


async def test_a_bar_that_is_redrawn_is_told_as_it_is_now(pen: Pen, reader: Reader) -> None:
    pen.settle("start\n")
    await reader.begin()
    pen.settle("\rdone 10%\rdone 20%")
    assert (await reader.read()).lines == ["done 20%"]
    pen.settle("\rdone 90%")
    assert (await reader.read()).lines == ["done 90%"]


async def test_a_cursor_of_a_pane_that_ended_is_an_error(lab: Lab, pen: Pen, reader: Reader) -> None:
    lab.new_session("keeper")
    await reader.begin()
    lab.tmux("kill-pane", "-t", pen.pane_id)
    with pytest.raises(PaneEnded, match="gone"):
        await reader.read()


async def test_a_cursor_of_a_pane_that_was_respawned_is_an_error(lab: Lab, pen: Pen, reader: Reader) -> None:
    await reader.begin()
    lab.tmux("respawn-pane", "-k", "-t", pen.pane_id, "cat")
    with pytest.raises(PaneEnded, match="respawned"):
        await reader.read()


async def test_a_forgotten_cursor_still_names_its_pane_and_says_that_lines_may_be_missing(
    pen: Pen, reader: Reader
) -> None:
    pen.settle("old\n")
    await reader.begin()
    reader.cursors.close()
    glimpse = await reader.read()
    assert glimpse.missed
    assert glimpse.lines == ["old"]


async def test_a_cursor_outlives_a_lost_connection(lab: Lab, pen: Pen, reader: Reader) -> None:
    pen.settle("one\ntwo\nthree\n")
    await reader.begin()
    lab.tmux("detach-client", "-s", "pen")
    pen.settle("four\n")
    glimpse = await reader.read()
    assert (glimpse.lines, glimpse.missed) == (["four"], False)


@pytest.mark.parametrize("cursor", ["", "x", "%1", "%1.2", "%x.2.3", "%1.2.", "%1.2.\n", "9" * 5000])
async def test_what_is_no_cursor_is_refused(pen: Pen, reader: Reader, cursor: str) -> None:
    with pytest.raises(BadInput):
        await reader.cursors.go_on(reader.server, cursor)


async def test_reading_leaves_one_client_while_it_goes_on_and_none_afterwards(
    lab: Lab, engine: TmuxServer, pen: Pen, reader: Reader
) -> None:
    for _ in range(5):
        await reader.begin()
        await reader.read()
    assert len(lab.tmux("list-clients").splitlines()) == 2, "the quiet one and the one that watches"
    reader.cursors.close()
    await engine.door.closed()
    assert len(lab.tmux("list-clients").splitlines()) == 1
