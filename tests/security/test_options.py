"""Options: exact names, values that run nothing, and the tier that each needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from muxpilot.errors import BadInput
from muxpilot.terminal.option_policy import check_setting
from muxpilot.terminal.option_table import BY_NAME, GROUPS, HOOKS, Kind, base_name, can_end_sessions
from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server
from tests.security.canaries import TrappedServer, TwoClients, two_clients
from tests.security.generated import Maker
from tests.tmux.people import person_attached

POWERFUL = sorted(name for group in GROUPS if group.kind is Kind.POWERFUL for name in group.names)
FORMATS = sorted(name for group in GROUPS if group.kind is Kind.FORMAT for name in group.names)
STYLES = sorted(name for group in GROUPS if group.kind is Kind.STYLE for name in group.names)
RUN = "run-shell 'touch {canary}'"

NO_NAMES = (
    *(
        "session-create",
        "session-created",
        "session-created[0]",
        "after-new-w",
        "after-new-window",
        "after-",
        "pane-di",
    ),
    *("client-att", "alert-bell[1]", "window-link", "session", "pane", "a", "command-error", "command-err"),
    *(
        "mous",
        "status-l",
        "history-limi",
        "remain",
        "default-com",
        "lock-c",
        "command-a",
        "editor ",
        " mouse",
        "Mouse",
    ),
    *(
        "mouse\n",
        "mouse\x00",
        "-g",
        "-g mouse",
        "--",
        "",
        "@",
        "@a b",
        "@a;b",
        "@#{pane_id}",
        "#{@evil}",
        "mouse[0]",
    ),
    *(
        "status-format[00]",
        "status-format[+1]",
        "status-format[ 1]",
        "status-format[\u0663]",
        "status-format[-1]",
    ),
    *("status-format[1", "status-format[]", "status-format[0][1]", "status-format[99999]", "\uff4douse"),
    *("display-panes-color", "no-such-option", "x" * 200, "@" + "x" * 200),
    *("@muxpilot", "@muxpilot_terminal", "@muxpilotx", "@muxpilot[0]"),
)
BAD_VALUES = (
    *(
        "#(touch {canary})",
        "x ##(touch {canary})",
        "####(touch {canary})",
        "#{E:@evil}",
        "#{T:@evil}",
        "#{?pane_id,#(touch {canary}),}",
    ),
    *(
        "#{s/#}/x/;E:#{s/Q/##/:#{l:Q}}(touch {canary})}",
        "#{S:#{W:#{P:x}}}",
        "#{p2000000000:x}",
        "#{m/r:(a*)*\\1,b}",
    ),
    *(
        "#{l:#(touch {canary})}",
        "#[fg=red,#(touch {canary})]",
        "#[#{E:@evil}]",
        "fg=#{E:@evil}",
        "%#{pane_id}",
        "%-##(touch {canary})",
    ),
    *("a\x1b]0;x\x07", "a\nb", "a\x9bb", "#", "a#", "x" * 4097, "#{pane_id}" * 201),
)


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrappedServer]:
    folder = tmp_path_factory.mktemp("options")
    lab = Lab(folder)
    yield TrappedServer(lab, folder)
    lab.end()


@pytest.fixture(scope="module")
def client(trapped: TrappedServer) -> Iterator[RawClient]:
    with mcp_server(trapped.lab, safety="mutating") as client:
        yield client


@pytest.fixture(scope="module")
def powerful(trapped: TrappedServer) -> Iterator[RawClient]:
    with mcp_server(trapped.lab, safety="destructive") as client:
        yield client


def test_only_whole_names_of_options_are_set(
    client: RawClient, powerful: RawClient, trapped: TrappedServer
) -> None:
    """Hooks, beginnings of names, and our own options: at no tier."""
    for name in NO_NAMES:
        for one in (client, powerful):
            with pytest.raises(ToolError, match="bad_input"):
                one.call("set_option", option=name, value=RUN.replace("{canary}", str(trapped.canary)))
    trapped.check()


@pytest.mark.parametrize("hook", HOOKS)
def test_no_beginning_of_a_hook_is_set(powerful: RawClient, trapped: TrappedServer, hook: str) -> None:
    value = RUN.replace("{canary}", str(trapped.canary))
    for length in range(1, len(hook) + 1):
        with pytest.raises(ToolError, match="bad_input"):
            powerful.call("set_option", option=hook[:length], value=value)
    trapped.check()


def test_powerful_options_need_the_destructive_tier(client: RawClient, trapped: TrappedServer) -> None:
    for name in POWERFUL:
        for option in (name, f"{name}[0]"):
            with pytest.raises(
                ToolError, match=f"{name} needs the destructive tier, because it .*=destructive"
            ):
                client.call("set_option", option=option, value="on")
    trapped.check()


def test_values_that_could_run_something_are_refused(client: RawClient, trapped: TrappedServer) -> None:
    harmless = sorted(set(BY_NAME) - {*POWERFUL})
    for option in [*harmless, "status-format[0]", "pane-colours[0]", "@mine", "@evil"]:
        for value in BAD_VALUES:
            if BY_NAME.get(option, BY_NAME["status-left"]).kind is Kind.PLAIN and value in {"#", "a#"}:
                continue  # Text like any other, where nothing is expanded.
            with pytest.raises(ToolError, match="bad_input"):
                client.call("set_option", option=option, value=value.replace("{canary}", str(trapped.canary)))
    trapped.check()


@pytest.mark.parametrize(
    ("option", "value", "where"),
    [
        ("history-limit", "50000", {}),
        ("mouse", "on", {}),
        ("status-left", "#[fg=green,bold]#S #{?client_prefix,^,} ##%H:%M", {}),
        ("status-right", "#{?#{==:#{session_name},dev},#[fg=red#,bold]yes,no} 100%%", {"target": "dev"}),
        ("status-format[1]", "#[align=centre]#{pane_title}", {}),
        ("window-status-current-format", "#I:#W#F", {}),
        ("pane-border-format", "#{pane_index} #{@plain}", {"scope": "window", "target": "dev"}),
        ("set-titles-string", "#S:#W", {}),
        ("status-style", "fg=#ff0000,bg=default", {}),
        ("window-active-style", "bg=#{?pane_dead,red,default}", {"scope": "pane", "target": "%0"}),
        ("default-size", "100x30", {}),
        ("word-separators", " -_@#$%", {}),
        ("main-pane-width", "50%", {}),
        ("remain-on-exit", "on", {"scope": "window", "target": "spare"}),
        ("@mine", "any text; with 100% of 'it' \"all\" \\ $HOME", {}),
        ("@mine", "#[fg=red]#{pane_id}", {"scope": "pane", "target": "%0"}),
    ],
)
def test_harmless_options_are_set(
    lab: Lab, tmp_path: Path, option: str, value: str, where: dict[str, str]
) -> None:
    trapped = TrappedServer(lab, tmp_path)
    with mcp_server(lab) as client, person_attached(lab, "dev", 80, 24):
        client.call("set_option", option=option, value=value, **where)
        assert client.call("show_option", option=option, **where)["value"] == value
    trapped.check(but={base_name(option)})


def test_a_smaller_limit_takes_no_history_from_panes(lab: Lab) -> None:
    lab.new_session("dev", "sh", "-c", "seq 500; exec cat")
    size = ["display-message", "-p", "-t", "dev", "#{history_size}"]
    eventually(lambda: int(lab.tmux(*size)) > 450)
    before = lab.tmux(*size)
    with mcp_server(lab) as client, suppress(ToolError):  # Refused where tmux would take it at once.
        client.call("set_option", option="history-limit", value="10", target="dev")
    assert lab.tmux(*size) == before


def test_whole_arrays_are_not_split(client: RawClient, trapped: TrappedServer) -> None:
    for name in ("status-format", "pane-colours"):
        with pytest.raises(ToolError, match=r"Set one of them, for example .*\[0\]"):
            client.call("set_option", option=name, value="a#,b")
    trapped.check()


def test_the_destructive_tier_sets_what_it_says(lab: Lab, tmp_path: Path) -> None:
    trapped = TrappedServer(lab, tmp_path)
    with mcp_server(lab, safety="destructive") as client:
        client.call("set_option", option="default-command", value="sh", target="spare")
        client.call("set_option", option="command-alias[7]", value="hi=display-message hi")
        client.call("set_option", option="@mine", value="#(date)")
    assert lab.tmux("show-options", "-v", "-t", "spare", "default-command") == "sh"
    trapped.check(but={"command-alias", "default-command", "@mine"})


def test_readonly_sets_nothing(trapped: TrappedServer) -> None:
    with mcp_server(trapped.lab, safety="readonly") as client, pytest.raises(ToolError):
        client.call("set_option", option="mouse", value="on")
    trapped.check()


def test_only_whole_names_are_read(client: RawClient) -> None:
    assert client.call("show_option", option="mouse")["value"] == "off"
    assert client.call("show_option", option="status-format[1]")["value"]
    for name in ("mous", "history-l", "session-create", "default-shel", "status-format[01]", "m"):
        with pytest.raises(ToolError, match="bad_input"):
            client.call("show_option", option=name)
    with pytest.raises(ToolError, match="Did you mean mouse"):
        client.call("show_option", option="mous")


def test_only_whole_names_of_hooks_are_read(client: RawClient) -> None:
    assert client.call("show_hook", hook_name="after-new-window")["entries"] == []
    for name in (
        "after-new-w",
        "pane-die",
        "mouse",
        "status-left",
        "after-",
        "",
        "-g",
        "pane-died[0]",
        "@mine",
    ):
        with pytest.raises(ToolError, match="no hook"):
            client.call("show_hook", hook_name=name)


@pytest.mark.parametrize(
    "name", ["A B", "A=B", "-g", "", "1A", "A\n", "\u0410", "A\u0663", "x" * 129, "A;B", "A$B"]
)
def test_a_variable_has_a_plain_name(client: RawClient, trapped: TrappedServer, name: str) -> None:
    with pytest.raises(ToolError, match="bad_input"):
        client.call("set_environment", name=name, value="x")
    trapped.check()


def test_a_variable_leaves_programs_able_to_start(client: RawClient, trapped: TrappedServer) -> None:
    with pytest.raises(ToolError, match="too long"):
        client.call("set_environment", name="LONG", value="x" * 140_000)
    trapped.check()


def test_every_option_of_this_tmux_is_decided(trapped: TrappedServer) -> None:
    listed = {
        base_name(line.partition(" ")[0])
        for scope in ("-s", "-g", "-gw")
        for line in trapped.lab.tmux("show-options", scope).split("\n")
    }
    assert {name for name in listed if not name.startswith("@")} <= BY_NAME.keys()
    hooks = {
        base_name(line.partition(" ")[0])
        for scope in ("-g", "-gw")
        for line in trapped.lab.tmux("show-hooks", scope).split("\n")
    }
    assert {name for name in hooks if not name.startswith(("after-", "alert-"))} <= {*HOOKS}


def test_each_option_is_in_one_group() -> None:
    assert len(BY_NAME) == sum(len(group.names) for group in GROUPS)
    assert not {*BY_NAME} & {*HOOKS}
    assert not [name for name in BY_NAME if any(hook.startswith(name) for hook in HOOKS)]
    assert {name for name in BY_NAME if can_end_sessions(name)} == {"destroy-unattached", "exit-unattached"}


AT_A_TIME = 100
LONG = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=LONG)])
def test_generated_settings_run_nothing(lab: Lab, tmp_path: Path, count: int) -> None:
    """What is accepted at mutating is set while a person watches, and expanded; hooks and all else stay."""
    trapped = TrappedServer(lab, tmp_path)
    accepted: list[tuple[str, str]] = []
    tried: list[int] = []

    @settings(max_examples=count // AT_A_TIME, phases=[Phase.generate])
    @given(random=st.randoms(use_true_random=True))
    def set_some(random: Random) -> None:
        maker = Maker(random, str(trapped.canary))
        options = [maker.option() for _ in range(AT_A_TIME)]
        pairs = [pair for option in options if (pair := checked(option, maker.value(option)))]
        set_and_expand(clients, pairs)
        accepted.extend(pairs)
        tried.append(AT_A_TIME)
        trapped.nothing_ran()

    with two_clients(lab) as clients, person_attached(lab, "dev", 80, 24):
        set_some()
    assert sum(tried) >= count
    assert len(accepted) >= count / 5
    names = {base_name(option) for option, _ in accepted}
    assert not names & {*POWERFUL}
    trapped.check(but=names)


def checked(option: str, value: str) -> tuple[str, str] | None:
    try:
        return option, check_setting(option, value, is_destructive=False)
    except BadInput:
        return None


def set_and_expand(clients: TwoClients, pairs: list[tuple[str, str]]) -> None:
    """As tmux itself expands these: for the status line, and with the time."""
    commands: list[list[str]] = []
    for option, value in pairs:
        commands.append(["set-option", "-g", "--", option, value])
        commands.extend(["display-message", "-p", "--", f"#{{{how}:{option}}}"] for how in "ET")
    clients.run([*commands, ["refresh-client", "-S"]])


@pytest.mark.parametrize("value", ["+10", " 10", "-0", "10 ", "0x10", "\uff11\uff10"])
def test_a_history_limit_is_plain_digits(value: str) -> None:
    """tmux takes some of these for numbers. They would pass by the comparison with what panes hold."""
    with pytest.raises(BadInput, match="is not a value for history-limit"):
        check_setting("history-limit", value, is_destructive=False)
    assert check_setting("history-limit", "50000", is_destructive=False) == "50000"


def test_what_is_drawn_again_and_again_names_few_variables(lab: Lab) -> None:
    """Each may hold 32 KB: two hundred of them in five status lines stop tmux for seconds, every second."""
    lab.new_session("main", "cat")
    long = "#{LONG}" * 26
    with mcp_server(lab) as client:
        client.call("set_environment", name="LONG", value="y" * 32_000)
        for value in (long, "#{?a,x," * 6 + "#S" * 26 + "}" * 6, "#[fg=#{LONG}]" * 26):
            for option in ("status-format[0]", "pane-border-format", "@mine"):
                with pytest.raises(ToolError, match="names more than 25 variables"):
                    client.call("set_option", option=option, value=value)
        client.call("set_option", option="status-format[0]", value="#{LONG}" * 25)
    assert lab.tmux("show-options", "-gv", "status-format[0]") == "#{LONG}" * 25
