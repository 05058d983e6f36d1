"""Prompts as clients see them: recipes, listed and filled in, over prompts/list, prompts/get and as tools."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from muxpilot.config import Tier
from muxpilot.errors import BadInput
from muxpilot.mcp import visible
from muxpilot.mcp.arguments import Arguments
from muxpilot.mcp.context import Context
from muxpilot.mcp.jsonrpc import INVALID_PARAMS, Refused
from muxpilot.mcp.recipes import RECIPES, Recipe
from muxpilot.mcp.requests import Answer, Request
from muxpilot.mcp.results import Result, rows_of
from muxpilot.mcp.tool import LOOKS, Tool, tool


@dataclass(frozen=True, slots=True)
class Prompt:
    recipe: Recipe
    needs: frozenset[str]
    arguments: Arguments

    @property
    def name(self) -> str:
        return self.recipe.__name__

    @property
    def description(self) -> str:
        return inspect.getdoc(self.recipe) or self.name

    def listing(self) -> dict[str, Any]:
        schema = self.arguments.schema()
        arguments = [
            {"name": name, "required": name in schema.get("required", []), **_description(one)}
            for name, one in schema["properties"].items()
        ]
        return {"name": self.name, "description": self.description, "arguments": arguments}


def _description(schema: Mapping[str, Any]) -> dict[str, str]:
    return {"description": schema["description"]} if "description" in schema else {}


PROMPTS = {
    recipe.__name__: Prompt(recipe, frozenset(needs), Arguments(recipe)) for recipe, needs in RECIPES.items()
}


class PromptBook:
    """The prompts that can be followed with these tools."""

    def __init__(
        self, tools: Collection[str], withheld: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """`withheld`: of other tools, what keeps them back, and the setting that would not."""
        self._tools = tools
        self._withheld = withheld or {}
        self._offered = {name: one for name, one in PROMPTS.items() if one.needs <= set(tools)}

    def listing(self) -> list[dict[str, Any]]:
        return [one.listing() for one in self._offered.values()]

    def render(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Raises `BadInput` where there is no such prompt here, or an argument is missing or wrong."""
        prompt = self._find(name)
        return prompt.recipe(self._tools, **prompt.arguments.check(arguments))

    def _find(self, name: str) -> Prompt:
        if name in self._offered:
            return self._offered[name]
        if name in PROMPTS:
            missing = sorted(PROMPTS[name].needs - set(self._tools))
            raise BadInput(f"{name} needs {', '.join(missing)}", hint=self._remedy(missing))
        raise BadInput(f"no prompt {name!r}", hint=f"There are {', '.join(self._offered) or 'none'}")

    def _remedy(self, missing: list[str]) -> str:
        """By the settings that would offer these tools, each once."""
        settings = dict.fromkeys(one for tool in missing for one in self._withheld.get(tool, {}).values())
        if not settings:
            return "This server's tier or toolsets leave that out"
        return f"A person can allow it with {' and '.join(settings)}"

    async def on_list(self, _: Request) -> Answer:
        return {"prompts": self.listing()}

    async def on_get(self, request: Request) -> Answer:
        name = request.given("name", str)
        arguments = request.given("arguments", dict) if request.params.get("arguments") is not None else {}
        try:
            text = self.render(name, arguments)
        except BadInput as error:
            raise Refused(INVALID_PARAMS, str(error)) from None
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": PROMPTS[name].description, "messages": [message]}


def prompt_tools(book: PromptBook) -> tuple[Tool, ...]:
    """For clients that know tools only."""

    @tool(Tier.READONLY, LOOKS)
    async def list_prompts(_: Context) -> Result:
        """List recipes for common tasks. get_prompt fills one in."""
        prompts = book.listing()
        rows = [{**one, "arguments": ", ".join(a["name"] for a in one["arguments"])} for one in prompts]
        return rows_of(rows, ("name", "arguments", "description"), {"prompts": prompts})

    @tool(Tier.READONLY, LOOKS)
    async def get_prompt(_: Context, name: str, arguments: dict[str, Any] | None = None) -> Result:
        """Get a recipe of list_prompts, filled in: steps to follow with the other tools."""
        return Result(book.render(name, arguments or {}), form=visible.lines)

    return list_prompts, get_prompt
