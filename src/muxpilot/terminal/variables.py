"""tmux's format variables, expanded for reading only.

Formats can run shell commands: `#(...)` does, and so does whatever an option holds that `#{E:...}` or
`#{T:...}` expands. Neither gets through.
"""

from __future__ import annotations

import re

from muxpilot.errors import BadInput, TargetNotFound
from muxpilot.tmux import TmuxServer

_EXPANDS_AGAIN = re.compile(r"#\{[^}]*[ET](:|/|;)")


async def expand(server: TmuxServer, text: str, pane_id: str | None) -> str:
    if "#(" in text or _EXPANDS_AGAIN.search(text):
        raise BadInput(
            "only #{...} variables are expanded: #(...), #{E:...} and #{T:...} could run commands",
            hint="To run a command use send_keys",
        )
    where = ["-t", pane_id] if pane_id else []
    if pane_id and not (await server.call("display-message", "-p", *where, "--", "#{pane_id}")).text:
        raise TargetNotFound(f"no pane {pane_id}", hint="list_panes shows what exists")
    return await server.text("display-message", "-p", *where, "--", text)
