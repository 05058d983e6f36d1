"""The page that the long run writes: it holds what was run, and every fault that there is."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from tests.faults.page import PAGE, faults_on, page, rows_of

FACTS = {"date": "2026-01-02", "tmux": "3.3a", "python": "3.11.7", "cores": 2, "load": "1.0"}


def line(**more: Any) -> str:
    plain = {
        "fault": "a",
        "note": "",
        "where": "t:1",
        "run": 0,
        "losses": 0,
        "recovery": None,
        "machine": 0.0,
    }
    return json.dumps({**plain, "failed": False, "skipped": False, **more})


def test_runs_of_one_fault_are_one_row() -> None:
    (row,) = rows_of(
        [line(recovery=0.5, machine=0.1, losses=2), line(run=1, recovery=0.45, failed=True), line(run=2)]
    )
    assert (row.runs, row.losses, row.wrong, row.recovery, row.ours) == (3, 2, 1, 0.5, 0.45)


def test_rows_stand_in_the_order_of_the_tests_and_skipped_ones_do_not() -> None:
    rows = rows_of(
        [line(fault="z", where="t:2"), line(fault="y", where="t:1"), line(fault="x", skipped=True)]
    )
    assert [row.fault for row in rows] == ["y", "z"]


def test_a_page_can_be_read_back() -> None:
    text = page(rows_of([line(fault="killed -9"), line(fault="full", where="u:1")]), FACTS)
    assert faults_on(text) == {"killed -9", "full"}
    assert "2 faults, 2 runs, 0 wrong" in text


def test_every_fault_stands_on_the_page() -> None:
    """Whoever adds or renames one runs scripts/reliability."""
    modules = [path.stem for path in Path(__file__).parent.glob("test_*.py")]
    found = {
        mark.args[0]
        for module in modules
        for test in vars(importlib.import_module(f"tests.faults.{module}")).values()
        for mark in getattr(test, "pytestmark", [])
        if mark.name == "fault"
    }
    assert found == faults_on(PAGE.read_text())
