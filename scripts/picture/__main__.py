"""Play the story on a real muxpilot and a real tmux, and draw it as docs/picture.svg.

usage: .venv/bin/python -m scripts.picture
"""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.picture.stage import StoryFailed, play
from scripts.picture.svg import Picture
from scripts.picture.timeline import timeline

OUTPUT = Path(__file__).parents[2] / "docs" / "picture.svg"


def main() -> int:
    try:
        played = play()
    except StoryFailed as failure:
        print(f"picture: {failure}", file=sys.stderr)
        return 1
    told = timeline(played)
    drawn = Picture(told).write()
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(drawn, encoding="utf-8")
    print(
        f"{OUTPUT.name}: {len(drawn.encode()) // 1024} KB, {told.end:g} seconds, {len(told.screens)} screens"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
