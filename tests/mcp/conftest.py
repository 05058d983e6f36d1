from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import Lab
from tests.mcp.client import RawClient, mcp_server


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    """A muxpilot server on a tmux server with one session, `main`, that runs `cat`."""
    lab.new_session("main", "cat")
    with mcp_server(lab) as client:
        yield client
