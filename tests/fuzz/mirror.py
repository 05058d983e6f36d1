"""tmux's own idea of what a stream of bytes leaves behind: a pane that is wide, with a long scrollback.

One pane serves many streams: between two of them the terminal is reset and its scrollback dropped.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

from muxpilot.terminal.render import LINE_DRAWING
from muxpilot.tmux.version import Version
from tests.lab import TMUX, Lab

PATIENCE = 30.0
VERSION = Version.parse(subprocess.check_output([TMUX, "-V"], text=True))
WIDTH = 1000
"""Wider than any line of ours here, so that nothing wraps; no wider, because tmux clears whole rows."""

_ATTRIBUTES = re.compile(r"\x1b\[[0-9;:]*m|\x1b\]8;[^\x1b]*\x1b\\")
_DRAWN = re.compile(r"\x0e([^\x0f]*)\x0f?")
RESET = b"\x1b[?1049l\x1bc\x1b[3J"


class Mirror:
    """`show` gives the text that tmux keeps, scrollback and screen."""

    def __init__(self, folder: Path) -> None:
        self.lab = Lab(folder)
        self._height = 24
        path = str(folder / "typist")
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(PATIENCE)
            door.bind(path)
            door.listen()
            self.lab.new_session("boot", "cat")
            self.lab.tmux("set-option", "-g", "history-limit", "100000")
            typist = [sys.executable, "-S", str(Path(__file__).with_name("typist.py")), path]
            self.lab.new_session("mirror", *typist, size=(WIDTH, self._height))
            self._typist, _ = door.accept()
        self._typist.settimeout(PATIENCE)

    def show(self, stream: bytes, height: int) -> str:
        self._resize(height)
        self._type(RESET)
        self._type(stream)
        # With attributes: tmux tells drawn lines from the letters that stand for them only by these.
        text = self.lab.tmux("capture-pane", "-p", "-e", "-J", "-S", "-", "-t", "mirror")
        return _DRAWN.sub(lambda found: found[1].translate(LINE_DRAWING), _ATTRIBUTES.sub("", text))

    def _resize(self, height: int) -> None:
        if height != self._height:
            self.lab.tmux("resize-window", "-t", "mirror", "-x", str(WIDTH), "-y", str(height))
            self._height = height

    def _type(self, data: bytes) -> None:
        self._typist.sendall(b"%010d" % len(data) + data)
        assert self._typist.recv(1) == b".", "the typist is gone"

    def close(self) -> None:
        self._typist.close()
        self.lab.end()
