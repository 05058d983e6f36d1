"""Tools that wait: each returns as soon as it happens, and says what happened."""

from __future__ import annotations

from typing import Annotated, Any

from muxpilot.config import Tier
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import LOOKS, tool
from muxpilot.mcp.tools.parameters import PaneTarget, Server
from muxpilot.terminal import wait
from muxpilot.terminal.hunt import Hunt
from muxpilot.terminal.matching import compiled
from muxpilot.terminal.vigil import LONGEST_WAIT
from muxpilot.terminal.wait_text import TextWait
from muxpilot.terminal.wait_text import wait_for_text as wait_for

Patterns = str | list[str] | None
Timeout = Annotated[float, Field(gt=0, le=LONGEST_WAIT, description="seconds")]


@tool(Tier.READONLY, LOOKS)
async def wait_for_text(
    context: Context,
    target: PaneTarget,
    patterns: Annotated[Patterns, Field(description="any of these ends it; none: any output")] = None,
    stop: Annotated[Patterns, Field(description="signs of failure that end it at once")] = None,
    regex: Annotated[bool, Field(description="RE2 syntax")] = False,
    match_case: bool = False,
    timeout: Timeout = 30,
    server: Server = None,
) -> Result:
    """Wait until text shows that was written after you last typed, read or waited in this pane.

    Older text is only reported (matched_at_entry); the echo of what you typed never matches. Give `stop` too
    ("error"), so that a failure ends it at once.
    """
    wanted, failures = _listed(patterns), _listed(stop)
    async with compiled([*wanted, *failures], regex=regex, match_case=match_case) as found:
        hunt = Hunt(found[: len(wanted)], found[len(wanted) :])
        pane_id = await context.pane_id(target, server)
        seen = await wait_for(
            context.tmux(server), pane_id, hunt, timeout, context.attention, context.progress(timeout)
        )
    return Result(_told(seen, pane_id), _facts(seen, pane_id, timeout), visible.pane_text)


@tool(Tier.READONLY, LOOKS)
async def wait_for_content_change(
    context: Context, target: PaneTarget, timeout: Timeout = 30, server: Server = None
) -> Result:
    """Wait until the screen changes in any way. Where you know what will come, wait_for_text is surer."""
    pane_id = await context.pane_id(target, server)
    done = await wait.wait_for_change(context.tmux(server), pane_id, timeout, context.progress(timeout))
    return _waited(done, pane_id, changed=done.outcome == "changed")


@tool(Tier.READONLY, LOOKS)
async def wait_for_idle(
    context: Context,
    target: PaneTarget,
    quiet_seconds: Annotated[float, Field(gt=0, le=LONGEST_WAIT)] = 2,
    timeout: Timeout = 30,
    server: Server = None,
) -> Result:
    """Wait until nothing has been written to a pane for some seconds: a build or a download that pauses.

    Quiet is not done: a program may be thinking, or waiting for input.
    """
    pane_id = await context.pane_id(target, server)
    done = await wait.wait_for_idle(
        context.tmux(server), pane_id, quiet_seconds, timeout, context.progress(timeout)
    )
    return _waited(done, pane_id, idle=done.outcome == "idle")


@tool(Tier.READONLY, LOOKS)
async def wait_for_exit(
    context: Context,
    target: PaneTarget,
    pane: Annotated[bool, Field(description="the pane's own process, not the program in front")] = False,
    timeout: Timeout = 30,
    server: Server = None,
) -> Result:
    """Wait until the program in front of the shell has ended. Its exit status is not known here.

    nothing_running: none is in front; a command that was typed just now may not have begun yet.
    """
    pane_id = await context.pane_id(target, server)
    done = await wait.wait_for_exit(
        context.tmux(server), pane_id, pane=pane, seconds=timeout, progress=context.progress(timeout)
    )
    return _waited(done, pane_id, exited=done.outcome == "exited")


def _listed(patterns: Patterns) -> list[str]:
    return [patterns] if isinstance(patterns, str) else patterns or []


def _waited(done: wait.Wait, pane_id: str, **verdict: bool) -> Result:
    facts: dict[str, Any] = {
        **verdict,
        "outcome": done.outcome,
        "pane_id": pane_id,
        "elapsed_seconds": round(done.elapsed, 3),
    }
    if done.ending is not None:
        facts["exit_status"] = done.ending.status
    said = str(done.ending) if done.ending is not None else done.outcome
    return Result(f"{pane_id}: {said} after {done.elapsed:.1f} s", facts)


def _facts(found: TextWait, pane_id: str, timeout: float) -> dict[str, Any]:
    hit = found.hit
    facts: dict[str, Any] = {
        "found": hit is not None and not hit.stop,
        "outcome": found.outcome,
        "matched_index": hit.index if hit is not None and found.outcome != "any_output" else None,
        "matched_lines": hit.lines if hit is not None else [],
        "matched_at_entry": found.at_entry,
        "saw_new_output": found.new_output,
        "alternate_screen": found.alternate_screen,
        "tail": found.tail,
        "pane_id": pane_id,
        "elapsed_seconds": round(found.elapsed, 3),
        "effective_timeout": timeout,
    }
    if found.ending is not None:
        facts["exit_status"] = found.ending.status
    if found.missed:
        facts["output_missed"] = True
    return facts


def _told(found: TextWait, pane_id: str) -> str:
    said = str(found.ending) if found.ending is not None and found.hit is None else found.outcome
    when = "already there" if found.at_entry and found.hit else f"after {found.elapsed:.1f} s"
    lines = found.hit.lines if found.hit is not None else found.tail
    notes = [f"{pane_id}: {said}, {when}"]
    if found.at_entry and found.hit is None:
        known = "from before, as far as that can be told" if found.missed else "from before"
        notes.append(f"[it stands there {known}; nothing new matched]")
    if found.missed:
        notes.append("[not all that was written could be looked through: it may have been there]")
    return "\n".join([*notes, *lines])
