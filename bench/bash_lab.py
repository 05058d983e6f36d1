"""A lab whose shells are all alike: bash, with no start file and in an empty home.

Its panes are as large as a terminal of ours, so that a screen, or scrolling it, costs everybody the same.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator

from bench.tmux_lab import Lab, lab
from muxpilot.terminal.terminals import SIZE

PROMPT = "bash-"
"""How the prompt of a bash begins that nobody has told another."""
_BASH = shutil.which("bash") or "/bin/bash"


@contextlib.contextmanager
def bash_lab() -> Iterator[Lab]:
    with (
        tempfile.TemporaryDirectory(prefix="mxb-") as home,
        lab({"HOME": home, "SHELL": _BASH}) as tmux,
    ):
        tmux.run("set-option", "-g", "default-shell", _BASH)
        tmux.run("set-option", "-g", "default-command", f"{_BASH} --norc")
        yield tmux


async def bash_pane(tmux: Lab) -> str:
    """A new pane that shows bash's first prompt and nothing else, in a session of its own."""
    columns, rows = (str(side) for side in SIZE)
    made = tmux.run("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", columns, "-y", rows)
    pane_id = made.decode().strip()
    await tmux.shown(pane_id, PROMPT)
    return pane_id
