"""What stands on a screen of unlimited width: rows of cells, a cursor, and what has scrolled off the top.

Knows places, nothing of bytes or escape sequences (render.py reads those), nor of what is in a row (row.py).
Moving the cursor costs nothing: rows and columns come into being when something is written there.
"""

from __future__ import annotations

from collections.abc import Callable

from wcwidth import wcwidth

from muxpilot.terminal.row import LONGEST_EDIT, TAB_STOP, Row

WIDEST = 10_000
"""As far as moves reach, and as much as one sequence may write."""
_STAIRCASE = 500  # Where lines without carriage returns begin anew: any real terminal would have wrapped.
_END = -1  # The cursor is right after all that stands in its row.


class Screen:
    """The last rows, which can still change, and the cursor in them. What is above is final.

    All but writing needs `settle` before: only then is the column of a cursor at a row's end counted.
    """

    def __init__(self, height: int) -> None:
        self.final: list[str] = []
        """Lines that went off the top, each with its line feed; for the owner to take away."""
        self._height = max(1, height)
        self._region = (0, self._height - 1)  # Its first and last row.
        self.inserting = False
        """Whether what is written moves what stands there to the right."""
        self._from_region = False  # Whether absolute rows count from the region's first.
        self._unseen = 0  # Empty rows that went off the top and count only if something comes after them.
        self._rows: list[Row] = []
        self._row = 0
        self._column = 0
        self._homed = False  # Whether the cursor's row was given from the top of the screen.
        self._saved = (0, 0, False, False)
        self._last = ""

    def text(self) -> str:
        """What stands there; not the empty rows below the cursor."""
        below = "\n" if self._row >= len(self._rows) > 0 else ""
        above = "\n" * self._unseen if self._rows else ""
        return above + "\n".join(row.text() for row in self._rows[: self._filled(self._row + 1)]) + below

    def write(self, text: str) -> None:
        """Printable characters and tabs; here a line feed begins a new line."""
        self._last = text.rstrip("\n\t")[-1:] or self._last
        start = 0
        while (end := text.find("\n", start)) >= 0:
            if self.is_at_end():
                self._append(text[start:])
                return
            self._put(text[start:end])
            self.to_column(0)
            self.line_feed()
            start = end + 1
        self._put(text[start:])

    def write_over(self, pieces: list[str]) -> None:
        """Each piece from the first column on: the frames of a progress bar. Each character is one cell."""
        self.to_column(0)
        if not any(pieces):
            return
        seen = ""
        for piece in reversed(pieces):
            if len(piece) > len(seen):
                seen += piece[len(seen) :]
        self._last = next(filter(None, reversed(pieces)))[-1]
        self._this_row().put(0, seen)
        self._column = len(pieces[-1])

    def repeat(self, count: int) -> None:
        """The last character again."""
        if self._last and wcwidth(self._last) > 0 and self._column < LONGEST_EDIT:
            self._put(self._last * min(count, WIDEST))

    def _put(self, text: str) -> None:
        if not text:
            return
        row = self._this_row()
        if self._column == _END or self._column == row.width():
            row.append(text)
            self._column = _END
        else:
            self._column = row.put(self._column, text, insert=self.inserting)

    def _append(self, text: str) -> None:
        """Write many lines below all others. Those that only pass through never become rows."""
        row = self._this_row()
        first, *others = text.rsplit("\n", self._height)
        first, feed, passing = first.partition("\n")
        row.append(first)
        if feed:
            self._let_go(len(self._rows))
            self.final.append(passing + feed)
        self._rows += map(Row, others)
        self._let_go(len(self._rows) - self._height)
        self._row, self._column = len(self._rows) - 1, _END

    def is_at_end(self) -> bool:
        """Whether nothing stands, or was skipped, where the next lines would be written."""
        if self._region != (0, self._height - 1):
            return False
        if self._row == len(self._rows):
            return self._column == 0
        if self._row != len(self._rows) - 1:
            return False
        return self._column == _END or (self._column == 0 and self._rows[self._row].is_empty())

    def _this_row(self) -> Row:
        while self._row >= len(self._rows):
            self._rows.append(Row())
        return self._rows[self._row]

    def _filled(self, least: int) -> int:
        """How many rows there are, without empty ones at the end beyond these."""
        count = len(self._rows)
        while count > least and not self._rows[count - 1].text():
            count -= 1
        return count

    def _let_go(self, count: int) -> None:
        """The uppermost rows go off the top."""
        self._retire(self._rows[: max(0, count)])
        del self._rows[: max(0, count)]

    def _retire(self, rows: list[Row]) -> None:
        if rows and self._unseen:
            self.final.append("\n" * self._unseen)
            self._unseen = 0
        self.final += [row.text() + "\n" for row in rows]

    def scroll_up(self, count: int) -> None:
        """What leaves the region at its top is kept with all that went off the screen, as tmux does it."""
        top, bottom = self._region
        count = min(count, bottom + 1 - top)
        gone = self._rows[top : top + count]
        self._retire(gone)
        self._unseen += count - len(gone)
        self._remove(top, count)

    def _remove(self, row: int, count: int) -> None:
        """Rows of the region, or of the screen where this one is outside; empty ones come in at its end."""
        end = self._end_of(row)
        count = min(count, end - row)
        below = len(self._rows) > end
        del self._rows[row : row + count]
        if below:
            self._rows[end - count : end - count] = [Row() for _ in range(count)]

    def _end_of(self, row: int) -> int:
        """The first row that lines do not move in, when some are inserted or deleted here."""
        top, bottom = self._region
        return bottom + 1 if top <= row <= bottom else self._height

    def forget_final(self) -> None:
        self.final.clear()
        self._unseen = 0

    def settle(self) -> None:
        if self._column == _END:
            self._column = self._rows[self._row].width()

    def line_feed(self) -> None:
        self._column = self._column if self._column < _STAIRCASE else 0
        if self._row <= len(self._rows):  # Below rows that were skipped, a line feed alone begins none.
            self._this_row()
            if self._row + 1 == len(self._rows) < self._height:
                self._rows.append(Row())
        if self._row == self._region[1]:
            self.scroll_up(1)
        else:
            self._row = min(self._row + 1, self._height - 1)

    def reverse_line_feed(self) -> None:
        if self._row == self._region[0]:
            self.insert_lines(1)
        else:
            self._homed = False
            self._row = max(0, self._row - 1)

    def down(self, count: int, column: int | None = None) -> None:
        """The region holds a cursor that is in it, or comes to its nearer edge."""
        top, bottom = self._region
        lowest = bottom if self._row <= bottom else self._height - 1
        highest = top if self._row >= top else 0
        self._homed = self._homed and count > 0
        self._row = min(max(highest, self._row + count), lowest)
        self._column = self._column if column is None else column

    def set_region(self, top: int, bottom: int) -> None:
        """Lines scroll between these rows only. The cursor goes home. One row alone is no region."""
        bottom = min(bottom, self._height - 1)
        if 0 <= top < bottom:
            self._region = (top, bottom)
            self._row, self._column, self._homed = 0, 0, True

    def count_from_region(self, on: bool) -> None:
        self._from_region = on
        self.to_row(0)
        self.to_column(0)

    def back_tab(self, count: int) -> None:
        self._column = max(0, (self._column + TAB_STOP - 1) // TAB_STOP - count) * TAB_STOP

    def right(self, count: int) -> None:
        self._column = max(0, min(self._column + count, max(self._column, WIDEST)))

    def to_row(self, row: int) -> None:
        top, bottom = self._region if self._from_region else (0, self._height - 1)
        self._homed = True
        self._row = min(max(0, row) + top, bottom)

    def to_column(self, column: int) -> None:
        self._column = min(max(0, column), WIDEST)

    def save(self) -> None:
        self._saved = (self._row, self._column, self._homed, self._from_region)

    def restore(self) -> None:
        self._row, self._column, self._homed, self._from_region = self._saved

    def clear(self) -> None:
        """Begin an empty screen below all that stands on this one."""
        self._let_go(self._filled(0))
        self._rows = []

    def reset(self) -> None:
        """The same, with the cursor and the region as they were at first."""
        self.clear()
        self._region = (0, self._height - 1)
        self.inserting = False
        self._saved = (0, 0, True, False)
        self.restore()

    def erase_screen(self, before: bool, after: bool) -> None:
        """A whole screen goes into the scrollback. One that was reached by going up is redrawn in place."""
        if after and (before or (self._homed and self._row == self._column == 0)):
            self.clear()
            return
        self.erase_line(before, after)
        if after:
            del self._rows[self._row + 1 :]
        above = min(self._row, len(self._rows)) if before else 0
        self._rows[:above] = [Row() for _ in range(above)]

    def erase_line(self, before: bool, after: bool) -> None:
        start = 0 if before else self._column
        self._existing_row().erase(start, None if after else self._column + 1)

    def edit(self, change: Callable[[Row, int, int], None], count: int) -> None:
        """Change that many cells at the cursor."""
        change(self._existing_row(), self._column, min(count, WIDEST))

    def insert_lines(self, count: int, row: int | None = None) -> None:
        row = self._row if row is None else row
        end = self._end_of(row)
        if row < len(self._rows):
            self._rows[row:row] = [Row() for _ in range(min(count, end - row))]
            del self._rows[end : end + min(count, end - row)]

    def scroll_down(self, count: int) -> None:
        self.insert_lines(count, self._region[0])

    def delete_lines(self, count: int) -> None:
        self._remove(self._row, count)

    def _existing_row(self) -> Row:
        return self._rows[self._row] if self._row < len(self._rows) else Row()
