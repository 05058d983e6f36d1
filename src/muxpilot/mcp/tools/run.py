"""Tools that run commands and tell exactly what came of them."""

from __future__ import annotations

from typing import Annotated, Any

from muxpilot.config import Tier
from muxpilot.errors import BadInput
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result, rows_of
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import LOOKS, tool
from muxpilot.mcp.tools.parameters import Sensitive, Server
from muxpilot.terminal.converse import interrupt as stop
from muxpilot.terminal.converse import send_input
from muxpilot.terminal.following import Clock
from muxpilot.terminal.keys import KEY
from muxpilot.terminal.ledger import commands_of, output_of
from muxpilot.terminal.outcome import Outcome
from muxpilot.terminal.spot import Spot, spot_of
from muxpilot.terminal.vigil import LONGEST_WAIT
from muxpilot.tmux import TmuxServer, read_pane

DEFAULT = "default"
CAP = 60.0
"""Seconds that `terminal` waits at most."""
LONGEST_ECHO = 500
"""Characters of its command that a result repeats."""

Seconds = Annotated[float, Field(ge=0, le=LONGEST_WAIT, description="to wait; the command is never killed")]
TerminalId = Annotated[str, Field(description="made on first use; others run side by side")]
MaxLines = Annotated[int | None, Field(ge=1, description="of output; the rest is in output_path")]


@tool(Tier.MUTATING)
async def terminal(
    context: Context,
    command: Annotated[
        str, Field(description="a command, a key (C-c, Up, F5), or '' to look at what is running")
    ] = "",
    terminal_id: TerminalId = DEFAULT,
    is_input: Annotated[bool, Field(description="type it into the running program")] = False,
    no_enter: bool = False,
    timeout: Annotated[float, Field(ge=0, description="seconds to wait, 60 at most; never kills")] = 30,
    sensitive: Sensitive = False,
    server: Server = None,
) -> Result:
    """A persistent shell: exact output and exit code; folder, variables and programs stay between calls.

    status running: it goes on; an empty command waits for it and returns what is new.
    """
    seconds = min(timeout, CAP)
    clock = Clock(seconds, context.progress(seconds))
    tmux = context.tmux(server)
    spot = await _terminal(context, tmux, terminal_id, clock)
    if not command:
        outcome = await context.runner.look(tmux, spot.pane_id, clock)
    elif is_input or no_enter or KEY.fullmatch(command):
        given = {"enter": not no_enter, "hidden": sensitive}
        outcome = await send_input(context.runner, tmux, spot.pane_id, command, clock, **given)
    else:
        outcome = await _run(context, tmux, spot, command, clock, hidden=sensitive)
    capped = (f"timeout is {CAP:g} seconds at most",) if timeout > CAP else ()
    return await _result(context, outcome, server, capped)


@tool(Tier.MUTATING)
async def run_command(
    context: Context,
    command: Annotated[str, Field(description="'' looks at what is running")],
    target: Annotated[
        str | None, Field(description="pane with a shell at its prompt; else the terminal 'default'")
    ] = None,
    timeout: Seconds = 30,
    max_lines: MaxLines = None,
    sensitive: Sensitive = False,
    server: Server = None,
) -> Result:
    """Run a command; returns its exact output and exit code. Refused where no shell waits for it."""
    clock = Clock(timeout, context.progress(timeout))
    tmux = context.tmux(server)
    if target is None:
        spot = await _terminal(context, tmux, DEFAULT, clock)
    else:
        spot = await spot_of(tmux, await context.pane_to_type_in(target, server))
    if command:
        outcome = await _run(context, tmux, spot, command, clock, max_lines, hidden=sensitive)
        return await _result(context, outcome, server)
    return await _result(context, await context.runner.look(tmux, spot.pane_id, clock, max_lines), server)


@tool(Tier.MUTATING)
async def interrupt(
    context: Context,
    target: Annotated[str | None, Field(description="pane; else the terminal")] = None,
    terminal_id: str = DEFAULT,
    force: Annotated[bool, Field(description="then SIGTERM, then SIGKILL")] = False,
    timeout: Seconds = 5,
    server: Server = None,
) -> Result:
    """Press Ctrl-C, and say whether the shell came back."""
    tmux = context.tmux(server)
    pane_id = await context.pane_to_end(await _pane(context, target, terminal_id, server), server)
    done = await stop(context.runner, tmux, pane_id, Clock(timeout), force=force)
    facts = _facts(context, done.outcome)
    word = "stopped" if done.stopped else "still running"
    code = "" if facts["exit_code"] is None else f", exit code {facts['exit_code']}"
    text = f"{pane_id}: {word} after {', '.join(done.sent)}{code}"
    output = facts["output"]
    return Result(
        f"{text}\n{output}" if output else text,
        {"stopped": done.stopped, "sent": done.sent, **facts},
        visible.pane_text,
    )


