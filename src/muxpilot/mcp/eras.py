"""The two eras of the protocol, and what differs between them.

Up to 2025-11-25 a client opens with `initialize`, and everything after that is of the version agreed on. From
2026-07-28 on there is no handshake: every request carries an envelope in `_meta` that names its version. Each
request is of the era that it shows, so a client may ask in the newer one and fall back to the older.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muxpilot import __version__
from muxpilot.mcp.jsonrpc import INVALID_PARAMS, Refused

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)

UNSUPPORTED_VERSION = -32022

_PREFIX = "io.modelcontextprotocol"
_VERSION, _CAPABILITIES = f"{_PREFIX}/protocolVersion", f"{_PREFIX}/clientCapabilities"
_CLIENT, _SERVER = f"{_PREFIX}/clientInfo", f"{_PREFIX}/serverInfo"
SUBSCRIPTION_ID = f"{_PREFIX}/subscriptionId"

OURSELVES = {"name": "muxpilot", "version": __version__}
CAPABILITIES = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": False},
}

HOUR = 3_600_000
KEEP = {
    "server/discover": HOUR,
    "tools/list": HOUR,
    "prompts/list": HOUR,
    "resources/templates/list": HOUR,
    "resources/list": 0,
    "resources/read": 0,
}
"""How many milliseconds a client may keep an answer: what never changes, and what is of one moment."""

ONLY_OLDER = frozenset({"ping", "resources/subscribe", "resources/unsubscribe"})
ONLY_NEWER = frozenset({"server/discover", "subscriptions/listen"})


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who sent a request: the version it is of, and the client as it calls itself."""

    version: str
    client: str | None

    @property
    def is_modern(self) -> bool:
        return self.version in MODERN

    def may(self, method: str) -> bool:
        return method not in (ONLY_OLDER if self.is_modern else ONLY_NEWER)


def has_envelope(meta: object) -> bool:
    return isinstance(meta, dict) and _VERSION in meta


def opened(meta: Mapping[str, Any]) -> Speaker:
    """Whom an envelope names. Raises `Refused` where it is incomplete, or of a version not served."""
    if _CAPABILITIES not in meta:
        raise Refused(INVALID_PARAMS, f"params._meta lacks {_CAPABILITIES}")
    version = meta[_VERSION]
    if not isinstance(version, str):
        raise Refused(INVALID_PARAMS, f"{_VERSION} in params._meta should be a string")
    if version not in MODERN:
        known = {"supported": list(MODERN), "requested": version}
        raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", known)
    return Speaker(version, _name(meta.get(_CLIENT)))


def too_early() -> Refused:
    """A request that shows no era, before any handshake."""
    return Refused(
        INVALID_PARAMS,
        "send initialize first (up to 2025-11-25), "
        f"or {_VERSION} and {_CAPABILITIES} in params._meta (2026-07-28)",
    )


def greeted(params: Mapping[str, Any]) -> Speaker:
    """Whom `initialize` introduces. Where its version is not served, our newest is offered instead.

    Raises:
        Refused: it names no version.
    """
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise Refused(INVALID_PARAMS, "initialize takes protocolVersion, capabilities and clientInfo")
    return Speaker(version if version in HANDSHAKE else HANDSHAKE[-1], _name(params.get("clientInfo")))


def _name(client: Any) -> str | None:
    if not isinstance(client, dict):
        return None
    name, version = client.get("name"), client.get("version")
    return f"{name}/{version}" if isinstance(name, str) and isinstance(version, str) else None


def greeting(speaker: Speaker, instructions: str) -> dict[str, Any]:
    """What `initialize` is answered."""
    return {
        "protocolVersion": speaker.version,
        "capabilities": CAPABILITIES,
        "serverInfo": OURSELVES,
        "instructions": instructions,
    }


def discovery(instructions: str) -> dict[str, Any]:
    """What `server/discover` is answered."""
    return {"supportedVersions": list(MODERN), "capabilities": CAPABILITIES, "instructions": instructions}


def shaped(speaker: Speaker, method: str, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as the speaker's era has it."""
    if not speaker.is_modern:
        return answer
    keep = {"ttlMs": KEEP[method], "cacheScope": "private"} if method in KEEP else {}
    meta = {**answer.get("_meta", {}), _SERVER: OURSELVES}
    return {"resultType": "complete", **keep, **answer, "_meta": meta}
