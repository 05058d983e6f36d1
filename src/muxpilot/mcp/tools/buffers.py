"""Tools that paste, and the channels by which programs signal."""

from __future__ import annotations

from typing import Annotated

from muxpilot.config import Tier
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import ARRANGES, ENDS, LOOKS, STARTS, tool
from muxpilot.mcp.tools.parameters import PaneTarget, Server
from muxpilot.terminal import buffers, channels
from muxpilot.terminal.vigil import LONGEST_WAIT

Bracket = Annotated[bool, Field(description="as a bracketed paste, where the program asks for it")]
Channel = Annotated[str, Field(description="the NAME of `tmux wait-for -S NAME`")]


@tool(Tier.MUTATING)
async def paste_text(
    context: Context, text: str, target: PaneTarget, bracket: Bracket = True, server: Server = None
) -> Result:
    """Paste text, of several lines too, into a pane. Without bracketing each line end acts as Enter."""
    pane_id = await context.pane_to_type_in(target, server)
    await buffers.paste_text(context.tmux(server), text, pane_id, context.attention, bracket=bracket)
    return Result(f"pasted {len(text)} characters into {pane_id}", {"pane_id": pane_id})


@tool(Tier.MUTATING, ARRANGES)
async def load_buffer(
    context: Context, content: str, logical_name: str | None = None, server: Server = None
) -> Result:
    """Keep text in a tmux buffer of our own, to paste it several times. delete_buffer it in the end."""
    name = await buffers.load_buffer(context.tmux(server), content, logical_name)
    return Result(name, {"buffer_name": name, "logical_name": logical_name})


@tool(Tier.MUTATING)
async def paste_buffer(
    context: Context, buffer_name: str, target: PaneTarget, bracket: Bracket = True, server: Server = None
) -> Result:
    """Paste a buffer that load_buffer made."""
    pane_id = await context.pane_to_type_in(target, server)
    await buffers.paste_buffer(context.tmux(server), buffer_name, pane_id, context.attention, bracket=bracket)
    return Result(f"pasted {buffer_name} into {pane_id}", {"pane_id": pane_id, "buffer_name": buffer_name})


@tool(Tier.READONLY, LOOKS)
async def show_buffer(
    context: Context,
    buffer_name: str,
    max_lines: Annotated[int | None, Field(ge=1)] = 500,
    server: Server = None,
) -> Result:
    """Read back a buffer that load_buffer made. Others are private."""
    lines = (await buffers.show_buffer(context.tmux(server), buffer_name)).split("\n")
    if max_lines is not None and len(lines) > max_lines:
        lines = [*lines[:max_lines], f"[{len(lines) - max_lines} more lines left out]"]
    return Result("\n".join(lines), form=visible.pane_text)


@tool(Tier.DESTRUCTIVE, ENDS)
async def delete_buffer(context: Context, buffer_name: str, server: Server = None) -> Result:
    """Delete a buffer that load_buffer made."""
    await buffers.delete_buffer(context.tmux(server), buffer_name)
    return Result(f"deleted {buffer_name}", {"buffer_name": buffer_name})


@tool(Tier.MUTATING, ARRANGES)
async def wait_for_channel(
    context: Context,
    channel: Channel,
    timeout: Annotated[float, Field(gt=0, le=LONGEST_WAIT)] = 30.0,
    server: Server = None,
) -> Result:
    """Wait until a command signals: send_keys `make; tmux wait-for -S NAME`, then wait for NAME here."""
    signalled = await channels.wait_for_channel(context.tmux(server), channel, timeout)
    said = f"{channel} was signalled" if signalled else f"{channel} was not signalled within {timeout:g} s"
    return Result(said, {"channel": channel, "signalled": signalled})


@tool(Tier.MUTATING, STARTS)
async def signal_channel(context: Context, channel: Channel, server: Server = None) -> Result:
    """Wake whoever waits for this channel; kept for the next one where nobody does."""
    await channels.signal_channel(context.tmux(server), channel)
    return Result(f"signalled {channel}", {"channel": channel})
