"""Where it is typed: lines 27 and 28 of the hard cases, over real stdio."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import RawClient, ToolError, mcp_server


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("typing"))
    yield lab
    lab.end()


@pytest.fixture(scope="module")
def client(lab: Lab) -> Iterator[RawClient]:
    """One for all: each test gives %1 a program of its own, or sessions that it ends."""
    lab.new_session("main", "cat")
    lab.new_session("shell", "bash", "--norc", "--noprofile")
    with mcp_server(lab, safety="destructive") as client:
        yield client


pytestmark = pytest.mark.xdist_group("typing")

TEXTS = [
    *("Enter", "Up", "C-c", "Escape", "Space", "F5", "-t", "--", "-l x", ";", "a;", "a\\;", "#{pid}"),
    *("$(id)", "`id`", "~", "%0", "'", '"', "\\", "\\n", "é漢👩‍👩‍👧", "end", "home", "dc", "{", "}", "a  b"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_27_text_is_typed_as_it_is(client: RawClient, lab: Lab, tmp_path: Path, text: str) -> None:
    got = tmp_path / "got"
    size = len(text.encode())
    command = f"stty raw -echo; echo up; head -c {size} > {got}; echo done; cat"
    client.call("respawn_pane", target="%1", shell=command)
    assert client.call("wait_for_text", target="%1", patterns="up", timeout=10)["found"]
    client.call("send_keys", target="%1", keys=text, literal=True, enter=False)
    assert client.call("wait_for_text", target="%1", patterns="done", timeout=10)["found"]
    assert got.read_bytes() == text.encode()


def test_27_sixty_four_kilobytes_arrive_whole(client: RawClient, lab: Lab, tmp_path: Path) -> None:
    got = tmp_path / "got"
    text = "".join(f"{number}: Enter Up ; -x 'é' $HOME\\ " for number in range(3000))
    text = text.encode()[: 64 * 1024].decode(errors="ignore")
    size = len(text.encode())
    command = f"stty raw -echo; echo up; head -c {size} > {got}; echo done; cat"
    client.call("respawn_pane", target="%1", shell=command)
    assert client.call("wait_for_text", target="%1", patterns="up", timeout=10)["found"]
    client.call("send_keys", target="%1", keys=text, enter=False)
    assert client.call("wait_for_text", target="%1", patterns="done", timeout=20)["found"]
    assert hashlib.sha256(got.read_bytes()).digest() == hashlib.sha256(text.encode()).digest()


KEPT = [
    "a#b",
    "it's",
    'say "hi"',
    "$(touch x)",
    "two words",
    "emoji 👩‍👩‍👧",
    "-dash",
    "`id`",
    "a;",
    "#{pid}",
    "#(id)",
]
REFUSED = ["with:colon", "with.dot", "new\nline", "", "tab\there"]


@pytest.mark.parametrize("name", KEPT)
def test_28_a_name_is_kept_exactly(client: RawClient, lab: Lab, name: str) -> None:
    made = client.call("create_session", session_name=name, window_name=name)
    assert made["session_name"] == name
    assert client.call("get_session_info", target=name)["session_id"] == made["session_id"]
    assert client.call("has_session", target=name)["exists"] is True
    assert lab.tmux("display-message", "-p", "-t", made["session_id"], "#{session_name}") == name
    client.call("kill_session", target=name)
    assert client.call("has_session", target=name)["exists"] is False


@pytest.mark.parametrize("name", REFUSED)
def test_28_a_name_that_tmux_would_change_is_refused(client: RawClient, lab: Lab, name: str) -> None:
    before = lab.tmux("list-sessions", "-F", "#{session_name}")
    with pytest.raises(ToolError) as refused:
        client.call("create_session", session_name=name)
    assert refused.value.condition == "bad_input"
    assert lab.tmux("list-sessions", "-F", "#{session_name}") == before


def test_27_keys_are_keys_where_they_are_named_exactly(client: RawClient, lab: Lab) -> None:
    client.call("respawn_pane", target="%1", shell="bash --norc --noprofile")
    client.call("send_keys", target="%1", keys="sleep 100")
    eventually(lambda: lab.tmux("display-message", "-p", "-t", "%1", "#{pane_current_command}") == "sleep")
    client.call("send_keys", target="%1", keys="C-c", enter=False)
    eventually(lambda: lab.tmux("display-message", "-p", "-t", "%1", "#{pane_current_command}") == "bash")


def _ends_with(path: Path, end: str) -> bool:
    return path.read_bytes().endswith(end.encode())


MODIFIERS = ("", "C-", "M-", "S-", "C-M-", "C-S-", "S-M-")
KEYS = [
    *(
        "Enter",
        "Escape",
        "Tab",
        "BTab",
        "Space",
        "BSpace",
        "Up",
        "End",
        "PageUp",
        "PgDn",
        "IC",
        "DC",
        "F1",
        "F12",
    ),
    *("KPEnter", "KP0", "a", "Z", "1", "2", "!", "#", "/", "[", "~"),
]


@pytest.mark.parametrize("modifier", MODIFIERS)
def test_27_a_key_is_pressed_or_refused_and_never_typed_as_its_name(
    client: RawClient, lab: Lab, tmp_path: Path, modifier: str
) -> None:
    """tmux types the name of a key that it can't press, or does nothing, and calls both a success."""
    got = tmp_path / "got"
    client.call("respawn_pane", target="%1", shell=f"stty raw -echo; : > {got}; echo up; cat >> {got}")
    assert client.call("wait_for_text", target="%1", patterns="up", timeout=10)["found"]
    read = 0
    for key in KEYS:
        name, end = f"{modifier}{key}", f"|{read}|"
        said = client.text("send_keys", target="%1", keys=name, enter=False)
        refused = said.startswith("refused")
        client.call("send_keys", target="%1", keys=end, enter=False, literal=True)
        eventually(partial(_ends_with, got, end))
        arrived = got.read_bytes()[read : -len(end)]
        read = got.stat().st_size
        if modifier or len(key) > 1:
            assert refused == (not arrived), name
            assert name.encode() not in arrived
