"""Resources over real stdio, in both eras: each template, its wrong twin, and names that fight back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.lab import Lab
from tests.mcp.client import LEGACY, MODERN, Json, RawClient, mcp_server

TEMPLATES = {
    "tmux://sessions{?socket_name}": "application/json",
    "tmux://sessions/{session_name}{?socket_name}": "application/json",
    "tmux://sessions/{session_name}/windows{?socket_name}": "application/json",
    "tmux://sessions/{session_name}/windows/{window_index}{?socket_name}": "application/json",
    "tmux://panes/{pane_id}{?socket_name}": "application/json",
    "tmux://panes/{pane_id}/content{?socket_name}": "text/plain",
}
NOT_FOUND = {LEGACY: -32002, MODERN: -32602}
HOSTILE = [
    *(
        "a b",
        "a/b",
        "50%",
        "%41",
        "a#b",
        "a?b=c&d",
        "tab\there",
        "ünï-👩‍👩‍👧",
        "..",
        "$7",
        "%0",
        "=main",
        "+",
    ),
    "windows",
]


@pytest.fixture(params=[LEGACY, MODERN])
def era(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def client(lab: Lab, era: str) -> Iterator[RawClient]:
    lab.new_session("main", "sh", "-c", "printf 'hello\\nthere'; exec cat")
    with mcp_server(lab, era=era) as client:
        yield client


def read(client: RawClient, uri: str) -> Json:
    (content,) = client.request("resources/read", {"uri": uri})["contents"]
    assert content["uri"] == uri
    found: Json = content
    return found


def read_json(client: RawClient, uri: str) -> Any:
    content = read(client, uri)
    assert content["mimeType"] == "application/json"
    assert content["text"] == json.dumps(
        json.loads(content["text"]), ensure_ascii=False, separators=(",", ":")
    )
    return json.loads(content["text"])


def refusal(client: RawClient, method: str, params: Json) -> Json:
    error: Json = client.wait(client.start(method, params))["error"]
    return error


def test_the_six_templates_are_listed(client: RawClient) -> None:
    listed = client.request("resources/templates/list")["resourceTemplates"]
    assert {one["uriTemplate"]: one["mimeType"] for one in listed} == TEMPLATES
    assert all(one["name"] and one["description"] for one in listed)


def test_what_can_be_read_is_announced(lab: Lab, era: str) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, era=era) as client:
        capabilities = client.greeting["capabilities"]
    assert capabilities["resources"] == {"subscribe": True, "listChanged": True}
    assert capabilities["completions"] == {}
    assert [capabilities[one].get("listChanged", False) for one in ("tools", "prompts")] == [False, False]


def test_the_listing_names_what_exists_now(client: RawClient, lab: Lab) -> None:
    lab.new_session("a/b", "cat")
    uris = [one["uri"] for one in client.request("resources/list")["resources"]]
    assert sorted(uris) == [
        "tmux://panes/%250/content",
        "tmux://panes/%251/content",
        "tmux://sessions",
        "tmux://sessions/a%2Fb",
        "tmux://sessions/main",
    ]
    for uri in uris:
        assert read(client, uri)


def test_the_listing_is_bounded(client: RawClient, lab: Lab) -> None:
    for number in range(60):
        lab.new_session(f"s{number}", "cat")
    assert len(client.request("resources/list")["resources"]) == 100


def test_sessions_are_read(client: RawClient, lab: Lab) -> None:
    lab.new_session("other", "cat")
    found = read_json(client, "tmux://sessions")
    assert [one["session_name"] for one in found["sessions"]] == ["main", "other"]
    assert found["server_running"] is True
    assert found["sessions"][0]["window_count"] == 1
    assert found["sessions"][0]["session_attached"] == 0


def test_no_server_is_said_and_not_an_empty_success(lab: Lab, era: str) -> None:
    with mcp_server(lab, era=era) as client:
        assert read_json(client, "tmux://sessions") == {"sessions": [], "server_running": False}
        assert [one["uri"] for one in client.request("resources/list")["resources"]] == ["tmux://sessions"]
        error = refusal(client, "resources/read", {"uri": "tmux://sessions/main"})
        assert error["code"] == NOT_FOUND[era]
        assert "create_session" in error["message"]


def test_a_session_is_read_with_its_windows(client: RawClient, lab: Lab) -> None:
    lab.tmux("new-window", "-d", "-t", "main:5", "-n", "second", "cat")
    found = read_json(client, "tmux://sessions/main")
    assert (found["session_name"], found["window_count"]) == ("main", 2)
    assert [one["window_index"] for one in found["windows"]] == [0, 5]
    assert read_json(client, "tmux://sessions/main/windows") == {"windows": found["windows"]}


def test_a_window_is_read_with_its_panes(client: RawClient, lab: Lab) -> None:
    lab.tmux("split-window", "-d", "-t", "main:0", "cat")
    found = read_json(client, "tmux://sessions/main/windows/0")
    assert (found["window_index"], found["pane_count"]) == (0, 2)
    assert [one["pane_id"] for one in found["panes"]] == ["%0", "%1"]
    assert found["panes"][1]["pane_current_command"] == "cat"
    assert found["panes"][1]["is_caller"] is False


def test_a_pane_is_read_however_its_id_is_written(client: RawClient) -> None:
    for written in ("%250", "%0", "0"):
        assert read_json(client, f"tmux://panes/{written}")["pane_id"] == "%0"
        content = read(client, f"tmux://panes/{written}/content")
        assert content["mimeType"] == "text/plain"
        assert content["text"] == "hello\nthere"


def test_an_id_of_two_digits_is_the_same_encoded_as_printed_or_bare(client: RawClient, lab: Lab) -> None:
    for _ in range(12):
        lab.tmux("new-window", "-d", "-t", "main:", "cat")
    for written in ("%2512", "%12", "12"):
        assert read_json(client, f"tmux://panes/{written}")["pane_id"] == "%12"


def test_another_server_is_read(client: RawClient, lab: Lab) -> None:
    path = lab.endpoint.socket_path.with_name("other")
    lab.tmux("-S", str(path), "new-session", "-d", "-s", "elsewhere", "cat")
    try:
        for query in ("socket_name=other", "server=other", f"socket_name={quote(str(path), safe='')}"):
            found = read_json(client, f"tmux://sessions?{query}")
            assert [one["session_name"] for one in found["sessions"]] == ["elsewhere"]
    finally:
        lab.tmux("-S", str(path), "kill-server")


def test_a_session_of_any_name_is_found_by_it(client: RawClient, lab: Lab) -> None:
    for name in HOSTILE:
        session_id = lab.new_session(name, "cat")
        kept = client.call("get_session_info", target=session_id)["session_name"]
        uri = f"tmux://sessions/{quote(kept, safe='')}"
        assert read_json(client, uri)["session_id"] == session_id
        assert read_json(client, f"{uri}/windows/0")["session_id"] == session_id
        assert uri in [one["uri"] for one in client.request("resources/list")["resources"]]


MISSING = (
    ("tmux://sessions/mai", "Did you mean 'main'?"),
    ("tmux://sessions/ma%2A", "no session 'ma*'"),
    ("tmux://sessions/mai/windows", "no session 'mai'"),
    ("tmux://sessions/main/windows/7", "no window 7 in session 'main'"),
    ("tmux://panes/%2599", "no pane %99"),
    ("tmux://panes/99/content", "no pane %99"),
    ("tmux://", "no resource"),
    ("tmux://nothing", "resources/templates/list"),
    ("tmux://panes", "no resource"),
    ("tmux://panes/0/contents", "no resource"),
    ("http://sessions", "no resource"),
    ("sessions", "no resource"),
)


def test_what_does_not_exist_is_not_found(client: RawClient, era: str) -> None:
    for uri, says in MISSING:
        error = refusal(client, "resources/read", {"uri": uri})
        assert error["code"] == NOT_FOUND[era]
        assert says in error["message"]
        assert error["data"] == {"uri": uri, "condition": "not_found"}


MALFORMED = (
    ("tmux://sessions?socket=x", "unknown query parameter 'socket'"),
    ("tmux://sessions?socket_name=a&server=b", "two servers"),
    ("tmux://sessions?socket_name=", "server is empty"),
    ("tmux://sessions?socket_name=..", "no socket name"),
    ("tmux://sessions/%ff", "UTF-8"),
    ("tmux://sessions/main/windows/first", "must be a number"),
    ("tmux://sessions/main/windows/-1", "must be a number"),
    ("tmux://panes/main", "no pane id"),
    ("tmux://panes/%2540x", "no pane id"),
    ("tmux://panes/%D9%A1", "no pane id"),
)


def test_what_can_not_be_a_uri_is_an_invalid_parameter(client: RawClient) -> None:
    for uri, says in MALFORMED:
        error = refusal(client, "resources/read", {"uri": uri})
        assert error["code"] == -32602
        assert says in error["message"]


def test_a_name_is_never_a_prefix(client: RawClient, lab: Lab, era: str) -> None:
    lab.new_session("development", "cat")
    assert refusal(client, "resources/read", {"uri": "tmux://sessions/dev"})["code"] == NOT_FOUND[era]
