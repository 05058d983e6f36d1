"""The MCP server: which request is answered by whom, with our table of tools behind it.

What it sees to, in one place: only what is on offer (tier, toolset) is listed and called, and every request
passes the gate; an expected failure of a tool is a tool error, an unexpected one is logged with its trace and
answered in one line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from muxpilot.config import Settings, Tier
from muxpilot.errors import BadInput, MuxpilotError
from muxpilot.mcp import completion, eras, resource_handlers, resources, visible
from muxpilot.mcp.audit import Audit
from muxpilot.mcp.context import Context, Report
from muxpilot.mcp.conversation import Service
from muxpilot.mcp.gate import gated
from muxpilot.mcp.instructions import instructions
from muxpilot.mcp.offer import Offer
from muxpilot.mcp.prompts import PromptBook, prompt_tools
from muxpilot.mcp.requests import Answer, Request, member
from muxpilot.mcp.results import error_wire, plainly
from muxpilot.mcp.tools import GROUPS
from muxpilot.mcp.tools.batch import batch_read
from muxpilot.mcp.toolsets import Groups

log = logging.getLogger("muxpilot")


def build(settings: Settings, groups: Groups = GROUPS) -> Service:
    """A server with the tools that the settings allow.

    Raises:
        BadInput: the settings name a tmux server, a toolset or an audit log that can be none.
    """
    offer = Offer.of(groups, settings)
    if not offer.tools:
        log.warning("the settings leave no tool: toolsets %s", ",".join(settings.toolsets))
    prompts = PromptBook(offer.tools, offer.withheld)
    if settings.prompts_as_tools:
        offer = offer.with_tools(*prompt_tools(prompts))
    toolbox = Toolbox(offer)
    audit = Audit(settings.audit_log)
    about = visible.lines(offer.spelling.spell(instructions(settings, offer.tools)))

    async def list_tools(_: Request) -> Answer:
        return toolbox.listing

    async def call_tool(request: Request) -> Answer:
        name = request.given("name", str)
        arguments = request.given("arguments", dict) if request.params.get("arguments") is not None else {}
        _check_input(request)
        report = _reporter(request)
        context = request.context if report is None else replace(request.context, report=report)
        return await toolbox.call(context, name, arguments)

    async def discover(_: Request) -> Answer:
        return eras.discovery(about)

    async def ping(_: Request) -> Answer:
        return {}

    handlers = {
        "ping": ping,
        "server/discover": discover,
        "tools/list": list_tools,
        "tools/call": call_tool,
        "prompts/list": prompts.on_list,
        "prompts/get": prompts.on_get,
        "completion/complete": completion.complete,
        **resource_handlers.handlers(resources.offered(offer)),
    }
    return Service(gated(handlers, offer, audit), Context.from_settings(settings, toolbox.read), about)


class Toolbox:
    """Calls the tools that are on offer, and turns every failure into an answer."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self.listing: Answer = {"tools": orjson.Fragment(orjson.dumps(offer.listing()["tools"]))}

    async def call(self, context: Context, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        says: Callable[[MuxpilotError], str] = plainly
        try:
            tool = self._offer.find(name)
            says = tool.says
            return await tool.call(context, arguments)
        except MuxpilotError as error:
            log.info("%s: %s", name, error.condition if arguments.get("sensitive") else error)
            return self._refused(error, says)
        except Exception as error:  # The border: nothing may pass it unnamed.
            log.error("unexpected failure in %s", name, exc_info=not arguments.get("sensitive"))  # noqa: TRY400
            problem = MuxpilotError(
                f"unexpected {type(error).__name__} in {name}", hint="The trace is in muxpilot's log (stderr)"
            )
            return self._refused(problem, says)

    def _refused(self, error: MuxpilotError, says: Callable[[MuxpilotError], str]) -> dict[str, Any]:
        return error_wire(error, lambda error: self._offer.spelling.spell(says(error)))

    async def read(self, context: Context, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """`call`, but only what changes nothing, and no other batch: it could hold batches without end."""
        if self._offer.name_of(name) == batch_read.name:
            return error_wire(BadInput("a batch can't hold a batch", hint="Put its operations into this one"))
        if self._offer.tier_of(name) not in (None, Tier.READONLY.name.lower()):
            return error_wire(BadInput(f"{name} changes something", hint="Call it by itself"))
        return await self.call(context, name, arguments)


def _check_input(request: Request) -> None:
    """No tool asks its client for anything. Answers to nothing are ignored, nonsense is not."""
    if "inputResponses" in request.params:
        for name in (answers := request.given("inputResponses", dict)):
            member(answers, name, dict, "params.inputResponses")


def _reporter(request: Request) -> Report | None:
    """Progress goes only to those who gave a token for it."""
    token = request.progress_token()
    if token is None:
        return None

    async def report(done: float, total: float) -> None:
        params = {"progressToken": token, "progress": round(done, 1), "total": total}
        await request.client.notify("notifications/progress", params)

    return report
