"""An error of ours as a JSON-RPC error: for what is not a tool, there is no other way to say no.

The two eras call a missing resource by different numbers. The sentence and the next step are the same.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from muxpilot.errors import BadInput, MuxpilotError, ServerNotRunning, TargetError
from muxpilot.mcp.context import Context

log = logging.getLogger("muxpilot")

RESOURCE_NOT_FOUND = -32002
"""Up to 2025-11-25. Since 2026-07-28 a missing resource is an invalid parameter."""

Request = ServerRequestContext[Context]


def is_modern(request: Request) -> bool:
    return request.protocol_version in MODERN_PROTOCOL_VERSIONS


@contextlib.contextmanager
def refusals(request: Request, **data: str) -> Iterator[None]:
    """What goes wrong in this block is answered in one sentence; the unexpected is logged with its trace."""
    try:
        yield
    except MCPError:
        raise
    except MuxpilotError as error:
        log.info("%s: %s", request.method, error)
        raise refusal(request, error, **data) from None
    except Exception as error:  # The border: nothing may pass it unnamed.
        log.exception("unexpected failure in %s", request.method)
        raise MCPError(
            types.INTERNAL_ERROR,
            f"unexpected {type(error).__name__} in {request.method}. The trace is in muxpilot's log (stderr)",
        ) from None


def refusal(request: Request, error: MuxpilotError, **data: str) -> MCPError:
    detail: dict[str, Any] = {**data, "condition": error.condition}
    return MCPError(_code(request, error), f"{error.condition}: {error}", detail)


def _code(request: Request, error: MuxpilotError) -> int:
    if isinstance(error, BadInput):
        return types.INVALID_PARAMS
    if isinstance(error, TargetError | ServerNotRunning):
        return types.INVALID_PARAMS if is_modern(request) else RESOURCE_NOT_FOUND
    return types.INTERNAL_ERROR
