"""What the picture tells: a small project, and what an agent and a person do in it, in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SESSION = "shop"
SIZE = (66, 23)
"""Columns and rows of the person's terminal."""

GOOD, BAD, WAITS = "good", "bad", "waits"
"""What an answer means, for its colour."""

FILES = {
    "cart.py": "def total(prices, quantity):\n    return sum(prices) + quantity\n",
    "test_cart.py": (
        "from cart import total\n\n\n"
        "def test_an_empty_cart_is_free():\n    assert total([], 0) == 0\n\n\n"
        "def test_two_of_each():\n    assert total([5, 10], 2) == 30\n"
    ),
    "release": (
        "#!/bin/bash\n"
        'read -rp "Version? " version\n'
        'read -rsp "Passphrase of the signing key: " phrase; echo\n'
        "for percent in 25 50 75 100; do\n"
        '  bar=$(printf "%$((percent * 36 / 100))s" "" | tr " " "=")\n'
        '  printf "\\r\\e[36mupload\\e[0m [%-36s] %3d%%" "$bar" "$percent"; sleep 0.5\n'
        "done\n"
        'printf "\\n\\e[32mshop %s is published\\e[0m\\n" "$version"\n'
    ),
    "serve": (
        "#!/bin/bash\n"
        'printf "listening on port 8000\\n"\n'
        "for page in / /cart /cart/2 /favicon.ico; do\n"
        '  sleep 0.5; printf "\\e[2mGET\\e[0m %-14s \\e[32m200\\e[0m\\n" "$page"\n'
        "done\n"
        "sleep 600\n"
    ),
}
BASHRC = r"PS1='\[\e[1;34m\]shop\[\e[0m\] \[\e[32m\]$\[\e[0m\] '" + "\nHISTFILE=\n"
TMUX_CONF = """\
set -g default-terminal tmux-256color
set -g escape-time 0
set -g status-right ""
set -g status-left "[#S] "
set -g automatic-rename off
"""
SECRET = "open sesame"  # noqa: S105 - nothing is behind it


@dataclass(frozen=True, slots=True)
class Answer:
    """What a result says, in a word, and what there is to add."""

    kind: str
    word: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One call: how it is shown, what is sent, what of its result is told, and how long it can be read."""

    tool: str
    shown: str
    arguments: Json
    answer: Callable[[Json], Answer]
    hold: float = 1.8
    person_first: str = ""
    """A key that the person presses before the call."""
    typed: str = ""
    """What the person types while the call is under way."""
    live: bool = False
    """Whether what the screen shows meanwhile is part of the story."""
    expects: Json = field(default_factory=dict)
    """Fields of the result that must be so, or there is no picture."""


def _ended(result: Json) -> Answer:
    code = result["exit_code"]
    last = re.sub(r" in [\d.]+s$", "", str(result["output"]).rstrip().rpartition("\n")[2])
    return Answer(GOOD if code == 0 else BAD, f"exit_code {code}", last)


def _long(result: Json) -> Answer:
    where = "all kept on disk" if "output_path" in result else "all here"
    return Answer(GOOD, f"exit_code {result['exit_code']}", f"{result['output_lines']:,} lines, {where}")


def _asks(result: Json) -> Answer:
    return Answer(WAITS, result["state"], f'"{str(result["output"]).strip()}"')


def _goes_on(result: Json) -> Answer:
    return Answer(WAITS, result["status"], f"{result['output_lines']} lines so far, not killed")


def _typed(result: Json) -> Answer:
    return Answer(GOOD, "typed", f"into {result['pane_id']}")


def _found(result: Json) -> Answer:
    return Answer(GOOD, result["outcome"], f'"{result["matched_lines"][-1]}"')


def _stopped(result: Json) -> Answer:
    word = "stopped, the shell is back" if result["stopped"] else "still running"
    return Answer(GOOD, f"exit_code {result['exit_code']}", word)


def _run(command: str, answer: Callable[[Json], Answer], timeout: float = 30, **more: Any) -> Step:
    arguments = {"command": command, "target": SESSION, "timeout": timeout}
    return Step("run_command", command, arguments, answer, **more)


STEPS = (
    _run("pytest -q", _ended, expects={"exit_code": 1}, hold=3.0),
    _run("sed -i s/+/*/ cart.py; pytest -q", _ended, expects={"exit_code": 0}, hold=2.2),
    _run("seq 100000", _long, expects={"output_truncated": True}, hold=2.2),
    _run("./release", _asks, expects={"state": "waiting_for_input"}, person_first="C-l", hold=2.0),
    Step("send_keys", "1.4.0", {"target": SESSION, "keys": "1.4.0", "enter": True}, _typed, hold=1.4),
    Step(
        "wait_for_text",
        "published",
        {"target": SESSION, "patterns": "published", "stop": "failed"},
        _found,
        typed=SECRET,
        live=True,
        hold=2.2,
    ),
    _run("./serve", _goes_on, 3.5, expects={"status": "running"}, live=True, hold=1.6),
    Step("interrupt", "Ctrl-C", {"target": SESSION}, _stopped, expects={"exit_code": 130}, hold=4.5),
)
PERSON = ("type the passphrase", "into the same terminal; no call holds it")
"""What is told of the person where `typed` is."""
