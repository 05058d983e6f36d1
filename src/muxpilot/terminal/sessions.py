"""Making sessions: exactly the name that was asked for, or a refusal that says why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio

from muxpilot.errors import BadInput, CommandFailed, MuxpilotError, ServerGone, ServerNotRunning
from muxpilot.terminal.describe import session_now
from muxpilot.terminal.snapshot import Snapshot
from muxpilot.tmux import Columns, Deadline, TmuxServer, is_alive, literal_format

_UNHOLDABLE = re.compile(r"[:.\x00-\x1f\x7f\\]")
_LOOKS_LIKE_ID = re.compile(r"[%@$]\d+|=.*", re.DOTALL)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Created:
    """A new session. `warnings`: what a person should know, such as errors in tmux's configuration."""

    session_id: str
    session_name: str
    window_id: str
    pane_id: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _New:
    session_id: str
    session_name: str
    window_id: str
    pane_id: str
    pane_mode: str


_NEW = Columns(_New)


async def create_session(
    server: TmuxServer,
    *,
    name: str | None = None,
    window_name: str | None = None,
    start_directory: str | None = None,
    width: int | None = None,
    height: int | None = None,
    environment: Mapping[str, str] | None = None,
    shell: str | None = None,
) -> Created:
    """A new detached session; starts the tmux server where none runs. `shell`: what runs instead of a shell.

    Raises:
        BadInput: the name is taken or can't be held, or the folder does not exist.
        CommandFailed: its shell ended as soon as it was started.
    """
    argv: list[str] = []
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
    argv += [*environment_flags(environment or {}), *(["--", shell] if shell else [])]

    starts_server = not is_alive(server.endpoint)
    try:
        new = await _make(server, argv)
        await _check_name(server, new, name)
        await _check_size(server, new, width, height)
        warnings = await _configuration_problems(server, new) if starts_server else ()
    except MuxpilotError as error:
        raise _explained(error, name) from None
    return Created(new.session_id, new.session_name, new.window_id, new.pane_id, warnings)


async def rename_session(server: TmuxServer, session_id: str, name: str) -> Snapshot:
    """The session under its new name, which it has exactly, or is not given."""
    check_session_name(name)
    before = (await session_now(server, session_id)).sessions[0].session_name
    try:
        after = await session_now(
            server, session_id, [["rename-session", "-t", session_id, "--", literal_format(name)]]
        )
    except CommandFailed as error:
        raise _explained(error, name) from None
    if after.sessions[0].session_name != name:
        await server.call("rename-session", "-t", session_id, "--", literal_format(before))
        raise BadInput(f"tmux can't hold the session name {name!r}", hint="Choose a plainer name")
    return after


async def kill_server(server: TmuxServer) -> None:
    """End the server, and return once it is gone: tmux itself says so long before.

    Raises:
        ServerNotRunning: there is nothing to end.
        ServerUnresponsive: it was told, but is still there.
    """
    await server.server_version()
    await server.close()  # A server with a client that does not read may survive.
    await server.call("kill-server")
    with Deadline(server.timeout, server.endpoint).enforced():
        while is_alive(server.endpoint):  # noqa: ASYNC110 (there is no event for this)
            await anyio.sleep(0.01)


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


def existing_folder(path: str) -> str:
    """An absolute path; tmux would silently start elsewhere if it did not exist."""
    try:
        folder = Path(path).expanduser().absolute()
        found = folder.is_dir()
    except (OSError, RuntimeError, ValueError):  # Too long, forbidden, of an unknown user, with a NUL.
        found = False
    if not found:
        raise BadInput(
            f"start_directory {path!r:.200} is not a folder", hint="Create it first, or leave it out"
        )
    return str(folder)


def shown_name(variable: str) -> str:
    """Of what is no name of a variable: without a value that was written into it, which may be a secret."""
    name, behind, _ = variable.partition("=")
    return repr(f"{name[:100]}=..." if behind else name[:100])


def environment_flags(environment: Mapping[str, str]) -> list[str]:
    flags: list[str] = []
    for variable, value in environment.items():
        if not _VARIABLE.fullmatch(variable):
            raise BadInput(
                f"{shown_name(variable)} is no name of an environment variable", hint="Letters, digits and _"
            )
        flags += ["-e", f"{variable}={value}"]
    return flags


async def _make(server: TmuxServer, argv: list[str]) -> _New:
    request = _NEW.request()
    reply = await server.start("new-session", "-d", "-P", "-F", request.format, *argv)
    (new,) = request.read(reply.text, await server.server_version())
    return new


async def _check_name(server: TmuxServer, new: _New, name: str | None) -> None:
    if name is not None and new.session_name != name:
        await server.call("kill-session", "-t", new.session_id)
        raise BadInput(
            f"tmux can't hold the session name {name!r}: it made {new.session_name!r} of it",
            hint="Choose a plainer name",
        )


async def _check_size(server: TmuxServer, new: _New, width: int | None, height: int | None) -> None:
    if not (await server.server_version()).sizes_new_sessions_wrongly or (width is None and height is None):
        return
    size = [
        item for flag, one in (("-x", width), ("-y", height)) if one is not None for item in (flag, str(one))
    ]
    # The size is then marked as set by hand, which would keep a person's terminal from changing it.
    await server.call_all(
        [
            ["resize-window", "-t", new.window_id, *size],
            ["set-option", "-w", "-u", "-t", new.window_id, "--", "window-size"],
        ]
    )


def _explained(error: MuxpilotError, name: str | None) -> MuxpilotError:
    if isinstance(error, CommandFailed) and "duplicate session" in error.message:
        return BadInput(f"session {name!r} already exists", hint="Use it as it is, or choose another name")
    if isinstance(error, ServerNotRunning | ServerGone):
        return CommandFailed(
            "tmux started and ended again at once: the shell of the new session exited",
            hint="Look at default-command and default-shell in tmux.conf, or set MUXPILOT_TMUX_CONFIG",
        )
    return error


async def _configuration_problems(server: TmuxServer, new: _New) -> tuple[str, ...]:
    """What is wrong with the configuration of a server that has just started, as far as tmux tells.

    tmux before 3.4 shows its complaint over the first pane, where it would swallow what is typed: it is
    put away there, and passed on here.
    """
    files = [
        path
        for path in (await server.call("display-message", "-p", "--", "#{config_files}")).text.split(",")
        if path
    ]
    checks = await server.replies([["source-file", "-n", "--", literal_format(path)] for path in files])
    found = dict.fromkeys(line for check in checks if not check.ok for line in check.text.splitlines())
    if new.pane_mode == "view-mode":
        await server.call("send-keys", "-t", new.pane_id, "-X", "--", "cancel")
        found = found or {f"errors in {', '.join(files)}": None}
    return tuple(
        f"tmux's configuration: {problem}. Tell the user; tmux ignored that file" for problem in found
    )
