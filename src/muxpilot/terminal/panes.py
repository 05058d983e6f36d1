"""Panes: split, chosen, sized, moved, restarted, cleared, piped. Most return the pane as it is then."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from muxpilot.errors import BadInput, PaneRefused
from muxpilot.terminal.describe import pane_now
from muxpilot.terminal.model import Pane
from muxpilot.terminal.moves import move, sessions_with
from muxpilot.terminal.sessions import environment_flags, existing_folder
from muxpilot.terminal.windows import check_window_name
from muxpilot.tmux import Columns, TmuxServer, literal_format, pipe_command

SPLITS = {"right": ["-h"], "left": ["-h", "-b"], "below": ["-v"], "above": ["-v", "-b"]}
NEIGHBOURS = {"up": "-U", "down": "-D", "left": "-L", "right": "-R"}
STEPS = {"next": "+", "previous": "-"}

_SIZE = re.compile(r"[1-9][0-9]{0,4}%?")


@dataclass(frozen=True, slots=True)
class _Made:
    pane_id: str


_MADE = Columns(_Made)


async def split_window(
    server: TmuxServer,
    pane_id: str,
    *,
    direction: str = "below",
    size: str | int | None = None,
    start_directory: str | None = None,
    shell: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Pane:
    """A new pane beside this one, which keeps the focus. `size` in cells, or with % of the space."""
    argv = [*SPLITS[direction], *_size_flags(size)]
    if start_directory is not None:
        argv += ["-c", literal_format(existing_folder(start_directory))]
    argv += environment_flags(environment or {})
    return await _made(server, ["split-window", "-d", "-t", pane_id, *argv], ["--", shell] if shell else [])


async def break_pane(
    server: TmuxServer, pane_id: str, session_id: str | None, name: str | None, *, may_end_sessions: bool
) -> Pane:
    """Into a window of its own, in its own session or in another."""
    pane = await pane_now(server, pane_id)
    # Without a target tmux would take the session that our own client is attached to.
    argv = ["break-pane", "-d", "-s", pane_id, "-t", f"{session_id or pane.session_id}:"]
    argv += ["-n", literal_format(check_window_name(name))] if name else []
    losing = await sessions_with(server, pane.window_id) if session_id is not None else {}
    losing.pop(session_id or "", None)
    await move(server, argv, losing, of_window=pane.window_id, may_end=may_end_sessions)
    return await pane_now(server, pane_id)  # It keeps its id; tmux prints none where it was alone.


async def join_pane(
    server: TmuxServer,
    source: str,
    target: str,
    direction: str,
    size: str | int | None,
    *,
    may_end_sessions: bool,
) -> Pane:
    """The source pane becomes a neighbour of the target pane."""
    argv = ["join-pane", "-d", "-s", source, "-t", target, *SPLITS[direction], *_size_flags(size)]
    window_id = (await pane_now(server, source)).window_id
    losing = await sessions_with(server, window_id)
    await move(server, argv, losing, of_window=window_id, may_end=may_end_sessions)
    return await pane_now(server, source)


async def swap_pane(server: TmuxServer, source: str, target: str) -> Pane:
    return await pane_now(server, source, [["swap-pane", "-d", "-s", source, "-t", target]])


async def select_pane(server: TmuxServer, target: str, direction: str | None) -> Pane:
    """Focus this pane, or from it the one in that direction; `target` may be a window then."""
    before = await pane_now(server, target)
    window = before.window_id
    if direction is None:
        return await pane_now(server, before.pane_id, [["select-pane", "-t", before.pane_id]])
    if direction == "last":
        return await pane_now(server, window, [["last-pane", "-t", window]])
    if direction in STEPS:
        return await pane_now(server, window, [["select-pane", "-t", f"{window}.{STEPS[direction]}"]])
    return await pane_now(server, window, [["select-pane", "-t", before.pane_id, NEIGHBOURS[direction]]])


async def resize_pane(
    server: TmuxServer, pane_id: str, width: int | None, height: int | None, zoom: bool | None
) -> Pane:
    """A size in cells, or zoomed to the whole window and back."""
    if (width is None and height is None) == (zoom is None):
        raise BadInput("give either width and height, or zoom", hint="They can't be combined")
    if zoom is not None:
        reply = await server.call(
            "display-message", "-p", "-t", pane_id, "--", "#{window_zoomed_flag}#{pane_active}"
        )
        zoomed = reply.text == "11"
        return await pane_now(
            server, pane_id, [["resize-pane", "-Z", "-t", pane_id]] if zoomed != zoom else []
        )
    size = [
        item for flag, one in (("-x", width), ("-y", height)) if one is not None for item in (flag, str(one))
    ]
    return await pane_now(server, pane_id, [["resize-pane", "-t", pane_id, *size]])


async def set_pane_title(server: TmuxServer, pane_id: str, title: str) -> Pane:
    pane = await pane_now(server, pane_id, [["select-pane", "-t", pane_id, "-T", literal_format(title)]])
    if pane.pane_title != title:
        raise BadInput(
            f"tmux can't hold the title {title!r}: it kept {pane.pane_title!r}",
            hint="Leave out control characters",
        )
    return pane


async def respawn_pane(
    server: TmuxServer,
    pane_id: str,
    *,
    kill: bool = True,
    shell: str | None = None,
    start_directory: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Pane:
    """Start the pane's program anew, or another; the pane keeps its id and its place."""
    argv = ["respawn-pane", "-t", pane_id, *(["-k"] if kill else [])]
    if start_directory is not None:
        argv += ["-c", literal_format(existing_folder(start_directory))]
    argv += environment_flags(environment or {})
    if not kill and not (await pane_now(server, pane_id)).pane_dead:
        raise PaneRefused(f"the program in pane {pane_id} is still running", hint="kill=true ends it first")
    async with server.watcher.hushed(pane_id):
        return await pane_now(server, pane_id, [[*argv, *(["--", shell] if shell else [])]])


