"""Which tools a client is offered: the one place that decides, by tier, toolset and exclusion.

It decides for resources, completions and prompts too: each stands for the tools that show the same.

It fails closed: a tool whose tier is none of ours is offered to nobody. What is not offered is neither listed
nor callable, and whoever calls it all the same is told which setting would allow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from muxpilot.config import Settings, Tier
from muxpilot.errors import BadInput
from muxpilot.mcp.spelling import Spelling
from muxpilot.mcp.tool import Tool
from muxpilot.mcp.toolsets import Groups, choose, excluded, on_demand

Needs = tuple[tuple[str, ...], ...]
"""Tools that show the same as something else does: of each group, one must be offered."""


@dataclass(frozen=True)
class Offer:
    known: dict[str, Tool]
    withheld: dict[str, dict[str, str]]
    """Tools that are not offered: what keeps each back, and the setting that would not."""
    spelling: Spelling

    @classmethod
    def of(cls, groups: Groups, settings: Settings) -> Offer:
        """Raises `BadInput` where the settings name a toolset or tool that there is none of."""
        more = on_demand(settings.toolsets)
        chosen = choose(settings.toolsets, groups) | {tool.name for tool in more}
        without = excluded(settings.exclude_tools, groups, more)
        known = [*_known(groups), *_known({"": more})]
        reasons = {tool.name: dict(_reasons(group, tool, settings, chosen, without)) for group, tool in known}
        offered = frozenset(name for name, why in reasons.items() if not why)
        return cls(
            {tool.name: tool for _, tool in known},
            {name: why for name, why in reasons.items() if why},
            Spelling(settings.tool_prefix, offered),
        )

    @cached_property
    def tools(self) -> dict[str, Tool]:
        return {name: tool for name, tool in self.known.items() if name not in self.withheld}

    def with_tools(self, *more: Tool) -> Offer:
        names = self.spelling.names | {tool.name for tool in more}
        spelling = Spelling(self.spelling.prefix, names)
        return Offer({**self.known, **{tool.name: tool for tool in more}}, self.withheld, spelling)

    def listing(self) -> dict[str, Any]:
        return {"tools": [self.spelling.listed(tool.listing()) for tool in self.tools.values()]}

    def find(self, name: str) -> Tool:
        """Raises `BadInput` for what is not offered."""
        called, name = name, self.name_of(name)
        if name not in self.known:
            close = [self.spelling(one) for one in get_close_matches(name, self.tools, 1)]
            meant = f"Did you mean {close[0]}? " if close else ""
            names = ", ".join(map(self.spelling, self.tools))
            raise BadInput(f"no tool {called!r}", hint=f"{meant}There are {names}")
        if reasons := self.withheld.get(name):
            raise _not_allowed(self.spelling(name), reasons)
        return self.known[name]

    def require(self, what: str, needs: Needs) -> None:
        """Raises `BadInput`, which names the setting, where this shows what no offered tool would."""
        if problem := self.objection(what, needs):
            raise problem

    def objection(self, what: str, needs: Needs) -> BadInput | None:
        for tools in needs:
            if not any(name in self.tools for name in tools):
                reasons = self.withheld.get(tools[0], {})
                return _not_allowed(f"{what} (it shows what {self.spelling(tools[0])} does)", reasons)
        return None

    def allows(self, needs: Needs) -> bool:
        return self.objection("", needs) is None

    def tier_of(self, name: str) -> str | None:
        """Of a tool that is withheld too; None where there is none of that name."""
        name = self.name_of(name)
        return self.known[name].tier.name.lower() if name in self.known else None

    def name_of(self, called: str) -> str:
        """Our own name for what a client calls so: with a prefix, by another server's name, or as it is."""
        return self.spelling.read(called, self.known)


def _not_allowed(what: str, reasons: Mapping[str, str]) -> BadInput:
    return BadInput(
        f"{what} is not allowed: {', '.join(reasons)}",
        hint=f"A person can allow it with {' and '.join(reasons.values())}",
    )


def _known(groups: Groups) -> Iterator[tuple[str, Tool]]:
    """A tier that only looks like one, the number 0 for instance, is no tier."""
    return ((group, tool) for group, tools in groups.items() for tool in tools if isinstance(tool.tier, Tier))


def _reasons(
    group: str, tool: Tool, settings: Settings, chosen: frozenset[str], without: frozenset[str]
) -> Iterator[tuple[str, str]]:
    if tool.tier > settings.tier:
        yield f"the tier is {settings.tier.name.lower()}", f"MUXPILOT_SAFETY={tool.tier.name.lower()}"
    if tool.name not in chosen:
        names = ",".join(settings.toolsets)
        yield f"the toolsets are {names}", f"MUXPILOT_TOOLSETS={names},{group}"
    if tool.name in without:
        yield "it is excluded", "MUXPILOT_EXCLUDE_TOOLS without it"
