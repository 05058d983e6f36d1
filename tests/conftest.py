"""Fixtures for everything that needs a real tmux."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from muxpilot.tmux import TmuxServer
from tests.lab import Lab

settings.register_profile("muxpilot", deadline=None, database=None, max_examples=50)
settings.register_profile("thorough", deadline=None, database=None, max_examples=500)
settings.load_profile("muxpilot")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    lab = Lab(tmp_path)
    yield lab
    lab.end()


@pytest.fixture
async def server(lab: Lab, anyio_backend: str) -> AsyncIterator[TmuxServer]:
    """Our engine on a tmux server with one session, `main`."""
    lab.new_session()
    server = TmuxServer(lab.endpoint)
    yield server
    await server.close()
