"""What docs/ and the pages beside it say of files, settings, tools and names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from muxpilot.config import Settings
from muxpilot.mcp.compat import SETS
from muxpilot.mcp.prompts import PROMPTS
from muxpilot.mcp.tools import ALL, GROUPS
from muxpilot.mcp.toolsets import toolsets
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, calls, prose

EVERY_PAGE = [*PAGES, *sorted(ROOT.glob("*.md"))]
SOURCE = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
TOOLS = {tool.name for tool in (*ALL, *(tool for tools in SETS.values() for tool in tools))}
TOOLS |= {*PROMPTS, "list_prompts", "get_prompt"}
PREFIX = "mux_"
"""As docs/configuration.md sets it."""

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
_SETTING = re.compile(r"\b(?:MUXPILOT|LIBTMUX)_[A-Z_]*[A-Z]\b")
_CODE = re.compile(r"`([^`\n]+)`")
_CALLED = re.compile(r"([a-z]+(?:_[a-z]+)+)(?: \{|\()")
_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
_NAME = re.compile(r"[a-z]+(?:_[a-z]+)+")


def anchors(page: Path) -> set[str]:
    """As GitHub makes them."""
    titles = _HEADING.findall(re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_is_named_exists(page: Path) -> None:
    missing = []
    for file, name in _TEST.findall(page.read_text()):
        source = ROOT / file
        if not source.exists() or not re.search(rf"^(async )?def {name}\(", source.read_text(), re.M):
            missing.append(f"{file}::{name}")
    assert not missing


class Asked(Mapping[str, str]):
    """An empty environment that remembers what it was asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def settings() -> set[str]:
    """Every variable of ours that is read."""
    environ = Asked()
    Settings.from_environ(environ)
    ours = {name for name in environ.names if name.startswith("MUXPILOT_")}
    return {name for name in ours if not name.startswith("MUXPILOT_MCP_")}  # libtmux-mcp's spelling of one.


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_setting_that_is_named_exists(page: Path) -> None:
    named = {name.replace("LIBTMUX_", "MUXPILOT_") for name in _SETTING.findall(page.read_text())}
    theirs = {"MUXPILOT_TOOLS", "MUXPILOT_MCP_PROMPTS_AS_TOOLS"}  # Of libtmux-mcp alone.
    assert named <= settings() | theirs


def test_every_setting_is_in_the_table() -> None:
    rows = re.findall(r"^\| `(MUXPILOT_[A-Z_]+)` \|", (DOCS / "configuration.md").read_text(), re.M)
    assert set(rows) == settings()
    assert len(rows) == len(set(rows))


def test_every_toolset_is_explained() -> None:
    page = (DOCS / "configuration.md").read_text()
    assert [name for name in toolsets(GROUPS) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_tool_that_is_called_exists(page: Path) -> None:
    printed = {tool for block in blocks(page) if "call" in block.kind for tool, _ in calls(block.body)}
    inline = {found[1] for code in _CODE.findall(prose(page)) if (found := _CALLED.match(code))}
    assert {name.removeprefix(PREFIX) for name in printed | inline} <= TOOLS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_in_backticks_is_one_of_the_code(page: Path) -> None:
    named = {code.removeprefix(PREFIX) for code in _CODE.findall(prose(page)) if _NAME.fullmatch(code)}
    assert sorted(name for name in named if not re.search(rf"\b{name}\b", SOURCE)) == []
