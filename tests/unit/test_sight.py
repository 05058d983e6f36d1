"""Which process a pane is of."""

from __future__ import annotations

from dataclasses import replace

from muxpilot.terminal.attention import Mark
from muxpilot.terminal.sight import Place

LIVING = Place("%1", "$0", 77, 100, 2000, 80, 24, 0, 5, False, False, None, None)
DEAD = replace(LIVING, pane_dead=True, pane_dead_status=7)
FORGOTTEN = replace(DEAD, pane_pid=0)
RESPAWNED = replace(LIVING, pane_pid=78)


def test_a_dead_pane_is_of_the_process_that_ran_there_though_tmux_has_forgotten_it() -> None:
    assert [place.is_of_process(77) for place in (LIVING, DEAD, FORGOTTEN, RESPAWNED)] == [1, 1, 1, 0]


def test_what_a_dead_pane_shows_is_measured_by_the_mark_of_its_process() -> None:
    mark = Mark(77, 105, 0, 100, 80)
    assert [mark.holds(place) for place in (LIVING, DEAD, FORGOTTEN, RESPAWNED)] == [1, 1, 1, 0]
