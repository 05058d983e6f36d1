"""Damaged files in the state folder: whatever stands in them, calls are answered, and terminals go on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from muxpilot.terminal.disk_limit import DiskLimit
from muxpilot.terminal.shelf import Shelf
from muxpilot.terminal.store import Store
from tests.lab import Lab
from tests.mcp.client import mcp_server

DEEP = b"[" * 200_000
WRONG: dict[str, object] = {
    "number": "x",
    "command": 5,
    "started": "then",
    "position": None,
    "shell": "no process",
    "clock": [],
    "cwd": {},
    "cue": {"nonce": 7, "count": "x"},
    "hidden": "x",
    "unheard of": 1,
}
ENDS: dict[str, object] = {
    "ended": "x",
    "seconds": "x",
    "exit_code": "x",
    "state": 3,
    "reason": 3,
    "lines": "x",
    "end": "x",
    "counts": [1],
    "missing": 3,
    "cue": 3,
}
LINES = [
    b"",
    DEEP,
    b'{"a":' * 200_000,
    b"\xff\xfe\0\r\x85\xe2\x80\xa8",
    b"null",
    b"[]",
    b"5",
    b'{"number": 7}',
    b'{"number": [], "cue": {}}',
    b'{"number": {}, "cue": []}',
    b'{"number": 7, "cue": 5}',
    b'{"number": true, "cue": {}}',
    b'{"number": 1e999}',
    b'{"number": ' + b"9" * 5000 + b"}",
    b'{"number": NaN, "ended": 1}',
    b'{"number": -3, "ended": 1}',
]


def lines_after(first: bytes) -> list[bytes]:
    """Those above, and variants of a line that is right, each wrong in one place."""
    good = json.loads(first)
    begun = [json.dumps({**good, "number": 9, name: value}).encode() for name, value in WRONG.items()]
    without = [
        json.dumps({key: value for key, value in good.items() if key != name} | {"number": 9}).encode()
        for name in good
    ]
    ended = [json.dumps({"number": 1, name: value}).encode() for name, value in ENDS.items()]
    return [*LINES, *begun, *without[1:], *ended]


def the_journal(state: Path) -> Path:
    (found,) = state.glob("panes/*/commands")
    return found


def test_a_damaged_journal_is_read_as_far_as_it_goes(lab: Lab, tmp_path: Path) -> None:
    """Each line after one that is right, and then what another muxpilot makes of it."""
    state = tmp_path / "state"
    with mcp_server(lab, state_dir=str(state)) as client:
        client.call("terminal", command="echo one")
    before = the_journal(state).read_bytes()
    for line in lines_after(before.splitlines()[0]):
        the_journal(state).write_bytes(before + line + b"\n")
        with mcp_server(lab, state_dir=str(state)) as client:
            shown = client.call("list_commands")["commands"]
            assert shown[0]["command"] == "echo one", line[:200]
            client.call("list_commands", number=1)
            client.call("terminal", command="")
            done = client.call("terminal", command="echo again")
            assert (done["exit_code"], done["output"]) == (0, "again"), line[:200]


_RARE = [b"", b"\xff\0", b"{}", b'{"number": 1}', b"9" * 5000, b"null"]


@pytest.mark.parametrize(
    "content", [DEEP, *(pytest.param(one, marks=pytest.mark.long) for one in _RARE)], ids=range(7)
)
def test_every_small_file_may_hold_anything(lab: Lab, tmp_path: Path, content: bytes) -> None:
    state = tmp_path / "state"
    with mcp_server(lab, state_dir=str(state)) as client:
        client.call("terminal", command="echo one")
    folder = the_journal(state).parent
    small = [*folder.glob("recorder*"), folder / "hooked", *(state / "terminals").iterdir()]
    for path in small:
        path.write_bytes(content)
        with mcp_server(lab, state_dir=str(state)) as client:
            done = client.call("terminal", command="echo again", timeout=10)
            assert done["status"] == "completed", (path.name, done)
            assert "again" in done["output"], (path.name, done)
            client.call("list_commands")


def test_what_is_far_too_large_is_not_read(lab: Lab, tmp_path: Path) -> None:
    """Of a file that takes no room on the disk, a terabyte would be read otherwise."""
    state = tmp_path / "state"
    with mcp_server(lab, state_dir=str(state)) as client:
        client.call("terminal", command="echo one")
    folder = the_journal(state).parent
    for path in (
        folder / "hooked",
        *(state / "terminals").iterdir(),
        folder / "recorder",
        folder / "commands",
    ):
        kept = path.read_bytes()
        os.truncate(path, 1 << 40)
        with mcp_server(lab, state_dir=str(state)) as client:
            client.text("list_commands", target="%0")
            client.text("terminal", command="echo again")
            assert client.request("ping") == {}
        path.write_bytes(kept)


def test_names_that_are_no_numbers_are_nobody_s_output(tmp_path: Path) -> None:
    """Unicode has digits that Python can't read as a number."""
    store = Store(tmp_path / "state", 1000)
    shelf = store.new_shelf()
    for name in ("output-\u00b2", "output-", "output-x", "output-\u0663"):
        (shelf.folder / name).write_bytes(b"x" * 2000)
    assert DiskLimit(tmp_path / "state" / "panes", 1000).add(1) is None
    Shelf(shelf.folder)._prune()
    assert len([*shelf.folder.glob("output-*")]) == 4


def test_an_old_trap_among_the_records_is_in_nobody_s_way(tmp_path: Path) -> None:
    """It is no record of ours: left alone, while old records go."""
    Store(tmp_path / "state").new_shelf()
    folder = tmp_path / "state" / "terminals"
    (folder / "pane-link").symlink_to(tmp_path)
    (folder / "pane-old").write_text("{}")
    for path in folder.iterdir():
        os.utime(path, (1, 1), follow_symlinks=False)
    Store(tmp_path / "state").new_shelf()
    assert [path.name for path in folder.iterdir()] == ["pane-link"]
