"""One policy and one audit for everything that a client can ask: tools, resources, completion, prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muxpilot.config import Settings, Tier
from muxpilot.mcp import gate
from muxpilot.mcp.app import build
from muxpilot.mcp.audit import Audit
from muxpilot.mcp.offer import Offer
from muxpilot.mcp.resources import KINDS
from muxpilot.mcp.tools import ALL, GROUPS
from tests.lab import Lab, eventually
from tests.mcp.client import LEGACY, MODERN, Json, RawClient, mcp_server

URIS = {
    "sessions": "tmux://sessions",
    "session": "tmux://sessions/secret-name",
    "windows": "tmux://sessions/secret-name/windows",
    "window": "tmux://sessions/secret-name/windows/0",
    "pane": "tmux://panes/0",
    "content": "tmux://panes/0/content",
}
ARGUMENTS = {
    "session_name": "list_sessions",
    "session": "list_sessions",
    "window_index": "list_windows",
    "pane_id": "list_panes",
    "target": "list_panes",
    "socket_name": "list_servers",
    "server": "list_servers",
}
"""What is completed, and the tool that shows the same names."""
TEMPLATE = "tmux://sessions{?socket_name}"


def completion_of(argument: str, uri: str = TEMPLATE, **more: Any) -> Json:
    return {"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": argument, "value": ""}, **more}


PARAMS: dict[str, list[Json]] = {
    "ping": [{}],
    "server/discover": [{}],
    "tools/list": [{}],
    "tools/call": [{"name": tool.name, "arguments": {"target": "%0"}} for tool in ALL],
    "prompts/list": [{}],
    "prompts/get": [
        {"name": "run_and_wait", "arguments": {"command": "x", "pane_id": "%0"}},
        {"name": "diagnose_failing_pane", "arguments": {"pane_id": "%0"}},
    ],
    "completion/complete": [completion_of(argument) for argument in ARGUMENTS],
    "resources/list": [{}],
    "resources/templates/list": [{}],
    "resources/read": [{"uri": uri} for uri in URIS.values()],
    "resources/subscribe": [{"uri": uri} for uri in URIS.values()],
    "resources/unsubscribe": [{"uri": uri} for uri in URIS.values()],
    "subscriptions/listen": [{"notifications": {"resourceSubscriptions": [uri]}} for uri in URIS.values()],
}
"""By method: requests that would show something of tmux, or do something in it."""
QUIET = {"ping", "server/discover", "tools/list", "prompts/list", "resources/templates/list"}
LISTS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
ONLY_OLDER, ONLY_NEWER = (
    {"ping", "resources/subscribe", "resources/unsubscribe"},
    {
        "server/discover",
        "subscriptions/listen",
    },
)


def methods(era: str) -> list[str]:
    """All that are served, from the table itself: a new one must be given a request above."""
    served = build(Settings()).handlers
    return [method for method in served if method not in (ONLY_NEWER if era == LEGACY else ONLY_OLDER)]


def refusal(client: RawClient, method: str, params: Json) -> Json:
    answer = client.wait(client.start(method, params))
    assert "error" in answer, answer
    found: Json = answer["error"]
    return found


def without_tmux(lab: Lab, tmp_path: Path) -> tuple[str, Path]:
    """A tmux program that only leaves a trace."""
    trace, program = tmp_path / "trace", tmp_path / "fake-tmux"
    program.write_text(f"#!/bin/sh\necho \"$@\" >> '{trace}'\necho tmux 3.3a\n")
    program.chmod(0o755)
    return str(program), trace


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_where_no_tool_is_offered_nothing_can_be_asked(lab: Lab, tmp_path: Path, era: str) -> None:
    """No request reaches tmux, none names anything, and each refusal names the setting."""
    lab.new_session("secret-name", "cat")
    program, trace = without_tmux(lab, tmp_path)
    with mcp_server(lab, era=era, toolsets="none", tmux_bin=program, prompts_as_tools="0") as client:
        for method in methods(era):
            for params in PARAMS[method]:
                answer = client.wait(client.start(method, params))
                told = json.dumps(answer)
                assert "secret-name" not in told.replace(json.dumps(params)[1:-1], "").replace(
                    str(params.get("uri")), ""
                ), method
                if method in QUIET or method == "resources/list":
                    rows = answer["result"].get(LISTS.get(method, "resourceTemplates"), [])
                    assert rows == [], method
                else:
                    assert "MUXPILOT_TOOLSETS=" in told, (method, told)
    assert not trace.exists(), trace.read_text()


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_every_request_leaves_a_line(lab: Lab, tmp_path: Path, era: str) -> None:
    lab.new_session("secret-name", "cat")
    path = tmp_path / "audit"
    expected = []
    with mcp_server(lab, era=era, audit_log=str(path), toolsets="none") as client:
        for method in methods(era):
            for params in PARAMS[method]:
                number = client.start(method, params)
                client.wait(number)
                if method not in QUIET:
                    name = params["name"] if method == "tools/call" else method
                    outcome = "ok" if method == "resources/list" else "error"
                    expected.append((name, outcome, number))
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert [
        (one.get("tool") or one["method"], one["outcome"], one["request_id"]) for one in found
    ] == expected
    assert {one["client"] for one in found} == {"tests/1"}
    assert all(one.get("error_type") == "bad_input" for one in found if one["outcome"] == "error")


def test_every_method_passes_the_gate() -> None:
    """One that has no rule can't be served at all, and no rule is left over."""
    served = build(Settings()).handlers
    assert served.keys() == gate.RULES.keys() == PARAMS.keys()
    assert {handler.__module__ for handler in served.values()} == {gate.__name__}
    offer, audit = Offer.of(GROUPS, Settings()), Audit(None)
    with pytest.raises(KeyError):
        gate.gated({"resources/new": served["ping"]}, offer, audit)
    assert gate.SILENT == QUIET


