"""Tools for tmux's options, environments, hooks and format variables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from muxpilot.config import Tier
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result, rows_of
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import CONFIGURES, LOOKS, tool
from muxpilot.mcp.tools.parameters import InSession, Server
from muxpilot.terminal import options, variables
from muxpilot.terminal.options import Where

Scope = Literal["server", "session", "window", "pane"] | None
Place = Annotated[str | None, Field(description="session, window or pane of that scope; none: global")]
HOOK_COLUMNS = ("hook_name", "index", "command")


@tool(Tier.READONLY, LOOKS)
async def show_option(
    context: Context,
    option: str,
    scope: Scope = None,
    target: Place = None,
    global_: bool = False,
    server: Server = None,
) -> Result:
    """Read a tmux option (history-limit, mouse, @mine): the value that holds there, inherited or not."""
    where = await _where(context, scope, target, global_, server)
    value = await options.show_option(context.tmux(server), option, where)
    return Result(value, {"option": option, "value": value})


@tool(Tier.MUTATING, CONFIGURES)
async def set_option(
    context: Context,
    option: str,
    value: str,
    scope: Scope = None,
    target: Place = None,
    global_: bool = False,
    server: Server = None,
) -> Result:
    """Set a tmux option; without a target globally, so that people notice too. Hooks can't be set.

    Those that run commands or end things need the destructive tier."""
    tmux, where = context.tmux(server), await _where(context, scope, target, global_, server)
    await context.caller.guard_option(option, value, None if global_ else where.target, tmux)
    is_destructive = context.settings.tier >= Tier.DESTRUCTIVE
    await options.set_option(tmux, option, value, where, is_destructive=is_destructive)
    return Result(f"set {option}", {"option": option, "value": value, "status": "set"})


@tool(Tier.READONLY, LOOKS)
async def show_environment(context: Context, target: InSession = None, server: Server = None) -> Result:
    """Read the variables that new programs get: global ones, or those of a session. null: taken away."""
    session = await context.session_id(target, server) if target is not None else None
    found = await options.show_environment(context.tmux(server), session)
    rows = [{"name": name, "value": value} for name, value in found.items()]
    return rows_of(rows, ("name", "value"), {"variables": found})


@tool(Tier.MUTATING, CONFIGURES)
async def set_environment(
    context: Context, name: str, value: str, target: InSession = None, server: Server = None
) -> Result:
    """Set a variable for all programs that tmux starts from now on. For one command type `env X=y cmd`."""
    session = await context.session_id(target, server) if target is not None else None
    await options.set_environment(context.tmux(server), name, value, session)
    return Result(f"set {name}", {"name": name, "value": value, "status": "set"})


@tool(Tier.READONLY, LOOKS)
async def show_hooks(
    context: Context, scope: Scope = None, target: Place = None, global_: bool = False, server: Server = None
) -> Result:
    """List the hooks that the user has set: commands which tmux runs by itself on events."""
    return await _hooks(context, None, scope, target, global_, server)


@tool(Tier.READONLY, LOOKS)
async def show_hook(
    context: Context,
    hook_name: str,
    scope: Scope = None,
    target: Place = None,
    global_: bool = False,
    server: Server = None,
) -> Result:
    """Read one hook; empty where it is not set, an error where there is none of that name."""
    return await _hooks(context, hook_name, scope, target, global_, server)


@tool(Tier.READONLY, LOOKS)
async def display_message(
    context: Context,
    format_string: Annotated[str, Field(description="for example #{window_zoomed_flag} #{pane_dead}")],
    target: Annotated[str | None, Field(description="pane")] = None,
    server: Server = None,
) -> Result:
    """Expand tmux variables, #{name}; also #{?name,yes,no}, #{==:#{name},text}. Shows nothing to anybody."""
    pane_id = await context.pane_id(target, server) if target is not None else None
    text = await variables.expand(context.tmux(server), format_string, pane_id, visible.name)
    return Result(text, form=visible.lines)


async def _hooks(
    context: Context, name: str | None, scope: Scope, target: str | None, global_: bool, server: str | None
) -> Result:
    where = await _where(context, scope, target, global_, server)
    rows = [asdict(hook) for hook in await options.show_hooks(context.tmux(server), where, name)]
    return rows_of(rows, HOOK_COLUMNS, {"entries": rows})


async def _where(
    context: Context, scope: Scope, target: str | None, global_: bool, server: str | None
) -> Where:
    if target is None or scope == "server":
        return Where(scope, None, global_)
    find = {"window": context.window_id, "pane": context.pane_id}.get(scope or "", context.session_id)
    return Where(scope, await find(target, server), global_)
