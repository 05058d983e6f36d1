"""Terminals for the hard cases: every shell, at several widths and scrollback limits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab, eventually
from tests.mcp.client import Json, RawClient, ToolError, mcp_server

SHELLS = {
    "bash": "/bin/bash",
    "zsh": "/usr/bin/zsh",
    "fish": "/usr/bin/fish",
    "dash": "/bin/dash",
    "ash": "/bin/busybox",
    "ksh": "/usr/bin/ksh",
    "mksh": "/usr/bin/mksh",
}
POSIX = [shell for shell in SHELLS if shell != "fish"]
EDITORS = ["bash", "zsh", "fish"]
"""Shells into whose line a command is loaded."""

WIDTHS = (10, 80, 300)
LIMITS = (100, 50_000)
NARROW = ("bash", "ash", "mksh")
"""Whose line editors do the strangest things where there is no room."""


@dataclass(frozen=True)
class Setting:
    shell: str
    width: int = 80
    limit: int = 2000

    def __str__(self) -> str:
        return self.shell if self == Setting(self.shell) else f"{self.shell}-{self.width}-{self.limit}"


def settings() -> list[Any]:
    """Every shell as it comes, some of them narrow and wide too; all other combinations take longer."""
    daily = [Setting(shell) for shell in SHELLS] + [Setting(shell, 10, 100) for shell in NARROW]
    every = [Setting(shell, *size) for shell in SHELLS for size in itertools.product(WIDTHS, LIMITS)]
    rest = [one for one in every if one not in daily]
    return [grouped("exact", one) for one in daily] + [
        grouped("exact", one, pytest.mark.long) for one in rest
    ]


def grouped(what: str, setting: Setting, *marks: pytest.MarkDecorator) -> Any:
    """All tests of one setting go to one worker, which starts what they need once."""
    return pytest.param(
        setting, id=str(setting), marks=[pytest.mark.xdist_group(f"{what} {setting}"), *marks]
    )


class Console:
    """A client with a terminal in this shell."""

    def __init__(self, client: RawClient, lab: Lab, setting: Setting) -> None:
        self.client = client
        self.lab = lab
        self.setting = setting

    @property
    def shell(self) -> str:
        return self.setting.shell

    @property
    def is_fish(self) -> bool:
        return self.shell == "fish"

    def run(self, command: str, *, timeout: float = 20, **more: Any) -> Json:
        return self.client.call("terminal", command=command, timeout=timeout, **more)

    def result(self, command: str, **more: Any) -> tuple[int | None, str]:
        done = self.run(command, **more)
        assert done["status"] == "completed", done
        return done["exit_code"], done["output"]

    def refused(self, tool: str, /, **arguments: Any) -> ToolError:
        with pytest.raises(ToolError) as refused:
            self.client.call(tool, **arguments)
        return refused.value

    def prompted(self, pane: str) -> None:
        """Wait until the prompt is drawn: what is typed before it would stand before it."""
        eventually(lambda: self.lab.screen(pane).rstrip().endswith(("#", "$", "%", ">")))

    def pane(self, terminal_id: str = "default") -> str:
        rows = self.lab.tmux("list-panes", "-a", "-F", "#{pane_id} #{@muxpilot_terminal}").splitlines()
        return next(row.split()[0] for row in rows if row.split()[1:] == [terminal_id])


@contextmanager
def console(folder: Path, setting: Setting, state: str = "state") -> Iterator[Console]:
    lab = Lab(folder)
    path = SHELLS[setting.shell]
    if setting.shell == "ash":
        link = folder / "ash"
        link.symlink_to(path)
        path = str(link)
    lab.environ |= {"SHELL": path, "XDG_CONFIG_HOME": str(folder / "config")}
    (folder / ".zshrc").touch()  # Without one, zsh asks questions.
    lab.new_session("main", "cat")
    lab.tmux("set-option", "-g", "default-shell", path)
    lab.tmux("set-option", "-g", "history-limit", str(setting.limit))
    lab.tmux("set-option", "-g", "default-size", f"{setting.width}x24")
    lab.tmux("new-session", "-d", "-s", "muxpilot", "-x", str(setting.width), "-y", "24", "cat")
    try:
        with mcp_server(lab, safety="destructive", state_dir=str(folder / state)) as client:
            yield Console(client, lab, setting)
    finally:
        lab.end()
