"""No text becomes a flag: what stands before `--` are known flags and their values, in every command."""

from __future__ import annotations

import pytest

from muxpilot.tmux.commands import checked
from muxpilot.tmux.quoting import command_argv, command_line, conditional

KEPT = [
    ["list-sessions"],
    ["kill-pane", "-t", "%1"],
    ["kill-pane", "-t", "-k"],
    ["respawn-pane", "-k", "-t", "%0", "--", "-t%1"],
    ["respawn-pane", "-t", "%0", "-e", "-t%1", "--", "-k", "--"],
    ["wait-for", "-S", "--", "-S"],
    ["no-such-command", "--", "x"],
]
BROKEN = [
    ["respawn-pane", "-t", "%0", "sh"],
    ["respawn-pane", "-t", "%0", "-t%1"],
    ["respawn-pane", "-t", "%0", "-kt", "%1"],
    ["wait-for", "channel"],
    ["kill-pane", "-at", "%1"],
    ["no-such-command", "x"],
    ["no-such-command", "-t", "x"],
]


@pytest.mark.parametrize("argv", KEPT, ids=" ".join)
def test_flags_then_arguments(argv: list[str]) -> None:
    assert checked(argv) == argv


@pytest.mark.parametrize("argv", BROKEN, ids=" ".join)
def test_no_door_lets_an_argument_out_where_a_flag_may_be(argv: list[str]) -> None:
    for leave in (command_line, command_argv, lambda one: conditional("%0", "1", [one], [])):
        with pytest.raises(ValueError, match="--"):
            leave(argv)
