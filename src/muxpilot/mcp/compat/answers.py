"""How these tools answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

from muxpilot.mcp import visible
from muxpilot.mcp.results import Result, cell
from muxpilot.terminal.snapshot import Snapshot


def sessions_of(snapshot: Snapshot) -> dict[str, Any]:
    found = [
        {
            "name": one.session_name,
            "windows": one.session_windows,
            "created": _iso(one.session_created),
            "attached": snapshot.people_attached(one.session_id) > 0,
        }
        for one in snapshot.sessions
    ]
    return {"count": len(found), "sessions": found}


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def as_json(facts: Mapping[str, Any]) -> Result:
    shown = visible.facts(facts)
    return Result(json.dumps(shown, indent=2, ensure_ascii=False), shown, visible.lines)


def rows(found: Iterable[tuple[object, ...]]) -> Result:
    return Result("\n".join("\t".join(cell(one) for one in row) for row in found), form=visible.lines)
