from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muxpilot.errors import TargetNotFound
from muxpilot.mcp.results import Result, error_wire, table


def test_a_table_is_tab_separated_with_a_heading() -> None:
    rows = [{"id": "%1", "active": True, "code": None}, {"id": "%2", "active": False, "code": 7}]
    assert table(rows, ["id", "active", "code"]) == "id\tactive\tcode\n%1\tyes\t\n%2\tno\t7"


@given(st.text())
def test_no_cell_can_start_another_cell_or_row(hostile: str) -> None:
    lines = table([{"a": hostile, "b": "end"}], ["a", "b"]).splitlines()
    assert len(lines) == 2
    assert lines[1].split("\t")[1:] == ["end"]


def test_an_error_names_its_condition_and_the_next_step() -> None:
    wire = error_wire(TargetNotFound("no pane %9", hint="list_panes shows what exists"))
    assert wire["isError"] is True
    assert wire["content"][0]["text"] == "not_found: no pane %9. list_panes shows what exists"
    assert wire["_meta"] == {"condition": "not_found"}


def test_bare_text_is_not_sent_twice() -> None:
    assert "structuredContent" not in Result("screen").wire()
