"""Which tools are offered together: MUXPILOT_TOOLSETS picks sets, groups or single tools by name.

A toolset only narrows: what a tool may do is the tier's business, and no toolset lifts it. libtmux-mcp's
four (inspect, manage, execute, teardown) are sets here too, so its LIBTMUX_TOOLSETS means the same or less:
`teardown` still needs MUXPILOT_SAFETY=destructive, and a tool that it does not have counts as `execute`,
the widest, unless it only reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from muxpilot.config import NOTHING, Tier
from muxpilot.errors import BadInput
from muxpilot.mcp.aliases import TOOL_NAMES
from muxpilot.mcp.tool import Tool
from muxpilot.mcp.tools import act, buffers, destroy, find, look, panes, run, waiting, windows

Groups = Mapping[str, tuple[Tool, ...]]

FULL = "full"
ON_DEMAND = ("classic", "mini")
"""Sets of tools that stand in no group: see `compat`."""

CORE = (
    run.terminal,
    run.run_command,
    run.interrupt,
    look.list_sessions,
    look.list_panes,
    look.capture_pane,
    find.capture_since,
    find.snapshot_pane,
    find.search_panes,
    waiting.wait_for_text,
    act.send_keys,
    buffers.paste_text,
    act.create_session,
    windows.create_window,
    panes.split_window,
    destroy.kill_pane,
    destroy.kill_session,
)
"""What an agent uses all day."""

TERMINAL = (
    run.terminal,
    run.interrupt,
    look.capture_pane,
    waiting.wait_for_text,
    act.send_keys,
)
"""The few it takes to work in terminals of one's own."""

THEIR_MANAGE = (
    *(windows.rename_session, windows.rename_window, windows.select_window, windows.select_layout),
    *(windows.resize_window, windows.move_window),
    *(panes.select_pane, panes.resize_pane, panes.set_pane_title, panes.swap_pane),
    *(panes.enter_copy_mode, panes.exit_copy_mode),
    *(buffers.load_buffer, buffers.wait_for_channel, buffers.signal_channel),
)
THEIR_TEARDOWN = (panes.clear_pane,)
"""Beside all that is destructive here."""


def toolsets(groups: Groups) -> dict[str, tuple[Tool, ...]]:
    """Every name that MUXPILOT_TOOLSETS may hold, apart from those of single tools."""
    tools = [tool for group in groups.values() for tool in group]
    theirs = {
        name: tuple(tool for tool in tools if _their_name(tool) == name)
        for name in ("inspect", "manage", "execute", "teardown")
    }
    ours = {FULL: tuple(tools), "core": CORE, "terminal": TERMINAL, NOTHING: ()}
    return {**ours, **groups, **theirs, **dict.fromkeys(ON_DEMAND, ())}


def on_demand(names: Iterable[str]) -> tuple[Tool, ...]:
    """Tools in other servers' shapes, of the sets that are named. One that is called like ours stands in."""
    wanted = [name for name in names if name in ON_DEMAND]
    if not wanted:
        return ()
    from muxpilot.mcp.compat import SETS  # noqa: PLC0415 (whoever does not ask must not wait for it)

    return tuple(tool for name in wanted for tool in SETS[name])


def _their_name(tool: Tool) -> str:
    if tool.tier == Tier.READONLY:
        return "inspect"
    if tool.tier == Tier.DESTRUCTIVE or tool in THEIR_TEARDOWN:
        return "teardown"
    return "manage" if tool in THEIR_MANAGE else "execute"


def choose(names: Iterable[str], groups: Groups) -> frozenset[str]:
    """The names of the tools that these toolsets hold.

    Raises:
        BadInput: there is no such toolset.
    """
    sets = toolsets(groups)
    names = _ours(names)
    single = {tool.name: (tool,) for tool in sets[FULL]}
    known = {**single, **sets}
    for name in names:
        _check("MUXPILOT_TOOLSETS", name, known, sets)
    return frozenset(tool.name for name in names for tool in known[name])


def excluded(names: Iterable[str], groups: Groups, more: Iterable[Tool] = ()) -> frozenset[str]:
    """The same names, each of which must be a tool's: a slip of the pen must not leave one in.

    Raises:
        BadInput: there is no such tool.
    """
    known = {tool.name for tool in (*toolsets(groups)[FULL], *more)}
    names = _ours(names)
    for name in names:
        _check("MUXPILOT_EXCLUDE_TOOLS", name, known, known)
    return frozenset(names)


def _ours(names: Iterable[str]) -> list[str]:
    return [TOOL_NAMES.get(name, name) for name in names]


def _check(setting: str, name: str, known: Iterable[str], listed: Iterable[str]) -> None:
    if name in set(known):
        return
    close = get_close_matches(name, known, 1)
    nearest = f"Did you mean {close[0]!r}? " if close else ""
    raise BadInput(f"{setting} names {name!r}", hint=f"{nearest}There are {', '.join(listed)}")
