"""Runs in a pane: writes to its terminal, byte for byte, what it is sent, and says when tmux has read it.

Each message on the socket is a length in ten digits and that many bytes. The terminal is raw both ways, so
nothing is translated. Behind each message tmux is asked for a status report, which it gives once all before
that has been read; then one byte goes back over the socket.
"""

from __future__ import annotations

import os
import socket
import sys
import tty

ABANDON = b"\x18\x1b\\"
"""Ends whatever sequence is open, in any state."""
ASK, ANSWER = b"\x1b[5n", b"\x1b[0n"


def main() -> None:
    tty.setraw(0)
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(sys.argv[1])
        while size := peer.recv(10, socket.MSG_WAITALL):
            write(peer.recv(int(size), socket.MSG_WAITALL) if int(size) else b"")
            write(ABANDON + ASK)
            await_answer()
            peer.sendall(b".")


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def await_answer() -> None:
    """Programs that were recorded ask for other things; those answers come before ours."""
    seen = b""
    while ANSWER not in seen:
        seen = seen[-len(ANSWER) :] + os.read(0, 4096)


if __name__ == "__main__":
    main()
