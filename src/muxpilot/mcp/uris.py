"""`tmux://` URIs: the only place where one is taken apart or put together.

Names round-trip whatever is in them: each part is percent-encoded by itself. A pane's id contains a `%`, so
`%0` is `%250` in a URI. Without the sign (`0`) it is understood too, and as printed (`%0`) where that can't
be the encoded form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from muxpilot.errors import BadInput, TargetNotFound

SCHEME = "tmux://"
_HINT = "resources/templates/list shows what there is"
_SERVER_NAMES = ("socket_name", "server")
_PANE = re.compile(r"%(0|[1-9][0-9]{0,9})")


@dataclass(frozen=True, slots=True)
class Address:
    """One resource: which kind it is of, and the names that its URI holds."""

    kind: str
    session_name: str = ""
    window_index: int = 0
    pane_id: str = ""
    server: str | None = None


def parse(uri: str) -> Address:
    """Take a URI apart.

    Raises:
        TargetNotFound: no resource has such a URI.
        BadInput: some part of it can't be read.
    """
    path, _, query = uri.removeprefix(SCHEME).partition("?")
    parts = path.split("/")
    kind = next((kind for kind, shape in _SHAPES.items() if _fits(parts, shape)), None)
    if kind is None or not uri.startswith(SCHEME):
        raise TargetNotFound(f"no resource {uri!r}", hint=_HINT)
    steps = zip(parts, _SHAPES[kind], strict=True)
    names = dict(read(part) for part, read in steps if not isinstance(read, str))
    return Address(kind, server=_server(query), **names)


def session_uri(name: str) -> str:
    return f"{SCHEME}sessions/{quote(name, safe='')}"


def content_uri(pane_id: str) -> str:
    return f"{SCHEME}panes/{quote(pane_id, safe='')}/content"


def _fits(parts: list[str], shape: tuple[object, ...]) -> bool:
    return len(parts) == len(shape) and all(
        part == step if isinstance(step, str) else part for part, step in zip(parts, shape, strict=True)
    )


def _decoded(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise BadInput(f"{part!r} is not UTF-8", hint="Percent-encode names as UTF-8") from None


def _session_name(part: str) -> tuple[str, Any]:
    return "session_name", _decoded(part)


def _window_index(part: str) -> tuple[str, Any]:
    text = _decoded(part)
    if not re.fullmatch(r"0|[1-9][0-9]{0,8}", text):
        raise BadInput(f"window_index is {text!r}", hint="It must be a number, as list_windows shows it")
    return "window_index", int(text)


def _pane_id(part: str) -> tuple[str, Any]:
    for text in (unquote(part), part, f"%{part}"):
        if _PANE.fullmatch(text):
            return "pane_id", text
    raise BadInput(f"{part!r} is no pane id", hint="Pane %0 is tmux://panes/%250, or tmux://panes/0")


def _server(query: str) -> str | None:
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    unknown = [name for name, _, _ in pairs if name not in _SERVER_NAMES]
    if unknown:
        raise BadInput(f"unknown query parameter {unknown[0]!r}", hint="There is socket_name")
    servers = {_decoded(value) for _, _, value in pairs}
    if len(servers) > 1:
        raise BadInput("the URI names two servers", hint="Give socket_name once")
    return next(iter(servers), None)


_Reader = Callable[[str], tuple[str, Any]]
_SHAPES: dict[str, tuple[str | _Reader, ...]] = {
    "sessions": ("sessions",),
    "session": ("sessions", _session_name),
    "windows": ("sessions", _session_name, "windows"),
    "window": ("sessions", _session_name, "windows", _window_index),
    "pane": ("panes", _pane_id),
    "content": ("panes", _pane_id, "content"),
}
