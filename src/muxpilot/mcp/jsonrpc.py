"""JSON-RPC 2.0, a message a line: bytes in, values out, and back. No I/O.

A message that can't be read is told by an `Unreadable`, which knows the request that it was where that can be
made out, so that whoever sent it gets an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import orjson

from muxpilot.mcp import visible

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CONNECTION_CLOSED = -32000

Number = str | int
"""What a request is known by."""


@dataclass(frozen=True, slots=True)
class Call:
    number: Number
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a request. We make none, so it means nothing to us."""


class Refused(Exception):
    """A request is answered with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Unreadable(Refused):
    """A line is no message. `number`: of the request that it was meant to be, where that is known."""

    def __init__(self, code: int, reason: str, number: Number | None = None) -> None:
        super().__init__(code, f"this message can't be read: {reason}")
        self.number = number


def read(line: bytes | bytearray | memoryview) -> Call | Notice | Reply:
    """Raises `Unreadable`."""
    try:
        message = orjson.loads(line)
    except ValueError as error:
        raise _rubbish(bytes(line), str(error)) from None
    if not isinstance(message, dict):
        raise Unreadable(INVALID_REQUEST, "it should be an object")
    number, method, params = message.get("id"), message.get("method"), message.get("params")
    if problem := _problem(message, method, params):
        raise Unreadable(INVALID_REQUEST, problem, number if _is_number(number) else None)
    if method is None:
        return Reply()
    if "id" not in message:
        return Notice(method, params or {})
    if not _is_number(number):
        raise Unreadable(INVALID_REQUEST, "its id should be a string or an integer")
    return Call(number, method, params or {})


def _problem(message: Mapping[str, Any], method: object, params: object) -> str:
    if message.get("jsonrpc") != "2.0":
        return "its jsonrpc should be '2.0'"
    if method is None and "result" not in message and "error" not in message:
        return "it has no method"
    if method is not None and not isinstance(method, str):
        return "its method should be a string"
    if params is not None and not isinstance(params, dict):
        return "its params should be an object"
    return ""


def _is_number(value: object) -> TypeGuard[Number]:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _rubbish(line: bytes, reason: str) -> Unreadable:
    """Why it can't be read. Half a character may stand in JSON, but not in text: then it is told to whom."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not _has_surrogates(message):
        return Unreadable(PARSE_ERROR, f"it is no JSON: {reason}")
    number = message.get("id")
    halved = "it holds half a character (a lone surrogate)"
    return Unreadable(INVALID_REQUEST, halved, number if _is_number(number) else None)


def _has_surrogates(message: object) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def result(number: Number, value: Mapping[str, Any]) -> bytes:
    return _line({"jsonrpc": "2.0", "id": number, "result": value})


def error(number: Number | None, refused: Refused) -> bytes:
    said: dict[str, Any] = {"code": refused.code, "message": visible.line(refused.message)}
    if refused.data is not None:
        said["data"] = visible.facts(refused.data)
    return _line({"jsonrpc": "2.0", "id": number, "error": said})


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def _line(message: Mapping[str, Any]) -> bytes:
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)
