"""The dozen rows that stand for all: in the README, and in the picture."""

from __future__ import annotations

from collections.abc import Sequence

from bench.rows import Row
from bench.sleepers import CPU
from bench.targets import MEMORY, REACTION, SEARCH

HEADLINES = {
    "start to first answer": "start to first answer",
    "list_sessions, 1 pane": "list_sessions",
    "list_panes, 100 panes": "list_panes, 100 panes",
    "list_panes, 1,000 panes": "list_panes, 1,000 panes",
    "capture_pane, a screen, 1 pane": "capture_pane",
    "send_keys, 1 pane": "send_keys",
    "run_command true": "run_command true",
    "10 agents run true, a server each": "10 agents at once, run_command true",
    SEARCH: "search_panes, 100 panes x 2,000 lines",
    REACTION: "wait_for_text, reaction",
    CPU: "CPU of 100 waits asleep",
    MEMORY: "memory of the server",
    "tools/list, in all": "tools/list, bytes",
}
"""The name of a row, and what it is called where it stands alone."""


def headlines(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    """Those that were measured, under their short names."""
    found = {row.name: row for row in rows}
    return [(short, found[name]) for name, short in HEADLINES.items() if name in found]