@tool(Tier.READONLY, LOOKS)
async def list_commands(
    context: Context,
    target: Annotated[str | None, Field(description="pane; else the terminal")] = None,
    terminal_id: str = DEFAULT,
    number: Annotated[int | None, Field(description="one command, with its output")] = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
    server: Server = None,
) -> Result:
    """What was run in a terminal before, how it ended, and its output."""
    tmux = context.tmux(server)
    pane_id = await _pane(context, target, terminal_id, server)
    if number is not None:
        command, excerpt, path = await output_of(context.runner, tmux, pane_id, number)
        facts = {
            **command,
            "output": excerpt.text,
            "output_truncated": excerpt.truncated,
            "output_path": path,
        }
        status = "running" if facts["state"] == "running" else "completed"
        return Result(_text({"status": status, **facts}), facts, visible.pane_text)
    rows = await commands_of(context.runner, tmux, pane_id, limit)
    return rows_of(rows, ("number", "state", "exit_code", "command"), {"commands": rows})


async def _terminal(context: Context, tmux: TmuxServer, terminal_id: str, clock: Clock) -> Spot:
    """One to type in. Where muxpilot runs within a terminal of muxpilot's, that one may be our own."""
    spot = await context.terminals.ready(tmux, terminal_id, clock)
    await context.caller.guard_typing(spot.pane_id, tmux, hint="Use `terminal` with another terminal_id")
    return spot


async def _pane(context: Context, target: str | None, terminal_id: str, server: str | None) -> str:
    if target is not None:
        return await context.pane_id(target, server)
    found = await context.terminals.pane_of(context.tmux(server), terminal_id)
    if found is None:
        raise BadInput(f"there is no terminal {terminal_id!r}", hint="terminal makes one when it is used")
    return found


async def _run(
    context: Context,
    tmux: TmuxServer,
    spot: Spot,
    command: str,
    clock: Clock,
    max_lines: int | None = None,
    *,
    hidden: bool,
) -> Outcome:
    outcome = await context.runner.run(tmux, spot, command, clock, max_lines, hidden=hidden)
    if outcome.command is not None and outcome.command.ended is None:
        context.attention.typed(tmux, spot, command)  # What it writes from here on is new to a wait.
    return outcome


async def _result(
    context: Context, outcome: Outcome, server: str | None, notes: tuple[str, ...] = ()
) -> Result:
    facts = _facts(context, outcome)
    if outcome.state == "full_screen":
        screen = await read_pane(context.tmux(server), outcome.spot.pane_id)
        facts["output"] = screen.rstrip("\n")
        notes += ("a full-screen program has the terminal: its screen is shown; no_enter sends it keys",)
    if notes or outcome.notes:
        facts["notes"] = [*outcome.notes, *notes]
    return Result(_text(facts), facts, visible.pane_text)


def _facts(context: Context, outcome: Outcome) -> dict[str, Any]:
    command = outcome.command
    running = command is not None and command.ended is None
    facts: dict[str, Any] = {
        "status": "running" if running else "completed",
        "exit_code": command.exit_code if command is not None else None,
        "state": outcome.state,
        "output": outcome.excerpt.text,
        "output_lines": outcome.excerpt.lines,
        "output_truncated": outcome.excerpt.truncated,
        "cwd": outcome.cwd,
        "command": _short(command.command) if command is not None else "",
        "pane_id": outcome.spot.pane_id,
        "elapsed_seconds": round(outcome.elapsed, 3),
    }
    terminal_id = context.runner.terminal_id(outcome.spot)
    if terminal_id is not None:
        facts["terminal_id"] = terminal_id
    if outcome.inner_exit_code is not None:
        facts["inner_exit_code"] = outcome.inner_exit_code
    if outcome.output_path is not None:
        facts["output_path"] = outcome.output_path
    return facts


def _short(command: str) -> str:
    """A long one is not repeated."""
    if len(command) <= LONGEST_ECHO:
        return command
    return f"{command[:LONGEST_ECHO]}... ({len(command)} characters)"


def _text(facts: dict[str, Any]) -> str:
    """The output, and before it whatever is not plain success."""
    said = []
    if facts["status"] == "running":
        said.append("running" if facts["state"] == "running" else f"running ({facts['state']})")
        if "inner_exit_code" in facts:
            said.append(f"the shell in it says exit code {facts['inner_exit_code']}")
    elif facts["exit_code"] != 0 or facts["state"] != "prompt":
        code = facts["exit_code"]
        said.append(f"exit code {'unknown' if code is None else code}")
        said += [facts["state"]] if facts["state"] != "prompt" else []
    said += facts.get("notes", [])
    head = f"[{visible.line('; '.join(said))}]" if said else ""
    return "\n".join(part for part in (head, facts["output"]) if part)
