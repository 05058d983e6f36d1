"""Every tool, string parameter and tier, with values that look like something else: no canary changes.

Driven by what the server lists: a new tool or parameter is attacked without further work, and the first test
here fails until `benign.py` has a call of it that works.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from muxpilot.mcp.compat import SETS
from muxpilot.mcp.tools import ALL
from tests.lab import eventually
from tests.security.attack import Attacker
from tests.security.benign import REQUESTS, TABLES
from tests.security.world import Clock, World, differences

OFFERED = {"full": [tool.name for tool in ALL], **{name: [tool.name for tool in SETS[name]] for name in SETS}}
MORE = ["list_prompts", "get_prompt", *REQUESTS, "prompts/get"]
"""Of the toolset `full`: prompts as tools, and requests that are no tool calls."""
EVERYTHING = [(toolset, name) for toolset, names in OFFERED.items() for name in names]
EVERYTHING += [("full", name) for name in MORE]
TIERS = ("readonly", "mutating", "destructive")
DEPEND_ON_TIER = ("set_option", "move_window", "join_pane", "break_pane", "display_message")
"""What they accept depends on the tier."""


class Worlds:
    """One world, and a server in it for each toolset and tier; all of it anew after a failure."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._stack = ExitStack()
        self._world: World | None = None
        self._attackers: dict[tuple[str, str], Attacker] = {}

    @property
    def world(self) -> World:
        if self._world is None:
            self._world = World(self._factory.mktemp("w"))
            self._stack.callback(self._world.end)
            self._world.renew()
        return self._world

    def attacker(self, toolset: str, tier: str) -> Attacker:
        key = (toolset, tier)
        if key not in self._attackers:
            self._attackers[key] = Attacker(self.world, toolset, tier)
            self._stack.callback(self._attackers[key].close)
        return self._attackers[key]

    def end(self) -> None:
        self._attackers.clear()
        self._world = None
        self._stack.close()


@pytest.fixture(scope="module")
def all_worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    worlds = Worlds(tmp_path_factory)
    yield worlds
    worlds.end()


@pytest.fixture
def worlds(all_worlds: Worlds, request: pytest.FixtureRequest) -> Iterator[Worlds]:
    """What a test leaves behind when it fails, the next one must not pay for."""
    failed = request.session.testsfailed
    yield all_worlds
    if request.session.testsfailed > failed or not getattr(request.node, "passed", False):
        all_worlds.end()


@pytest.fixture(autouse=True)
def _mark_as_passed(request: pytest.FixtureRequest) -> None:
    request.node.passed = False


def held(request: pytest.FixtureRequest) -> None:
    request.node.passed = True


@pytest.mark.parametrize("toolset", OFFERED)
def test_every_string_parameter_has_a_benign_call(
    worlds: Worlds, toolset: str, request: pytest.FixtureRequest
) -> None:
    one = worlds.attacker(toolset, "destructive")
    one.world.kept = {"cursor": "x", "buffer": "x"}
    missing = {
        name: one.uncovered(name)
        for name in one.schemas
        if name not in TABLES[toolset] or one.uncovered(name)
    }
    assert not missing, (
        f"add a Benign to tests/security/benign.py for {missing}: arguments, and what is seen of it"
    )
    assert {*one.schemas} <= {name for kind, name in EVERYTHING if kind == toolset}
    templates = [
        each["uriTemplate"] for each in one.client.request("resources/templates/list")["resourceTemplates"]
    ]
    if toolset == "full":  # Others have fewer tools, and the resources of these alone.
        assert len(REQUESTS["resources/read"]) == len(templates), "add a Benign for each resource template"
    held(request)


@pytest.mark.parametrize(("toolset", "name"), EVERYTHING)
def test_benign_calls_have_their_effect(
    worlds: Worlds, toolset: str, name: str, request: pytest.FixtureRequest
) -> None:
    one = worlds.attacker(toolset, "destructive")
    for benign in one.benign(name):
        scratch = one.world.ready(exactly=True)
        benign.before(one.world, one.ask)
        answer = one.ask(name, benign.arguments(one.world))
        assert answer.accepted, f"{name} {benign.arguments(one.world)}: {answer}"
        eventually(lambda: benign.seen(one.world, answer), 5)  # noqa: B023
        assert one.world.scratch == scratch
        one.world.tmux("kill-session", "-t", "=scratch2:")  # The next one finds everything as it should be.
    one.world.send_strangers_away()
    held(request)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("toolset", "name"), EVERYTHING)
