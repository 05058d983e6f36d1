"""Tools that look at what panes show: all of one pane, or one thing in all of them."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Annotated, Any

from muxpilot.config import Tier
from muxpilot.errors import BadInput
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result, cell
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import LOOKS, tool
from muxpilot.mcp.tools.parameters import PaneTarget, Server, Within
from muxpilot.terminal.cursors import Glimpse, pane_and_pid
from muxpilot.terminal.matching import compiled
from muxpilot.terminal.screen import look_at
from muxpilot.terminal.search import Match, partly_searched, search
from muxpilot.terminal.snapshot import SEARCHED_PANES
from muxpilot.terminal.target import parts_for, those_within
from muxpilot.tmux import TmuxServer


@tool(Tier.READONLY, LOOKS)
async def snapshot_pane(
    context: Context,
    target: PaneTarget,
    max_lines: Annotated[int | None, Field(ge=1, description="keep only the last ones")] = 500,
    server: Server = None,
) -> Result:
    """See a pane's screen with its cursor, mode and scroll position. For the text alone use capture_pane."""
    tmux = context.tmux(server)
    place, screen, lines = await look_at(tmux, await context.pane_id(target, server))
    context.attention.saw(tmux, place)
    kept = lines if max_lines is None else lines[-max_lines:]
    facts = screen.facts() | {
        "is_caller": screen.pane_id in await context.caller.panes_on(tmux),
        "content": "\n".join(kept),
        "content_truncated": len(kept) < len(lines),
    }
    where = f"cursor {screen.cursor_x},{screen.cursor_y} of {screen.pane_width}x{screen.pane_height}"
    mode = f", {screen.pane_mode}" if screen.pane_mode else ""
    return Result(
        f"[{screen.pane_id} {cell(screen.pane_current_command)}, {where}{mode}]\n" + "\n".join(kept),
        facts,
        visible.pane_text,
    )


@tool(Tier.READONLY, LOOKS)
async def capture_since(
    context: Context,
    cursor: Annotated[
        str | None, Field(description="from the last call; none: begin with the screen")
    ] = None,
    target: Annotated[
        str | None, Field(description="pane to begin with: %1, or session[:window[.pane]]")
    ] = None,
    max_lines: Annotated[int | None, Field(ge=1, description="keep only the last ones")] = 500,
    max_bytes: Annotated[int | None, Field(ge=1)] = 128_000,
    server: Server = None,
) -> Result:
    """Read only what is new in a pane since the last call, to follow a log or a long command.

    lines_missed: some lines were dropped or cleared before they could be read.
    """
    started = time.monotonic()
    tmux, glimpse = await _glimpse(context, cursor, target, server)
    context.attention.saw(tmux, glimpse.place)
    lines, cut = shorten(glimpse.lines, max_lines, max_bytes)
    facts = {
        "pane_id": glimpse.place.pane_id,
        "cursor": glimpse.cursor,
        "lines": lines,
        "elapsed_seconds": round(time.monotonic() - started, 4),
        "lines_missed": glimpse.missed,
        **cut,
        "alternate_screen": glimpse.place.alternate_on,
    }
    notes = [f"cursor {glimpse.cursor}"]
    notes += ["lines were missed"] * glimpse.missed
    notes += [f"{cut['truncated_lines']} earlier lines left out"] * bool(cut["truncated_lines"])
    return Result("\n".join([*lines, f"[{'; '.join(notes)}]"]), facts, visible.pane_text)


async def _glimpse(
    context: Context, cursor: str | None, target: str | None, server: str | None
) -> tuple[TmuxServer, Glimpse]:
    tmux = context.tmux(server)
    if cursor is None:
        if target is None:
            raise BadInput("no pane is named", hint="Give target, or the cursor of an earlier call")
        return tmux, await context.cursors.begin(tmux, await context.pane_id(target, server))
    tmux = (context.cursors.server_of(cursor) if server is None else None) or tmux
    pane_id, _ = pane_and_pid(cursor)
    if target is not None and await context.pane_id(target, server) != pane_id:
        raise BadInput(f"this cursor is of pane {pane_id}, not of {target}", hint="Leave out one of them")
    return tmux, await context.cursors.go_on(tmux, cursor)


