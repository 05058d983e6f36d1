"""A pane that shows what is written to a descriptor: output at a moment of our choosing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.tmux_lab import Lab


@dataclass(frozen=True, slots=True)
class Pen:
    pane: str
    descriptor: int

    def write(self, line: str) -> None:
        os.write(self.descriptor, f"{line}\n".encode())


@contextlib.contextmanager
def pen(tmux: Lab) -> Iterator[Pen]:
    """In a window of its own, beside all others."""
    with tempfile.TemporaryDirectory(prefix="mxb-") as folder:
        path = Path(folder) / "pen"
        os.mkfifo(path)
        made = tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "lab:", f"exec cat {path}")
        descriptor = os.open(path, os.O_WRONLY)
        try:
            yield Pen(made.decode().strip(), descriptor)
        finally:
            os.close(descriptor)
