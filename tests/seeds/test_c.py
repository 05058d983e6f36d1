"""Document C: libtmux-mcp's pages. Every call that they print works here as it stands there.

The calls are a table (c_pages, c_recipes); what is printed about tiers, hints and settings is tested here.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import TMUX, Lab
from tests.mcp.client import Json, RawClient, ToolError, mcp_server
from tests.seeds import c_pages, c_recipes
from tests.seeds.c_stages import Player, Row, Stage, agrees, facts, text

pytestmark = pytest.mark.xdist_group("seed_c")

STAGES: dict[str, Stage] = {
    "alone": c_pages.ALONE,
    "dev": c_pages.DEV,
    "tiled": c_recipes.TILED,
    "fresh": c_recipes.FRESH,
    "sockets": c_recipes.SOCKETS,
    "prompts": c_recipes.PROMPTS,
    "workspace": c_recipes.WORKSPACE,
    "recipes": c_recipes.RECIPES,
}
DESTRUCTIVE = {"LIBTMUX_SAFETY": "destructive"}

JSON_BLOCKS = (
    *(1432, 1878, 1920, 1945, 1988, 2022, 2050, 2088, 2128, 2170, 2326, 2353, 2383, 2397, 2421, 2474, 2483),
    *(2494, 2533, 2595, 2639, 2663, 2719, 2773, 2847, 2880, 2920, 2961, 3038, 3071, 3097, 3122, 3151, 3180),
    *(3208, 3239, 3265, 3304, 3324, 3381, 3406, 3454, 3485, 3525, 3550, 3615, 3639, 3693, 3729, 3764, 3801),
    *(3837, 4042, 4048, 4049, 4053, 4054, 4055, 4079),
)
"""The lines at which the document prints `"tool":`."""

INSPECT = (
    *("list_sessions", "list_windows", "list_panes", "capture_pane", "capture_since", "get_pane_info"),
    *("find_pane_by_position", "search_panes", "wait_for_text", "get_server_info", "list_servers"),
    *("show_option", "show_environment", "snapshot_pane", "wait_for_content_change", "display_message"),
    *("show_buffer", "show_hooks", "show_hook", "get_session_info", "get_window_info"),
)
ACT = (
    *("create_session", "create_window", "split_window", "send_keys", "rename_session", "rename_window"),
    *("resize_pane", "resize_window", "select_layout", "set_pane_title", "clear_pane", "set_option"),
    *("set_environment", "select_pane", "select_window", "swap_pane", "move_window", "pipe_pane"),
    *("enter_copy_mode", "exit_copy_mode", "paste_text", "load_buffer", "paste_buffer"),
    *("wait_for_channel", "signal_channel", "respawn_pane"),
)
DESTROY = ("kill_session", "kill_window", "kill_pane", "kill_server", "delete_buffer")
TIERS = {"readonly": INSPECT, "mutating": INSPECT + ACT, "destructive": INSPECT + ACT + DESTROY}

HINTS = {
    (True, False, True): (
        *("list_sessions", "get_server_info", "list_windows", "list_panes", "capture_pane", "capture_since"),
        *("get_pane_info", "search_panes", "wait_for_text", "show_option", "show_environment"),
    ),
    (False, False, False): ("create_session", "create_window", "split_window", "send_keys"),
    (False, False, True): (
        *("rename_session", "rename_window", "resize_pane", "resize_window", "set_pane_title", "clear_pane"),
        *("select_layout", "set_option", "set_environment"),
    ),
    (False, True, False): ("respawn_pane", "kill_server", "kill_session", "kill_window", "kill_pane"),
}
"""(readOnlyHint, destructiveHint, idempotentHint), by the table at line 4480."""

Played = tuple[Player, list[Json | AssertionError]]
Play = Callable[[str], Played]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """A stage with the answers to all its rows; each stage is played once."""
    played: dict[str, Played] = {}

    def once(name: str) -> Played:
        if name not in played:
            player = Player(STAGES[name], tmp_path_factory.mktemp(name))
            played[name] = player, player.play()
        return played[name]

    return once


@functools.cache
def old_tmux() -> bool:
    return subprocess.run([TMUX, "-V"], capture_output=True, text=True, check=True).stdout.split()[1] < "3.3"


def missing(row: Row) -> str:
    return row.wrong or (row.wrong_on_old if old_tmux() else "")


def every_row() -> list[Any]:
    return [
        pytest.param(
            stage,
            number,
            id=f"{stage}-{number}-line-{row.line}",
            marks=[
                pytest.mark.xdist_group(f"document C, {stage}"),
                *([pytest.mark.xfail(strict=True, reason=why)] if (why := missing(row)) else []),
            ],
        )
        for stage, found in STAGES.items()
        for number, row in enumerate(found.rows)
    ]


@pytest.mark.parametrize(("stage", "number"), every_row())
def test_the_call_works_as_printed(play: Play, stage: str, number: int) -> None:
    player, answers = play(stage)
    row, answer = STAGES[stage].rows[number], answers[number]
    if isinstance(answer, AssertionError):
        raise answer
    if row.refused:
        assert re.fullmatch(row.refused, answer["_meta"]["condition"]), answer
        return
    assert not answer.get("isError"), text(answer)
    check(player.mapped(row.has), answer)


def check(has: Any, answer: Json) -> None:
    if isinstance(has, str | tuple):
        said = text(answer) or facts(answer)
        for part in [has] if isinstance(has, str) else has:
            assert part in said
        return
    assert agrees(has, facts(answer)), (has, facts(answer))


def rows() -> list[Row]:
    return [row for stage in STAGES.values() for row in stage.rows]


def test_every_json_block_is_a_row() -> None:
    assert len(JSON_BLOCKS) == 59
    assert sorted(row.line for row in rows() if row.call.startswith("{")) == list(JSON_BLOCKS)


def test_every_tool_is_called() -> None:
    called = {row.parsed()[0] for row in rows() if not row.call.startswith(("tmux://", "prompt "))}
    assert called == set(TIERS["destructive"])


def listed(client: RawClient) -> dict[str, Json]:
    return {one["name"]: one for one in client.request("tools/list")["tools"]}


@pytest.mark.parametrize("setting", [*TIERS, ""])
def test_a_tier_has_the_tools_that_the_index_sorts_into_it(lab: Lab, setting: str) -> None:
    """Without a setting the tier is mutating."""
    lab.environ["LIBTMUX_SAFETY"] = setting
    tier = setting or "mutating"
    with mcp_server(lab) as client:
        offered = set(listed(client)) & set(TIERS["destructive"])
        assert offered == set(TIERS[tier])
        for tool in set(TIERS["destructive"]) - offered:
            with pytest.raises(ToolError, match=f"{tool} is not allowed: the tier is {tier}"):
                client.call(tool)


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    """A server that allows everything, with two sessions."""
    lab = Lab(tmp_path_factory.mktemp("free"))
    lab.environ |= DESTRUCTIVE
    lab.new_session("dev-1", "cat")
    lab.new_session("other", "cat")
    with mcp_server(lab) as client:
        yield client
    lab.end()


def hints(client: RawClient, *names: str) -> dict[str, tuple[bool, ...]]:
    """What clients take each tool for: what is not said is as the protocol assumes."""
    assumed = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
    harmless = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
    told = {name: {**assumed, **one["annotations"]} for name, one in listed(client).items()}
    told = {name: harmless if one["readOnlyHint"] else one for name, one in told.items()}
    return {tool: tuple(told[tool][name] for name in names) for tools in HINTS.values() for tool in tools}


def test_what_reads_and_what_destroys_is_hinted_as_printed(free: RawClient) -> None:
    printed = {tool: flags[:2] for flags, tools in HINTS.items() for tool in tools}
    assert hints(free, "readOnlyHint", "destructiveHint") == printed


def test_what_may_be_repeated_is_hinted_as_printed(free: RawClient) -> None:
    printed = {tool: flags[2:] for flags, tools in HINTS.items() for tool in tools}
    assert hints(free, "idempotentHint") == printed


def test_every_tool_but_list_servers_takes_a_socket_name(free: RawClient) -> None:
    for tool in set(TIERS["destructive"]) - {"list_servers"}:
        with pytest.raises(ToolError, match="unknown argument 'nonsense'") as refused:
            free.call(tool, socket_name="ai_workspace", nonsense=1)
        assert "unknown argument 'socket_name'" not in str(refused.value), tool


def test_a_socket_by_name_isolates(lab: Lab) -> None:
    """Lines 104 and 117: the settings of the example, on a socket that somebody has a session on."""
    lab.new_session("personal", "cat")
    lab.tmux("-L", "ai_workspace", "new-session", "-d", "-s", "test", "cat")
    lab.environ |= {"LIBTMUX_SOCKET": "ai_workspace", "LIBTMUX_SAFETY": "readonly"}
    try:
        with mcp_server(lab, socket="") as client:
            (found,) = client.call("list_sessions")["sessions"]
            assert found["session_name"] == "test"
            assert "send_keys" not in listed(client)
            (found,) = client.call("list_sessions", socket_name="lab")["sessions"]
            assert found["session_name"] == "personal"
    finally:
        lab.try_tmux("-L", "ai_workspace", "kill-server")


def test_a_socket_by_path_and_another_tmux_program(lab: Lab, tmp_path: Path) -> None:
    """Lines 85 and 90, and the variables of lines 4198 and 4581 do no harm."""
    lab.new_session("personal", "cat")
    program = tmp_path / "tmux-next"
    program.symlink_to(shutil.which(TMUX) or TMUX)
    lab.environ |= {"LIBTMUX_SOCKET_PATH": str(lab.endpoint.socket_path), "LIBTMUX_TMUX_BIN": str(program)}
    lab.environ |= {"FASTMCP_LOG_LEVEL": "DEBUG", "PYTHONUNBUFFERED": "1"}
    with mcp_server(lab, socket="", tmux_bin="") as client:
        assert client.call("list_sessions")["sessions"][0]["session_name"] == "personal"
    lab.environ["LIBTMUX_TMUX_BIN"] = str(tmp_path / "none")
    with (
        mcp_server(lab, socket="", tmux_bin="") as client,
        pytest.raises(ToolError, match="tmux_not_installed"),
    ):
        client.call("list_sessions")


def test_prompts_as_tools(lab: Lab) -> None:
    lab.environ["LIBTMUX_MCP_PROMPTS_AS_TOOLS"] = "1"
    with mcp_server(lab) as client:
        names = {one["name"] for one in client.call("list_prompts")["prompts"]}
        assert names == {
            *("run_and_wait", "diagnose_failing_pane", "build_dev_workspace", "interrupt_gracefully"),
        }
        given = {"command": "pytest", "pane_id": "%1"}
        assert '"pytest"' in client.text("get_prompt", name="run_and_wait", arguments=given)


@pytest.mark.parametrize(
    "filters",
    [
        {"session_name": "dev-1"},
        {"session_name__exact": "dev-1"},
        {"session_name__contains": "v-"},
        {"session_name__startswith": "dev"},
        {"session_name__endswith": "-1"},
        {"session_name__regex": "^d.v-[0-9]$"},
        {"session_name__icontains": "DEV"},
        {"session_name__iexact": "DEV-1"},
        {"session_name__istartswith": "Dev"},
        {"session_name__iendswith": "V-1"},
        {"session_name__iregex": "^DEV"},
    ],
)
def test_filters_know_the_printed_operators(free: RawClient, filters: dict[str, str]) -> None:
    """Line 4020."""
    (found,) = free.call("list_sessions", filters=filters)["sessions"]
    assert found["session_name"] == "dev-1"


@pytest.mark.parametrize("around", ["socket and pane", "pane alone"])
def test_our_own_terminal_is_not_killed(lab: Lab, around: str) -> None:
    """Lines 4436 to 4440: also where only the pane is known, not its server."""
    lab.new_session("dev", "cat")
    lab.environ |= DESTRUCTIVE | {"TMUX_PANE": "%0"}
    if around == "socket and pane":
        lab.environ["TMUX"] = f"{lab.endpoint.socket_path},1,0"
    with mcp_server(lab) as client:
        for tool, arguments in (
            ("kill_pane", {"pane_id": "%0"}),
            ("kill_window", {"window_id": "@0"}),
            ("kill_session", {"session_name": "dev"}),
            ("kill_server", {}),
            ("respawn_pane", {"pane_id": "%0"}),
        ):
            with pytest.raises(ToolError, match="muxpilot itself runs in"):
                client.call(tool, **arguments)
        assert client.call("get_pane_info", pane_id="%0")["is_caller"] is True
