"""A pane whose output a test writes itself, byte by byte: no shell, no echo, no timing."""

from __future__ import annotations

import os
from pathlib import Path

from tests.lab import Lab, eventually


class Pen:
    """A pane that shows what is written to a named pipe. `write` returns when tmux has taken it all in."""

    def __init__(
        self, lab: Lab, folder: Path, name: str = "pen", *, size: tuple[int, int] = (80, 24)
    ) -> None:
        self._lab = lab
        self._path = folder / f"{name}.pipe"
        os.mkfifo(self._path)
        lab.new_session(name, f"stty -onlcr -echo; exec cat {self._path}", size=size)
        self.pane_id = lab.tmux("display-message", "-p", "-t", name, "#{pane_id}")
        self._pipe = os.open(self._path, os.O_WRONLY)
        self._count = 0

    def write(self, text: str | bytes) -> None:
        """Written to the pane's terminal; it may take tmux a moment to show it."""
        data = text.replace("\n", "\r\n").encode() if isinstance(text, str) else text
        view = memoryview(data)
        while view:
            view = view[os.write(self._pipe, view) :]

    def settle(self, text: str | bytes = "") -> None:
        """Write, and wait until tmux has seen it: the title is set by the stream itself, behind it."""
        self._count += 1
        title = f"pen {self._count}"
        self.write(text)
        self.write(f"\033]2;{title}\033\\".encode())
        eventually(
            lambda: self._lab.tmux("display-message", "-p", "-t", self.pane_id, "#{pane_title}") == title
        )

    def end(self) -> None:
        """The program ends."""
        os.close(self._pipe)
