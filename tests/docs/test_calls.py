"""The calls that docs/ prints run, and answer what it says they answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import PAGES, blocks
from tests.docs.player import Player, house

PLAYED = [page for page in PAGES if {block.kind for block in blocks(page)} & {"call", "console"}]


@pytest.mark.parametrize("page", PLAYED, ids=lambda page: page.stem)
def test_the_calls_on_a_page_answer_what_it_says(page: Path, tmp_path: Path) -> None:
    with house(tmp_path) as lab:
        Player(lab).play(page)
