"""Typing that arrives: tmux looks at a pane, decides and types in one go, or else the reason is told.

Nobody can put the pane into a mode, turn its input off or replace its server between the look and the keys,
and it is one round trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muxpilot.errors import CommandFailed, PaneRefused, TargetNotFound
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.sight import SCREEN, Place, Range, Reading, Sight
from muxpilot.tmux import Columns, TmuxServer, conditional

TRIES = 5
_NOT_TYPED = "not typed"


@dataclass(frozen=True, slots=True)
class Readiness(Place):
    """What decides whether keys arrive in a pane, and only there."""

    pane_input_off: bool
    pane_synchronized: bool
    window_panes: int
    pane_mode: str

    @property
    def is_filling(self) -> bool:
        """Whether its scrollback may be full soon: then what it shows must be known before it gets more."""
        return self.history_size + self.pane_height >= self.history_limit // 2


_READINESS = Columns(Readiness)

# The same in tmux's words. Every value but the mode is one character, and that is the last.
_SHARED = "#{&&:#{pane_synchronized},#{!=:#{window_panes},1}}"
_READY = f"#{{==:#{{pane_id}} #{{pane_dead}}#{{pane_input_off}}{_SHARED}#{{pane_mode}},%s 000}}"
_HAS_ROOM = "#{e|<:#{e|+:#{history_size},#{pane_height}},#{e|/:#{history_limit},2}}"

Commands = Sequence[Sequence[str]]


async def type_where_ready(
    server: TmuxServer,
    pane_id: str,
    commands: Commands,
    attention: Attention,
    text: str,
    *,
    before: Commands = (),
    instead: Commands = (),
) -> None:
    """Run these commands, which type `text`, if that arrives. Those that come `before` are run in any case;
    where the others are not, or fail, those to run `instead` are.

    Raises:
        PaneRefused: it would be lost, or go to other panes too. Nothing is typed.
    """
    mark = attention.mark(server, pane_id)
    look_first = mark is not None and mark.seen is not None  # As it was the last time.
    only = None
    for _ in range(TRIES):
        reading = await _reading(server, pane_id, SCREEN if look_first else ())
        told = [*instead, ["display-message", "-p", "--", _NOT_TYPED]]
        typing = conditional(pane_id, _condition(pane_id, look_first), commands, told)
        looking = reading.commands
        try:
            replies = await server.call_all([*looking, *before, typing], only=only)
        except (CommandFailed, TargetNotFound):
            if instead:  # What was loaded may be there still.
                await server.replies(instead)
            raise
        place, texts = reading.read(replies[: len(looking)], server.endpoint)
        if replies[-1].text != _NOT_TYPED:
            attention.typed(server, place, text, Sight(place, *texts) if texts and place.is_filling else None)
            return
        refuse_unready(place)
        look_first, only = place.is_filling, server.identity
    raise PaneRefused(f"pane {pane_id} changes too fast: nothing was typed", hint="Try again")


async def _reading(server: TmuxServer, pane_id: str, ranges: Sequence[Range]) -> Reading[Readiness]:
    version = await server.server_version()
    by_connection = server.connection is not None
    return Reading.of(pane_id, _READINESS, ranges, version, by_connection=by_connection)


def _condition(pane_id: str, looked: bool) -> str:
    ready = _READY % pane_id
    return ready if looked else f"#{{&&:{ready},{_HAS_ROOM}}}"


def refuse_unready(pane: Readiness) -> None:
    """`PaneRefused` where what is typed would be lost, or would go to other panes too."""
    pane_id = pane.pane_id
    if pane.pane_dead:
        raise PaneRefused(
            f"the program in pane {pane_id} has ended: nothing was typed", hint="Use another pane"
        )
    if pane.pane_mode:
        raise PaneRefused(
            f"pane {pane_id} is in {pane.pane_mode}, which would swallow the keys: nothing was typed",
            hint="A person may be reading there; `q` in that terminal leaves the mode",
        )
    if pane.pane_input_off:
        raise PaneRefused(
            f"pane {pane_id} has its input turned off: nothing was typed", hint="Use another pane"
        )
    if pane.pane_synchronized and pane.window_panes > 1:
        raise PaneRefused(
            f"pane {pane_id} is synchronized with others, which would get the keys too: nothing was typed",
            hint="Ask the user to turn synchronize-panes off",
        )
