"""A tool: its name and description, the tier that allows it, and the function behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from muxpilot.config import Tier
from muxpilot.errors import MuxpilotError
from muxpilot.mcp.arguments import Arguments, Handler
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import plainly


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    tier: Tier
    arguments: Arguments
    handler: Handler
    destructive: bool = False
    idempotent: bool = False
    says: Callable[[MuxpilotError], str] = plainly
    """How it tells that something went wrong."""

    async def call(self, context: Context, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments and do it. Raises `MuxpilotError` for whatever can be expected to go wrong."""
        result = await self.handler(context, **self.arguments.check(arguments))
        return result.wire()

    def listing(self) -> dict[str, Any]:
        """How a client sees it. Hints are given where they differ from what the protocol assumes."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.arguments.schema(),
            "annotations": self._annotations(),
        }

    def _annotations(self) -> dict[str, bool]:
        hints = {"destructiveHint": True} if self.destructive else _ANNOTATIONS[self.tier]
        return {**hints, "idempotentHint": True} if self.idempotent else hints


_ANNOTATIONS: dict[Tier, dict[str, bool]] = {
    Tier.READONLY: {"readOnlyHint": True},
    Tier.MUTATING: {"destructiveHint": False},
    Tier.DESTRUCTIVE: {"destructiveHint": True},
}


def tool(
    tier: Tier,
    *,
    destructive: bool = False,
    idempotent: bool = False,
    says: Callable[[MuxpilotError], str] = plainly,
) -> Callable[[Handler], Tool]:
    """Make a function a tool: its docstring is the description, its signature the parameters.

    `destructive` says so of one whose tier does not; `idempotent`, that twice is the same as once.
    """

    def make(handler: Handler) -> Tool:
        name = handler.__name__
        about = inspect.getdoc(handler) or name
        return Tool(name, about, tier, Arguments(handler), handler, destructive, idempotent, says)

    return make
