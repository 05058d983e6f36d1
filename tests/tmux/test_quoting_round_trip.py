"""Any Unicode text reaches tmux as it is: ten thousand of them, through a real buffer and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muxpilot.tmux import TmuxServer, conditional
from muxpilot.tmux.pane_text import unvis
from tests.lab import Lab

BATCH, EXAMPLES = 50, 200

texts = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    | st.sampled_from("\n\r\t\x1b\\\"'`$#;~{}%=() \x7f\x9b\u2028"),
    min_size=1,
    max_size=60,
)

NASTY = [
    ";",
    "a;",
    "\\;",
    "\\",
    "\n",
    "\n\n",
    "-",
    "--",
    "~",
    "$HOME",
    "${HOME}",
    "#{pid}",
    "#(id)",
    "%if",
    "a=b",
    "{",
    "}",
]
NASTY += [
    "'",
    '"',
    "\\n",
    "\\101",
    " lead",
    "trail ",
    "\tx",
    "# comment",
    "é",
    "👩‍👩‍👧",
    "e\u0301",
    "\u200b",
    "x" * 20_000,
]


@pytest.fixture(scope="module")
def loop_and_server(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder: Path = tmp_path_factory.mktemp("quoting")
    lab = Lab(folder)
    lab.new_session()
    loop = asyncio.new_event_loop()
    server = TmuxServer(lab.endpoint)
    yield loop, server
    loop.run_until_complete(server.close())
    loop.close()
    lab.end()


Wrapping = Callable[[list[str]], list[str]]


def on_a_condition(command: list[str]) -> list[str]:
    return conditional("%0", "#{==:#{pane_id},%0}", [["set-buffer", "-b", "first", "--", "x"], command], [])


def on_no_condition(command: list[str]) -> list[str]:
    return conditional("%0", "#{==:#{pane_id},%1}", [], [command])


async def round_trip(server: TmuxServer, batch: list[str], wrapped: Wrapping = list) -> list[str]:
    """Each text into a buffer of its own, and what the buffers hold."""
    names = [f"b{number}" for number in range(len(batch))]
    await server.call_all(
        [wrapped(["set-buffer", "-b", name, "--", text]) for name, text in zip(names, batch, strict=True)]
    )
    shown = await server.call_all([["show-buffer", "-b", name] for name in names])
    await server.call_all([["delete-buffer", "-b", name] for name in names])
    bodies = [reply.body for reply in shown]
    if (await server.server_version()).escapes_shown_buffers:
        bodies = [unvis(body) for body in bodies]
    return [body.decode() for body in bodies]


@pytest.mark.long
def test_ten_thousand_texts_come_back_unchanged(
    loop_and_server: tuple[asyncio.AbstractEventLoop, TmuxServer],
) -> None:
    loop, server = loop_and_server
    count = 0

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.lists(texts, min_size=BATCH, max_size=BATCH))
    def check(batch: list[str]) -> None:
        nonlocal count
        count += len(batch)
        assert loop.run_until_complete(round_trip(server, batch)) == batch
        assert loop.run_until_complete(round_trip(server, batch, on_a_condition)) == batch

    check()
    assert count >= 10_000


def test_what_tmux_would_expand_split_or_swallow_stays_itself(
    loop_and_server: tuple[asyncio.AbstractEventLoop, TmuxServer],
) -> None:
    loop, server = loop_and_server
    for wrapped in (list, on_a_condition, on_no_condition):
        assert loop.run_until_complete(round_trip(server, NASTY, wrapped)) == NASTY
