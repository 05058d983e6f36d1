"""At the tier readonly nothing is executed, written, frozen or ended, whatever the argument.

The world of `test_canary_world`, looked at more closely: the state folder counts as a canary too, a second
request is answered within a second while each call is under way, and so is another client of tmux.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muxpilot.config import Tier
from muxpilot.mcp.compat import SETS
from muxpilot.mcp.tools import ALL
from tests.lab import Lab
from tests.mcp.client import ToolError, mcp_server
from tests.security.attack import Attacker
from tests.security.benign import REQUESTS
from tests.security.world import World, differences

READS = [("full", tool.name) for tool in ALL if tool.tier == Tier.READONLY]
READS += [(name, tool.name) for name in SETS for tool in SETS[name] if tool.tier == Tier.READONLY]
READS += [("full", name) for name in ("list_prompts", "get_prompt", *REQUESTS, "prompts/get")]
ENDS_OR_TYPES = (
    "send_keys",
    "run_command",
    "terminal",
    "kill_pane",
    "set_option",
    "pipe_pane",
    "create_session",
)


class Reader:
    """One world for all tests of a process, made anew after a failure."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._world: World | None = None
        self._attackers: dict[str, Attacker] = {}

    def attacker(self, toolset: str) -> Attacker:
        if self._world is None:
            self._world = World(self._factory.mktemp("r"))
            self._world.renew()
        if toolset not in self._attackers:
            self._attackers[toolset] = Attacker(self._world, toolset, "readonly")
        return self._attackers[toolset]

    def end(self) -> None:
        for one in self._attackers.values():
            one.close()
        self._attackers.clear()
        if self._world is not None:
            self._world.end()
            self._world = None


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    reader = Reader(tmp_path_factory)
    yield reader
    reader.end()


def attack(reader: Reader, toolset: str, name: str, *, everything: bool) -> None:
    found = reader.attacker(toolset).attack(name, everything=everything)
    if found:
        reader.end()
    assert not found, "\n".join(found)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("toolset", "name"), READS)
def test_no_value_executes_writes_freezes_or_kills(reader: Reader, toolset: str, name: str) -> None:
    attack(reader, toolset, name, everything=False)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("toolset", "name"), READS)
def test_no_value_at_all_does(reader: Reader, toolset: str, name: str) -> None:
    attack(reader, toolset, name, everything=True)


def test_what_is_offered_only_reads(reader: Reader) -> None:
    """Whatever the listing says, the tables of tools say the same."""
    for toolset in ("full", "classic", "mini"):
        offered = {*reader.attacker(toolset).schemas}
        assert offered == {name for kind, name in READS if kind == toolset and "/" not in name}


def test_to_look_at_a_pane_that_nothing_was_run_in_makes_no_folder(lab: Lab, tmp_path: Path) -> None:
    lab.new_session("main", "cat")
    state = tmp_path / "a" / "state"
    with mcp_server(lab, safety="readonly", state_dir=str(state)) as client:
        assert client.call("list_commands", target="%0") == {"commands": []}
        for given in ({"target": "%0", "number": 1}, {"number": 1}, {}):
            with pytest.raises(ToolError, match="no (command|terminal)"):
                client.call("list_commands", **given)
        for name in ("capture_pane", "snapshot_pane", "get_pane_info"):
            client.text(name, target="%0")
        assert not state.parent.exists()


@pytest.mark.parametrize("name", ENDS_OR_TYPES)
def test_a_tool_that_is_not_offered_does_nothing(reader: Reader, name: str) -> None:
    """Called by name all the same, also within a batch."""
    one = reader.attacker("full")
    scratch = one.world.ready()
    before = (one.world.taken(state=True), one.world.screen(scratch.cat), one.world.screen(scratch.sh))
    given = {"target": scratch.sh, "keys": "x", "command": f"touch {one.world.sentinel}", "server": "lab"}
    given |= {"output_path": str(one.world.safe / "new"), "option": "@note", "value": "x"}
    for tool, arguments in (
        (name, given),
        ("batch_read", {"operations": [{"tool": name, "arguments": given}]}),
    ):
        answer = one.ask(tool, arguments)
        assert not answer.accepted or answer.data.get("failed") == 1, str(answer)
    after = one.world.taken(state=True)
    assert not differences(before[0], after)
    assert (one.world.screen(scratch.cat), one.world.screen(scratch.sh)) == before[1:]
