"""One version, wherever it is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version

import pytest

import muxpilot
from tests.lab import Lab
from tests.mcp.client import mcp_server
from tests.packaging.files import manifest, server_json, text


def changelog_version() -> str:
    """That of the newest heading: `## 1.2.3 (date)`, or `## Unreleased (1.2.3)`."""
    heading = next(line for line in text("CHANGELOG.md").splitlines() if line.startswith("## "))
    found = re.search(r"\d+\.\d+\.\d+\S*?(?=\)|\s|$)", heading)
    assert found is not None, heading
    return found.group()


TOLD: dict[str, Callable[[], str]] = {
    "what is installed": lambda: version("muxpilot"),
    "server.json": lambda: str(server_json()["version"]),
    "its package": lambda: str(server_json()["packages"][0]["version"]),
    "the bundle's manifest": lambda: str(manifest()["version"]),
    "the changelog": changelog_version,
}


@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)
def test_it_is_the_version_of_the_package(told: Callable[[], str]) -> None:
    assert told() == muxpilot.__version__


def test_pyproject_takes_the_version_from_the_package() -> None:
    assert 'dynamic = ["version"]' in text("pyproject.toml")
    assert 'path = "src/muxpilot/__init__.py"' in text("pyproject.toml")


def test_the_server_tells_its_version_when_greeted(lab: Lab) -> None:
    with mcp_server(lab) as client:
        assert client.greeting["serverInfo"]["version"] == muxpilot.__version__
