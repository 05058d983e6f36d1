"""Imports point down only: cli -> mcp -> terminal -> tmux -> errors. Proved on the source itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import muxpilot

SOURCE = Path(muxpilot.__file__).parent
ALLOWED = {
    "errors": set[str](),
    "config": {"errors"},
    "tmux": {"tmux", "errors"},
    "terminal": {"terminal", "tmux", "errors"},
    "mcp": {"mcp", "terminal", "tmux", "config", "errors", ""},
    "cli": {"cli", "mcp", "terminal", "tmux", "config", "errors", ""},
    "__main__": {"cli"},
    "__init__": set[str](),
}
MCP_SDK = {"mcp", "mcp_types"}
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((SOURCE / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def layer(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    ours = {[*name.split("."), ""][1] for name in imports(path) if name.split(".")[0] == "muxpilot"}
    assert ours <= ALLOWED[layer(path)]


@pytest.mark.parametrize("path", [path for path in MODULES if path != Path("cli/demo.py")], ids=str)
def test_only_the_demo_needs_the_sdk(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path)} & MCP_SDK


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) != "config"], ids=str)
def test_only_config_and_endpoint_read_the_environment(path: Path) -> None:
    reads = "os.environ" in (SOURCE / path).read_text()
    commands = {"cli/demo.py", "cli/doctor.py", "cli/install/places.py"}
    allowed = {"tmux/endpoint.py", "tmux/discovery.py", *commands}
    assert not reads or path.as_posix() in allowed


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_every_module_opens_with_its_rules(path: Path) -> None:
    tree = ast.parse((SOURCE / path).read_text())
    assert ast.get_docstring(tree) or not tree.body


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_no_file_is_long(path: Path) -> None:
    assert len((SOURCE / path).read_text().splitlines()) <= 350
