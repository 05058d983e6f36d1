"""The timeline as one SVG file that plays by CSS alone: no script, nothing fetched.

What is seen during the same time is one group with one animation; a row of the terminal that stays is written
once. Whoever wants no motion, or can't show it, sees the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from scripts.picture import look
from scripts.picture.look import rgb
from scripts.picture.screen import Row, Run, Screen
from scripts.picture.story import SESSION
from scripts.picture.timeline import Card, Timeline

Part = tuple[float, float, str]
"""What is drawn, after when it is seen first and no more."""
TITLE = "An agent calls muxpilot; a person sees the same terminal through tmux attach, and types into it."
_STYLE = """\
text{{font:13px {font};white-space:pre}}
.c{{font-size:12px}}.b{{font-weight:700}}.d{{opacity:.6}}.l{{font-size:11px;fill:{faint};letter-spacing:.4px}}
.h{{visibility:hidden}}
@media (prefers-reduced-motion:reduce){{g{{animation:none!important}}}}
"""
_WINDOW = (look.TERM_X - 12, 18.0, look.WIDTH - look.TERM_X - 6, look.HEIGHT - 36.0)
"""The frame of the person's terminal: left, top, width, height."""


class Picture:
    """Collects what is drawn by the time it is seen, then writes it."""

    def __init__(self, told: Timeline) -> None:
        self._end = told.end
        self._spans: dict[tuple[int, float, float], list[str]] = {}
        for number, card in enumerate(told.cards):
            self._add(0, _attention(card, number))
            self._add(1, _card(card, number, told.end))
        self._add(1, _terminal(told))

    def _add(self, layer: int, parts: Iterable[Part]) -> None:
        for start, end, drawn in parts:
            self._spans.setdefault((layer, start, end), []).append(drawn)

    def write(self) -> str:
        spans = sorted(self._spans.items())
        rules = [self._rule(f"s{number}", *span[1:]) for number, (span, _) in enumerate(spans)]
        groups = [self._group(f"s{number}", span[2], drawn) for number, (span, drawn) in enumerate(spans)]
        style = _STYLE.format(font=look.FONT, faint=look.FAINT) + "\n".join(filter(None, rules))
        size = f'viewBox="0 0 {look.WIDTH} {look.HEIGHT}" width="{look.WIDTH}" height="{look.HEIGHT}"'
        more = f'role="img" fill="{look.TEXT}" xml:space="preserve"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {more}>'
        parts = [head, f"<title>{TITLE}</title>", f"<style>\n{style}\n</style>", *_stage(), *groups, "</svg>"]
        return "\n".join(parts) + "\n"

    def _group(self, name: str, end: float, drawn: list[str]) -> str:
        hidden = " h" if end < self._end else ""
        return f'<g class="{name}{hidden}">{"".join(drawn)}</g>'

    def _rule(self, name: str, start: float, end: float) -> str:
        """Nothing for what is always there."""
        shown, hidden = "{visibility:visible}", "{visibility:hidden}"
        steps = [f"0%{hidden if start else shown}"]
        steps += [f"{self._percent(start)}{shown}"] if start else []
        steps += [f"{self._percent(end)}{hidden}"] if end < self._end else []
        if len(steps) == 1:
            return ""
        played = f"{name} {self._end:g}s step-end infinite"
        return f"@keyframes {name}{{{''.join(steps)}}}.{name}{{animation:{played}}}"

    def _percent(self, at: float) -> str:
        return f"{100 * at / self._end:.2f}%"


def _stage() -> Iterator[str]:
    """What never changes: the page, the terminal's window, the headings."""
    left, top, width, _ = _WINDOW
    yield _box(0.5, 0.5, look.WIDTH - 1, look.HEIGHT - 1, look.PAGE, f'rx="12" stroke="{look.EDGE}"')
    yield _box(*_WINDOW, look.TERMINAL, f'rx="9" stroke="{look.EDGE}"')
    yield f'<path d="M{left:g} {top + 32:g}h{width:g}" stroke="{look.EDGE}"/>'
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{left + 18 + 16 * number:g}" cy="{top + 16:g}" r="4.5" fill="{colour}"/>'
    middle = f'x="{left + width / 2:g}" y="{top + 20:g}" text-anchor="middle"'
    yield f'<text class="l" {middle}>you: tmux attach -t {SESSION}</text>'
    yield _fitted("muxpilot", look.PAD, top + 20, look.LETTER, look.TEXT, "c b")
    beside = f'x="{look.PAD + 10 * look.LETTER:g}" y="{top + 20:g}"'
    yield f'<text class="l" {beside}>called by an agent, over MCP</text>'


