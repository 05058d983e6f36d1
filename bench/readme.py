"""The table in the README: written between two marks by whoever measures, and only there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bench.headlines import headlines
from bench.peers import MAIN
from bench.report import COMMAND, Report
from bench.rows import Row
from bench.tables import Table, number, ratio, sides_of

README = Path(__file__).resolve().parent.parent / "README.md"
_MARKED = re.compile(r"(<!-- bench -->\n).*?(<!-- /bench -->)", re.DOTALL)


def refresh(report: Report, readme: Path = README) -> bool:
    """Whether there were marks to write between."""
    text = readme.read_text()
    fresh, found = _MARKED.subn(lambda marks: f"{marks[1]}{fragment(report)}{marks[2]}", text)
    if found and fresh != text:
        readme.write_text(fresh)
    return bool(found)


def fragment(report: Report) -> str:
    """Ratios first; then the figures, and what they depend on."""
    chosen = headlines(report.rows)
    facts = ", ".join(f"{name} {value}" for name, value in report.facts.items())
    return f"{_table(chosen).markdown()}\n\nMedians of one run of `{COMMAND}`: {facts}.\n"


def _table(chosen: Sequence[tuple[str, Row]]) -> Table:
    ours, *others = [side for side in sides_of(row for _, row in chosen) if _measured(side, chosen)]
    others.sort(key=lambda side: side != MAIN)
    lines = [
        [*(ratio(row.ratio(side)) for side in others), short, *(_cell(row, side) for side in (ours, *others))]
        for short, row in chosen
    ]
    headings = [*(f"{side} needs" for side in others), "", ours, *others]
    return Table(headings, lines, frozenset({len(others)}))


def _measured(side: str, chosen: Sequence[tuple[str, Row]]) -> bool:
    return any(row.stat(side) for _, row in chosen)


def _cell(row: Row, side: str) -> str:
    found = row.stat(side)
    return f"{number(found.median)} {row.unit}" if found else ""
