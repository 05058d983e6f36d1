"""Every parser, on any bytes and on what it is made of: see parsers.py for what must hold."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.parsers import CUTS, PARSERS, STREAMED
from tests.fuzz.tokens import TOKENS

SECONDS = 8
"""For each parser under atheris."""


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_nothing_surprises(name: str, data: st.DataObject) -> None:
    token = st.sampled_from(TOKENS[name]) | st.binary(max_size=3)
    size = CUTS if PARSERS[name] in STREAMED else 0
    cuts = data.draw(st.binary(min_size=size, max_size=size))
    PARSERS[name](cuts + b"".join(data.draw(st.lists(token, max_size=25))))


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.binary(max_size=200))
def test_nothing_surprises_in_any_bytes(name: str, data: bytes) -> None:
    PARSERS[name](data)


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="no atheris for this Python")
@pytest.mark.parametrize("name", PARSERS)
def test_nothing_surprises_where_new_code_is_searched_for(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz.coverage_guided", name, str(SECONDS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS + 60, check=False)
    broke = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "words"}
    assert done.returncode == 0, f"{broke}\n{done.stderr[-3000:]}"
