"""What is offered, and what is not: toolsets, tiers, exclusions."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

import muxpilot.mcp.tools
from muxpilot.config import Settings, Tier
from muxpilot.errors import BadInput
from muxpilot.mcp.offer import Offer
from muxpilot.mcp.tool import Tool
from muxpilot.mcp.tools import ALL, GROUPS
from muxpilot.mcp.toolsets import CORE, TERMINAL, choose, excluded, on_demand, toolsets

EVERYTHING = frozenset(tool.name for tool in ALL)


def declared() -> list[Tool]:
    folder = muxpilot.mcp.tools.__path__
    modules = [
        importlib.import_module(f"muxpilot.mcp.tools.{one.name}") for one in pkgutil.iter_modules(folder)
    ]
    return [value for module in modules for value in vars(module).values() if isinstance(value, Tool)]


def offer(*names: str, tier: Tier = Tier.DESTRUCTIVE, without: tuple[str, ...] = ()) -> Offer:
    return Offer.of(GROUPS, Settings(tier=tier, toolsets=names, exclude_tools=without))


def size(found: Offer) -> int:
    return len(json.dumps(found.listing()["tools"], separators=(",", ":")))


def test_every_tool_stands_in_exactly_one_group() -> None:
    counted = Counter(tool.name for group in GROUPS.values() for tool in group)
    wrong = {tool.name: counted[tool.name] for tool in declared() if counted[tool.name] != 1}
    assert not wrong, f"give each a place in GROUPS (mcp/tools/__init__.py), and one only: {wrong}"


def test_no_set_has_the_name_of_another() -> None:
    assert len(toolsets(GROUPS)) == len(GROUPS) + 10


def test_full_is_all() -> None:
    assert choose(["full"], GROUPS) == EVERYTHING
    assert choose(["core", "full"], GROUPS) == EVERYTHING


def test_sets_groups_and_single_tools_add_up() -> None:
    typing = {"send_keys", "send_keys_batch", "paste_text"}
    assert choose(["typing", "kill_pane"], GROUPS) == typing | {"kill_pane"}
    assert choose(["none"], GROUPS) == frozenset()


def test_core_is_small_and_terminal_smaller() -> None:
    assert size(offer("core")) <= 12_000
    assert size(offer("terminal")) <= 5_000
    assert set(TERMINAL) <= set(CORE)


def test_an_unknown_toolset_is_refused_with_the_nearest_and_all_there_are() -> None:
    with pytest.raises(BadInput, match="names 'cor'. Did you mean 'core'. There are full, core, terminal"):
        choose(["cor"], GROUPS)


def test_an_unknown_exclusion_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="names 'pipe_pain'. Did you mean 'pipe_pane'"):
        excluded(["pipe_pain"], GROUPS)


def test_the_other_servers_sets_hold_every_tool_once() -> None:
    sets = toolsets(GROUPS)
    counted = Counter(
        tool.name for name in ("inspect", "manage", "execute", "teardown") for tool in sets[name]
    )
    assert counted == dict.fromkeys(EVERYTHING, 1)
    assert all(tool.tier == Tier.READONLY for tool in sets["inspect"])
    assert not {"send_keys", "paste_text", "pipe_pane", "respawn_pane"} & choose(["manage"], GROUPS)


def test_the_other_servers_tools_are_no_mistake() -> None:
    assert choose(["call_read_tools_batch"], GROUPS) == {"batch_read"}
    assert excluded(["call_read_tools_batch"], GROUPS) == {"batch_read"}
    assert choose(["run_command"], GROUPS) == {"run_command"}


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("name", toolsets(GROUPS))
def test_a_toolset_never_lifts_the_tier(name: str, tier: Tier) -> None:
    found = offer(name, tier=tier)
    assert all(tool.tier <= tier for tool in found.tools.values())
    more = {tool.name for tool in on_demand([name])}
    assert set(found.tools) | set(found.withheld) == EVERYTHING | more


def test_what_is_not_offered_names_each_setting_that_would_allow_it() -> None:
    found = offer("core", tier=Tier.READONLY, without=("kill_window",))
    with pytest.raises(
        BadInput, match="not allowed: the toolsets are core.*MUXPILOT_TOOLSETS=core,settings$"
    ):
        found.find("show_option")
    with pytest.raises(
        BadInput, match="SAFETY=destructive and MUXPILOT_TOOLSETS=core,destroy and MUXPILOT_EXCLUDE_TOOLS"
    ):
        found.find("kill_window")


@pytest.mark.parametrize("tier", [0, None, "readonly", -1, False])
def test_a_tool_without_a_tier_of_ours_is_offered_to_nobody(tier: Any) -> None:
    stray = replace(ALL[0], name="stray", tier=tier)
    found = Offer.of({**GROUPS, "more": (stray,)}, Settings(tier=Tier.DESTRUCTIVE))
    assert set(found.tools) == EVERYTHING
    with pytest.raises(BadInput, match="no tool 'stray'"):
        found.find("stray")
