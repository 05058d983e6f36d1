"""tmux's format variables, for reading only.

A caller's format is parsed by our own grammar and evaluated here. tmux is asked for the plain values of the
variables in it, each once. So nothing is expanded twice, tmux reads no text of the caller's, and a format
that names one variable a hundred times costs tmux no more than one that names it once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from muxpilot.errors import ProtocolBroken, TargetNotFound
from muxpilot.tmux import TmuxServer, parse_format

MOST_REPLY = 65_536
"""Characters of an answer. Longer values are compared by their beginnings, too."""


async def expand(server: TmuxServer, text: str, pane_id: str | None, show: Callable[[str], str] = str) -> str:
    """The format's value, for this pane or for the one that tmux takes by itself. `show` gives each variable
    the form that it has in the text; compared is what it really holds.

    Raises:
        BadInput: the format is not one of our grammar.
        TargetNotFound: there is no such pane.
    """
    format_ = parse_format(text)
    values = await _values(server, ("pane_id", *format_.names()), pane_id)
    if pane_id is not None and values["pane_id"] != pane_id:
        raise TargetNotFound(f"no pane {pane_id}", hint="list_panes shows what exists")
    expanded = format_.value(values, {name: show(value) for name, value in values.items()})
    if len(expanded) <= MOST_REPLY:
        return expanded
    return f"{expanded[:MOST_REPLY]}\n[cut: the text is longer than {MOST_REPLY} characters]"


async def _values(server: TmuxServer, names: tuple[str, ...], pane_id: str | None) -> dict[str, str]:
    """All of one instant. Values are free text, so each stands between marks that no value can contain."""
    distinct = tuple(dict.fromkeys(names))
    mark = f"<{secrets.token_hex(8)}>"
    asked = mark.join(["", *(f"#{{{name}}}" for name in distinct), ""])
    where = ["-t", pane_id] if pane_id else []
    cells = (await server.text("display-message", "-p", *where, "--", asked)).split(mark)
    if len(cells) != len(distinct) + 2:
        raise ProtocolBroken("tmux's answer does not have the values that were asked for")
    return {name: cell[: MOST_REPLY + 1] for name, cell in zip(distinct, cells[1:-1], strict=True)}
