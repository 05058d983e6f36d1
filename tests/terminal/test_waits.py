"""Waits: what they see, what they do not take for output, and how they end."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from muxpilot.errors import BadInput, PaneEnded, TargetNotFound, TmuxError
from muxpilot.terminal import wait
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.hunt import Hunt
from muxpilot.terminal.keys import send_keys
from muxpilot.terminal.patterns import compile_pattern
from muxpilot.terminal.sight import place_of
from muxpilot.terminal.vigil import Interest, Vigil
from muxpilot.terminal.wait_text import LAST_LOOK, wait_for_text
from muxpilot.tmux import Deadline, TmuxServer, Version, session_watch
from tests.lab import Lab, eventually
from tests.terminal.pen import Pen

pytestmark = pytest.mark.anyio

SOON = 5.0
"""Seconds within which everything here must have come out; none of it takes a tenth of that."""


@pytest.fixture
async def engine(lab: Lab, anyio_backend: str) -> AsyncIterator[TmuxServer]:
    lab.new_session("keeper", "cat")
    server = TmuxServer(lab.endpoint)
    yield server
    await server.close()


@pytest.fixture
async def pen(lab: Lab, engine: TmuxServer, tmp_path: Path) -> Pen:
    return Pen(lab, tmp_path)


_begun: list[asyncio.Event] = []


async def under_way(_: float) -> None:
    """Progress is told for the first time when a wait has begun."""
    for event in _begun:
        event.set()


class Agent:
    """Types and waits in one pane, and remembers that it did."""

    def __init__(self, server: TmuxServer, pane_id: str) -> None:
        self.server = server
        self.pane_id = pane_id
        self.attention = Attention()

    async def types(self, keys: str, *, enter: bool = True) -> None:
        await send_keys(self.server, self.pane_id, keys, self.attention, enter=enter)

    async def text(
        self, *patterns: str, stop: tuple[str, ...] = (), regex: bool = False, seconds: float = SOON
    ) -> Any:
        hunt = Hunt(*([compile_pattern(one, regex=regex) for one in some] for some in (patterns, stop)))
        return await wait_for_text(self.server, self.pane_id, hunt, seconds, self.attention, under_way)


@pytest.fixture
def agent(engine: TmuxServer, pen: Pen) -> Agent:
    return Agent(engine, pen.pane_id)


async def meanwhile(waiting: Coroutine[Any, Any, Any], *steps: Callable[[], object]) -> Any:
    """Do the steps, one after the other, once the wait has begun; then its result."""
    event = asyncio.Event()
    _begun[:] = [event]
    task, begun = asyncio.ensure_future(waiting), asyncio.ensure_future(event.wait())
    await asyncio.wait([task, begun], return_when=asyncio.FIRST_COMPLETED)
    begun.cancel()
    for step in steps:
        await asyncio.to_thread(step)
    return await task


async def _client_flags(lab: Lab) -> list[str]:
    found = await asyncio.to_thread(lab.try_tmux, "list-clients", "-F", "#{client_flags}")
    return found.stdout.splitlines()


async def test_text_that_comes_is_found_with_its_line(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(agent.text("listening"), lambda: pen.write("server listening on 80\n"))
    assert (found.outcome, found.at_entry) == ("matched", False)
    assert found.hit.lines == ["server listening on 80"]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(["rea", "dy\n"], id="split over two writes"),
        pytest.param(["ready"], id="on the cursor's own line"),
        pytest.param([b"\xe2\x9c", b"\x93 ready"], id="split within a character"),
        pytest.param(["re\033[1mady\033[0m\n"], id="with a sequence in it"),
        pytest.param(["x" * 77 + "ready\n"], id="wrapped at the edge"),
        pytest.param(["\033[10;5Hre\033[10;7Hady"], id="painted in pieces"),
        pytest.param(["rXady\r\033[1Ce"], id="corrected in place"),
        pytest.param(["ready\r     \n"], id="overwritten at once"),
        pytest.param(["ready\n\033[H\033[2J\033[3J"], id="cleared at once"),
        pytest.param(["ready\n" + "filler\n" * 4000], id="far up in the scrollback"),
        pytest.param(["\033[?1049h\033[Hready"], id="on the alternate screen"),
    ],
)
async def test_text_is_found_however_it_is_written(
    lab: Lab, pen: Pen, agent: Agent, pieces: list[str | bytes]
) -> None:
    pen.settle("begin\n")
    steps = [
        lambda piece=piece: pen.settle(piece) if piece is not pieces[-1] else pen.write(piece)
        for piece in pieces
    ]
    found = await meanwhile(agent.text("ready"), *steps)
    assert found.outcome == "matched"


async def test_the_rest_of_a_line_that_began_before_the_wait_is_found(
    lab: Lab, pen: Pen, agent: Agent
) -> None:
    pen.settle("server rea")
    found = await meanwhile(agent.text("server ready"), lambda: pen.write("dy\n"))
    assert (found.outcome, found.at_entry) == ("matched", False)


async def test_a_scrollback_that_holds_nothing_loses_no_match(
    lab: Lab, engine: TmuxServer, tmp_path: Path
) -> None:
    lab.tmux("set-option", "-g", "history-limit", "0")
    pen = Pen(lab, tmp_path)
    agent = Agent(engine, pen.pane_id)
    found = await meanwhile(agent.text("ready"), lambda: pen.write("ready\n" + "filler\n" * 20000))
    assert found.hit.lines == ["ready"]


async def test_text_that_comes_while_the_wait_gets_ready_is_found(
    engine: TmuxServer, pen: Pen, agent: Agent
) -> None:
    version = await engine.server_version()
    if version.leaks_captures and version.announces_buffers:
        pytest.skip("with this tmux the first look goes through the door too")
    async with engine.door.held(Deadline(SOON, engine.endpoint)):  # It can't begin to watch yet.
        waiting = asyncio.ensure_future(agent.text("ready"))
        await asyncio.sleep(0)
        await engine.call("list-sessions")  # Answered in order: so it has had its first look.
        await asyncio.to_thread(pen.settle, "ready\n")
    found = await waiting
    assert (found.outcome, found.at_entry, found.hit.lines) == ("matched", False, ["ready"])


async def test_text_from_before_is_reported_and_not_matched(pen: Pen, agent: Agent) -> None:
    pen.settle("ready\n")
    found = await agent.text("ready", seconds=0.2)
    assert (found.outcome, found.at_entry, found.new_output) == ("timeout", True, False)
    assert found.tail == ["ready"]


@pytest.mark.parametrize("again", ["ready\n", "\rready", "\033[1;1Hready"])
async def test_text_equal_to_what_stands_there_is_found_when_it_is_written_again(
    lab: Lab, pen: Pen, agent: Agent, again: str
) -> None:
    pen.settle("ready\n" if again == "ready\n" else "ready")
    found = await meanwhile(agent.text("ready"), lambda: pen.write(again))
    assert (found.outcome, found.at_entry) == ("matched", False)


async def test_a_full_screen_of_the_same_line_is_no_hiding_place(lab: Lab, pen: Pen, agent: Agent) -> None:
    pen.settle("ready\n" * 100)
    found = await meanwhile(agent.text("ready"), lambda: pen.write("ready\n"))
    assert found.hit.lines == ["ready"]


async def test_the_first_sign_of_failure_ends_it(lab: Lab, pen: Pen, agent: Agent) -> None:
    waiting = agent.text("passed", stop=("FAILED", "Traceback"))
    found = await meanwhile(waiting, lambda: pen.write("Traceback (most recent call last)\npassed\n"))
    assert (found.outcome, found.hit.index) == ("stopped", 1)


async def test_which_pattern_it_was_is_told(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(agent.text("yes", "no", "maybe"), lambda: pen.write("well, maybe\n"))
    assert found.hit.index == 2


async def test_a_regular_expression_and_a_literal_are_not_the_same(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(agent.text("[0-9]+ passed", regex=True), lambda: pen.write("12 passed\n"))
    assert found.outcome == "matched"
    found = await meanwhile(agent.text("[0-9]+ passed"), lambda: pen.write("13 passed\n[0-9]+ passed\n"))
    assert found.hit.lines == ["[0-9]+ passed"]


async def test_without_a_pattern_any_output_will_do(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(agent.text(), lambda: pen.write("something\n"))
    assert (found.outcome, found.hit.lines) == ("any_output", ["something"])


@pytest.fixture(params=["bash", "dash", "zsh", "fish"])
async def shell(lab: Lab, engine: TmuxServer, request: pytest.FixtureRequest) -> Agent:
    """An agent at the prompt of a shell."""
    quiet = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"], "dash": []}[
        request.param
    ]
    lab.new_session("shell", request.param, *quiet)
    pane_id = lab.tmux("display-message", "-p", "-t", "shell", "#{pane_id}")
    eventually(lambda: lab.screen("shell").strip())
    agent = Agent(engine, pane_id)
    await agent.types("echo up''and''running")
    assert (await agent.text("upandrunning", seconds=20)).outcome == "matched"
    eventually(lambda: lab.tmux("display-message", "-p", "-t", pane_id, "#{cursor_x}") != "0")
    return agent


async def test_the_echo_of_what_was_typed_is_not_output(shell: Agent) -> None:
    await shell.types("sleep 0.3; echo READY")
    found = await shell.text("READY")
    assert (found.outcome, found.hit.lines) == ("matched", ["READY"])


async def test_the_echo_alone_is_no_match(shell: Agent) -> None:
    await shell.types("sleep 30 && echo READY")
    found = await shell.text("READY", seconds=0.5)
    assert (found.outcome, found.at_entry) == ("timeout", False)
    await shell.types("C-c", enter=False)


async def test_output_that_came_before_the_wait_but_after_typing_is_found_and_said_to_be_old(
    lab: Lab, shell: Agent
) -> None:
    await shell.types("echo RE''ADY")
    eventually(lambda: "READY" in lab.screen("shell").splitlines())
    found = await shell.text("READY")
    assert (found.outcome, found.at_entry, found.hit.lines) == ("matched", True, ["READY"])


async def test_what_a_wait_has_found_is_not_found_again(shell: Agent) -> None:
    await shell.types("echo READY")
    assert (await shell.text("READY")).outcome == "matched"
    found = await shell.text("READY", seconds=0.3)
    assert (found.outcome, found.at_entry) == ("timeout", True)


async def test_output_equal_to_what_was_typed_is_found(lab: Lab, engine: TmuxServer) -> None:
    agent = Agent(engine, lab.tmux("display-message", "-p", "-t", "keeper", "#{pane_id}"))
    await agent.types("READY")
    found = await agent.text("READY")
    assert (found.outcome, found.hit.lines) == ("matched", ["READY"])


@pytest.mark.parametrize("width", [10, 20])
async def test_an_echo_that_wraps_is_still_an_echo(lab: Lab, shell: Agent, width: int) -> None:
    lab.tmux("resize-window", "-t", "shell", "-x", str(width), "-y", "24")
    await shell.types("sleep 0.3; echo READY to go")
    found = await shell.text("READY to")
    assert (found.outcome, found.hit.lines) == ("matched", ["READY to go"])


async def test_the_prompt_of_the_typed_line_is_not_the_next_prompt(shell: Agent) -> None:
    await shell.types("sleep 0.5")
    found = await shell.text(r"[$#%>] $", regex=True)
    assert found.outcome == "matched"
    assert found.elapsed > 0.3


async def test_a_pane_that_is_killed_ends_the_wait(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(agent.text("never", seconds=60), lambda: lab.tmux("kill-pane", "-t", pen.pane_id))
    assert found.outcome == "exited"


async def test_the_last_words_of_a_program_are_heard(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(agent.text("bye", seconds=60), lambda: pen.settle("bye\n"), pen.end)
    assert found.outcome == "matched"


async def test_a_program_that_ends_ends_the_wait_with_its_status(lab: Lab, engine: TmuxServer) -> None:
    """As far as tmux knows it: on a busy machine it sometimes never does."""
    lab.tmux("set-option", "-g", "remain-on-exit", "on")
    pane_id = lab.tmux("new-window", "-P", "-F", "#{pane_id}", "-t", "keeper", "read x; exit 7")
    agent = Agent(engine, pane_id)
    found = await meanwhile(
        agent.text("never", seconds=60), lambda: lab.tmux("send-keys", "-t", pane_id, "Enter")
    )
    known = lab.tmux("display-message", "-p", "-t", pane_id, "#{pane_dead_status}")
    assert (found.outcome, found.ending.status) == ("exited", int(known) if known else None)


async def test_a_respawned_pane_ends_the_wait(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(
        agent.text("never", seconds=60),
        lambda: lab.tmux("respawn-pane", "-k", "-t", pen.pane_id, "cat"),
    )
    assert found.outcome == "respawned"


WAITS: dict[str, Callable[[TmuxServer, str, float], Coroutine[Any, Any, Any]]] = {
    "text": lambda server, pane_id, seconds: Agent(server, pane_id).text("never", seconds=seconds),
    "change": lambda server, pane_id, seconds: wait.wait_for_change(server, pane_id, seconds, under_way),
    "idle": lambda server, pane_id, seconds: wait.wait_for_idle(server, pane_id, 30, seconds, under_way),
    "exit": lambda server, pane_id, seconds: wait.wait_for_exit(
        server, pane_id, pane=True, seconds=seconds, progress=under_way
    ),
}


@pytest.mark.parametrize("kind", WAITS)
async def test_a_server_that_is_killed_ends_every_wait(
    lab: Lab, engine: TmuxServer, pen: Pen, kind: str
) -> None:
    started = time.monotonic()
    with pytest.raises(TmuxError):
        await meanwhile(WAITS[kind](engine, pen.pane_id, 60), lambda: lab.tmux("kill-server"))
    assert time.monotonic() - started < SOON


@pytest.mark.parametrize("kind", WAITS)
async def test_a_session_that_is_killed_ends_every_wait(
    lab: Lab, engine: TmuxServer, pen: Pen, kind: str
) -> None:
    started = time.monotonic()
    waiting = meanwhile(WAITS[kind](engine, pen.pane_id, 60), lambda: lab.tmux("kill-session", "-t", "pen"))
    if kind == "change":
        with pytest.raises(PaneEnded):
            await waiting
    else:
        assert (await waiting).outcome == "exited"
    assert time.monotonic() - started < SOON


@pytest.mark.parametrize("kind", WAITS)
async def test_every_wait_is_over_when_its_time_is(engine: TmuxServer, pen: Pen, kind: str) -> None:
    started = time.monotonic()
    assert (await WAITS[kind](engine, pen.pane_id, 0.3)).outcome == "timeout"
    assert 0.25 < time.monotonic() - started < SOON


@pytest.mark.parametrize("kind", WAITS)
@pytest.mark.parametrize("seconds", [0, -1, 3601, float("nan")])
async def test_a_time_that_is_none_is_refused(
    engine: TmuxServer, pen: Pen, kind: str, seconds: float
) -> None:
    with pytest.raises(BadInput):
        await WAITS[kind](engine, pen.pane_id, seconds)


@pytest.mark.parametrize("kind", WAITS)
async def test_no_such_pane_is_an_error(engine: TmuxServer, kind: str) -> None:
    with pytest.raises(TargetNotFound):
        await WAITS[kind](engine, "%99", 5)


@pytest.mark.parametrize("kind", WAITS)
async def test_a_cancelled_wait_leaves_no_client(lab: Lab, engine: TmuxServer, pen: Pen, kind: str) -> None:
    task = asyncio.ensure_future(WAITS[kind](engine, pen.pane_id, 60))
    while not any("pause-after" in one for one in await _client_flags(lab)):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await engine.door.closed()
    assert not any("pause-after" in one for one in await _client_flags(lab))


async def test_a_vigil_that_watches_anew_is_still_rung_late(engine: TmuxServer, pen: Pen) -> None:
    vigil = Vigil(engine, await place_of(engine, pen.pane_id), SOON, None)
    vigil.looked()
    vigil.ring(Interest.SOON)
    vigil.stop()
    vigil.ring(Interest.SOON)
    await vigil.sleep()
    assert not vigil.time_is_up
    vigil.stop()


async def test_progress_is_told_also_where_there_is_always_something_to_see(
    engine: TmuxServer, pen: Pen
) -> None:
    told = []

    async def progress(seconds: float) -> None:
        told.append(seconds)

    vigil = Vigil(engine, await place_of(engine, pen.pane_id), SOON, progress)
    vigil.ring()
    await vigil.sleep()
    assert told


async def test_a_pane_that_moves_to_another_session_is_followed(lab: Lab, pen: Pen, agent: Agent) -> None:
    found = await meanwhile(
        agent.text("ready"),
        lambda: lab.tmux("join-pane", "-d", "-s", pen.pane_id, "-t", "keeper"),
        lambda: pen.settle("moved\n"),
        lambda: pen.write("ready\n"),
    )
    assert found.outcome == "matched"


async def test_any_change_of_the_screen_is_noticed(lab: Lab, engine: TmuxServer, pen: Pen) -> None:
    waiting = wait.wait_for_change(engine, pen.pane_id, SOON, under_way)
    assert (await meanwhile(waiting, lambda: pen.write("x"))).outcome == "changed"


async def test_output_that_shows_nothing_is_no_change(lab: Lab, engine: TmuxServer, pen: Pen) -> None:
    waiting = wait.wait_for_change(engine, pen.pane_id, 0.5, under_way)
    assert (await meanwhile(waiting, lambda: pen.write("\a\033]2;title\a"))).outcome == "timeout"


async def test_quiet_is_counted_from_the_last_output(lab: Lab, engine: TmuxServer, pen: Pen) -> None:
    waiting = wait.wait_for_idle(engine, pen.pane_id, 0.4, 30, under_way)
    done = await meanwhile(waiting, *[lambda: pen.settle(".")] * 30)
    assert done.outcome == "idle"


async def test_a_pane_that_is_never_quiet_times_out(lab: Lab, engine: TmuxServer) -> None:
    lab.new_session("noisy", "while :; do echo .; sleep 0.01; done")
    pane_id = lab.tmux("display-message", "-p", "-t", "noisy", "#{pane_id}")
    assert (await wait.wait_for_idle(engine, pane_id, 1, 1.5)).outcome == "timeout"


def in_front(lab: Lab, command: str) -> str:
    """A pane with a shell that runs this command, which must be of `cat`."""
    lab.new_session("shell", "bash", "--norc")
    pane_id = lab.tmux("display-message", "-p", "-t", "shell", "#{pane_id}")
    lab.tmux("send-keys", "-t", pane_id, command, "Enter")
    eventually(lambda: lab.tmux("display-message", "-p", "-t", pane_id, "#{pane_current_command}") == "cat")
    return pane_id


async def test_the_end_of_the_program_in_front_is_noticed(lab: Lab, engine: TmuxServer) -> None:
    pane_id = in_front(lab, "cat | cat")
    waiting = wait.wait_for_exit(engine, pane_id, pane=False, seconds=SOON, progress=under_way)
    done = await meanwhile(waiting, lambda: lab.tmux("send-keys", "-t", pane_id, "C-d"))
    assert (done.outcome, done.ending) == ("exited", None)


async def test_a_program_that_is_suspended_has_not_exited(lab: Lab, engine: TmuxServer) -> None:
    pane_id = in_front(lab, "cat")
    waiting = wait.wait_for_exit(engine, pane_id, pane=False, seconds=SOON, progress=under_way)
    done = await meanwhile(waiting, lambda: lab.tmux("send-keys", "-t", pane_id, "C-z"))
    assert done.outcome == "suspended"


async def test_where_nothing_runs_there_is_nothing_to_wait_for(engine: TmuxServer, pen: Pen) -> None:
    done = await wait.wait_for_exit(engine, pen.pane_id, pane=False, seconds=SOON, progress=under_way)
    assert done.outcome == "nothing_running"


async def test_a_flood_is_looked_through_without_falling_behind(lab: Lab, engine: TmuxServer) -> None:
    lab.new_session("flood", "trap : INT; yes filler; cat")
    pane_id = lab.tmux("display-message", "-p", "-t", "flood", "#{pane_id}")
    found = await meanwhile(
        Agent(engine, pane_id).text("\\^C", regex=True, seconds=40),
        lambda: lab.tmux("send-keys", "-t", pane_id, "C-c"),
    )
    assert found.outcome == "matched"


@pytest.mark.parametrize(("before", "then"), [(0, 3000), (500, 1500), (900, 2500), (1500, 1000)])
async def test_what_came_since_typing_is_found_though_it_filled_the_scrollback(
    lab: Lab, engine: TmuxServer, before: int, then: int
) -> None:
    lab.new_session("shell", "bash", "--norc", "--noprofile")
    agent = Agent(engine, lab.tmux("display-message", "-p", "-t", "shell", "#{pane_id}"))
    await agent.types(f"seq {before}; echo fir''st")
    assert (await agent.text("first")).outcome == "matched"
    await agent.types(f"seq {then}; echo las''t")
    eventually(lambda: "last" in lab.screen(agent.pane_id).split())
    found = await agent.text("last")
    assert (found.outcome, found.at_entry) == ("matched", True)


async def test_the_end_of_a_flood_is_found_where_all_lines_are_the_same(lab: Lab, engine: TmuxServer) -> None:
    lab.new_session("shell", "bash", "--norc", "--noprofile")
    agent = Agent(engine, lab.tmux("display-message", "-p", "-t", "shell", "#{pane_id}"))
    await agent.types("yes")
    assert (await agent.text("nothing like it", seconds=0.5)).outcome == "timeout"
    await agent.types("C-c", enter=False)
    eventually(lambda: "^C" in lab.screen(agent.pane_id))
    found = await agent.text("^C")
    assert (found.outcome, found.at_entry) == ("matched", True)


async def test_a_program_that_has_the_screen_is_no_gap(pen: Pen, agent: Agent) -> None:
    await agent.types("x", enter=False)
    pen.settle("\033[?1049hpainted")
    waited = await agent.text("nothing like it", seconds=0.3)
    assert (waited.outcome, waited.missed) == ("alternate_screen", False)


async def test_a_wait_beside_a_flood_ends_in_time(lab: Lab, engine: TmuxServer) -> None:
    lab.new_session("flood", "yes filler")
    agent = Agent(engine, lab.tmux("display-message", "-p", "-t", "flood", "#{pane_id}"))
    waited = await agent.text("nothing like it", seconds=1)
    assert waited.outcome == "timeout"
    assert waited.elapsed < 1 + LAST_LOOK + 1


async def test_output_that_nobody_could_look_through_is_told(
    pen: Pen, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We are away, while more is written than tmux keeps for us."""
    monkeypatch.setattr(session_watch, "FLAGS", "ignore-size,pause-after=1")
    loop = asyncio.get_running_loop()

    def write() -> None:
        loop.call_soon_threadsafe(time.sleep, 1.5)
        pen.write("filler\n" * 100_000)
        pen.write("needle\n")
        pen.settle("filler\n" * 100_000)

    waited = await meanwhile(agent.text("needle", seconds=4), write)
    assert (waited.outcome, waited.missed) == ("timeout", True)


async def test_a_program_that_a_signal_ends_is_told_as_shells_do(lab: Lab, engine: TmuxServer) -> None:
    if await engine.server_version() < Version(3, 3):
        pytest.skip("this tmux does not keep the signal")
    lab.tmux("set-option", "-g", "remain-on-exit", "on")
    pane_id = lab.tmux("new-window", "-P", "-F", "#{pane_id}", "-t", "keeper", "exec cat")
    pid = int(lab.tmux("display-message", "-p", "-t", pane_id, "#{pane_pid}"))
    waiting = wait.wait_for_exit(engine, pane_id, pane=True, seconds=60, progress=under_way)
    done = await meanwhile(waiting, lambda: os.kill(pid, signal.SIGTERM))
    known = lab.tmux("display-message", "-p", "-t", pane_id, "#{pane_dead_signal}")
    assert (done.outcome, done.ending.status) == ("exited", 128 + int(known) if known else None)
