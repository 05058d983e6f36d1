"""Whether a command is whole, asked of the shell's own parser before it is sourced.

A sourced line can't leave a shell waiting for the rest of a quote, as a typed one would: it would only fail.
The parser gets the command as its input, from memory: a file or an argument could be read by others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import anyio

from muxpilot.terminal.front import ASH, FISH, ZSH, Front, program_of
from muxpilot.terminal.private import in_memory
from muxpilot.tmux import encode

SECONDS = 2.0
_PLAIN = re.compile(r"[\w ./:=,@%+-]*")
"""Commands that can't be wrong in this way."""
_UNFINISHED = re.compile(
    r"unexpected (?:eof|end of file|end of string)|end of file'? unexpected|end of the input"
    r"|unterminated|unmatched|closing quote|missing (?:'}'|end)|closing brace expected",
    re.IGNORECASE,
)
_ENVIRON = {"LC_ALL": "C.UTF-8", "HOME": "/"}
_LINE = re.compile(r":(\d+):")


@dataclass(frozen=True, slots=True)
class Fault:
    """What the parser says. `status` is what the shell would return."""

    unfinished: bool
    status: int


async def fault_in(command: str, shell: Front) -> Fault | None:
    """None where it can be run, or where the parser can't be asked."""
    if _PLAIN.fullmatch(command):
        return None
    status, said = await _parse(command, shell)
    if status in (0, None):
        return None
    if shell.shell == ZSH and not _UNFINISHED.search(said):
        return Fault(await _moves_on(command, shell), status)
    return Fault(_UNFINISHED.search(said) is not None, status)


async def _moves_on(command: str, shell: Front) -> bool:
    """zsh names the last thing that it read: is it another one when there is another line?"""
    status, said = await _parse(f"{command}\n__muxpilot_probe", shell)
    line = _LINE.search(said)
    return status == 0 or (line is not None and int(line[1]) > command.count("\n") + 1)


async def _parse(text: str, shell: Front) -> tuple[int | None, str]:
    options = {FISH: ["--no-config"], ZSH: ["-f"], ASH: ["ash"]}.get(shell.shell or "", [])
    # By name: of its plain input zsh does not say which line is wrong.
    argv = [program_of(shell.pid) or shell.name, *options, "-n", "/dev/stdin"]
    try:
        with in_memory(encode(text)) as stdin, anyio.fail_after(SECONDS):
            done = await anyio.run_process(argv, stdin=stdin, check=False, env=_ENVIRON)
    except (OSError, TimeoutError):
        return None, ""
    return done.returncode, done.stderr.decode("utf-8", "replace")
