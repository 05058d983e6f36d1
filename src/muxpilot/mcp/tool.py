"""A tool: its name and description, the tier that allows it, what clients are told of it, its function."""

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
class Hints:
    """What clients decide by whether to ask a person first. Defaults are the protocol's own: the worst."""

    read_only: bool = False
    destructive: bool = True
    """Of what is not read-only: it may run, overwrite or end something."""
    idempotent: bool = False
    """Of what is not read-only: twice is the same as once."""
    open_world: bool = True
    """It may reach beyond tmux, by what it runs or sets going."""

    def listing(self) -> dict[str, bool]:
        """Only those that differ from what the protocol assumes."""
        if self.read_only:
            return {"readOnlyHint": True, **_unless(self.open_world, "openWorldHint")}
        return {
            **_unless(self.destructive, "destructiveHint"),
            **({"idempotentHint": True} if self.idempotent else {}),
            **_unless(self.open_world, "openWorldHint"),
        }


def _unless(assumed: bool, hint: str) -> dict[str, bool]:
    return {} if assumed else {hint: False}


LOOKS = Hints(read_only=True, open_world=False)
"""Shows what tmux holds."""
ARRANGES = Hints(destructive=False, open_world=False)
"""Changes how things are arranged or shown in tmux; nothing runs and nothing ends."""
RESETS = Hints(destructive=False, idempotent=True, open_world=False)
"""Likewise, and twice is the same as once."""
STARTS = Hints(destructive=False)
"""Adds something that may do anything from then on: a shell, keys."""
CONFIGURES = Hints(destructive=False, idempotent=True)
"""Changes what programs and tmux do later."""
ENDS = Hints(open_world=False)
"""Ends or drops things in tmux, and reaches no further."""


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    tier: Tier
    arguments: Arguments
    handler: Handler
    hints: Hints = Hints()
    says: Callable[[MuxpilotError], str] = plainly
    """How it tells that something went wrong."""

    @property
    def title(self) -> str:
        """A few words for people: `Capture pane`."""
        return self.name.removeprefix("tmux_").replace("_", " ").capitalize()

    async def call(self, context: Context, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments and do it. Raises `MuxpilotError` for whatever can be expected to go wrong."""
        result = await self.handler(context, **self.arguments.check(arguments))
        return result.wire()

    def listing(self) -> dict[str, Any]:
        """How a client sees it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.arguments.schema(),
            "annotations": self.hints.listing(),
        }


def tool(
    tier: Tier, hints: Hints | None = None, *, says: Callable[[MuxpilotError], str] = plainly
) -> Callable[[Handler], Tool]:
    """Make a function a tool: its docstring is the description, its signature the parameters.

    Without `hints`, clients are told nothing, and assume the worst.
    """

    def make(handler: Handler) -> Tool:
        name = handler.__name__
        about = inspect.getdoc(handler) or name
        return Tool(name, about, tier, Arguments(handler), handler, hints or Hints(), says)

    return make
