"""Many calls in one: reads of any kind, and keys for several panes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import orjson

from muxpilot.config import Tier
from muxpilot.errors import BadInput, MuxpilotError
from muxpilot.mcp import visible
from muxpilot.mcp.context import Context
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import Field
from muxpilot.mcp.tool import LOOKS, tool
from muxpilot.mcp.tools.act import send_keys
from muxpilot.mcp.tools.parameters import Server

MOST = 200
LONGEST_ANSWER = 512 * 1024

OnError = Literal["stop", "continue"]
One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class Operation:
    tool: str
    arguments: dict[str, Any] | None = None


@tool(Tier.READONLY, LOOKS)
async def batch_read(
    context: Context,
    operations: Annotated[list[Operation], Field(min_length=1, max_length=MOST)],
    on_error: OnError = "stop",
    server: Server = None,
) -> Result:
    """Call several tools that change nothing (capture_pane, list_panes ...) in one go, in order."""
    left = LONGEST_ANSWER

    async def run(operation: Operation) -> dict[str, Any]:
        nonlocal left
        if left <= 0:
            raise BadInput("left out: the answer is long enough", hint="Ask for this one by itself")
        arguments = operation.arguments or {}
        given = arguments if server is None else {"server": server, **arguments}
        answer = await context.read(context, operation.tool, given)
        text = answer["content"][0]["text"]
        left -= len(text)
        if answer.get("isError"):
            raise _Said(text)
        left -= len(orjson.dumps(answer.get("structuredContent", "")))
        return {"text": text, "data": answer.get("structuredContent")}

    results, stopped_at = await _each(operations, on_error, run, named=lambda one: {"tool": one.tool})
    return _summary(results, stopped_at, drop="text")


@tool(Tier.MUTATING)
async def send_keys_batch(
    context: Context,
    operations: Annotated[
        list[dict[str, Any]],
        Field(min_length=1, max_length=MOST, description="each the arguments of a send_keys"),
    ],
    on_error: OnError = "stop",
    timeout: Annotated[float | None, Field(gt=0, le=600, description="seconds for all of them")] = None,
    server: Server = None,
) -> Result:
    """Type several things, into one pane or many, in order."""

    async def run(operation: dict[str, Any]) -> dict[str, Any]:
        given = operation if server is None else {"server": server, **operation}
        done = await send_keys.handler(context, **send_keys.arguments.check(given))
        return {"text": visible.line(done.text), **(done.data or {})}

    results, stopped_at = await _each(operations, on_error, run, timeout)
    return _summary(results, stopped_at)


class _Said(MuxpilotError):
    """A tool's error, as it stands."""


async def _each(
    operations: Sequence[One],
    on_error: OnError,
    run: Callable[[One], Awaitable[dict[str, Any]]],
    timeout: float | None = None,
    named: Callable[[One], dict[str, Any]] = lambda _: {},
) -> tuple[list[dict[str, Any]], int | None]:
    """What came of each, and which one ended it. `named`: what is told of an operation in any case."""
    end = None if timeout is None else asyncio.get_running_loop().time() + timeout
    results: list[dict[str, Any]] = []
    for index, operation in enumerate(operations):
        try:
            if end is not None and asyncio.get_running_loop().time() > end:
                raise _Said("not done: the time for the batch was up")
            done = await run(operation)
            results.append({"index": index, "success": True, **named(operation), **done})
        except MuxpilotError as error:
            failure = {"success": False, **named(operation), "error": visible.line(str(error))}
            results.append({"index": index, **failure})
            if on_error == "stop":
                return results, index
    return results, None


def _summary(
    results: list[dict[str, Any]],
    stopped_at: int | None,
    drop: str | None = None,
) -> Result:
    lines = [f"[{one['index']}] {_told(one)}" for one in results]
    succeeded = sum(one["success"] for one in results)
    data = {
        # Text that the first part of the answer has is not sent again where there is structure.
        "results": [
            {name: value for name, value in one.items() if name != drop or not one.get("data")}
            for one in results
        ],
        "succeeded": succeeded,
        "failed": len(results) - succeeded,
        "stopped_at": stopped_at,
    }
    if stopped_at is not None:
        lines.append(f"[stopped at {stopped_at}]")
    return Result("\n".join(lines), data, visible.pane_text)


def _told(one: dict[str, Any]) -> str:
    said = one["text"] if one["success"] else one["error"]
    if "tool" not in one:
        return str(said)
    return f"{one['tool']}\n{said}" if one["success"] else f"{one['tool']}: {said}"
