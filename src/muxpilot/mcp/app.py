"""The MCP server: the SDK's low-level server with our table of tools behind it.

What the adapter sees to, in one place: only what is on offer (tier, toolset) is listed and called; unknown
arguments are errors; results are compact; an expected failure is a tool error, an unexpected one is logged
with its trace and answered in one line.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from muxpilot import __version__
from muxpilot.config import Settings, Tier
from muxpilot.errors import BadInput, MuxpilotError
from muxpilot.mcp import completion, resource_handlers
from muxpilot.mcp.audit import Audit, Call
from muxpilot.mcp.context import Context, Report
from muxpilot.mcp.instructions import instructions
from muxpilot.mcp.offer import Offer
from muxpilot.mcp.prompts import PromptBook, prompt_tools
from muxpilot.mcp.results import error_wire, plainly
from muxpilot.mcp.tools import GROUPS
from muxpilot.mcp.toolsets import Groups

log = logging.getLogger("muxpilot")

CLOSING_SECONDS = 3.0

LISTING = CacheHint(ttl_ms=3_600_000)
"""The tools and prompts of a running server never change; a client may keep the listing."""

Request = ServerRequestContext[Context]


def build(settings: Settings, groups: Groups = GROUPS) -> Server[Context]:
    """A server with the tools that the settings allow.

    Raises:
        BadInput: the settings name a tmux server, a toolset or an audit log that can be none.
    """
    offer = Offer.of(groups, settings)
    if not offer.tools:
        log.warning("the settings leave no tool: toolsets %s", ",".join(settings.toolsets))
    prompts = PromptBook(offer.tools)
    if settings.prompts_as_tools:
        offer = offer.with_tools(*prompt_tools(prompts))
    toolbox = Toolbox(offer)
    audit = Audit(settings.audit_log)
    context = Context.from_settings(settings, toolbox.read)

    async def list_tools(_: Request, __: types.PaginatedRequestParams | None) -> Any:
        return toolbox.listing

    async def call_tool(request: Request, params: types.CallToolRequestParams) -> Any:
        context = replace(request.lifespan_context, report=_reporter(request))
        arguments = params.arguments or {}
        call = Call.of(request, params.name, offer.tier_of(params.name), arguments)
        return await audit.recorded(call, toolbox.call(context, params.name, arguments))

    @contextlib.asynccontextmanager
    async def lifespan(_: Server[Context]) -> AsyncIterator[Context]:
        try:
            yield context
        finally:
            # Shielded: whoever stops us shall not leave our clients in the user's tmux.
            with anyio.move_on_after(CLOSING_SECONDS, shield=True):
                await context.close()

    server = _Honest(
        "muxpilot",
        version=__version__,
        instructions=offer.spelling.spell(instructions(settings, offer.tools)),
        lifespan=lifespan,
        cache_hints={"tools/list": LISTING, "prompts/list": LISTING},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=prompts.on_list,
        on_get_prompt=prompts.on_get,
    )
    resource_handlers.install(server)
    completion.install(server)
    server.middleware.clear()  # OpenTelemetry spans that nobody collects.
    return server


class _Honest(Server[Context]):
    """The SDK claims of the newer era that tools and prompts change, because resources do."""

    def get_capabilities(self, *given: Any, **named: Any) -> types.ServerCapabilities:
        found = super().get_capabilities(*given, **named)
        for one in (found.tools, found.prompts):
            if one is not None:
                one.list_changed = False
        return found


class Toolbox:
    """Calls the tools that are on offer, and turns every failure into an answer."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self.listing = offer.listing()

    async def call(self, context: Context, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        says: Callable[[MuxpilotError], str] = plainly
        try:
            tool = self._offer.find(name)
            says = tool.says
            return await tool.call(context, arguments)
        except MuxpilotError as error:
            log.info("%s: %s", name, error)
            return self._refused(error, says)
        except Exception as error:  # The border: nothing may pass it unnamed.
            log.exception("unexpected failure in %s", name)
            problem = MuxpilotError(
                f"unexpected {type(error).__name__} in {name}", hint="The trace is in muxpilot's log (stderr)"
            )
            return self._refused(problem, says)

    def _refused(self, error: MuxpilotError, says: Callable[[MuxpilotError], str]) -> dict[str, Any]:
        return error_wire(error, lambda error: self._offer.spelling.spell(says(error)))

    async def read(self, context: Context, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """`call`, but only what changes nothing."""
        if self._offer.tier_of(name) not in (None, Tier.READONLY.name.lower()):
            return error_wire(BadInput(f"{name} changes something", hint="Call it by itself"))
        return await self.call(context, name, arguments)


def _reporter(request: Request) -> Report | None:
    """Progress goes only to those who gave a token for it."""
    if not (request.meta or {}).get("progress_token"):
        return None
    return lambda done, total: request.session.report_progress(round(done, 1), total)
