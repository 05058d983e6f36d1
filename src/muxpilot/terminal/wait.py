"""Waiting for a change, for quiet, and for an end. The answer says what happened."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from muxpilot.errors import BadInput, PaneEnded, ServerGone, TargetNotFound
from muxpilot.terminal.processes import foreground_group, members, noticing_end
from muxpilot.terminal.sight import Place, Sight, living_place, place_of, without_blank_end
from muxpilot.terminal.vigil import Ending, Interest, Progress, Vigil, check_seconds, watching
from muxpilot.tmux import TmuxServer


@dataclass(frozen=True, slots=True)
class Wait:
    """How a wait came out: its own word for success, `timeout`, or how the pane ended."""

    outcome: str
    elapsed: float
    ending: Ending | None = None
    place: Place | None = None


async def wait_for_change(
    server: TmuxServer, pane_id: str, seconds: float, progress: Progress | None = None
) -> Wait:
    """`changed` as soon as the screen is not what it was.

    Raises:
        PaneEnded: the pane ended meanwhile: there is nothing to compare with.
    """
    check_seconds("timeout", seconds)
    vigil = Vigil(server, await living_place(server, pane_id), seconds, progress)
    before: Sight | None = None
    while True:
        async with watching(vigil, lambda _: Interest.SOON) as eye:
            before = before or await eye.look()
            while not vigil.stream_ended:
                await vigil.sleep()
                ending = await vigil.ending()
                if ending is not None:
                    raise PaneEnded(
                        f"pane {pane_id} was {ending} meanwhile", hint="list_panes shows the rest"
                    )
                try:
                    now = await eye.look()
                except (TargetNotFound, ServerGone):
                    vigil.suspect()
                    vigil.ring()
                    continue
                vigil.looked()
                if _shown(now) != _shown(before):
                    return Wait("changed", vigil.elapsed, place=now.place)
                if vigil.time_is_up:
                    return Wait("timeout", vigil.elapsed, place=now.place)


def _shown(sight: Sight) -> tuple[tuple[str, ...], int]:
    return without_blank_end([line.rstrip() for line in sight.lines]), sight.place.history_size


async def wait_for_idle(
    server: TmuxServer, pane_id: str, quiet: float, seconds: float, progress: Progress | None = None
) -> Wait:
    """`idle` once nothing has been written for `quiet` seconds."""
    check_seconds("timeout", seconds)
    check_seconds("quiet_seconds", quiet)
    vigil = Vigil(server, await living_place(server, pane_id), seconds, progress)
    last = 0.0

    def on_output(_: bytes) -> Interest:
        nonlocal last
        last = vigil.elapsed
        return Interest.NONE

    while True:
        async with watching(vigil, on_output):
            last = vigil.elapsed  # What was written while nobody watched is unknown.
            while not vigil.stream_ended:
                await vigil.sleep(last + quiet)
                ending = await vigil.ending()
                if ending is not None:
                    return Wait(ending.how, vigil.elapsed, ending)
                if vigil.elapsed >= last + quiet:
                    return Wait("idle", vigil.elapsed, place=vigil.place)
                if vigil.time_is_up:
                    return Wait("timeout", vigil.elapsed, place=vigil.place)


async def wait_for_exit(
    server: TmuxServer, pane_id: str, *, pane: bool, seconds: float, progress: Progress | None = None
) -> Wait:
    """`exited` once the program in front has ended (with `pane`: the pane's own process).

    `nothing_running` where there is no program in front of the pane's own process to begin with.
    """
    check_seconds("timeout", seconds)
    place = await place_of(server, pane_id)
    vigil = Vigil(server, place, seconds, progress)
    front = None if pane else _in_front(place)
    if not pane and front is None:
        return Wait("nothing_running", vigil.elapsed, place=place)
    while True:
        async with watching(vigil, lambda _: Interest.NONE if pane else Interest.SOON):
            result = await _until_gone(vigil, front)
        if result is not None:
            return result


async def _until_gone(vigil: Vigil, front: int | None) -> Wait | None:
    """`front` is the group that is waited for; None: the pane's own process. None back: it has moved."""
    while not vigil.stream_ended:
        alive = members(front) if front is not None else []
        if front is not None and not alive:
            return Wait("exited", vigil.elapsed, place=vigil.place)
        if front is not None and foreground_group(vigil.place.pane_pid) != front:
            return Wait("suspended", vigil.elapsed, place=vigil.place)
        with noticing_end(alive[0], vigil.ring) if alive else nullcontext():
            await vigil.sleep()
        vigil.looked()
        ending = await vigil.ending()
        if ending is not None:
            return Wait(ending.how, vigil.elapsed, ending)
        if vigil.time_is_up:
            return Wait("timeout", vigil.elapsed, place=vigil.place)
    return None


def _in_front(place: Place) -> int | None:
    """The group of the program in front of the pane's own process.

    Raises:
        BadInput: this system does not tell.
    """
    group = foreground_group(place.pane_pid)
    if group is None and not place.pane_dead:
        raise BadInput(
            f"which program is in front in pane {place.pane_id} can't be told on this system",
            hint="Use wait_for_text or wait_for_idle",
        )
    return None if group == place.pane_pid else group
