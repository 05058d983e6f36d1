"""Subscriptions over real stdio, in both eras: told of each change, soon, not too often, not too late."""

from __future__ import annotations

import itertools
import signal
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.lab import Lab, eventually, rss_mb
from tests.mcp.client import LEGACY, MODERN, Json, RawClient, mcp_server

UPDATED = "notifications/resources/updated"
LIST_CHANGED = "notifications/resources/list_changed"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
CONTENT = "tmux://panes/%250/content"
SOON = 1.0
QUIET = 0.4


@pytest.fixture(params=[LEGACY, MODERN])
def era(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def client(lab: Lab, era: str) -> Iterator[RawClient]:
    """Two sessions, so that what is followed is not where the command connection is."""
    yield from _client(lab, era)


def _client(lab: Lab, era: str) -> Iterator[RawClient]:
    lab.new_session("main", "cat")
    lab.new_session("work", "cat")
    lab.tmux("set-option", "-g", "automatic-rename", "off")
    with mcp_server(lab, era=era) as client:
        yield client


@pytest.fixture
def older(lab: Lab) -> Iterator[RawClient]:
    """The same, for what has nothing to do with the era."""
    yield from _client(lab, LEGACY)


class Subscription:
    """One client's subscription to some URIs, in the words of its era."""

    def __init__(self, client: RawClient, *uris: str) -> None:
        self.client = client
        self.uris = uris
        self.stream: int | None = None
        if client.era == LEGACY:
            for uri in uris:
                client.request("resources/subscribe", {"uri": uri})
        else:
            self.stream = client.start(
                "subscriptions/listen", {"notifications": {"resourceSubscriptions": list(uris)}}
            )
            told = client.notification(ACKNOWLEDGED)["params"]
            assert told["notifications"] == {"resourceSubscriptions": list(uris)}
            assert told["_meta"] == {SUBSCRIPTION_ID: self.stream}

    def update(self) -> str:
        """The URI of the next update, which comes soon."""
        started = time.monotonic()
        params = self.client.notification(UPDATED)["params"]
        assert time.monotonic() - started < SOON + 1
        assert params.get("_meta", {}) == ({} if self.stream is None else {SUBSCRIPTION_ID: self.stream})
        uri: str = params["uri"]
        return uri

    def settle(self) -> list[str]:
        """All updates until nothing more comes."""
        found = []
        while not self.client.silent_for(QUIET):
            found.append(self.update())
        return found

    def cancel(self) -> None:
        if self.stream is None:
            for uri in self.uris:
                self.client.request("resources/unsubscribe", {"uri": uri})
        else:
            self.client.send(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/cancelled",
                    "params": {"requestId": self.stream, "reason": "enough"},
                }
            )


def content(client: RawClient, uri: str = CONTENT) -> str:
    text: str = client.request("resources/read", {"uri": uri})["contents"][0]["text"]
    return text


def control_clients(lab: Lab) -> int:
    return len(lab.tmux("list-clients", "-F", "#{client_pid}").split())


def refusal(client: RawClient, uri: str) -> Json:
    """What it says to a subscription that can't be."""
    if client.era == LEGACY:
        number = client.start("resources/subscribe", {"uri": uri})
    else:
        number = client.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}})
    error: Json = client.wait(number)["error"]
    return error


@pytest.mark.long
def test_what_is_written_to_a_pane_is_told_at_once(client: RawClient, lab: Lab) -> None:
    subscription = Subscription(client, CONTENT)
    subscription.settle()
    took = []
    for _ in range(15):
        started = time.monotonic()
        lab.tmux("send-keys", "-t", "%0", "x")
        assert subscription.update() == CONTENT
        took.append(time.monotonic() - started)
        assert subscription.settle() == []
    assert max(took) < SOON
    assert statistics.median(took) < 0.1
    print(f"median {statistics.median(took) * 1000:.1f} ms, slowest {max(took) * 1000:.1f} ms")
    assert content(client) == "x" * 15


def test_the_uri_comes_back_as_it_was_given(older: RawClient, lab: Lab) -> None:
    uris = {CONTENT, "tmux://panes/0/content", "tmux://panes/%0/content?server=lab"}
    subscription = Subscription(older, *uris)
    lab.tmux("send-keys", "-t", "%0", "x")
    assert set(subscription.settle()) == uris


