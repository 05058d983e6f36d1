"""Every tool with whatever arguments: an answer in time that says what is wrong; nothing else happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muxpilot.mcp.tools import ALL
from tests.fuzz.calls import ANYTHING, HOSTILE, TOUCH, calls_of
from tests.fuzz.stage import Stage, stage

pytestmark = pytest.mark.xdist_group("arguments")  # One stage for all of them.

EXAMPLES = max(2, settings().max_examples // 20)
"""For each tool."""


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("stage")) as one:
        yield one


@pytest.fixture(scope="module")
def listed(one: Stage) -> dict[str, Any]:
    return one.tools()


def few(examples: int) -> settings:
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", [tool.name for tool in ALL])
@few(EXAMPLES)
@given(data=st.data())
def test_a_tool_answers_whatever_it_is_given(
    one: Stage, listed: dict[str, Any], name: str, data: st.DataObject
) -> None:
    arguments = data.draw(calls_of(listed[name], one.folder))
    one.ready()
    one.call(name, arguments)
    one.check()


@few(EXAMPLES * 5)
@given(name=HOSTILE, arguments=st.dictionaries(HOSTILE, ANYTHING, max_size=2))
def test_a_tool_that_does_not_exist_is_told(one: Stage, name: str, arguments: dict[str, Any]) -> None:
    one.ready()
    assert one.call(name, arguments)["isError"]
    one.check()


def test_the_canary_would_be_seen(one: Stage) -> None:
    one.ready()
    one.run(TOUCH)
    with pytest.raises(AssertionError):
        one.check()
    one.canary.unlink()


def test_every_tool_is_listed(listed: dict[str, Any]) -> None:
    assert listed.keys() == {tool.name for tool in ALL}
