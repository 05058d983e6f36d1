"""One line of a screen of unlimited width: plain text until something moves about in it, then cells.

Knows which characters share a cell and which take two; nothing of the cursor or of other lines (cells.py).
"""

from __future__ import annotations

from wcwidth import wcwidth

TAB_STOP = 8
LONGEST_EDIT = 100_000
"""Longer rows are only overwritten and appended to: shifting all those cells would take too long."""
_LONGEST_PLAIN = 4096

_SKIPPED = "\0"  # A cell that nothing was written to. No text has this character.
_REST = ""  # The cells of a wide character or a tab after its first.
_JOINER = "\u200d"


class Row:
    """One line. Its parts are cells if it is exact, else any pieces of text as they were written."""

    __slots__ = ("_exact", "_parts", "_tabs_end")

    def __init__(self, text: str = "") -> None:
        self._parts = [text] if text else []
        self._exact = False
        self._tabs_end = 0  # No cell from here on is a tab's.

    def text(self) -> str:
        text = "".join(self._parts)
        return text.rstrip(_SKIPPED).replace(_SKIPPED, " ") if self._exact else text

    def plain(self) -> str | None:
        """The text, if it is short and each of its characters surely is one cell."""
        if self._exact or sum(map(len, self._parts)) > _LONGEST_PLAIN:
            return None
        text = "".join(self._parts)
        return text if text.isascii() and "\t" not in text else None

    def is_empty(self) -> bool:
        return not self._parts

    def width(self) -> int:
        plain = self.plain()
        return len(self._cells()) if plain is None else len(plain)

    def append(self, text: str) -> None:
        if self._exact:
            self.put(len(self._parts), text)
        else:
            self._parts.append(text)

    def put(self, column: int, text: str, *, insert: bool = False) -> int:
        """Write over what stands there, or move it to the right; the column after it."""
        plain = self.plain()
        insert = insert and self.width() <= LONGEST_EDIT
        if plain is not None and column <= len(plain) and text.isascii() and "\t" not in text:
            self._parts = [plain[:column] + text + plain[column + len(text) * (not insert) :]]
            return column + len(text)
        for number, piece in enumerate(text.split("\t")):
            if number:
                column = self._tab(column)
            if piece.isascii():
                self._replace(column, column + len(piece) * (not insert), list(piece))
                column += len(piece)
            else:
                column = self._put_clusters(column, piece, insert)
        return column

    def erase(self, start: int, count: int | None = None) -> None:
        """That many cells, or all from there on."""
        plain = self.plain()
        if count is None and start == 0:
            self._parts, self._exact = [], False
        elif count is None and plain is not None:
            self._parts = [plain[:start]]
        elif start < (width := self.width()):
            end = width if count is None else min(start + count, width)
            self._replace(start, end, [_SKIPPED] * (end - start))

    def insert(self, column: int, count: int) -> None:
        if column < self.width() <= LONGEST_EDIT:
            self._replace(column, column, [_SKIPPED] * count)

    def delete(self, column: int, count: int) -> None:
        if column < self.width() <= LONGEST_EDIT:
            self._replace(column, column + count, [])

    def _cells(self) -> list[str]:
        if not self._exact:
            text, self._parts, self._exact = "".join(self._parts), [], True
            self.put(0, text)
        return self._parts

    def _replace(self, start: int, end: int, new: list[str]) -> None:
        if start == end and not new:
            return
        self._reach(start)
        self._cut(start)
        self._cut(end)
        self._parts[start:end] = new
        if len(new) != end - start and start < self._tabs_end:
            self._spread_tabs(start + len(new), self._tabs_end + len(new) - (end - start))
            self._tabs_end = start

    def _spread_tabs(self, column: int, end: int) -> None:
        """Those that have been moved do not reach to a stop any more: blanks stand in their place."""
        in_tab = False
        for at in range(column, min(end, len(self._parts))):
            in_tab = self._parts[at].startswith("\t") or (in_tab and self._parts[at] == _REST)
            if in_tab:
                self._parts[at] = " " + self._parts[at][1:]

    def _reach(self, column: int) -> None:
        cells = self._cells()
        if column > len(cells):
            cells.extend([_SKIPPED] * (column - len(cells)))

    def _cut(self, column: int) -> None:
        """Break the wide character or the tab that stands across this column."""
        cells = self._cells()
        if not 0 < column < len(cells) or cells[column] != _REST:
            return
        start, end = self._first(column), column
        while end < len(cells) and cells[end] == _REST:
            end += 1
        blank = " " if cells[start].startswith("\t") else _SKIPPED
        cells[start:end] = [blank] * (end - start)

    def _first(self, column: int) -> int:
        while self._parts[column] == _REST:
            column -= 1
        return column

    def _tab(self, column: int) -> int:
        """A tab moves only, where something stands already."""
        stop = column + TAB_STOP - column % TAB_STOP
        self._reach(column)
        if all(cell == _SKIPPED for cell in self._parts[column:stop]):
            self._parts[column:stop] = ["\t", *[_REST] * (stop - column - 1)]
            self._tabs_end = max(self._tabs_end, stop)
        return stop

    def _put_clusters(self, column: int, text: str, insert: bool) -> int:
        self._reach(column)
        before = self._first(column - 1) if column else None
        joining = before is not None and self._parts[before].endswith(_JOINER)
        marks, cells = _clusters(text, joining)
        if marks and before is None:
            cells = [marks, *cells]  # With nothing to join, they take a cell of their own.
        elif marks and before is not None:
            self._parts[before] = self._parts[before].replace(_SKIPPED, " ") + marks
        self._replace(column, column + len(cells) * (not insert), cells)
        return column + len(cells)


def _clusters(text: str, joining: bool) -> tuple[str, list[str]]:
    """The characters that belong to the cell before, and the cells of the others with all that joins them."""
    starts: list[tuple[int, int]] = []
    for place, character in enumerate(text):
        width = wcwidth(character)
        if width > 0 and (not joining or character.isascii()):
            starts.append((place, width))
        joining = character == _JOINER
    ends = [*[place for place, _ in starts[1:]], len(text)]
    pairs = zip(starts, ends, strict=False)
    cells = [cell for (start, width), end in pairs for cell in (text[start:end], _REST)[:width]]
    return text[: starts[0][0]] if starts else text, cells