@pytest.mark.long
def test_many_lines_in_a_second_are_few_updates_and_the_last_is_not_lost(client: RawClient, lab: Lab) -> None:
    loop = "i=0; while [ $i -lt 100 ]; do seq 1 20; sleep 0.01; i=$((i+1)); done; echo END; exec cat"
    pane = lab.tmux(
        "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main", f"stty -echo; read go; {loop}"
    )
    uri = f"tmux://panes/{pane[1:]}/content"
    subscription = Subscription(client, uri)
    subscription.settle()
    lab.tmux("send-keys", "-t", pane, "Enter")
    times: list[float] = []
    while not client.silent_for(QUIET) or "END" not in lab.screen(pane):
        assert subscription.update() == uri
        times.append(time.monotonic())
    assert content(client, uri).endswith("END")
    busiest = max(sum(start <= one < start + 1 for one in times) for start in times)
    print(f"{len(times)} updates in {times[-1] - times[0]:.2f} s, {busiest} in the busiest second")
    assert 5 <= busiest <= 12


@pytest.mark.long
def test_a_flood_neither_floods_the_client_nor_fills_the_memory(client: RawClient, lab: Lab) -> None:
    pane = lab.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main", "yes 'a line of the flood'")
    subscription = Subscription(client, f"tmux://panes/{pane[1:]}/content", f"tmux://panes/{pane[1:]}")
    content_updates = 0
    before, end = rss_mb(client.process.pid), time.monotonic() + 3
    while time.monotonic() < end:
        content_updates += subscription.update().endswith("/content")
    assert 15 <= content_updates <= 33
    assert rss_mb(client.process.pid) - before < 15


def test_a_client_that_does_not_read_is_waited_for(older: RawClient, lab: Lab) -> None:
    pane = lab.tmux(
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        "main",
        "yes flood & read stop; kill $!; echo; echo END; cat",
    )
    ways = ("", "?socket_name=lab", "?server=lab", "?socket_name=l%61b")
    uris = [f"tmux://panes/{sign}{pane[1:]}/content{way}" for sign in ("", "%25") for way in ways]
    subscription = Subscription(older, *uris)
    before, end = rss_mb(older.process.pid), time.monotonic() + 2
    while time.monotonic() < end:
        lab.tmux("display-message", "-p", "x")
    assert rss_mb(older.process.pid) - before < 15
    lab.tmux("send-keys", "-t", pane, "Enter")
    eventually(lambda: "END" in lab.screen(pane), 30)
    assert set(subscription.settle()) == set(uris)
    assert content(older, uris[0]).endswith("END")


