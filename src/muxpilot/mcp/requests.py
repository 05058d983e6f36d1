"""One request of a client: what a handler gets, and how it says no."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from muxpilot.errors import BadInput, MuxpilotError, ServerNotRunning, TargetError
from muxpilot.mcp.context import Context
from muxpilot.mcp.eras import Speaker
from muxpilot.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, Number, Refused

log = logging.getLogger("muxpilot")

RESOURCE_NOT_FOUND = -32002
"""Up to 2025-11-25. Since 2026-07-28 a missing resource is an invalid parameter."""

Answer = dict[str, Any]
Value = TypeVar("Value")


class Client(Protocol):
    """The other end of the conversation that a request belongs to."""

    kept: dict[str, Any]
    """What lasts as long as the conversation."""

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell it; returns when it is on its way. Raises `ConnectionError` where nobody reads any more."""

    def at_end(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Called when the conversation is over."""


@dataclass(frozen=True, slots=True)
class Request:
    number: Number
    method: str
    params: Mapping[str, Any]
    speaker: Speaker
    context: Context
    client: Client

    def given(self, name: str, kind: type[Value]) -> Value:
        """A parameter. Raises `Refused` where it is missing or something else."""
        return member(self.params, name, kind, "params")

    def progress_token(self) -> Number | None:
        found: Number | None = self.params.get("_meta", {}).get("progressToken")
        return found


Handler = Callable[[Request], Awaitable[Answer]]


def member(values: Mapping[str, Any], name: str, kind: type[Value], within: str) -> Value:
    """Raises `Refused` where it is missing or something else."""
    value = values.get(name)
    if not isinstance(value, kind):
        raise Refused(INVALID_PARAMS, f"{within}.{name} should be {_NOUNS[kind]}")
    return value


_NOUNS: dict[type, str] = {str: "a string", dict: "an object"}


@contextlib.contextmanager
def refusals(request: Request, **data: str) -> Iterator[None]:
    """An error of ours in this block is answered as a JSON-RPC error: what is no tool has no other way."""
    try:
        yield
    except MuxpilotError as error:
        log.info("%s: %s", request.method, error)
        detail = {**data, "condition": error.condition}
        raise Refused(_code(request, error), f"{error.condition}: {error}", detail) from None


def _code(request: Request, error: MuxpilotError) -> int:
    if isinstance(error, BadInput):
        return INVALID_PARAMS
    if isinstance(error, TargetError | ServerNotRunning):
        return INVALID_PARAMS if request.speaker.is_modern else RESOURCE_NOT_FOUND
    return INTERNAL_ERROR
