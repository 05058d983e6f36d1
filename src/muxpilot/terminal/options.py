"""tmux's options, environments and hooks, by scope. All are read; hooks are never written."""

from __future__ import annotations

import re
from dataclasses import dataclass

from muxpilot.errors import BadInput, CommandFailed
from muxpilot.tmux import TmuxServer

SCOPES = {"server": ["-s"], "session": [], "window": ["-w"], "pane": ["-p"]}

_OPTION = re.compile(r"@?[A-Za-z0-9_][A-Za-z0-9_-]*(\[\d+\])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOOK = re.compile(
    r"after-.*|alert-.*|command-error"
    r"|client-(active|attached|detached|focus-in|focus-out|resized|session-changed|light-theme|dark-theme)"
    r"|pane-(died|exited|focus-in|focus-out|mode-changed|set-clipboard|title-changed)"
    r"|session-(changed|closed|created|renamed|window-changed)"
    r"|window-(layout-changed|linked|pane-changed|renamed|resized|unlinked)"
)
_HOOK_LINE = re.compile(r"([a-z-]+)\[(\d+)\] (.*)")
_EXPORTED = re.compile(r'([^=\n;]+)="((?:[^"\\]|\\.)*)"; export \1;|unset ([^;\n]+);', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Where:
    """A scope, and for all but the server a target; without one the global value is meant."""

    scope: str | None = None
    target: str | None = None
    global_: bool = False

    def flags(self) -> list[str]:
        flags = list(SCOPES[self.scope] if self.scope else [])
        if self.scope == "server":
            return flags
        if self.global_ or self.target is None:
            return [*flags, "-g"]
        return [*flags, "-t", self.target]


async def show_option(server: TmuxServer, option: str, where: Where) -> str:
    """The value that holds there, inherited or not. An array's values come a line each."""
    _check_option(option)
    inherited = [] if where.scope == "server" or where.global_ or where.target is None else ["-A"]
    try:
        return await server.text("show-options", *inherited, "-v", *where.flags(), "--", option)
    except CommandFailed as error:
        raise _unknown(option, error) from None


async def set_option(server: TmuxServer, option: str, value: str, where: Where) -> None:
    """Set it there. A hook is no option, though tmux would take it for one."""
    _check_option(option)
    if _HOOK.fullmatch(option.partition("[")[0]):
        raise BadInput(
            f"{option!r} is a hook, and muxpilot sets none", hint="It would go on running after we are gone"
        )
    try:
        await server.call("set-option", *where.flags(), "--", option, value)
    except CommandFailed as error:
        raise _unknown(option, error) from None


async def show_environment(server: TmuxServer, session_id: str | None) -> dict[str, str | None]:
    """Variables that new programs get there; None for one that is taken away."""
    where = ["-t", session_id] if session_id else ["-g"]
    shown = await server.text("show-environment", "-s", *where)
    found: dict[str, str | None] = {}
    for name, value, unset in _EXPORTED.findall(shown):
        found[(unset or name).strip()] = None if unset else re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
    return found


async def set_environment(server: TmuxServer, name: str, value: str, session_id: str | None) -> None:
    if not _VARIABLE.fullmatch(name):
        raise BadInput(f"{name!r} is no name of an environment variable", hint="Letters, digits and _")
    where = ["-t", session_id] if session_id else ["-g"]
    await server.call("set-environment", *where, "--", name, value)


@dataclass(frozen=True, slots=True)
class Hook:
    hook_name: str
    index: int
    command: str


async def show_hooks(server: TmuxServer, where: Where, name: str | None = None) -> list[Hook]:
    """The commands that tmux runs by itself, of one hook or of all. Names that are none are errors."""
    if name is not None and not _HOOK.fullmatch(name):
        raise BadInput(f"no hook {name!r}", hint="show_hooks lists those that are set")
    tables = [where.flags()]
    if name is None and where.scope is None and "-g" in tables[0]:
        tables.append(["-w", "-g"])  # Hooks of windows and panes are kept apart.
    try:
        shown = await server.call_all(
            [["show-hooks", *flags, *(["--", name] if name else [])] for flags in tables]
        )
    except CommandFailed as error:
        raise _unknown(name or "hooks", error) from None
    lines = [_HOOK_LINE.fullmatch(line) for reply in shown for line in reply.text.splitlines()]
    return [Hook(line[1], int(line[2]), line[3]) for line in lines if line]


def _check_option(option: str) -> None:
    if not _OPTION.fullmatch(option):
        raise BadInput(f"{option!r} is no option name", hint="For example history-limit, or @mine")


def _unknown(option: str, error: CommandFailed) -> BadInput:
    return BadInput(f"{option}: {error.message}", hint="Check the name, the value and the scope")
