"""Arguments that are long, or many: at readonly no call keeps muxpilot from answering others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab import Lab
from tests.mcp.client import RawClient, ToolError, mcp_server

LONG = "\u0130" * 300_000
"""A letter that takes long to write without case."""
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "sockets": ("list_servers", {"extra_socket_paths": [f"/tmp/none/{one}" for one in range(50_000)]}),
    "deep sockets": ("list_servers", {"extra_socket_paths": ["/" + "a/" * 2000] * 2000}),
    "few deep sockets": ("list_servers", {"extra_socket_paths": ["/" + "a/" * 500_000] * 2}),
    "deep server": ("get_server_info", {"server": "/" + "a/" * 500_000}),
    "filter": ("list_panes", {"filters": {"pane_title__icontains": LONG}}),
    "other filter": ("list_sessions", {"filters": {"session_name__istartswith": LONG}}),
    "names": ("list_panes", {f"a{one}": 1 for one in range(100_000)}),
    "wrong operations": ("batch_read", {"operations": [1] * 1_000_000}),
    "operations": ("batch_read", {"operations": [{"tool": "list_panes", "arguments": {}}] * 200_000}),
    "patterns": ("wait_for_text", {"target": "%0", "patterns": [5] * 300_000}),
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    lab = Lab(tmp_path_factory.mktemp("f"))
    try:
        lab.new_session("main", "cat")
        for number in range(100):
            lab.tmux("new-session", "-d", "-s", f"s{number}", "cat")
        with mcp_server(lab, safety="readonly") as client:
            client.call("list_panes")
            yield client
    finally:
        lab.end()


@pytest.mark.parametrize("name", CALLS)
def test_what_is_long_or_many_is_answered_at_once(reader: RawClient, name: str) -> None:
    """While such a call is under way nobody else is answered, so the whole call counts."""
    tool, given = CALLS[name]
    number = reader.start("tools/call", {"name": tool, "arguments": given})
    sent = time.monotonic()
    answer = reader.wait(number)
    assert time.monotonic() - sent < 1
    assert len(str(answer)) < 60_000
    assert reader.request("ping") == {}


@pytest.mark.parametrize("given", [{}, {"extra_socket_paths": None}, {"extra_socket_paths": ["/none"] * 20}])
def test_few_are_looked_at(reader: RawClient, given: dict[str, Any]) -> None:
    assert [row["socket_name"] for row in reader.call("list_servers", **given)["servers"]] == ["lab"]


@pytest.mark.parametrize("wrong", [[], [1] * 1000, {}, {"a": 1}])
def test_a_list_in_place_of_a_number_is_said_to_be_one(reader: RawClient, wrong: object) -> None:
    for tool, given in (("list_commands", {"limit": wrong}), ("wait_for_text", {"timeout": wrong})):
        with pytest.raises(ToolError, match=r"valid (integer|number)"):
            reader.call(tool, target="%0", **({"pattern": "x"} if tool == "wait_for_text" else {}), **given)
