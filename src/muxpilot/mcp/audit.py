"""The audit log: one JSON line for every request that says or does something, denied and cancelled ones too.

A line is one append of bounded length, so several servers can share a file. It never holds up or fails the
call that it is about: what can't be written at once is dropped, the log says so once, and the next line
that can be written says how many are `lost`.
"""

from __future__ import annotations

import json
import logging
import os
import select
import stat
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from muxpilot.config import STDERR
from muxpilot.errors import BadInput
from muxpilot.mcp.jsonrpc import Refused
from muxpilot.mcp.redact import redacted, shown

log = logging.getLogger("muxpilot")

LONGEST_LINE = 16_384
LONGEST_IN_A_PIPE = 4096
"""A pipe that has room takes this much without waiting, and in one piece (Linux's PIPE_BUF)."""
FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

Wire = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    tier: str | None
    """None: there is no such tool. Whatever is no tool only reads."""
    arguments: Mapping[str, Any]
    request_id: str | int | None
    client: str | None
    kind: str = "tool"
    """What the name is of: a `tool`, or a `method` of the protocol."""


class Audit:
    """Where the lines go; nowhere, where nobody asked for an audit."""

    def __init__(self, where: str | None) -> None:
        """Raises `BadInput` where nothing can be written there."""
        self._sink = _open(where) if where else None
        self._lost = 0
        self._torn = False

    @property
    def is_kept(self) -> bool:
        return self._sink is not None

    async def recorded(self, call: Call, answer: Awaitable[Wire]) -> Wire:
        """The answer, and a line about it."""
        started = time.monotonic()
        outcome = {"outcome": "cancelled"}
        try:
            result = await answer
        except Exception as error:
            outcome = {"outcome": "error", "error_type": _condition(error)}
            raise
        else:
            outcome = _outcome(result)
            return result
        finally:
            self._record(call, outcome, time.monotonic() - started)

    def _record(self, call: Call, outcome: Mapping[str, str], seconds: float) -> None:
        if self._sink is None:
            return
        line = _line(call, outcome, seconds, self._lost, self._sink.longest)
        try:
            self._sink.write(b"\n" + line if self._torn else line)
        except OSError as error:
            # The log goes to stderr too: where that is what nobody reads, it would hold us up.
            if not self._lost and self._sink.descriptor != 2:
                log.error("the audit log can't be written (%s); calls go on without", error)  # noqa: TRY400
            self._lost += 1
            self._torn = isinstance(error, _Torn) or self._torn
        else:
            self._lost, self._torn = 0, False


class _Torn(OSError):
    """Only a part was written."""


@dataclass(frozen=True, slots=True)
class _Sink:
    descriptor: int
    longest: int

    def write(self, line: bytes) -> None:
        """At once, or not at all: whoever does not read our lines must not stop us."""
        ready = select.poll()
        ready.register(self.descriptor, select.POLLOUT)
        if not ready.poll(0):
            raise BlockingIOError("nobody reads it")
        if os.write(self.descriptor, line) < len(line):
            raise _Torn("there was no room for a whole line")


def _open(where: str) -> _Sink:
    try:
        # Never closed: it serves until the process ends.
        descriptor = 2 if where == STDERR else os.open(where, FLAGS, 0o600)
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError as error:
        raise BadInput(
            f"MUXPILOT_AUDIT_LOG is {where!r}, which can't be written: {error.strerror}",
            hint="Give a file that muxpilot may write to, in a folder that exists, or stderr",
        ) from None
    return _Sink(descriptor, LONGEST_LINE if regular else LONGEST_IN_A_PIPE)


def _outcome(result: Wire) -> dict[str, str]:
    if not result.get("isError"):
        return {"outcome": "ok"}
    return {"outcome": "error", "error_type": result["_meta"]["condition"]}


def _condition(error: Exception) -> str:
    """Of a request that was refused; the name of what nobody expected."""
    if not isinstance(error, Refused):
        return type(error).__name__
    said = error.data.get("condition") if isinstance(error.data, dict) else None
    return said or BadInput.condition


def _line(call: Call, outcome: Mapping[str, str], seconds: float, lost: int, longest: int) -> bytes:
    record = {
        "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        call.kind: shown(call.name, 64),
        "tier": call.tier,
        **outcome,
        "duration_ms": round(seconds * 1000, 1),
        "request_id": shown(call.request_id, 64),
        "client": call.client and shown(call.client, 100),
        "args": redacted(call.arguments),
        **({"lost": lost} if lost else {}),
    }
    line = _json(record)
    if len(line) >= longest:
        line = _json({**record, "args": {"len": len(_json(record["args"]))}})
    return line


def _json(value: object) -> bytes:
    """ASCII throughout: nothing in it starts a new line, for any reader."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
