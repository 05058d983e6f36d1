"""`muxpilot doctor`: what muxpilot needs, looked at one by one. Each line is ok, or says what to do.

Rules it keeps:
- Nothing of the user's is touched: the trial command runs on a private tmux server in a temporary folder.
- A check that fails keeps no other one from being made.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio

from muxpilot import __version__
from muxpilot.cli.trial import SOCKET, Trial, private_tmux, try_command
from muxpilot.config import STDERR, Settings
from muxpilot.errors import MuxpilotError
from muxpilot.mcp.offer import Offer
from muxpilot.mcp.tools import GROUPS
from muxpilot.terminal.front import SHELLS
from muxpilot.terminal.store import Store
from muxpilot.tmux import (
    Endpoint,
    TmuxServer,
    Version,
    find_servers,
    is_alive,
    oneshot,
    why_not_startable,
)

OK, NOTE, FAIL = "ok", "note", "FAIL"
LOW_SPACE = 100 << 20
PATIENCE = 20.0
"""Seconds for the trial command: start-up included, on a slow machine."""

INSTALL = "Install it (apt-get install tmux, dnf install tmux, brew install tmux), or set MUXPILOT_TMUX_BIN"


@dataclass(frozen=True, slots=True)
class Finding:
    state: str
    about: str
    text: str
    todo: str = ""

    def __str__(self) -> str:
        line = f"{self.state:<5} {self.about:<9} {self.text}"
        return f"{line}\n{'':<16}{self.todo}" if self.todo else line


def run() -> int:
    """Print what was found; 1 where something keeps muxpilot from working."""
    failed = False
    for finding in examine(os.environ):
        print(finding, flush=True)
        failed = failed or finding.state == FAIL
    print("\nSomething needs your hand: see above." if failed else "\nmuxpilot is ready.")
    return int(failed)


def examine(environ: Mapping[str, str]) -> Iterator[Finding]:
    yield Finding(OK, "muxpilot", f"{__version__}, Python {platform.python_version()}, {platform.system()}")
    try:
        settings = Settings.from_environ(environ)
    except MuxpilotError as error:
        yield Finding(FAIL, "settings", error.message, error.hint)
        return
    yield Finding(OK, "settings", _set(environ) or "all defaults")
    yield _tools(settings)
    tmux = _tmux(settings)
    yield tmux
    yield from _servers(settings, environ, usable=tmux.state == OK)
    yield _shell(environ)
    yield from _state(settings.state_dir)
    yield from _audit(settings.audit_log)
    if tmux.state == OK:
        yield from _trial(settings, environ)


def _set(environ: Mapping[str, str]) -> str:
    """Values are shown: none of ours is a secret."""
    ours = ("MUXPILOT_", "LIBTMUX_")
    return ", ".join(f"{name}={value}" for name, value in sorted(environ.items()) if name.startswith(ours))


def _tools(settings: Settings) -> Finding:
    try:
        count = len(Offer.of(GROUPS, settings).tools)
    except MuxpilotError as error:
        return Finding(FAIL, "tools", error.message, error.hint)
    said = f"{count} offered: tier {settings.tier.name.lower()}, toolsets {','.join(settings.toolsets)}"
    if not count:
        return Finding(FAIL, "tools", said, "Set MUXPILOT_TOOLSETS, or leave it out")
    return Finding(OK, "tools", said)


def _tmux(settings: Settings) -> Finding:
    path = shutil.which(settings.tmux_bin)
    if path is None:
        return Finding(FAIL, "tmux", f"there is no program {settings.tmux_bin!r}", INSTALL)
    try:
        done = subprocess.run([path, "-V"], capture_output=True, text=True, timeout=5, check=False)
        version = Version.parse(done.stdout).require()
    except MuxpilotError as error:
        return Finding(FAIL, "tmux", f"{error.message} ({path})", error.hint)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(FAIL, "tmux", f"{path} does not run: {error}", INSTALL)
    if done.returncode != 0 or not done.stdout.startswith("tmux"):
        return Finding(FAIL, "tmux", f"{path} is no tmux: {(done.stderr or done.stdout).strip()!r}", INSTALL)
    return Finding(OK, "tmux", f"{version} at {path}")


def _servers(settings: Settings, environ: Mapping[str, str], *, usable: bool) -> Iterator[Finding]:
    endpoint = Endpoint(
        settings.server, settings.tmux_bin, settings.tmux_config, environ, named_by_settings=True
    )
    yield _server(endpoint, usable=usable)
    others = [one for one in find_servers(environ) if one.path.resolve() != endpoint.real_path]
    live = [one.name for one in others if one.alive]
    dead = [str(one.path) for one in others if not one.alive]
    if live:
        yield Finding(OK, "others", f"{', '.join(live)}: reached with server=NAME in a call")
    if dead:
        yield Finding(NOTE, "others", f"nobody listens on {', '.join(dead)}", "Left over: safe to remove")


def _server(endpoint: Endpoint, *, usable: bool) -> Finding:
    try:
        if is_alive(endpoint) and usable:
            return _reached(endpoint)
        refusal = why_not_startable(endpoint)
    except MuxpilotError as error:
        return Finding(FAIL, "server", error.message, error.hint)
    if refusal is not None:
        return Finding(
            FAIL, "server", f"{endpoint.server} can't be started: {refusal}", "Set MUXPILOT_SOCKET_PATH"
        )
    left = "a socket that nobody listens on" if endpoint.socket_path.exists() else "not running"
    return Finding(OK, "server", f"{endpoint.server}: {left}; the first session starts it")


def _reached(endpoint: Endpoint) -> Finding:
    """A real conversation with the server that calls go to."""

    async def ask() -> str:
        server = TmuxServer(endpoint)
        try:
            version = await server.server_version()
            sessions = (await server.call("list-sessions", "-F", "#{session_id}")).text.split()
        finally:
            await server.close()
        return f"tmux {version}, {len(sessions)} session{'s' * (len(sessions) != 1)}"

    try:
        said = anyio.run(ask)
    except MuxpilotError as error:
        return Finding(FAIL, "server", f"{endpoint.server}: {error.message}", error.hint)
    return Finding(OK, "server", f"{endpoint.server}: {said}")


def _shell(environ: Mapping[str, str]) -> Finding:
    path = environ.get("SHELL") or "/bin/sh"
    known = {Path(path).name, Path(path).resolve().name} & {*SHELLS}
    if not shutil.which(path):
        return Finding(FAIL, "shell", f"SHELL is {path!r}, which does not run", "Set SHELL to a shell's path")
    if known:
        return Finding(OK, "shell", f"{path}: exit codes and output are exact")
    return Finding(
        NOTE,
        "shell",
        f"{path} is none that muxpilot knows: commands can be typed, their exit codes not be known",
        f"In tmux.conf, default-shell may be one of {', '.join(sorted({*SHELLS.values()}))}",
    )


def _state(folder: Path) -> Iterator[Finding]:
    try:
        shelf = Store(folder).new_shelf()
        try:
            (shelf.folder / "trial").write_bytes(b"x" * 4096)
        finally:
            shutil.rmtree(shelf.folder)
        mode = folder.stat().st_mode & 0o777
        space = shutil.disk_usage(folder).free
    except MuxpilotError as error:
        yield Finding(FAIL, "state", error.message, error.hint)
        return
    except OSError as error:
        yield Finding(
            FAIL, "state", f"{folder}: {error.strerror}", "Set MUXPILOT_STATE_DIR to another folder"
        )
        return
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    said = f"{folder}: mode {mode:o}, {_size(used)} used, {_size(space)} free"
    if space < LOW_SPACE:
        yield Finding(NOTE, "state", said, "Outputs are kept there: make room")
    else:
        yield Finding(OK, "state", said)


def _audit(path: str | None) -> Iterator[Finding]:
    if path is None or path == STDERR:
        return
    folder = Path(path).parent
    if os.access(path if Path(path).exists() else folder, os.W_OK):
        yield Finding(OK, "audit", path)
    else:
        yield Finding(FAIL, "audit", f"{path} can't be written", "Set MUXPILOT_AUDIT_LOG to a path that can")


def _trial(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    with private_tmux(environ, settings.tmux_bin) as private:
        began = time.perf_counter()
        try:
            trial = anyio.run(try_command, private, PATIENCE)
        except Exception as error:  # noqa: BLE001 (whatever it is: that is what is looked for)
            reason = _innermost(error)
            yield Finding(FAIL, "command", f"a trial command did not come back: {reason}", _REPORT)
            return
        took = time.perf_counter() - began
        yield _judged(trial, took)
        yield from _configuration(settings, environ, private)


def _configuration(
    settings: Settings, environ: Mapping[str, str], private: dict[str, str]
) -> Iterator[Finding]:
    """The user's tmux.conf, read without doing what it says."""
    home = environ.get("HOME", "")
    places = ("/etc/tmux.conf", f"{home}/.tmux.conf", f"{home}/.config/tmux/tmux.conf")
    if settings.tmux_config and not Path(settings.tmux_config).exists():
        yield Finding(FAIL, "config", f"there is no file {settings.tmux_config}", "Set MUXPILOT_TMUX_CONFIG")
    for path in [settings.tmux_config] if settings.tmux_config else places:
        if not Path(path).is_file():
            continue
        endpoint = Endpoint(SOCKET, settings.tmux_bin, environ=private)
        try:
            read = anyio.run(oneshot, endpoint, ["source-file", "-n", "--", path], PATIENCE)
        except MuxpilotError as error:
            yield Finding(NOTE, "config", f"{path} could not be checked: {error.message}", error.hint)
            continue
        said = read.text.strip().splitlines()
        if read.ok and not said:
            yield Finding(OK, "config", path)
        else:
            yield Finding(
                NOTE, "config", f"{path}: {said[0] if said else 'errors'}", "tmux ignores that file"
            )


_REPORT = "Run `muxpilot demo` for more, with MUXPILOT_LOG_LEVEL=DEBUG"


def _judged(trial: Trial, took: float) -> Finding:
    if trial.problem:
        return Finding(FAIL, "command", trial.problem, _REPORT)
    start = f"client, server and tmux started in {took:.1f} s"
    return Finding(OK, "command", f"exact exit code and output in {trial.seconds * 1000:.0f} ms ({start})")


def _innermost(error: BaseException) -> str:
    """Of a group of errors, the first that says something."""
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _size(count: int) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:.0f} {unit}"
        count //= 1024
    raise AssertionError(unit)


if __name__ == "__main__":
    sys.exit(run())
