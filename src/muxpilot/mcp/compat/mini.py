"""Seven tools that know a session by its name alone, and answer in JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

from muxpilot.config import Tier
from muxpilot.errors import BadInput, PaneRefused, ServerNotRunning, TargetNotFound
from muxpilot.mcp.arguments import Handler
from muxpilot.mcp.compat import classic
from muxpilot.mcp.compat.answers import as_json, sessions_of
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import ENDS, LOOKS, Hints, Tool, tool
from muxpilot.mcp.tools import act, destroy
from muxpilot.terminal import keys as typing
from muxpilot.terminal import sessions
from muxpilot.terminal.model import Session
from muxpilot.terminal.snapshot import CLIENTS, SESSIONS, WINDOWS
from muxpilot.terminal.spot import spot_of
from muxpilot.terminal.starting import shell_in_front

LONGEST_NAME = 100
STARTING = 5.0
"""Seconds that a new shell gets to be at its prompt before a command is typed all the same."""

_NOT_IN_A_NAME = re.compile(r"[.:\s|]")

Name = Annotated[str, Field(description="session name")]


def mini(tier: Tier, hints: Hints | None = None) -> Callable[[Handler], Tool]:
    return tool(tier, hints, says=lambda error: str(error).replace("start_directory", "cwd"))


@mini(Tier.READONLY, LOOKS)
async def list_sessions(context: Context) -> Result:
    """List tmux sessions."""
    with suppress(ServerNotRunning, TargetNotFound):
        return as_json(sessions_of(await context.snapshot(None, SESSIONS, CLIENTS)))
    return as_json({"count": 0, "sessions": []})


@mini(Tier.READONLY, LOOKS)
async def has_session(context: Context, name: Name) -> Result:
    """Whether there is a session of this name."""
    exists = False
    with suppress(ServerNotRunning, TargetNotFound):
        await _named(context, name)
        exists = True
    return as_json({"name": name, "exists": exists})


@mini(Tier.READONLY, LOOKS)
async def list_windows(context: Context, name: Name) -> Result:
    """List a session's windows."""
    session = await _named(context, name)
    snapshot = await context.snapshot(None, WINDOWS)
    found = [
        {
            "index": one.window_index,
            "name": one.window_name,
            "active": one.window_active,
            "panes": one.window_panes,
        }
        for one in snapshot.windows_of[session.session_id]
    ]
    return as_json({"name": name, "windows": found})


@mini(Tier.READONLY, LOOKS)
async def capture_pane(
    context: Context,
    name: Name,
    lines: Annotated[int | None, Field(ge=1, description="the last ones, with scrollback")] = None,
) -> Result:
    """Read what a session shows."""
    session = await _named(context, name)
    return await classic.tmux_read_pane.handler(context, session.active_pane_id, lines)


@mini(Tier.MUTATING)
async def new_session(
    context: Context,
    name: Annotated[str, Field(description='unique; without ".", ":", "|" and whitespace')],
    command: Annotated[str | None, Field(description="typed into its shell")] = None,
    cwd: str | None = None,
) -> Result:
    """Start a detached session with a shell; `command` is typed into it, so the session outlives it."""
    _check_name(name)
    tmux = context.tmux(None)
    try:
        made = await sessions.create_session(tmux, name=name, start_directory=cwd or None)
    except BadInput as error:
        if error.message.endswith("already exists"):
            raise BadInput(
                f'session "{name}" already exists. Use kill_session first or pick a different name.'
            ) from None
        raise
    context.attention.made(tmux, made.pane_id)
    if command and command.strip():
        with suppress(PaneRefused):  # A start file may start a program: then it gets what is typed.
            await shell_in_front(await spot_of(tmux, made.pane_id), STARTING)
        await typing.send_keys(tmux, made.pane_id, command, context.attention, literal=True)
    hint = f'Use capture_pane name="{name}" to check output; {tmux.endpoint.attach_line(name)} to watch.'
    facts = {"name": name, "cwd": cwd or None, "command": command or None, "status": "running", "hint": hint}
    return as_json(facts)


@mini(Tier.MUTATING)
async def send_keys(
    context: Context,
    name: Name,
    keys: Annotated[str, Field(description="text, or one key: C-c, Up")],
    enter: Annotated[bool, Field(description="press Enter afterwards")] = True,
) -> Result:
    """Type into a session."""
    session = await _named(context, name)
    await act.send_keys.handler(context, session.active_pane_id, keys, enter=enter)
    return as_json({"name": name, "status": "sent"})


@mini(Tier.DESTRUCTIVE, ENDS)
async def kill_session(context: Context, name: Name) -> Result:
    """End a session."""
    session = await _named(context, name)
    await destroy.kill_session.handler(context, session.session_id)
    return as_json({"name": name, "status": "killed"})


def _check_name(name: str) -> None:
    if not name:
        raise BadInput("name is required (non-empty string)")
    if len(name) > LONGEST_NAME:
        raise BadInput(f"name too long (max {LONGEST_NAME})")
    if _NOT_IN_A_NAME.search(name):
        raise BadInput("name cannot contain '.', ':', '|', or whitespace")


async def _named(context: Context, name: str) -> Session:
    """By its whole name: no id, no target, no pattern."""
    found = (await context.snapshot(None, SESSIONS)).session_by_name.get(name)
    if found is None:
        raise TargetNotFound(f'session "{name}" does not exist', hint="list_sessions shows what exists")
    return found
