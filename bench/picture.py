"""The ratios as a picture: bars on a logarithmic scale, a tick where the promise is.

Plain SVG that needs no fonts and no scripts; its colours follow the reader's light or dark mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bench.headlines import headlines
from bench.peers import MAIN
from bench.rows import Row
from bench.tables import ratio
from bench.targets import asked_ratio

WIDTH, LEFT, RIGHT = 860, 300, 70
TOP, STEP, BAR = 62, 28, 16
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.small { font-size: 11px; fill: #59636e }
.grid { stroke: #d1d9e0 }
.bar { fill: #1a7f64 }
.short { fill: #bc4c00 }
.tick { stroke: #1f2328; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .bar { fill: #3fb68b }
  .short { fill: #f0883e }
  .tick { stroke: #f0f6fc }
}
"""


def picture(rows: Sequence[Row], caption: str) -> str:
    """All headlines that have a ratio; a bar that falls short of its promise has another colour."""
    bars = [
        (short, value, asked_ratio(row.name)) for short, row in headlines(rows) if (value := row.ratio(MAIN))
    ]
    lowest = min([0.9, *(value for _, value, _ in bars)])
    scale = _Scale(lowest, max([10.0, *(value for _, value, _ in bars), *(asked or 0 for *_, asked in bars)]))
    height = TOP + STEP * len(bars) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="muxpilot beside {MAIN}">',
        f"<style>{_STYLE}</style>",
        _text(16, 24, f"How many times as much {MAIN} needs", "title"),
        _text(16, 42, caption, "small"),
        *_grid(scale, height - 40),
        *(part for place, bar in enumerate(bars) for part in _bar(scale, TOP + STEP * place, *bar)),
        _text(16, height - 12, "time, unless named otherwise; the upright tick is what is promised", "small"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Scale:
    """From ratios to places; 1 is where both need the same."""

    def __init__(self, lowest: float, highest: float) -> None:
        self._lowest, self.highest = lowest, highest * 1.15
        self._unit = (WIDTH - LEFT - RIGHT) / math.log(self.highest / lowest)

    def place(self, value: float) -> float:
        return LEFT + math.log(max(value, self._lowest) / self._lowest) * self._unit

    def marks(self) -> list[float]:
        return [value for value in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if value <= self.highest]


def _grid(scale: _Scale, bottom: int) -> list[str]:
    parts = []
    for value in scale.marks():
        x = scale.place(value)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 14, f"{value:g}x", "small", "middle"))
    return parts


def _bar(scale: _Scale, y: int, name: str, value: float, asked: float | None) -> list[str]:
    start, end = sorted((scale.place(1), scale.place(value)))
    kind, width = "short" if asked and value < asked else "bar", max(end - start, 1)
    base = y + BAR - 3
    parts = [
        _text(LEFT - 10, base, name, anchor="end"),
        f'<rect class="{kind}" x="{start:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" rx="2"/>',
        _text(max(end, scale.place(asked or 0)) + 8, base, ratio(value)),
    ]
    if asked:
        x = scale.place(asked)
        parts.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 3}" y2="{y + BAR + 3}"/>')
    return parts


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    shape = f' class="{kind}"' if kind else ""
    return f'<text{shape} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