def shorten(
    lines: list[str], max_lines: int | None, max_bytes: int | None
) -> tuple[list[str], dict[str, bool | int]]:
    """The last lines within these limits, and what was left out."""
    kept = lines if max_lines is None else lines[-max_lines:]
    room = max_bytes
    if room is not None:
        start = len(kept)
        while start and room >= (size := len(kept[start - 1].encode()) + 1):
            room -= size
            start -= 1
        kept = kept[start:]
    left_out = lines[: len(lines) - len(kept)]
    return kept, {
        "truncated": bool(left_out),
        "truncated_lines": len(left_out),
        "truncated_bytes": sum(len(line.encode()) + 1 for line in left_out),
    }


@tool(Tier.READONLY, LOOKS)
async def search_panes(
    context: Context,
    pattern: str,
    regex: Annotated[bool, Field(description="RE2 syntax")] = False,
    target: Within = None,
    match_case: bool = False,
    content_start: Annotated[
        int | None, Field(description="first line, as in capture_pane; default: all")
    ] = None,
    content_end: int | None = None,
    max_matched_lines_per_pane: Annotated[int, Field(ge=1)] = 50,
    limit: Annotated[int | None, Field(ge=1)] = 500,
    offset: Annotated[int, Field(ge=0)] = 0,
    server: Server = None,
) -> Result:
    """Find text in panes, scrollback included: which pane shows an error, a URL, a test's name?"""
    parts = parts_for(target) if target is not None else ()
    async with compiled([pattern], regex=regex, match_case=match_case) as (wanted,):
        snapshot = await context.snapshot(server, SEARCHED_PANES, *parts)
        panes = snapshot.searched_panes
        if target is not None:
            panes = those_within(panes, snapshot, target)
        unique = list({pane.pane_id: pane for pane in panes}.values())
        found = await search(
            context.tmux(server),
            unique,
            wanted,
            start=content_start,
            end=content_end,
            most=max_matched_lines_per_pane,
        )
    page = found[offset:] if limit is None else found[offset : offset + limit]
    ours = await context.caller.panes_on(context.tmux(server))
    rows = [_row(match, ours) for match in page]
    data = {
        "matches": rows,
        "truncated": offset + len(page) < len(found),
        "truncated_panes": [match.pane.pane_id for match in page if match.left_out],
        "total_panes_matched": len(found),
        "offset": offset,
        "limit": limit,
    }
    text = _text(page, len(found), len(unique))
    if data["truncated"]:
        text += f"\n[{len(found) - offset - len(page)} more panes: offset {offset + len(page)}]"
    if above := partly_searched(unique, content_start, content_end):
        data["partly_searched_panes"] = list(above)
        text += f"\n[earlier lines of {', '.join(above)} are left out: content_end {min(above.values())}]"
    return Result(text, data, visible.pane_text)


def _row(match: Match, ours: Collection[str]) -> dict[str, Any]:
    pane = match.pane
    return {
        "pane_id": pane.pane_id,
        "pane_current_command": pane.pane_current_command,
        "pane_current_path": pane.pane_current_path,
        "window_id": pane.window_id,
        "window_name": pane.window_name,
        "session_id": pane.session_id,
        "session_name": pane.session_name,
        "matched_lines": match.lines,
        "is_caller": pane.pane_id in ours,
    }


def _text(page: list[Match], matched: int, searched: int) -> str:
    lines = [f"{matched} of {searched} panes match"]
    for match in page:
        lines += [f"{match.pane.pane_id}\t{line}" for line in match.lines]
        if match.left_out:
            lines.append(f"{match.pane.pane_id}\t[{match.left_out} more lines]")
    return "\n".join(lines)
