"""Our renderer against tmux: where they may differ, all of it, and the comparison that allows nothing else.

The mirror is as high as the renderer's screen, since scroll regions and absolute rows count from its edges.
Both get the same stream. Intended differences, each taken away by one function here:

- Invalid UTF-8: tmux drops it without a word, we show its bytes as `\\xff`. tmux is given those characters.
- C1 controls in UTF-8 (U+0080 to U+009F): tmux keeps them, unseen, in the cell before. We drop them.
- Tabs: tmux keeps the spaces that they skip (from 3.6 on sometimes the tab). Both are compared as spaces.
- Trailing spaces: tmux keeps those that erasing leaves behind, we only what was written. Compared only where
  nothing is erased (`exactly`).
- Empty lines at the very end: tmux pads its screen.
- A screen that is erased from its first cell on, where the cursor came by going up and not by an absolute
  position: tmux puts the old screen into the scrollback, for us it is the next frame of a display of several
  lines. Our first row is where a command began, and almost never the top of the pane. `undisputed` takes
  such erasing out.
- Lines inserted outside the scroll region: xterm ignores it, tmux does it, unless nothing would be left then.
  `undisputed` takes that out too.
- A control character right behind an ESC: tmux reads on and takes what follows for the rest of the sequence,
  we keep it as text. Not in any stream.

Not in any stream: what needs an edge on the right (we have none: no wrap, no DECALN), tab stops that were
moved, queries (there is nobody to answer), VT52. Not in one stream, because tmux has faults there that we do
not copy: wide characters with anything that cuts one in two (half of it stays behind; before 3.7, one in the
first column stays whole when something is written over its second half); cells that were inserted or tabs in
an empty row with a wiped screen (for tmux such a row counts as used, or not); from 3.6 on, tabs that are
written over. For the same reason blank lines are not compared where erasing and wiping meet. Repeating (REP)
stands right behind a character, where all terminals agree about it. Joined emoji and variation selectors
differ between versions of tmux.
"""

from __future__ import annotations

import re

from wcwidth import wcwidth

from muxpilot.terminal.cells import Screen
from muxpilot.terminal.render import Renderer

_DISPUTED = re.compile(rb"(\x1b\[0?J|\x1b\[[0-9]*L)")
_C1 = dict.fromkeys(range(0x80, 0xA0))


def rendered(stream: bytes, height: int) -> str:
    renderer = Renderer(height)
    renderer.feed(stream)
    return renderer.take_final() + renderer.pending()


def lines(text: str) -> list[str]:
    """For the comparison with a stream that erases."""
    return _without_empty_end([line.rstrip(" ") for line in exactly(text)])


def exactly(text: str) -> list[str]:
    """For the comparison with one that does not."""
    return _without_empty_end([_untabbed(line) for line in text.translate(_C1).split("\n")])


def for_tmux(stream: bytes) -> bytes:
    """The stream with characters for its invalid bytes."""
    return (
        stream.decode("utf-8", "surrogateescape")
        .encode("utf-8", "backslashreplace")
        .replace(b"\\udc", b"\\x")
    )


def undisputed(stream: bytes, height: int) -> bytes:
    """The stream without what tmux and we do differently on purpose."""
    renderer, kept = Renderer(height), b""
    for piece in _DISPUTED.split(stream):
        if not (_DISPUTED.fullmatch(piece) and _is_disputed(renderer._screen, piece)):
            renderer.feed(piece)
            kept += piece
    return kept


def _is_disputed(screen: Screen, piece: bytes) -> bool:
    screen.settle()
    if piece.endswith(b"J"):
        return screen._row == screen._column == 0 and not screen._homed
    top, bottom = screen._region
    return not top <= screen._row <= bottom


def _without_empty_end(found: list[str]) -> list[str]:
    while found and not found[-1]:
        found.pop()
    return found


def _untabbed(line: str) -> str:
    text, column = "", 0
    for character in line:
        width = 8 - column % 8 if character == "\t" else max(0, wcwidth(character))
        text += " " * width if character == "\t" else character
        column += width
    return text
