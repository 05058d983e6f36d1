"""A tool that ends or renames something takes only an id or name of its own kind, as tmux prints it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import Lab
from tests.mcp.client import RawClient, ToolError, mcp_server

WIDER = {
    "kill_session": ("%0", "@0", "main:0", "main:0.0", "main:first", "%0 ", "$0:0", "@0.0"),
    "kill_window": ("%0", "$0", "main", "main:", "main:0.0", "@0.0", "=main", "main:0.{active}"),
    "kill_pane": ("@0", "$0", "main", "main:0", "main:first", "=main", ":", "$0:"),
    "respawn_pane": ("@0", "$0", "main", "main:0", "main:first", ":", "main:"),
    "rename_session": ("%0", "@0", "main:0", "main:0.0"),
}
SPELLINGS = ("{}0{}", "{} {}", "{}+{}", "{}{} ", " {}{}", "{}{}x", "{}0x{}", "{}-{}", "{}{}\n", "={}0{}")
FOREIGN_DIGITS = ("%٠", "@٠", "$٠", "%０", "%²", "%99999999999", "%1e0")  # noqa: RUF001 (on purpose)


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    """Session main with windows @0 (panes %0 and %1) and @1; session other."""
    lab.new_session("main", "cat")
    lab.tmux("rename-window", "-t", "@0", "first")
    lab.tmux("split-window", "-d", "-t", "%0", "cat")
    lab.tmux("new-window", "-d", "-t", "main", "cat")
    lab.new_session("other", "cat")
    with mcp_server(lab, safety="destructive", toolsets="full,classic") as client:
        yield client


def world(lab: Lab) -> str:
    return lab.tmux("list-panes", "-a", "-F", "#{session_name} #{window_id} #{pane_id} #{pane_pid}")


@pytest.mark.parametrize(("tool", "target"), [(tool, one) for tool, all_ in WIDER.items() for one in all_])
def test_another_kind_is_refused(client: RawClient, lab: Lab, tool: str, target: str) -> None:
    before = world(lab)
    more = {"new_name": "renamed"} if tool == "rename_session" else {}
    with pytest.raises(ToolError) as refused:
        client.call(tool, target=target, **more)
    assert refused.value.condition in {"bad_target", "not_found", "ambiguous"}
    assert world(lab) == before


def test_the_refusal_says_which_tool_is_meant(client: RawClient) -> None:
    for tool, target, meant in (
        ("kill_session", "%0", "kill_pane"),
        ("kill_session", "@0", "kill_window"),
        ("kill_window", "%0", "kill_pane"),
        ("kill_window", "main", "kill_session"),
        ("kill_pane", "@0", "kill_window"),
        ("kill_pane", "main", "kill_session"),
    ):
        with pytest.raises(ToolError, match=meant):
            client.call(tool, target=target)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_id_has_one_spelling(client: RawClient, lab: Lab, spelling: str) -> None:
    before = world(lab)
    targets = {"kill_pane": "%", "kill_window": "@", "kill_session": "$", "respawn_pane": "%"}
    for tool, sign in targets.items():
        with pytest.raises(ToolError) as refused:
            client.call(tool, target=spelling.format(sign, "1"))
        assert refused.value.condition in {"bad_target", "not_found"}
    assert world(lab) == before


@pytest.mark.parametrize("target", FOREIGN_DIGITS)
def test_only_plain_digits_are_digits(client: RawClient, lab: Lab, target: str) -> None:
    before = world(lab)
    for tool in ("kill_pane", "kill_window", "kill_session", "capture_pane", "get_pane_info"):
        with pytest.raises(ToolError):
            client.call(tool, target=target)
    with pytest.raises(ToolError):
        client.call("capture_since", cursor=f"{target}.1.a")
    with pytest.raises(ToolError):
        client.call("move_window", target="@1", destination_index="²")
    with pytest.raises(ToolError):
        client.call("split_window", target="%0", size="٣")
    assert world(lab) == before


def test_its_own_kind_ends_and_nothing_else(client: RawClient, lab: Lab) -> None:
    client.call("kill_pane", target="main:0.1")
    assert "%1" not in world(lab)
    client.call("kill_window", target="main:first")
    assert "@0" not in world(lab)
    client.call("kill_session", target="other")
    assert world(lab).split("\n") == [row for row in world(lab).split("\n") if row.startswith("main @1 %2")]


def test_a_classic_kill_by_name_means_what_tmux_means_by_it(client: RawClient, lab: Lab) -> None:
    with pytest.raises(ToolError):
        client.call("tmux_kill", target="%0", type="session")
    with pytest.raises(ToolError):
        client.call("tmux_kill", target="$0")
    client.call("tmux_kill", target="other")  # kill-pane -t other: its active pane, here the only one.
    assert "other" not in world(lab)
    client.call("tmux_kill", target="main:0", type="session")
    assert "main" not in lab.try_tmux("list-sessions").stdout
