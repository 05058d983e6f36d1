"""Formats at readonly: nothing runs, nothing changes, nothing takes long; and questions are answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from muxpilot.errors import BadInput
from muxpilot.terminal.variables import MOST_REPLY, expand
from muxpilot.tmux import Format, TmuxServer, parse_format
from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server
from tests.security.canaries import TrappedServer, TwoClients, two_clients
from tests.security.generated import Maker

HOSTILE = (
    *("#(touch {canary})", "a #(touch {canary}) b", "#{E:@evil}", "x #{T:@evil}", "#{?#{E:@evil},a,b}"),
    *("#{=5;E:@evil}", "#{;E:@evil}", "#{E;=5:@evil}", "#{?pane_id,#(touch {canary}),}", "#{E:#{@again}}"),
    "#{s/#}/x/;E:#{s/Q/##/:#{l:Q}}(touch {canary})}",
    "#{s/x#}/y/;E:@evil}",
    "#{?#{s/#}/x/;E:@evil},a,b}",
    "#{==:#{T;=/#}/9/x:@evil},}",
    "#{N/#{E:@evil}:x}",
    "#{S:" * 14 + "x" + "}" * 14,
    "#{W:#{P:#{S:#{W:x}}}}",
    "#{L:#{E:@evil}}",
    "#{m/r:((a*)*)*\\1b," + "a" * 40 + "}",
    "#{s/(a|aa)+$/x/:#{pane_title}}",
    "#{C/r:(a|aa)+$}",
    *("#{p2000000000:x}", "#{p-2000000000:x}", "#{R:x,2000000000}", "#{e|*|9:9,9}", "#{e|^:9,9999999}"),
    *(
        "#{=/9/#(touch {canary}):@evil}",
        "#{t/f/#(touch {canary}):start_time}",
        "#{l:#(touch {canary})}",
        "#{a:40}",
    ),
    *(
        "#{q:@evil}",
        "#{d:pane_current_path}",
        "#{b:x}",
        "#{n:x}",
        "#{w:x}",
        "#{c:red}",
        "#{I:x}",
        "#{A:x}",
        "#{!:x}",
    ),
    *(
        "#{?pane_id}",
        "#{?pane_id,a}",
        "#{?pane_id,a,b,c}",
        "#{?,a,b}",
        "#{==:a}",
        "#{==}",
        "#{",
        "#{pane_id",
        "#",
    ),
    *("#[fg=red]x", "#x", "#\n", "#{pane_id\n}", "#{ pane_id }", "#{@}", "#{-x}", "#{a b}", "#{#{pane_id}}"),
    *("#{status-format[00]}", "#{status-format[-1]}", "#{status-format[\u0660]}", "#{\u0440ane_id}"),
    *("\0", "a\0#(touch {canary})", "#{pane_id}" * 201, "##" * 201, "x" * 4097),
    "#{?a," * 9 + "x" + ",}" * 9,
    "#{?a," * 500 + "x" + ",}" * 500,
    "#" * 4095,
)

ACCEPTED = {
    "zoomed=#{window_zoomed_flag} dead=#{pane_dead}": "zoomed=0 dead=0",
    "#{pane_at_bottom}#{pane_at_right}": "11",
    "#S #D ##x": "dev %0 #x",
    "##(touch {canary})": "#(touch {canary})",
    "100% %H:%M %% #{?pane_id,%d #{?pane_id,%d %%,},}": "100% %H:%M %% %d %d %%",
    "#{@plain}": "100% plain",
    "#{@evil}": "#(touch {canary})",
    "#{@again}|#{EVIL}|#{pane_title}": "#{E:@evil}|#(touch {canary})|#(touch {canary})",
    "#{?pane_dead,dead,#{?#{==:#{pane_id},%0},the first,another}}": "the first",
    "#{?#{&&:#{pane_id},#{||:#{pane_dead},0}},a#,b#},c}": "c",
    "#{no_such_variable}": "",
    "#{<:a,b}#{>=:a,b}#{!=:x,x}": "100",
    "line\n#{session_name}\ttab": "line\ndev\ttab",
}


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrappedServer]:
    folder = tmp_path_factory.mktemp("formats")
    lab = Lab(folder)
    yield TrappedServer(lab, folder)
    lab.end()


@pytest.fixture(scope="module")
def other(trapped: TrappedServer) -> Iterator[TwoClients]:
    with two_clients(trapped.lab) as other:
        yield other


@pytest.fixture(scope="module", params=["readonly", "mutating"])
def client(request: pytest.FixtureRequest, trapped: TrappedServer) -> Iterator[RawClient]:
    with mcp_server(trapped.lab, safety=request.param) as client:
        yield client


def test_hostile_spellings_are_refused_and_nothing_happens(
    client: RawClient, trapped: TrappedServer, other: TwoClients
) -> None:
    for text in HOSTILE:
        with pytest.raises(ToolError, match="bad_input"):
            client.call(
                "display_message", format_string=text.replace("{canary}", str(trapped.canary)), target="%0"
            )
        other.answered()
        trapped.nothing_ran()
    trapped.check()


def test_a_modifier_is_refused_by_its_name(client: RawClient) -> None:
    with pytest.raises(ToolError, match="the modifier 'E' can't be used: it expands its text again"):
        client.call("display_message", format_string="#{E:@evil}")
    with pytest.raises(ToolError, match=r"the modifier 'p' can't be used.*Use #\{name\}"):
        client.call("display_message", format_string="x#{?pane_id,#{p9:x},}")


def test_what_is_asked_is_answered_exactly(client: RawClient, trapped: TrappedServer) -> None:
    for text, value in ACCEPTED.items():
        asked, expected = (one.replace("{canary}", str(trapped.canary)) for one in (text, value))
        assert client.text("display_message", format_string=asked, target="%0") == expected
    trapped.check()


def test_a_long_answer_is_cut_and_says_so(client: RawClient, trapped: TrappedServer) -> None:
    lab = trapped.lab
    lab.tmux("set-option", "-t", "spare", "@long", "x" * 4000)
    answer = client.text("display_message", format_string="#{@long}" * 200, target="spare")
    assert answer == "x" * MOST_REPLY + f"\n[cut: the text is longer than {MOST_REPLY} characters]"
    lab.tmux("set-option", "-u", "-t", "spare", "@long")


def test_a_pane_that_is_gone_is_said(client: RawClient) -> None:
    with pytest.raises(ToolError, match="no pane %99"):
        client.call("display_message", format_string="literal", target="%99")


def test_the_trap_works(lab: Lab, tmp_path: Path) -> None:
    trapped = TrappedServer(lab, tmp_path)
    trapped.check()

    def sprung() -> bool:  # tmux ends what a format runs together with the client that asked for it.
        lab.tmux("display-message", "-p", "#{E:@evil}")
        return trapped.canary.exists()

    eventually(sprung)
    with pytest.raises(AssertionError):
        trapped.check()
    trapped.canary.unlink()
    lab.tmux("set-option", "-g", "mouse", "on")
    with pytest.raises(AssertionError):
        trapped.check()
    trapped.check(but={"mouse"})


AT_A_TIME = 250
LONG = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.mark.parametrize("count", [2_500, pytest.param(100_000, marks=LONG)])
def test_generated_formats_run_nothing(lab: Lab, tmp_path: Path, count: int) -> None:
    """At least a fifth is accepted. tmux expands these as we write them, and agrees with us on the values."""
    trapped = TrappedServer(lab, tmp_path)
    accepted: list[int] = []

    @settings(max_examples=count // AT_A_TIME, phases=[Phase.generate])
    @given(random=st.randoms(use_true_random=True))
    def expand_some(random: Random) -> None:
        maker = Maker(random, str(trapped.canary))
        formats = list(filter(None, (tried(maker.format()) for _ in range(AT_A_TIME))))
        agree(clients, formats)
        accepted.append(len(formats))
        trapped.nothing_ran()

    with two_clients(lab) as clients:
        expand_some()
    assert len(accepted) * AT_A_TIME >= count
    assert sum(accepted) >= count / 5
    trapped.check()


def tried(text: str) -> Format | None:
    try:
        return parse_format(text)
    except BadInput:
        return None


def agree(clients: TwoClients, formats: list[Format]) -> None:
    """tmux expands each format as it is written, and each variable in them."""
    names = list(dict.fromkeys(name for format_ in formats for name in format_.names()))
    asked = [*(f"#{{{name}}}" for name in names), *(format_.write() for format_ in formats)]
    replies = clients.run([["display-message", "-p", "-t", "%0", "--", text] for text in asked])
    values = {name: reply.text for name, reply in zip(names, replies, strict=False)}
    for format_, reply in zip(formats, replies[len(names) :], strict=True):
        written = format_.write()
        if "%" not in written and "##[" not in written:  # There tmux inserts the time, and keeps a style.
            assert reply.text == format_.value(values), written

    async def ours(server: TmuxServer) -> None:
        for format_ in formats[::5]:
            assert await expand(server, format_.write(), "%0") == format_.value(values)

    clients.call(ours)
