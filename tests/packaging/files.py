"""The files that say how muxpilot is shipped, as programs read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text()


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text(name))
    return found


def server_json() -> dict[str, Any]:
    return document("server.json")


def manifest() -> dict[str, Any]:
    return document("mcpb/manifest.json")