def _terminal(told: Timeline) -> Iterator[Part]:
    """Each row for as long as it stays the same, and the cursor likewise."""
    starts = [start for start, _ in told.screens]
    ends = [*starts[1:], told.end]
    height = max(len(screen.rows) for _, screen in told.screens)
    tracks = [[_drawn_row(screen, number) for _, screen in told.screens] for number in range(height)]
    tracks.append([_cursor(screen) for _, screen in told.screens])
    for track in tracks:
        yield from _merged(track, starts, ends)


def _merged(track: list[str], starts: list[float], ends: list[float]) -> Iterator[Part]:
    first = 0
    for at in range(1, len(track) + 1):
        if at == len(track) or track[at] != track[first]:
            if track[first]:
                yield starts[first], ends[at - 1], track[first]
            first = at


def _drawn_row(screen: Screen, number: int) -> str:
    row: Row = screen.rows[number] if number < len(screen.rows) else ()
    return "".join(_run(run, look.TERM_Y + number * look.LINE) for run in row)


def _run(run: Run, top: float) -> str:
    fg, bg = rgb(run.look.fg, look.TEXT), rgb(run.look.bg, "")
    if run.look.reverse:
        fg, bg = bg or look.TERMINAL, fg
    x = look.TERM_X + run.column * look.CELL
    back = _box(x, top, len(run.text) * look.CELL, look.LINE, bg) if bg else ""
    classes = "".join(name for name, on in (("b", run.look.bold), (" d", run.look.dim)) if on).strip()
    return back + _fitted(run.text, x, top + 13.5, look.CELL, fg, classes)


def _cursor(screen: Screen) -> str:
    if screen.cursor is None:
        return ""
    x, y = screen.cursor
    left, top = look.TERM_X + x * look.CELL, look.TERM_Y + y * look.LINE
    return _box(left, top + 1, look.CELL, look.LINE - 2, look.FAINT)


def _attention(card: Card, number: int) -> Iterator[Part]:
    """What lies behind the card while it is its turn; the terminal has a frame while it is the person's."""
    top = look.CALLS_Y + number * look.CARD - 18
    width = look.TERM_X - look.PAD - 18
    yield card.at, card.until, _box(look.PAD - 8, top, width, look.CARD - 4, look.ACTIVE, 'rx="7"')
    if not card.tool:
        yield card.at, card.until, _box(*_WINDOW, "none", f'rx="9" stroke="{look.PERSON}" stroke-width="1.5"')


def _card(card: Card, number: int, end: float) -> Iterator[Part]:
    y = look.CALLS_Y + number * look.CARD
    name, colour = (card.tool, look.ACCENT) if card.tool else ("you", look.PERSON)
    yield card.at, end, _line(name, colour, card.shown, look.TEXT, y)
    below = y + look.ANSWER
    if card.answered > card.at:
        yield card.at, card.answered, _ring(y) + _line("", "", "…", look.FAINT, below)
    colour = look.KINDS.get(card.answer.kind, colour)
    yield (
        card.answered,
        end,
        _dot(y, colour) + _line(card.answer.word, colour, card.answer.more, look.SOFT, below),
    )


def _line(word: str, colour: str, more: str, other: str, y: float) -> str:
    """A word in its colour, and what follows it."""
    gap = len(word) + 2 if word else 0
    assert gap + len(more) <= look.ROOM, f"too long: {word} {more}"
    strong = _fitted(word, look.CALL_X, y, look.LETTER, colour, "c b")
    return strong + _fitted(more, look.CALL_X + gap * look.LETTER, y, look.LETTER, other, "c")


def _fitted(text: str, x: float, y: float, cell: float, colour: str, classes: str = "") -> str:
    """Text on the grid of cells; spaces at its ends are not drawn."""
    inner = text.strip(" ")
    if not inner:
        return ""
    x += cell * (len(text) - len(text.lstrip(" ")))
    kind = f' class="{classes}"' if classes else ""
    fill = f' fill="{colour}"' if colour != look.TEXT else ""
    length = f'textLength="{len(inner) * cell:g}"'
    return f'<text{kind} x="{x:g}" y="{y:g}" {length}{fill}>{escape(inner, quote=False)}</text>'


def _box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" {more}/>'


def _dot(y: float, colour: str) -> str:
    return f'<circle cx="{look.PAD + 6}" cy="{y - 4:g}" r="4.5" fill="{colour}"/>'


def _ring(y: float) -> str:
    stroke = f'stroke="{look.FAINT}" stroke-width="1.5"'
    return f'<circle cx="{look.PAD + 6}" cy="{y - 4:g}" r="4" fill="none" {stroke}/>'