@pytest.mark.parametrize(("kind", "uri"), URIS.items())
def test_a_resource_is_there_where_its_tools_are(lab: Lab, kind: str, uri: str) -> None:
    lab.new_session("secret-name", "cat")
    for tools in KINDS[kind].needs:
        known = [tool for tool in tools if not tool.startswith("tmux_")]
        with mcp_server(lab, exclude_tools=",".join(known)) as client:
            for method in ("resources/read", "resources/subscribe", "resources/unsubscribe"):
                error = refusal(client, method, {"uri": uri})
                assert error["code"] == -32602
                assert f"shows what {tools[0]} does" in error["message"]
                assert "MUXPILOT_EXCLUDE_TOOLS without it" in error["message"]
            listed = client.request("resources/templates/list")["resourceTemplates"]
            assert KINDS[kind].name not in {one["name"] for one in listed}
            shown = [one["uri"] for one in client.request("resources/list")["resources"]]
            assert uri not in shown
            assert kind != "content" or not any(one.endswith("/content") for one in shown)
    needed = [tools[0] for tools in KINDS[kind].needs]
    with mcp_server(lab, toolsets=",".join(needed)) as client:
        assert client.request("resources/read", {"uri": uri})["contents"][0]["uri"] == uri


@pytest.mark.parametrize(
    "spelling",
    ["tmux://panes/%250/content", "tmux://panes/0/content", "tmux://panes/%0/content?socket_name=lab"],
)
def test_no_spelling_of_a_uri_gets_by(lab: Lab, spelling: str) -> None:
    lab.new_session("secret-name", "cat")
    with mcp_server(lab, exclude_tools="capture_pane") as client:
        assert "capture_pane" in refusal(client, "resources/read", {"uri": spelling})["message"]
    with mcp_server(lab, era=MODERN, exclude_tools="capture_pane") as client:
        wanted = {"notifications": {"resourceSubscriptions": [spelling]}}
        assert "capture_pane" in refusal(client, "subscriptions/listen", wanted)["message"]


def test_a_stream_leaves_out_what_is_withheld(lab: Lab) -> None:
    lab.new_session("secret-name", "cat")
    uris = [URIS["content"], URIS["sessions"]]
    with mcp_server(lab, era=MODERN, exclude_tools="capture_pane") as client:
        client.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": uris}})
        said = client.notification("notifications/subscriptions/acknowledged")
        assert said["params"]["notifications"] == {"resourceSubscriptions": [URIS["sessions"]]}


