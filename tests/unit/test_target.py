"""Targets are resolved exactly, or refused with what there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from muxpilot.errors import TargetAmbiguous, TargetError, TargetNotFound
from muxpilot.terminal.model import Pane, Session, Window
from muxpilot.terminal.snapshot import SESSIONS, WINDOWS, Snapshot
from muxpilot.terminal.target import panes_within, parts_for, resolve, resolve_session

PANE = Pane(
    *("%0", "@0", "$0", 0, True, 80, 24, 0, 0, 79, 23, True, True, True, True),
    *("title", "sh", "/", 1, "/dev/pts/0", False, None, False, False, False, 0, 2000),
)
WINDOW = Window("@0", "$0", 0, "sh", True, 1, 80, 24, "layout", False, "dev", "%0")
SESSION = Session("$0", "dev", 1, 0, 0, None, "@0", "%0")


def quarter(pane_id: str, index: int, left: int, top: int) -> Pane:
    """One of four panes in a window of 80 by 24."""
    return replace(
        PANE,
        pane_id=pane_id,
        window_id="@2",
        session_id="$1",
        pane_index=index,
        pane_active=index == 3,
        pane_left=left,
        pane_top=top,
        pane_at_left=left == 0,
        pane_at_right=left != 0,
        pane_at_top=top == 0,
        pane_at_bottom=top != 0,
    )


def window(window_id: str, session_id: str, index: int, name: str, active_pane_id: str) -> Window:
    return replace(
        WINDOW,
        window_id=window_id,
        session_id=session_id,
        window_index=index,
        window_name=name,
        window_active=False,
        active_pane_id=active_pane_id,
    )


TREE = Snapshot(
    sessions=[
        SESSION,
        replace(
            SESSION, session_id="$1", session_name="development", active_window_id="@2", active_pane_id="%5"
        ),
    ],
    windows=[
        WINDOW,
        window("@1", "$0", 1, "log.txt", "%1"),
        replace(window("@2", "$1", 5, "editor", "%5"), window_active=True),
        window("@3", "$1", 6, "twin", "%6"),
        window("@4", "$1", 7, "twin", "%7"),
        window("@5", "$1", 8, "7", "%8"),
    ],
    panes=[
        PANE,
        replace(PANE, pane_id="%1", window_id="@1"),
        quarter("%2", 0, 0, 0),
        quarter("%3", 1, 40, 0),
        quarter("%4", 2, 0, 12),
        quarter("%5", 3, 40, 12),
        *(replace(PANE, pane_id=f"%{n}", window_id=f"@{n - 3}", session_id="$1") for n in (6, 7, 8)),
    ],
)


@pytest.mark.parametrize(
    ("target", "pane_id"),
    [
        ("%4", "%4"),
        ("@2", "%5"),
        ("@2.1", "%3"),
        ("$1", "%5"),
        ("$1:editor", "%5"),
        ("dev", "%0"),
        ("=dev", "%0"),
        ("dev:", "%0"),
        ("dev:0", "%0"),
        ("dev:0.0", "%0"),
        ("dev:log.txt", "%1"),
        ("dev:log.txt.0", "%1"),
        ("development", "%5"),
        ("development:5.2", "%4"),
        ("development:editor.%3", "%3"),
        ("development:@3", "%6"),
        ("development:5.{top-left}", "%2"),
        ("development:5.{top-right}", "%3"),
        ("development:5.{bottom-left}", "%4"),
        ("development:editor.{bottom-right}", "%5"),
        ("@2.{active}", "%5"),
    ],
)
def test_a_target_names_one_pane(target: str, pane_id: str) -> None:
    assert resolve(TREE, target).pane_id == pane_id


MISSING = (
    *("de", "devel", "dev*", "d?v", "%9", "@9", "$9", "dev:7", "dev:s"),
    *("dev:0.4", "@2.{middle}", "@x", "dev:0."),
)


@pytest.mark.parametrize("target", MISSING)
def test_what_does_not_exist_is_not_guessed(target: str) -> None:
    with pytest.raises(TargetNotFound):
        resolve(TREE, target)


def test_a_near_miss_is_told() -> None:
    with pytest.raises(TargetNotFound, match="Did you mean 'development'.*dev, development"):
        resolve(TREE, "developmnt")


@pytest.mark.parametrize(
    ("target", "candidates"),
    [
        ("development:twin", "@3 .*@4"),
        ("development:7", "@4 .*@5"),  # the index of one, the name of another
        (":1", "dev, development"),
    ],
)
def test_ambiguous_targets_are_errors_that_list_the_candidates(target: str, candidates: str) -> None:
    with pytest.raises(TargetAmbiguous, match=candidates):
        resolve(TREE, target)


def test_a_window_name_cannot_take_over_the_pane_of_another() -> None:
    thief = replace(WINDOW, window_id="@9", window_index=3, window_name="0.0", window_active=False)
    with pytest.raises(TargetAmbiguous, match="@9 .*@0"):
        resolve(replace(TREE, windows=[*TREE.windows, thief]), "dev:0.0")


def test_an_id_is_an_id_whatever_sessions_are_called() -> None:
    tree = replace(TREE, sessions=[*TREE.sessions, replace(SESSION, session_id="$7", session_name="$0")])
    assert resolve(tree, "$0").session.session_name == "dev"


def test_names_that_only_begin_like_an_id_are_names() -> None:
    odd = replace(SESSION, session_id="$7", session_name="@work", active_pane_id="%70")
    window, pane = replace(WINDOW, session_id="$7"), replace(PANE, session_id="$7", pane_id="%70")
    tree = Snapshot([odd], [window], [pane])
    assert resolve(tree, "@work").pane_id == "%70"
    assert panes_within(tree, "@work") == [pane]


TARGETS = (
    *("dev", "=dev", "dev:", "$1", "$1:", "@2", "%4", "@2.1", "@2.{active}", "=development:editor", "%4:"),
    *("dev:log.txt", "development:5.{top-left}", "development:twin", ":1", "=", "", "=%4", "=@1", "@2:"),
)


def outcome(look: Callable[[Snapshot, str], object], snapshot: Snapshot, target: str) -> object:
    try:
        return look(snapshot, target)
    except TargetError as refused:
        return str(refused)


@pytest.mark.parametrize("target", [*MISSING, *TARGETS])
def test_the_parts_that_a_target_takes_are_enough(target: str) -> None:
    enough = Snapshot(**{part: getattr(TREE, part) for part in parts_for(target)})
    for look in (resolve, resolve_session):
        assert outcome(look, enough, target) == outcome(look, TREE, target)
    with_panes = replace(enough, panes=TREE.panes)
    assert outcome(panes_within, with_panes, target) == outcome(panes_within, TREE, target)


def test_a_name_takes_no_more_than_it_needs() -> None:
    assert parts_for("dev") == parts_for("$0") == parts_for("=dev:") == (SESSIONS,)
    assert parts_for("dev:1") == parts_for("@1") == (SESSIONS, WINDOWS)


def test_an_empty_target_is_refused() -> None:
    with pytest.raises(TargetError, match="empty"):
        resolve(TREE, "")


@pytest.mark.parametrize(
    ("target", "session_id"),
    [("dev", "$0"), ("$1", "$1"), ("%4", "$1"), ("@1", "$0"), ("dev:", "$0"), ("dev:0", "$0")],
)
def test_a_session_is_named_by_itself_or_by_what_is_in_it(target: str, session_id: str) -> None:
    assert resolve_session(TREE, target).session_id == session_id


@pytest.mark.parametrize(
    ("target", "pane_ids"),
    [
        ("dev", ["%0", "%1"]),
        ("@2", ["%2", "%3", "%4", "%5"]),
        ("dev:1", ["%1"]),
        ("%2", ["%2", "%3", "%4", "%5"]),
    ],
)
def test_panes_are_listed_by_session_or_by_window(target: str, pane_ids: list[str]) -> None:
    assert [pane.pane_id for pane in panes_within(TREE, target)] == pane_ids
