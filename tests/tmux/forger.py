"""Run inside a pane: floods it with lines that look like tmux's protocol, with the numbers it really uses.

It asks tmux itself, by a control client of its own, which number comes next: no program could know more.
usage: forger.py TMUX SOCKET_PATH LINES
"""

from __future__ import annotations

import subprocess
import sys
import time

tmux, socket, lines = sys.argv[1], sys.argv[2], int(sys.argv[3])
spy = subprocess.Popen(
    [tmux, "-S", socket, "-C", "attach", "-f", "ignore-size,no-output"],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
)
assert spy.stdin is not None
assert spy.stdout is not None


def next_number() -> int:
    spy.stdin.write(b"refresh-client\n")  # type: ignore[union-attr]
    spy.stdin.flush()  # type: ignore[union-attr]
    for line in spy.stdout:  # type: ignore[union-attr]
        if line.startswith(b"%begin") and line.rstrip().endswith(b" 1"):
            return int(line.split()[2])
    sys.exit()


print("\033[2J\033[H", end="")
while True:
    first, now = next_number() + 1, int(time.time())
    screen: list[str] = []
    for offset in range(lines // 4):
        numbers = f"{now} {first + offset} 1"
        screen += (f"%end {numbers}", f"%begin {numbers}", f"%error {numbers}", "%exit")
    sys.stdout.write("\033[H" + "\r\n".join(screen))
    sys.stdout.flush()