@pytest.mark.parametrize(("argument", "tool"), ARGUMENTS.items())
def test_completion_shows_what_its_tool_would(lab: Lab, argument: str, tool: str) -> None:
    lab.new_session("secret-name", "cat")
    prompt = {"type": "ref/prompt", "name": "anything"}
    with mcp_server(lab) as client:
        found = client.request("completion/complete", {**completion_of(argument), "ref": prompt})
        assert found["completion"]["values"]
    without = {"list_sessions": "list_sessions,list_windows"}.get(tool, tool)
    with mcp_server(lab, exclude_tools=without) as client:
        error = refusal(client, "completion/complete", {**completion_of(argument), "ref": prompt})
        assert error["code"] == -32602
        assert tool in error["message"]
        assert "MUXPILOT_EXCLUDE_TOOLS without it" in error["message"]


def test_completion_for_a_prompt_or_resource_that_is_withheld_is_refused(lab: Lab) -> None:
    lab.new_session("secret-name", "cat")
    prompt = {"ref": {"type": "ref/prompt", "name": "run_and_wait"}, "argument": {"name": "x", "value": ""}}
    with mcp_server(lab, safety="readonly", exclude_tools="get_pane_info") as client:
        assert "MUXPILOT_SAFETY=mutating" in refusal(client, "completion/complete", prompt)["message"]
        pane = completion_of("pane_id", "tmux://panes/{pane_id}{?socket_name}")
        assert "get_pane_info" in refusal(client, "completion/complete", pane)["message"]


def test_a_prompt_whose_tools_are_withheld_names_the_setting(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, safety="readonly") as client:
        params = PARAMS["prompts/get"][0]
        assert "MUXPILOT_SAFETY=mutating" in refusal(client, "prompts/get", params)["message"]
        assert "run_and_wait" not in str(client.request("prompts/list"))


