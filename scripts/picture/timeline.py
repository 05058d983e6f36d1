"""What is to be seen from when to when: the story with fixed times, whatever it took in truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scripts.picture import story
from scripts.picture.screen import Screen
from scripts.picture.stage import Played
from scripts.picture.story import Answer

OPENING, ASKED, BEAT, TYPING = 1.2, 0.7, 0.6, 1.8
"""Seconds before the first call, from a call to what follows, for a screen that passes by, for a person."""


@dataclass(frozen=True, slots=True)
class Card:
    """A call and its answer; or, without a tool, what the person did."""

    at: float
    tool: str
    shown: str
    answered: float
    answer: Answer
    until: float
    """When the next one has the attention."""


@dataclass(frozen=True, slots=True)
class Timeline:
    screens: tuple[tuple[float, Screen], ...]
    """Each with its beginning, in order, the first at 0."""
    cards: tuple[Card, ...]
    end: float


def timeline(played: Sequence[Played]) -> Timeline:
    screens: list[tuple[float, Screen]] = [(0.0, played[0].before)]
    cards: list[Card] = []
    now = OPENING
    for one in played:
        begin = now
        screens.append((begin, one.before))
        now += ASKED
        if one.step.typed:
            now += ASKED + TYPING
        acted = now
        for screen in one.meanwhile:
            screens.append((now, screen))
            now += BEAT
        screens.append((now, one.after))
        answered, now = now, now + one.step.hold
        cards.append(Card(begin, one.step.tool, one.step.shown, answered, one.answer, now))
        if one.step.typed:
            cards.append(_person(acted - TYPING, acted))
    return Timeline(tuple(_changes(screens)), tuple(cards), now)


def _person(start: float, end: float) -> Card:
    what, how = story.PERSON
    return Card(start, "", what, start, Answer("", "", how), end)


def _changes(screens: Sequence[tuple[float, Screen]]) -> Iterator[tuple[float, Screen]]:
    last: Screen | None = None
    for at, screen in screens:
        if screen != last:
            yield at, screen
        last = screen
