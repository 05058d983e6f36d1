"""tmux's options, environments and hooks, by scope. All are read; hooks are never written.

tmux takes the beginning of a name for the whole. So every name is compared with tmux's own list first, and
only whole ones are passed on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from muxpilot.errors import BadInput, CommandFailed
from muxpilot.terminal.option_policy import check_name, check_setting
from muxpilot.terminal.option_table import base_name
from muxpilot.terminal.sessions import shown_name
from muxpilot.tmux import TmuxServer, encode

SCOPES = {"server": ["-s"], "session": [], "window": ["-w"], "pane": ["-p"]}

OPTION_LISTS = [["show-options", *where] for where in (["-s"], ["-g"], ["-w", "-g"])]
HOOK_LISTS = [["show-hooks", *where] for where in (["-g"], ["-w", "-g"])]
"""These print every name that tmux has, set or not."""
MOST_ENVIRONMENT_BYTES = 32_768
"""Of one value. Beyond some size the kernel starts no program any more that gets it."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_HOOK_LINE = re.compile(r"([a-z-]+)\[([0-9]+)\] (.*)")
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
    check_name(option)
    await _check_listed(server, option)
    inherited = [] if where.scope == "server" or where.global_ or where.target is None else ["-A"]
    try:
        return await server.text("show-options", *inherited, "-v", *where.flags(), "--", option)
    except CommandFailed as error:
        raise _unknown(option, error) from None


async def set_option(
    server: TmuxServer, option: str, value: str, where: Where, *, is_destructive: bool = False
) -> None:
    """Set it there, where the tier allows this option and this value: see `option_policy`."""
    written = check_setting(option, value, is_destructive=is_destructive)
    await _check_listed(server, option)
    if option == "history-limit" and not is_destructive:
        await _check_history(server, written, where)
    try:
        await server.call("set-option", *where.flags(), "--", option, written)
    except CommandFailed as error:
        raise _unknown(option, error) from None


async def _check_listed(server: TmuxServer, option: str) -> None:
    """`BadInput` for a name that tmux would complete, and for one that it does not have."""
    name = base_name(option)
    if name.startswith("@"):
        return
    names = await _listed(server, OPTION_LISTS)
    if name not in names:
        close = [*get_close_matches(name, names, 1), *sorted(one for one in names if one.startswith(name))]
        meant = f"Did you mean {close[0]}?" if close else "For example history-limit, or @mine"
        raise BadInput(f"no option {name!r}", hint=meant)


async def _listed(server: TmuxServer, lists: list[list[str]]) -> set[str]:
    """The first word of each line, without an index. tmux escapes line feeds in values."""
    replies = await server.call_all(lists)
    return {base_name(line.partition(" ")[0]) for reply in replies for line in reply.text.split("\n")}


async def _check_history(server: TmuxServer, value: str, where: Where) -> None:
    """A tmux that trims what panes hold already must not be made to lose it."""
    if not (await server.server_version()).trims_history:
        return
    holds = await show_option(server, "history-limit", where)
    if value.isascii() and value.isdigit() and holds.isdigit() and int(value) < int(holds):
        raise BadInput(
            f"a history-limit below {holds} needs the destructive tier, because panes lose their history",
            hint=f"Set {holds} or more",
        )


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
        raise BadInput(
            f"{shown_name(name)} is no name of an environment variable", hint="Letters, digits and _"
        )
    if len(encode(value)) > MOST_ENVIRONMENT_BYTES:
        raise BadInput(
            f"the value of {name} is too long", hint=f"At most {MOST_ENVIRONMENT_BYTES} bytes are accepted"
        )
    where = ["-t", session_id] if session_id else ["-g"]
    await server.call("set-environment", *where, "--", name, value)


@dataclass(frozen=True, slots=True)
class Hook:
    hook_name: str
    index: int
    command: str


async def show_hooks(server: TmuxServer, where: Where, name: str | None = None) -> list[Hook]:
    """The commands that tmux runs by itself, of one hook or of all. Names that are none are errors."""
    if name is not None and name not in await _listed(server, HOOK_LISTS):
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
    lines = [_HOOK_LINE.fullmatch(line) for reply in shown for line in reply.text.split("\n")]
    return [Hook(line[1], int(line[2]), line[3]) for line in lines if line]


def _unknown(option: str, error: CommandFailed) -> BadInput:
    return BadInput(f"{option}: {error.message}", hint="Check the name, the value and the scope")
