from __future__ import annotations

import pytest

from muxpilot.errors import TargetError
from muxpilot.tmux.effects import Effect, effects_of
from muxpilot.tmux.quoting import conditional


@pytest.mark.parametrize(
    ("argv", "effect"),
    [
        (["send-keys", "-t", "%1", "-l", "--", "-X"], Effect(False, "%1")),
        (["send-keys", "-t", "%1", "-l", "--", "-t", "%2"], Effect(False, "%1")),
        (["send-keys", "-t", "%1", "Enter"], Effect(False, "%1")),
        (["send-keys", "-t", "%1", "-H", "0d"], Effect(False, "%1")),
        (["send-keys", "-R", "-t", "%1"], Effect(False, "%1")),
        (["paste-buffer", "-d", "-p", "-b", "muxpilot_0_", "-t", "%1"], Effect(False, "%1")),
        (conditional("%1", "1", [["send-keys", "-t", "%1", "--", "x"]], []), Effect(False, "%1")),
        (["kill-pane", "-t", "%0"], Effect(True, "%0")),
        (["kill-window", "-t", "@10"], Effect(True, "@10")),
        (["kill-session", "-t", "$2"], Effect(True, "$2")),
        (["kill-server"], Effect(True, None)),
        (["respawn-pane", "-t", "%1", "-k", "--", "-t%2"], Effect(True, "%1")),
    ],
)
def test_what_types_and_what_ends_is_known(argv: list[str], effect: Effect) -> None:
    assert effects_of([["list-panes", "-a"], argv]) == [effect]


@pytest.mark.parametrize(
    "argv", [["send-keys", "-t", "%1", "-X", "cancel"], ["list-panes", "-a"], ["capture-pane", "-t", "%01"]]
)
def test_the_rest_is_free(argv: list[str]) -> None:
    assert effects_of([argv]) == []


@pytest.mark.parametrize(
    "target", ["%01", "% 1", "%+1", "%\u0661", "%1 ", "%1\n", "main", "=main", "", "%", "{last}"]
)
@pytest.mark.parametrize("name", ["send-keys", "paste-buffer", "if-shell", "kill-pane", "respawn-pane"])
def test_only_ids_as_tmux_prints_them_are_let_through(name: str, target: str) -> None:
    with pytest.raises(TargetError):
        effects_of([[name, "-t", target]])


@pytest.mark.parametrize(
    "argv",
    [
        ["kill-pane", "-a", "-t", "%1"],
        ["kill-session", "-a", "-t", "$1"],
        ["kill-pane", "-t%1"],
        ["kill-pane"],
        ["kill-pane", "-t"],
        ["respawn-pane", "-t", "%0", "-t%1"],
        ["respawn-pane", "-t", "%0", "-t", "%1"],
        ["send-keys", "--", "-t", "%1"],
        ["kill-server", "-x"],
    ],
)
def test_other_forms_are_refused(argv: list[str]) -> None:
    with pytest.raises(TargetError):
        effects_of([argv])
