"""How tools are called from outside: MUXPILOT_TOOL_PREFIX begins every name, wherever one is said.

A `tmux_` that a name has already gives way to it. Calls by the plain name, or by one that other servers use,
are understood all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from muxpilot.mcp.aliases import TOOL_NAMES

_REPLACED = "tmux_"


@dataclass(frozen=True)
class Spelling:
    prefix: str
    names: frozenset[str]
    """Of the tools that are offered."""

    def __call__(self, name: str) -> str:
        stem = name.removeprefix(_REPLACED)
        return f"{self.prefix}{name if stem in self.names else stem}" if self.prefix else name

    def read(self, name: str, known: Collection[str]) -> str:
        """Our name for what somebody calls like this: of an offered tool first, then of any that is known."""
        name = TOOL_NAMES.get(name, name)
        if name in self.names or name in self._plain:
            return self._plain.get(name, name)
        stem = name.removeprefix(self.prefix)
        return next((one for one in (name, stem, f"{_REPLACED}{stem}") if one in known), name)

    def spell(self, text: str) -> str:
        """A text for the agent, with the tools in it as they are called here."""
        return self._named.sub(lambda found: self(found[0]), text) if self.prefix else text

    def listed(self, tool: dict[str, Any]) -> dict[str, Any]:
        if not self.prefix:
            return tool
        return {**tool, "name": self(tool["name"]), "description": self.spell(tool["description"])}

    @cached_property
    def _plain(self) -> dict[str, str]:
        return {self(name): name for name in self.names}

    @cached_property
    def _named(self) -> re.Pattern[str]:
        """Names with a `_` in them: `terminal` and `interrupt` are words too."""
        names = sorted((name for name in self.names if "_" in name), key=len, reverse=True)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
