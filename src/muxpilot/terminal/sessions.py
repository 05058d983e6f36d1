"""Making sessions: exactly the name that was asked for, or a refusal that says why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from muxpilot.errors import BadInput, CommandFailed
from muxpilot.tmux import Columns, TmuxServer, literal_format

_UNHOLDABLE = re.compile(r"[:.\x00-\x1f\x7f\\]")
_LOOKS_LIKE_ID = re.compile(r"[%@$]\d+|=.*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Created:
    session_id: str
    session_name: str
    window_id: str
    pane_id: str


_CREATED = Columns(Created)


def check_session_name(name: str) -> None:
    """`BadInput` for a name that tmux would store differently, or that a target could not name."""
    if not name:
        raise BadInput("the session name is empty", hint="Give a name, or leave it out to have one chosen")
    bad = _UNHOLDABLE.search(name)
    if bad:
        raise BadInput(
            f"a session name can't contain {bad[0]!r}: tmux would store it as something else",
            hint="Leave out ':', '.', '\\' and control characters",
        )
    if _LOOKS_LIKE_ID.fullmatch(name):
        raise BadInput(f"the session name {name!r} would be read as an id", hint="Start it with a letter")


async def create_session(
    server: TmuxServer,
    *,
    name: str | None = None,
    window_name: str | None = None,
    start_directory: str | None = None,
    width: int | None = None,
    height: int | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Created:
    """A new detached session with a shell in it; starts the tmux server where none runs.

    Raises:
        BadInput: the name is taken or can't be held, or the folder does not exist.
    """
    request = _CREATED.request()
    argv = ["new-session", "-d", "-P", "-F", request.format]
    if name is not None:
        check_session_name(name)
        argv += ["-s", literal_format(name)]
    if window_name is not None:
        argv += ["-n", literal_format(window_name)]
    if start_directory is not None:
        argv += ["-c", literal_format(existing_folder(start_directory))]
    for flag, size in (("-x", width), ("-y", height)):
        if size is not None:
            argv += [flag, str(size)]
    argv += environment_flags(environment or {})
    try:
        reply = await server.start(*argv, timeout=timeout)
    except CommandFailed as error:
        if "duplicate session" in error.message:
            raise BadInput(
                f"session {name!r} already exists", hint="Use it as it is, or choose another name"
            ) from None
        raise
    created = request.read(reply.text, await server.server_version(timeout))[0]
    if name is not None and created.session_name != name:
        await server.call("kill-session", "-t", created.session_id, timeout=timeout)
        raise BadInput(
            f"tmux can't hold the session name {name!r}: it made {created.session_name!r} of it",
            hint="Choose a plainer name",
        )
    return created


def existing_folder(path: str) -> str:
    """An absolute path; tmux would silently start elsewhere if it did not exist."""
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise BadInput(f"start_directory {path!r} is not a folder", hint="Create it first, or leave it out")
    return str(folder.absolute())


def environment_flags(environment: Mapping[str, str]) -> list[str]:
    flags: list[str] = []
    for variable, value in environment.items():
        if not _VARIABLE.fullmatch(variable):
            raise BadInput(f"{variable!r} is no name of an environment variable", hint="Letters, digits and _")
        flags += ["-e", f"{variable}={value}"]
    return flags
