"""A run as it is shown and kept: text to read, Markdown, a picture, and JSON. None holds a path or a host."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from bench.picture import picture
from bench.rows import Row
from bench.tables import Footnotes, Show, Table, bytes_table, curves_table, figures_table
from bench.targets import targets_table
from muxpilot import __version__

RESULTS = Path(__file__).resolve().parent / "results"
COMMAND = "make bench"

_TITLES = {
    "server": "server: muxpilot beside its peers, same tmux server, calls in turns",
    "crowd": "crowd: many at once, and beside much going on",
    "engine": "engine: one connection of ours beside a tmux process per command",
    "flood": "flood: all output on disk beside tmux alone; asked: over 0.5x, under 100 MB",
}
_CAPTION = ("date", "cores", "memory", "tmux", "muxpilot", "libtmux-mcp")
"""What fits below the title of the picture."""
_LEGEND = (
    "x NAME: the median of NAME divided by ours. Figures are medians, with the 95th percentile in brackets; "
    "[1] and so on: no figure, for the reason given below the table. Memory is resident memory of a server "
    "and its children (ours has a control client of tmux), shared pages counted for each."
)


@dataclass(frozen=True, slots=True)
class Report:
    """One run. `facts` are what its figures depend on."""

    facts: Mapping[str, str]
    rows: Sequence[Row]
    notices: Sequence[str]

    def text(self) -> str:
        return self._render(Table.plain, "{}")

    def markdown(self) -> str:
        return "# Latest benchmark\n\n" + self._render(Table.markdown, "## {}\n")

    def svg(self) -> str:
        known = [f"{name} {self.facts[name]}" for name in _CAPTION if name in self.facts]
        return picture(self.rows, ", ".join(known))

    def json(self) -> str:
        saved = {"facts": self.facts, "rows": [row.as_json() for row in self.rows], "notices": self.notices}
        return json.dumps(saved, indent=1) + "\n"

    def save(self, folder: Path = RESULTS) -> None:
        folder.mkdir(exist_ok=True)
        kinds = {"json": self.json, "md": self.markdown, "svg": self.svg}
        for kind, content in kinds.items():
            draft = folder / f"latest.{kind}.tmp"
            draft.write_text(content())
            draft.replace(folder / f"latest.{kind}")

    @classmethod
    def load(cls, folder: Path = RESULTS) -> Report:
        saved = json.loads((folder / "latest.json").read_text())
        return cls(saved["facts"], [Row.from_json(row) for row in saved["rows"]], saved["notices"])

    def _heading(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.facts.items())

    def _render(self, show: Show, title: str) -> str:
        parts = [f"{self._heading()}; made by `{COMMAND}`", _LEGEND]
        parts.append(f"{title.format('promises, beside libtmux-mcp')}\n{show(targets_table(self.rows))}")
        for section, words in _TITLES.items():
            parts += self._section(section, title.format(words), show)
        parts += self._derived(show, title)
        return "\n\n".join([*parts, *self.notices]) + "\n"

    def _section(self, section: str, title: str, show: Show) -> list[str]:
        rows, notes = [row for row in self.rows if row.section == section], Footnotes()
        if not rows:
            return []
        return ["\n".join([title, show(figures_table(rows, notes))]), *_listed(notes)]

    def _derived(self, show: Show, title: str) -> list[str]:
        """What the same rows say about sizes and growth."""
        sized = [row for row in self.rows if row.ours.size is not None and row.section == "server"]
        grown = [row for row in self.rows if row.point is not None and row.section == "server"]
        notes = Footnotes()
        parts = []
        if sized:
            parts.append(f"{title.format('bytes of an answer, as compact JSON')}\n{show(bytes_table(sized))}")
        if grown:
            curves = show(curves_table(grown, notes))
            parts += [
                f"{title.format('curves: what a call costs as there is more')}\n{curves}",
                *_listed(notes),
            ]
        return parts


def facts(peers: Mapping[str, str]) -> dict[str, str]:
    """What the heading says: the date, the machine, the versions."""
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, check=True, text=True).stdout.split()[-1]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "python": platform.python_version(),
        "tmux": tmux,
        "muxpilot": __version__,
        **peers,
    }


def _listed(notes: Footnotes) -> list[str]:
    lines = notes.lines()
    return ["  \n".join(lines)] if lines else []