def test_lines_hide_what_may_be_secret(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("main", "cat")
    path = tmp_path / "audit"
    with mcp_server(lab, audit_log=str(path)) as client:
        client.request("resources/read", {"uri": "tmux://sessions/main"})
        arguments = {"command": "hunter2", "pane_id": "%0"}
        client.request("prompts/get", {"name": "run_and_wait", "arguments": arguments})
        typed = completion_of("target", context={"arguments": {"password": "hunter2"}})
        typed["argument"]["value"] = "hunter2"
        client.request("completion/complete", typed)
        refusal(client, "tools/call", {"name": 5, "arguments": {"keys": "hunter2"}})
    assert "hunter2" not in path.read_text()
    read, prompt, completed, call = map(json.loads, path.read_text().splitlines())
    assert read["method"] == "resources/read"
    assert read["args"] == {"uri": "tmux://sessions/main"}
    assert (prompt["args"]["name"], prompt["args"]["arguments"]["pane_id"]) == ("run_and_wait", "%0")
    assert completed["args"]["argument"]["name"] == "target"
    assert (call["tool"], call["outcome"]) == ("", "error")


def test_a_stream_that_is_cancelled_leaves_a_line(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("main", "cat")
    path = tmp_path / "audit"
    with mcp_server(lab, era=MODERN, audit_log=str(path)) as client:
        number = client.start("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
        client.notification("notifications/subscriptions/acknowledged")
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        eventually(lambda: path.read_text().count("\n") == 1)
    line = json.loads(path.read_text())
    assert (line["method"], line["outcome"]) == ("subscriptions/listen", "cancelled")


MALFORMED: list[tuple[str, Json]] = [
    ("completion/complete", completion_of("target", context=5)),
    ("completion/complete", completion_of("target", context=0)),
    ("completion/complete", completion_of("target", context="x")),
    ("completion/complete", completion_of("target", context=[])),
    ("completion/complete", completion_of("target", context={"arguments": 5})),
    ("completion/complete", completion_of("target", context={"arguments": []})),
    ("completion/complete", completion_of("target", context={"arguments": ""})),
    ("completion/complete", completion_of("target", context={"arguments": {"server": 5}})),
    ("completion/complete", completion_of("target", context={"arguments": {"session_name": ["x"]}})),
    ("completion/complete", completion_of("target", context={"arguments": {"other": None}})),
    ("completion/complete", {"ref": [], "argument": {"name": "target", "value": ""}}),
    ("completion/complete", {"ref": {"type": []}, "argument": {"name": "target", "value": ""}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": 5}, "argument": {}}),
    ("completion/complete", {**completion_of("target"), "argument": []}),
    ("completion/complete", {**completion_of("target"), "argument": {"name": {}, "value": ""}}),
    ("completion/complete", {**completion_of("target"), "argument": {"name": "target", "value": 5}}),
    ("resources/read", {"uri": 5}),
    ("resources/read", {"uri": ["tmux://sessions"]}),
    ("resources/read", {}),
    ("resources/subscribe", {"uri": {}}),
    ("resources/unsubscribe", {"uri": None}),
    ("resources/list", {"cursor": 5}),
    ("tools/list", {"cursor": {}}),
    ("prompts/list", {"cursor": []}),
    ("prompts/get", {"name": []}),
    ("prompts/get", {"name": "run_and_wait", "arguments": []}),
    ("prompts/get", {"name": "run_and_wait", "arguments": {"command": {}, "pane_id": 5}}),
    ("tools/call", {"name": {}}),
    ("tools/call", {"name": "list_sessions", "arguments": "x"}),
    ("tools/call", {"name": "list_sessions", "_meta": 5}),
    ("tools/call", {"name": "list_sessions", "_meta": None}),
    ("tools/call", {"name": "list_sessions", "_meta": {"progressToken": {}}}),
    ("tools/call", {"name": "list_sessions", "_meta": {"progressToken": 1.5}}),
    ("tools/call", {"name": "list_sessions", "_meta": {"progressToken": True}}),
    ("tools/call", {"name": "list_sessions", "_meta": {"progressToken": None}}),
]


def test_malformed_requests_get_a_clear_error(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab) as client:
        for method, params in MALFORMED:
            error = refusal(client, method, params)
            assert error["code"] == -32602, (method, params, error)
            assert "unexpected" not in error["message"]
        nonsense: Any
        for nonsense in ([], 5, "x"):
            client.send({"jsonrpc": "2.0", "id": 9999, "method": "resources/list", "params": nonsense})
            assert client.wait(9999)["error"]["code"] == -32600
        halved = json.dumps(completion_of("target", context={"arguments": {"server": "\ud800"}}))
        client.send(
            f'{{"jsonrpc":"2.0","id":9998,"method":"completion/complete","params":{halved}}}\n'.encode()
        )
        assert "surrogate" in client.wait(9998)["error"]["message"]


@pytest.mark.parametrize("params", [5, "x", {"a": 1}, [5], 0, ""])
def test_malformed_streams_get_a_clear_error(lab: Lab, params: Any) -> None:
    with mcp_server(lab, era=MODERN) as client:
        wanted = {"notifications": {"resourceSubscriptions": params}}
        assert refusal(client, "subscriptions/listen", wanted)["code"] == -32602


def test_a_tool_that_stands_for_another_exists() -> None:
    """A slip of the pen in the table would withhold a resource from everybody."""
    offer = Offer.of(GROUPS, Settings(tier=Tier.DESTRUCTIVE, toolsets=("full", "classic")))
    named = {tool for kind in KINDS.values() for tools in kind.needs for tool in tools}
    assert named <= offer.tools.keys()


@pytest.mark.parametrize("name", ["batch_read", "call_read_tools_batch", "mux_batch_read"])
def test_a_batch_holds_no_batch_however_it_is_called(lab: Lab, name: str) -> None:
    """Two hundred in each of two hundred, and so on, would never end."""
    lab.new_session("main", "cat")
    within = {"tool": name, "arguments": {"operations": [{"tool": "list_panes"}]}}
    with mcp_server(lab, safety="readonly", tool_prefix="mux_") as client:
        answer = client.call("mux_batch_read", operations=[within])
    assert answer["failed"] == 1
    assert "can't hold a batch" in answer["results"][0]["error"]
