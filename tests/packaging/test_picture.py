"""The picture's renderer, on recorded screens: a well-formed, light SVG that plays without any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest
from scripts.picture.screen import Look, Run, parse
from scripts.picture.stage import Played
from scripts.picture.story import Answer, Step
from scripts.picture.svg import Picture
from scripts.picture.timeline import Timeline, timeline

from tests.packaging.files import ROOT, text

NAMESPACE = "{http://www.w3.org/2000/svg}"
BEFORE = "\x1b[1m\x1b[34mshop\x1b[0m $ \nstays\n\x1b[30m\x1b[42m[shop] 0:bash*    "
MEANWHILE = BEFORE.replace("$ ", "$ ./upload <now> & wait")
AFTER = MEANWHILE.replace("wait", "done")


def step(tool: str, typed: str = "") -> Step:
    return Step(tool, "./upload", {}, lambda _: Answer("good", "exit_code 0"), typed=typed, live=True)


def told() -> Timeline:
    before, meanwhile, after = (parse(each, (7, 0)) for each in (BEFORE, MEANWHILE, AFTER))
    answer = Answer("bad", "exit_code 1", "<failed>")
    return timeline(
        [
            Played(step("run_command"), before, (meanwhile,), after, answer),
            Played(step("wait_for_text", "secret"), after, (), after, Answer("waits", "running")),
        ]
    )


def drawn() -> str:
    return Picture(told()).write()


def elements(svg: str, name: str) -> Iterator[ET.Element]:
    return ET.fromstring(svg).iter(NAMESPACE + name)  # noqa: S314 - we have just written it


def test_a_captured_screen_is_runs_of_one_look() -> None:
    captured = "\x1b[1m\x1b[34mshop\x1b[0m  \x1b[38;5;208mx\x1b[39m\x1b[7m \x1b[0m\n\x1b[42m  "
    assert parse(captured).rows == (
        (
            Run(0, "shop", Look(fg=4, bold=True)),
            Run(6, "x", Look(fg=208)),
            Run(7, " ", Look(reverse=True)),
        ),
        (Run(0, "  ", Look(bg=2)),),
    )


def test_it_is_well_formed_and_shows_what_was_on_the_screen_and_in_the_calls() -> None:
    words = {element.text for element in elements(drawn(), "text")}
    assert {"shop", "$ ./upload <now> & wait", "run_command", "exit_code 1", "<failed>", "you"} <= words


def test_a_row_that_stays_is_written_once() -> None:
    assert drawn().count(">stays<") == 1


def test_what_is_typed_by_the_person_is_not_in_it() -> None:
    assert "secret" not in drawn()


def test_every_animation_has_its_keyframes_in_the_order_of_time() -> None:
    svg = drawn()
    played = re.findall(r"animation:(s\d+) ", svg)
    assert played
    for name in played:
        frames = re.search(rf"@keyframes {name}{{(.*?}})}}", svg)
        assert frames is not None
        percents = [float(each) for each in re.findall(r"([\d.]+)%", frames.group(1))]
        assert percents == sorted(set(percents))
        assert percents[-1] < 100


def test_without_motion_the_end_is_seen() -> None:
    """What is hidden at first is exactly what is not there at the end."""
    hidden = " ".join(
        word.text or ""
        for group in elements(drawn(), "g")
        for word in group.iter(NAMESPACE + "text")
        if "h" in group.attrib["class"].split()
    )
    assert "wait" in hidden
    assert "done" not in hidden
    assert "exit_code" not in hidden


def test_what_does_not_fit_is_refused() -> None:
    long = Played(step("run_command"), *(parse(""), (), parse(""), Answer("good", "x" * 80)))
    with pytest.raises(AssertionError, match="too long"):
        Picture(timeline([long])).write()


def test_the_picture_in_the_repository_is_light_and_harmless() -> None:
    svg = text("docs/picture.svg")
    assert len(svg.encode()) < 150_000
    assert not list(elements(svg, "script"))
    assert not list(elements(svg, "image"))
    assert not re.search(r"url\(|href|@import|<foreignObject|\son\w+=", svg)
    assert str(ROOT) not in svg
