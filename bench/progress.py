"""What the harness says while it works, on stderr: stdout is for the table."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)