async def clear_pane(server: TmuxServer, pane_id: str) -> None:
    """Reset the screen and drop the scrollback."""
    await server.call_all([["send-keys", "-R", "-t", pane_id], ["clear-history", "-t", pane_id]])


async def pipe_pane(
    server: TmuxServer, pane_id: str, output_path: str | None, *, append: bool = True
) -> None:
    """Send what the pane's program writes to a file as well, or stop that. The path is taken as it is."""
    argv = ["pipe-pane", "-t", pane_id]
    if output_path is not None:
        where = f"{'>>' if append else '>'} {shlex.quote(_file(output_path))}"
        argv += ["--", pipe_command(f"umask 077; exec cat {where}")]
    await pane_now(server, pane_id)
    await server.call(*argv)


async def enter_copy_mode(server: TmuxServer, pane_id: str, scroll_up: int | None) -> Pane:
    commands = [["copy-mode", "-t", pane_id]]
    if scroll_up:
        commands.append(["send-keys", "-t", pane_id, "-X", "-N", str(scroll_up), "--", "scroll-up"])
    return await pane_now(server, pane_id, commands)


async def exit_copy_mode(server: TmuxServer, pane_id: str) -> Pane:
    """Leave copy mode, or whatever mode the pane is in; nothing happens where it is in none."""
    if not (await pane_now(server, pane_id)).pane_in_mode:
        return await pane_now(server, pane_id)
    return await pane_now(server, pane_id, [["send-keys", "-t", pane_id, "-X", "--", "cancel"]])


async def kill_pane(server: TmuxServer, pane_id: str) -> None:
    await server.call("kill-pane", "-t", pane_id)


def _file(output_path: str) -> str:
    """The path as given, if a file can be there."""
    path = Path(output_path)
    try:
        possible = path.is_absolute() and path.parent.is_dir() and not path.is_dir()
    except (OSError, ValueError):
        possible = False
    if not possible:
        raise BadInput(
            f"output_path {output_path!r:.200} is no file in an existing folder", hint="Give an absolute path"
        )
    return output_path


def _size_flags(size: str | int | None) -> list[str]:
    if size is None:
        return []
    if not _SIZE.fullmatch(str(size)):
        raise BadInput(f"{size!r} is no size", hint="Give a number of cells, or a percentage such as '30%'")
    return ["-l", str(size)]


async def _made(server: TmuxServer, argv: Sequence[str], rest: Sequence[str]) -> Pane:
    request = _MADE.request()
    reply = await server.call(*argv, "-P", "-F", request.format, *rest)
    (made,) = request.read(reply.text, await server.server_version())
    return await pane_now(server, made.pane_id)
