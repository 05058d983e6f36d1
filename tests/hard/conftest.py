from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import Lab
from tests.mcp.client import RawClient, mcp_server


@pytest.fixture
def client(lab: Lab) -> Iterator[RawClient]:
    """On `main`, which runs `cat` (%0), and `shell`, which runs bash (%1)."""
    lab.new_session("main", "cat")
    lab.new_session("shell", "bash", "--norc", "--noprofile")
    with mcp_server(lab, safety="destructive") as client:
        yield client