CHANGES = {
    "a session is made": ("tmux://sessions", ["new-session", "-d", "-s", "new", "cat"]),
    "a session is renamed": ("tmux://sessions", ["rename-session", "-t", "work", "play"]),
    "a session ends": ("tmux://sessions", ["kill-session", "-t", "main"]),
    "a window is made": ("tmux://sessions/work", ["new-window", "-d", "-t", "work:", "cat"]),
    "a window is renamed": ("tmux://sessions/work", ["rename-window", "-t", "work:0", "better"]),
    "another window is current": ("tmux://sessions/work", ["new-window", "-t", "work:", "cat"]),
    "a window is resized": ("tmux://sessions/work/windows", ["resize-window", "-t", "work:0", "-x", "70"]),
    "a window is split": ("tmux://sessions/work/windows/0", ["split-window", "-d", "-t", "work:0", "cat"]),
    "a layout is changed": ("tmux://sessions/work/windows/0", ["resize-window", "-t", "work:0", "-y", "10"]),
    "a pane gets a title": ("tmux://panes/1", ["select-pane", "-t", "%1", "-T", "a title"]),
    "a pane is resized": ("tmux://panes/1", ["resize-window", "-t", "work:0", "-x", "60"]),
    "a pane is in copy mode": ("tmux://panes/1", ["copy-mode", "-t", "%1"]),
    "a pane has another program": ("tmux://panes/1", ["respawn-pane", "-k", "-t", "%1", "sleep 99"]),
    "a title in a window": ("tmux://sessions/work/windows/0", ["select-pane", "-t", "%1", "-T", "title"]),
    "a screen is cleared": ("tmux://panes/2/content", ["send-keys", "-R", "-t", "%2", ";", "clear-history"]),
    "a screen is reflowed": ("tmux://panes/2/content", ["resize-window", "-t", "main:1", "-x", "8"]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_each_resource_hears_of_its_changes(older: RawClient, lab: Lab, what: str) -> None:
    uri, command = CHANGES[what]
    lab.tmux("new-window", "-d", "-t", "main:", "echo some text; exec cat")
    eventually(lambda: "text" in lab.screen("%2"))
    subscription = Subscription(older, uri)
    subscription.settle()
    before = content(older, uri)
    started = time.monotonic()
    lab.tmux(*command)
    assert subscription.update() == uri
    print(f"{(time.monotonic() - started) * 1000:.1f} ms")
    subscription.settle()
    assert content(older, uri) != before


def test_what_changes_nothing_is_not_told(older: RawClient, lab: Lab) -> None:
    subscription = Subscription(
        older, "tmux://sessions", "tmux://sessions/main", "tmux://sessions/main/windows/0", "tmux://panes/0"
    )
    subscription.settle()
    lab.tmux("send-keys", "-t", "%0", "x")
    lab.tmux("set-buffer", "-b", "a", "text")
    lab.tmux("set-option", "-t", "work", "@something", "else")
    assert older.silent_for(1.5)


def test_a_program_that_is_started_is_told_though_it_prints_nothing(older: RawClient, lab: Lab) -> None:
    lab.tmux("new-window", "-d", "-t", "work:", "sh")
    eventually(lambda: lab.screen("%2").strip())
    subscription = Subscription(older, "tmux://panes/2")
    subscription.settle()
    lab.tmux("send-keys", "-t", "%2", "exec sleep 99", "Enter")
    assert subscription.update() == "tmux://panes/2"
    subscription.settle()
    assert '"pane_current_command":"sleep"' in content(older, "tmux://panes/2")


def test_after_unsubscribing_nothing_comes_and_nobody_watches(client: RawClient, lab: Lab) -> None:
    content(client)
    before = control_clients(lab)
    subscription = Subscription(client, CONTENT, "tmux://panes/1", "tmux://sessions/work", "tmux://sessions")
    assert control_clients(lab) == before + 2
    subscription.settle()
    subscription.cancel()
    eventually(lambda: control_clients(lab) == before)
    lab.tmux("send-keys", "-t", "%0", "x")
    lab.tmux("rename-session", "-t", "work", "play")
    assert client.silent_for(QUIET)
    assert content(client) == "x"


def test_one_of_two_subscriptions_to_a_pane_goes_on(older: RawClient, lab: Lab) -> None:
    other = "tmux://panes/0/content"
    first, second = Subscription(older, CONTENT), Subscription(older, other)
    first.settle()
    first.cancel()
    lab.tmux("send-keys", "-t", "%0", "x")
    assert second.update() == other
    assert second.settle() == []


def test_a_pane_that_dies_is_told_once(client: RawClient, lab: Lab, era: str) -> None:
    lab.tmux("split-window", "-d", "-t", "work", "cat")
    content(client)
    before = control_clients(lab)
    uris = {"tmux://panes/2/content", "tmux://panes/2"}
    subscription = Subscription(client, *sorted(uris))
    subscription.settle()
    lab.tmux("kill-pane", "-t", "%2")
    assert {subscription.update(), subscription.update()} == uris
    error = client.wait(client.start("resources/read", {"uri": "tmux://panes/2/content"}))["error"]
    assert "no pane %2" in error["message"]
    eventually(lambda: control_clients(lab) == before)
    if subscription.stream is not None:
        assert client.wait(subscription.stream)["result"]["_meta"][SUBSCRIPTION_ID] == subscription.stream
    assert client.silent_for(QUIET)


def test_a_session_that_comes_back_is_followed_again(older: RawClient, lab: Lab) -> None:
    uri = "tmux://sessions/work"
    subscription = Subscription(older, uri)
    subscription.settle()
    lab.tmux("kill-session", "-t", "work")
    assert subscription.update() == uri
    subscription.settle()
    lab.new_session("work", "cat")
    assert subscription.update() == uri
    subscription.settle()
    lab.tmux("split-window", "-d", "-t", "work", "cat")
    assert subscription.update() == uri


def test_a_pane_that_moves_to_another_session_is_followed_there(older: RawClient, lab: Lab) -> None:
    subscription = Subscription(older, "tmux://panes/1/content")
    lab.tmux("new-window", "-d", "-t", "work:", "cat")
    lab.tmux("move-window", "-s", "work:0", "-t", "main:7")
    subscription.settle()
    lab.tmux("send-keys", "-t", "%1", "x")
    assert subscription.update() == "tmux://panes/1/content"


def test_a_server_that_dies_is_told_and_its_successor_is_heard(client: RawClient, lab: Lab) -> None:
    subscription = Subscription(client, CONTENT, "tmux://sessions", "tmux://sessions/work")
    subscription.settle()
    lab.tmux("kill-server")
    assert sorted(set(subscription.settle())) == [CONTENT, "tmux://sessions", "tmux://sessions/work"]
    assert '"server_running":false' in content(client, "tmux://sessions")
    client.call("create_session", session_name="work")
    assert set(subscription.settle()) == {"tmux://sessions", "tmux://sessions/work"}
    lab.tmux("split-window", "-d", "-t", "work", "cat")
    assert "tmux://sessions/work" in subscription.settle()


def test_sessions_can_be_followed_before_there_is_a_server(lab: Lab, era: str) -> None:
    with mcp_server(lab, era=era) as client:
        subscription = Subscription(client, "tmux://sessions")
        client.call("create_session", session_name="first")
        assert subscription.update() == "tmux://sessions"
        assert "first" in content(client, "tmux://sessions")


def test_what_does_not_exist_can_not_be_subscribed_to(client: RawClient, lab: Lab) -> None:
    content(client)
    before = control_clients(lab)
    for uri in ("tmux://panes/99/content", "tmux://sessions/none", "tmux://nothing"):
        error = refusal(client, uri)
        assert error["code"] == (-32002 if client.era == LEGACY else -32602)
        assert "no " in error["message"]
    assert control_clients(lab) == before


def test_there_is_a_most_of_subscriptions(client: RawClient, lab: Lab) -> None:
    lab.new_session("abcdefgh", "cat")
    spelled = itertools.product(*((letter, f"%{ord(letter):02X}") for letter in "abcdefgh"))
    uris = [f"tmux://sessions/{''.join(letters)}" for letters in itertools.islice(spelled, 201)]
    Subscription(client, *uris[:200])
    error = refusal(client, uris[200])
    assert error["code"] == -32602
    assert "200 subscriptions are the most" in error["message"]


@contextmanager
def gone(client: RawClient) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert client.process.wait(5) in {0, -signal.SIGTERM}
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("how", ["its input ends", "a signal"])
def test_a_server_that_stops_leaves_no_watch_behind(lab: Lab, era: str, how: str) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, era=era) as client:
        Subscription(client, CONTENT, "tmux://sessions").settle()
        assert client.process.stdin is not None
        with gone(client):
            client.process.stdin.close() if how == "its input ends" else client.process.terminate()
        eventually(lambda: control_clients(lab) == 0)


def test_a_client_that_has_listed_is_told_when_the_list_changes(client: RawClient, lab: Lab) -> None:
    if client.era == LEGACY:
        client.request("resources/list")
    else:
        client.start("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
        client.notification(ACKNOWLEDGED)
    lab.new_session("third", "cat")
    client.notification(LIST_CHANGED)
    assert "tmux://sessions/third" in [one["uri"] for one in client.request("resources/list")["resources"]]


def test_a_client_that_has_not_asked_is_told_nothing(client: RawClient, lab: Lab) -> None:
    content(client)
    lab.new_session("third", "cat")
    assert client.silent_for(QUIET)


def test_a_stream_says_which_of_its_wishes_it_will_hear_of(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab, era=MODERN) as client:
        wanted = {"resourceSubscriptions": [CONTENT, "tmux://panes/99"], "toolsListChanged": True}
        client.start("subscriptions/listen", {"notifications": wanted})
        told = client.notification(ACKNOWLEDGED)["params"]["notifications"]
        assert told == {"resourceSubscriptions": [CONTENT], "toolsListChanged": True}


def test_subscribing_twice_is_subscribing_once(lab: Lab) -> None:
    lab.new_session("main", "cat")
    with mcp_server(lab) as client:
        subscription = Subscription(client, CONTENT, CONTENT)
        subscription.settle()
        lab.tmux("send-keys", "-t", "%0", "x")
        assert subscription.settle() == [CONTENT]