def test_hostile_values_hit_nobody_else(
    worlds: Worlds, toolset: str, name: str, request: pytest.FixtureRequest
) -> None:
    tiers = ("mutating", "destructive") if name in DEPEND_ON_TIER else ("destructive",)
    for tier in tiers:
        found = worlds.attacker(toolset, tier).attack(name, everything=False)
        assert not found, f"at {tier}:\n" + "\n".join(found)
    held(request)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("toolset", "name"), EVERYTHING)
def test_all_hostile_values_hit_nobody_else(
    worlds: Worlds, toolset: str, name: str, tier: str, request: pytest.FixtureRequest
) -> None:
    one = worlds.attacker(toolset, tier)
    if name not in one.names():
        pytest.skip(f"not offered at {tier}")
    found = one.attack(name, everything=True)
    assert not found, "\n".join(found)
    held(request)


CHANGES = {
    "a pane's process": ("respawn-pane", "-k", "-t", "=canary:second", "exec cat"),
    "typed text": ("send-keys", "-t", "=canary:second", "x"),
    "a pane ended": ("kill-pane", "-t", "=canary:second"),
    "a new pane": ("split-window", "-d", "-t", "=canary:second", "exec cat"),
    "a window's name": ("rename-window", "-t", "=canary:second", "x"),
    "a session's name": ("rename-session", "-t", "=canary2:", "x"),
    "a new session": ("new-session", "-d", "-s", "stranger", "exec cat"),
    "a server option": ("set-option", "-s", "command-alias[100]", "x=list-keys"),
    "a global option": ("set-option", "-g", "status-left", "x"),
    "a window option": ("set-option", "-w", "-t", "=canary:first", "@canary", "x"),
    "a user option": ("set-option", "-t", "=canary:", "@canary", "x"),
    "a hook": ("set-hook", "-g", "session-created[9]", "list-keys"),
    "a session's hook": ("set-hook", "-t", "=canary:", "alert-silence", "list-keys"),
    "the environment": ("set-environment", "-g", "CANARY", "x"),
    "a session's environment": ("set-environment", "-t", "=canary:", "CANARY", "x"),
    "a buffer": ("set-buffer", "-b", "canary", "x"),
    "a key": ("bind-key", "X", "list-keys"),
    "a channel": ("wait-for", "-S", "canary-channel"),
    "a lock": ("wait-for", "-U", "canary-lock"),
    "a file": ("run-shell", "echo x >> $WORLD/safe/letter"),
    "a file's mode": ("run-shell", "chmod 600 $WORLD/safe/program"),
    "a file removed": ("run-shell", "rm $WORLD/safe/link"),
    "a device replaced": ("run-shell", "rm $WORLD/safe/device; touch $WORLD/safe/device"),
    "the sentinel": ("run-shell", "touch $WORLD/SENTINEL"),
    "a status line that runs a command": (
        *("set-option", "-t", "=scratch:", "status-left", "#(touch $WORLD/SENTINEL)"),
    ),
    "a hook of the pane itself": ("set-hook", "-t", "=scratch:", "alert-bell", "list-keys"),
    "the server": ("kill-server",),
}
HIDES_OTHERS = {
    *("a pane ended", "a window's name", "a session's name", "the server"),
    "a status line that runs a command",
}
"""Behind them something is missing that later ones change."""


def test_the_canaries_would_notice(worlds: Worlds) -> None:
    """Never marked as passed: it leaves a world that nobody else should see."""
    world = worlds.world
    for what, command in CHANGES.items():
        world.ready()
        before = world.taken()
        assert not differences(before, world.taken())
        world.tmux(*command)
        eventually(lambda: differences(before, world.taken()), 5)  # noqa: B023
        if what in HIDES_OTHERS:
            world.renew()


def test_a_frozen_tmux_would_be_noticed(worlds: Worlds) -> None:
    frozen = "#{S:" * 14 + "x" + "}" * 14
    with Clock(worlds.world).running() as clock, suppress(subprocess.TimeoutExpired):
        worlds.world.tmux("display-message", "-p", frozen, seconds=3)
    assert clock.too_long
