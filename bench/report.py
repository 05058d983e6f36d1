"""The table: as text to read, as Markdown to show, as JSON to compare with. None holds a path or a host."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from bench.measure import Row, Stat
from muxpilot import __version__

RESULTS = Path(__file__).resolve().parent / "results"

_HEADINGS = (
    "ratio",
    "operation",
    "unit",
    "ours",
    "theirs",
    "p95",
    "their p95",
    "bytes",
    "their bytes",
    "rounds",
)
_TITLES = {
    "engine": "engine: one connection (ours) against a tmux process per command (theirs)",
    "server": "server: muxpilot (ours) against libtmux-mcp (theirs), same tmux server, calls in turns",
    "flood": "flood: all output on disk (ours) against tmux alone (theirs); asked: over 0.5x, under 100 MB",
}


@dataclass(frozen=True, slots=True)
class Report:
    """One run. `facts` are what its figures depend on."""

    facts: Mapping[str, str]
    rows: Sequence[Row]
    notices: Sequence[str]

    def text(self) -> str:
        return self._render(_plain_table, "{}")

    def markdown(self) -> str:
        return "# Latest benchmark\n\n" + self._render(_markdown_table, "## {}\n")

    def json(self) -> str:
        rows = [{**asdict(row), "ratio": row.ratio} for row in self.rows]
        return json.dumps({"facts": self.facts, "rows": rows, "notices": self.notices}, indent=1) + "\n"

    def save(self) -> None:
        RESULTS.mkdir(exist_ok=True)
        for name, content in (("latest.json", self.json()), ("latest.md", self.markdown())):
            draft = RESULTS / f"{name}.tmp"
            draft.write_text(content)
            draft.replace(RESULTS / name)

    def _render(self, table: Callable[[list[Sequence[str]]], str], title: str) -> str:
        heading = ", ".join(f"{name} {value}" for name, value in self.facts.items())
        parts = [heading, "ratio: their median divided by ours"]
        for section, words in _TITLES.items():
            lines = [_cells(row) for row in self.rows if row.section == section]
            if lines:
                parts.append(f"{title.format(words)}\n{table([_HEADINGS, *lines])}")
        return "\n\n".join([*parts, *self.notices]) + "\n"


def facts(peer: Mapping[str, str]) -> dict[str, str]:
    """What the heading says: the date, the machine, the versions."""
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, check=True, text=True).stdout.split()[-1]
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        "tmux": tmux,
        "muxpilot": __version__,
        **peer,
    }


def _cells(row: Row) -> Sequence[str]:
    ratio = "" if row.ratio is None else f"{row.ratio:.1f}x"
    pairs = [(_number(one(row.ours)), _number(one(row.theirs))) for one in (_median, _p95, _size)]
    return (ratio, row.name, row.unit, *(cell for pair in pairs for cell in pair), str(row.ours.count))


def _median(stat: Stat | None) -> float | None:
    return stat.median if stat else None


def _p95(stat: Stat | None) -> float | None:
    return stat.p95 if stat else None


def _size(stat: Stat | None) -> float | None:
    return stat.size if stat else None


def _number(value: float | None) -> str:
    """Three digits that count; whole numbers, and large ones, without a fraction."""
    if value is None:
        return ""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def _plain_table(lines: list[Sequence[str]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.ljust(width) if column in {1, 2} else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]


def _markdown_table(lines: list[Sequence[str]]) -> str:
    rule = [":---" if column in {1, 2} else "---:" for column in range(len(_HEADINGS))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])
