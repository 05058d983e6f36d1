"""A list told out of words is the list that would be told out of values."""

from __future__ import annotations

import orjson
from hypothesis import given
from hypothesis import strategies as st

from muxpilot.mcp import visible
from muxpilot.mcp.listing import listing
from muxpilot.mcp.results import table
from muxpilot.tmux import Table

KINDS = {"pane_id": str, "size": int, "busy": bool, "code": int | None, "title": str}
texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ['"', "\\", "%s", "a\tb\n", "\u2028"]
)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "pane_id": st.just("%1"),
            "size": st.integers(0, 10**9),
            "busy": st.booleans(),
            "code": st.none() | st.integers(0, 255),
            "title": texts,
        }
    )
)


def word(value: object) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


@given(rows)
def test_text_and_json_are_those_of_the_values(given_rows: list[dict[str, object]]) -> None:
    words = {name: [word(row[name]) for row in given_rows] for name in KINDS}
    wire = orjson.loads(orjson.dumps(listing("panes", Table(words, KINDS), list(KINDS)).wire()))
    assert wire["structuredContent"] == {"panes": visible.facts(given_rows)}
    assert wire["content"][0]["text"] == table(given_rows, list(KINDS))
