"""Reading a pane: the same text as `tmux capture-pane` prints, and no memory lost in the user's server."""

from __future__ import annotations

import pytest

from muxpilot.errors import TargetNotFound
from muxpilot.terminal.buffers import show_buffer
from muxpilot.tmux import TmuxServer, read_pane
from muxpilot.tmux.pane_text import unvis
from tests.lab import Lab, eventually, rss_mb

pytestmark = pytest.mark.anyio

TEXT = "\n".join(
    [
        "plain",
        r"back\slash \\ \n \033 \$ $HOME ${x} $(y) $1 #{pid} #(id)",
        "%end 1 2 1",
        "tab\tand trailing   ",
        "é € 漢字 👩 e\u0301",
        "'single' \"double\" `tick`",
        "",
        "last",
    ]
)


def shown(lab: Lab, text: str, size: tuple[int, int] = (60, 20)) -> str:
    """A pane that shows this text; returns its id."""
    path = lab.endpoint.socket_path.parent / "text"
    lab.new_session("main", "cat", size=size)
    path.write_text(text)
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", f"printf '\\033[31m'; cat {path}; exec cat")
    last = text.rsplit("\n", 1)[-1]
    eventually(lambda: last in lab.screen(pane))
    return pane


@pytest.mark.parametrize(
    "flags", [(), ("-J",), ("-N",), ("-e",), ("-S", "-5"), ("-S", "2", "-E", "4")], ids="".join
)
async def test_it_is_what_tmux_itself_prints(lab: Lab, flags: tuple[str, ...]) -> None:
    pane = shown(lab, TEXT)
    server = TmuxServer(lab.endpoint)
    options = dict(zip(flags[::2], flags[1::2], strict=False)) if len(flags) > 1 else {}
    text = await read_pane(
        server,
        pane,
        start=options.get("-S"),
        end=options.get("-E"),
        join_wrapped="-J" in flags,
        keep_trailing_spaces="-N" in flags,
        escapes="-e" in flags,
    )
    await server.close()
    printed = lab.try_tmux("capture-pane", "-p", "-t", pane, *flags).stdout
    if "-J" in flags:  # tmux 3.2 pads such lines.
        printed = "".join(line.rstrip(" ") + "\n" for line in printed.splitlines())
        text = "\n".join(line.rstrip(" ") for line in text.split("\n"))
    assert text + "\n" == printed


async def test_scrollback_is_read_whole(lab: Lab) -> None:
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "history-limit", "50000")
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "seq 20000; exec cat")
    eventually(lambda: "20000" in lab.screen(pane))
    server = TmuxServer(lab.endpoint)
    lines = (await read_pane(server, pane, start="-")).rstrip("\n").split("\n")
    await server.close()
    assert lines == [str(number) for number in range(1, 20_001)]


@pytest.mark.long
async def test_reading_does_not_leak_in_the_server(lab: Lab) -> None:
    """tmux before 3.6 never frees what a control client captures: 100 reads of 1 MB would show."""
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "history-limit", "50000")
    pane = lab.tmux(
        "new-window", "-d", "-P", "-F", "#{pane_id}", "yes xxxxxxxxxxxxxxxxxxxxxxxx | head -40000; exec cat"
    )
    eventually(lambda: lab.tmux("display-message", "-p", "-t", pane, "#{history_size}") > "30000")
    server = TmuxServer(lab.endpoint)
    for _ in range(5):
        await read_pane(server, pane, start="-")
    before = rss_mb(lab.server_pid)
    for _ in range(100):
        await read_pane(server, pane, start="-")
    grown = rss_mb(lab.server_pid) - before
    await server.close()
    assert grown < 20
    assert lab.tmux("list-buffers") == ""


async def test_a_pane_that_does_not_exist_is_named(server: TmuxServer) -> None:
    with pytest.raises(TargetNotFound, match="no pane %77"):
        await read_pane(server, "%77")


def test_what_old_tmux_escapes_is_restored() -> None:
    assert unvis(rb"a\\b \$HOME \t\033[31m \015 \\033 \377") == b"a\\b $HOME \t\x1b[31m \r \\033 \xff"
    assert unvis(rb"\615") == b"615"  # No byte has this number.


async def test_texts_of_any_length_are_read_to_their_end_and_no_further(server: TmuxServer, lab: Lab) -> None:
    """tmux 3.4 and newer may print what lies behind a buffer in memory, if it fills a block of it."""
    name = f"muxpilot_{'a' * 32}_x"
    for size in range(900, 1200):
        await server.call("set-buffer", "-b", name, "--", "x" * size)
        assert await show_buffer(server, name) == "x" * size
