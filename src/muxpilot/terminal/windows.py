"""Windows: made, named, chosen, laid out, sized and moved. Each returns the window as it is afterwards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from muxpilot.errors import BadInput
from muxpilot.terminal.describe import window_now
from muxpilot.terminal.model import Window
from muxpilot.terminal.moves import move, sessions_with
from muxpilot.terminal.sessions import environment_flags, existing_folder
from muxpilot.tmux import Columns, TmuxServer, literal_format

LAYOUTS = ("even-horizontal", "even-vertical", "main-horizontal", "main-vertical", "tiled")
STEPS = {"next": "next-window", "previous": "previous-window", "last": "last-window"}

_CUSTOM_LAYOUT = re.compile(r"[0-9a-f]{4},[0-9x,\[\]{}]+")
_UNHOLDABLE = re.compile(r"[\x00-\x1f\x7f]")
_INDEX = re.compile(r"(0|[1-9][0-9]{0,8})?")


@dataclass(frozen=True, slots=True)
class _Made:
    window_id: str


_MADE = Columns(_Made)


async def create_window(
    server: TmuxServer,
    session_id: str,
    *,
    name: str | None = None,
    start_directory: str | None = None,
    attach: bool = False,
    direction: str | None = None,
    environment: Mapping[str, str] | None = None,
    shell: str | None = None,
) -> Window:
    """A new window; `direction` (before, after) is relative to the session's current one, `shell` runs
    instead of a shell."""
    request = _MADE.request()
    argv = ["new-window", "-P", "-F", request.format, "-t", f"{session_id}:"]
    argv += [] if attach else ["-d"]
    argv += {"before": ["-b"], "after": ["-a"], None: []}[direction]
    if name is not None:
        argv += ["-n", literal_format(check_window_name(name))]
    if start_directory is not None:
        argv += ["-c", literal_format(existing_folder(start_directory))]
    argv += [*environment_flags(environment or {}), *(["--", shell] if shell else [])]
    reply = await server.call(*argv)
    (made,) = request.read(reply.text, await server.server_version())
    return await window_now(server, made.window_id)


async def rename_window(server: TmuxServer, window_id: str, name: str) -> Window:
    name = check_window_name(name)
    window = await window_now(
        server, window_id, [["rename-window", "-t", window_id, "--", literal_format(name)]]
    )
    if window.window_name != name:
        raise BadInput(
            f"tmux can't hold the window name {name!r}: it made {window.window_name!r} of it",
            hint="Rename it again, to something plainer",
        )
    return window


async def select_window(server: TmuxServer, window_id: str) -> Window:
    return await window_now(server, window_id, [["select-window", "-t", window_id]])


async def step_window(server: TmuxServer, session_id: str, step: str) -> Window:
    """Go to the session's next, previous or last window."""
    return await window_now(server, f"{session_id}:", [[STEPS[step], "-t", f"{session_id}:"]])


async def select_layout(server: TmuxServer, window_id: str, layout: str) -> Window:
    """A named layout, or one that tmux printed before (`window_layout`)."""
    if layout.removesuffix("-mirrored") not in LAYOUTS and not _CUSTOM_LAYOUT.fullmatch(layout):
        raise BadInput(f"no layout {layout!r}", hint=f"There are {', '.join(LAYOUTS)}, or a window_layout")
    return await window_now(server, window_id, [["select-layout", "-t", window_id, "--", layout]])


async def resize_window(server: TmuxServer, window_id: str, width: int | None, height: int | None) -> Window:
    """Set the size by hand: it then no longer follows the terminals of those who watch."""
    if width is None and height is None:
        raise BadInput("neither width nor height is given", hint="Give one of them, or both")
    size = [
        item for flag, one in (("-x", width), ("-y", height)) if one is not None for item in (flag, str(one))
    ]
    return await window_now(server, window_id, [["resize-window", "-t", window_id, *size]])


async def move_window(
    server: TmuxServer, window_id: str, session_id: str, index: str, *, may_end_sessions: bool
) -> Window:
    """To an index of a session; an empty index means the next free one."""
    if not _INDEX.fullmatch(index):
        raise BadInput(
            f"{index!r} is no window index", hint="Give a number, or nothing for the next free one"
        )
    command = ["move-window", "-d", "-s", window_id, "-t", f"{session_id}:{index}"]
    losing = await sessions_with(server, window_id)
    losing.pop(session_id, None)
    await move(server, command, losing, of_window=None, may_end=may_end_sessions)
    return await window_now(server, window_id)


async def kill_window(server: TmuxServer, window_id: str) -> None:
    await server.call("kill-window", "-t", window_id)


def check_window_name(name: str) -> str:
    """`BadInput` for a name that tmux would store as something else."""
    if not name or _UNHOLDABLE.search(name):
        raise BadInput(f"{name!r} is no window name", hint="It must not be empty or hold control characters")
    return name
