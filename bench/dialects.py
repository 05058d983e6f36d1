"""How each server wants to be asked for the same thing: a table each, and a gap where it has no such call.

`capture` takes how many lines of the scrollback (0: the screen), `run` a pane or None for the server's own
choice, `wait` how long at most, in seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.asks import Ask, Result, call, content, count, facts, field, lines_found, nothing, text
from bench.rows import Gap

RUN_SECONDS = 15.0
"""What a command may take: the longest here takes a few."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What can be asked, in one server's words."""

    sessions: Ask
    panes: Ask | Gap
    capture: Callable[[str, int], Ask]
    keys: Callable[[str, str], Ask]
    run: Callable[[str, str | None], Ask | Gap]
    wait: Callable[[str, str, float], Ask | Gap]
    search: Callable[[str, int], Ask | Gap]


def _search(pattern: str, lines: int) -> Ask:
    return Ask(call("search_panes", pattern=pattern, content_start=-lines), lines_found)


def _wait_for_text(pane: str, word: str, timeout: float) -> Ask:
    return Ask(call("wait_for_text", pane_id=pane, patterns=[word], timeout=timeout), field("found"))


def _capture_pane(pane: str, lines: int) -> Ask:
    whole = {"start": -lines, "max_lines": None} if lines else {}
    return Ask(call("capture_pane", pane_id=pane, **whole), text)


def _run_command(exit_field: str) -> Callable[[str, str | None], Ask]:
    def run(command: str, pane: str | None) -> Ask:
        where = {"pane_id": pane} if pane else {}
        return Ask(call("run_command", command=command, timeout=RUN_SECONDS, **where), field(exit_field))

    return run


MUXPILOT = Dialect(
    sessions=Ask(call("list_sessions"), count),
    panes=Ask(call("list_panes"), count),
    capture=_capture_pane,
    keys=lambda pane, keys: Ask(call("send_keys", pane_id=pane, keys=keys, enter=False), nothing),
    run=_run_command("exit_code"),
    wait=_wait_for_text,
    search=_search,
)

LIBTMUX_MCP = Dialect(
    sessions=MUXPILOT.sessions,
    panes=MUXPILOT.panes,
    capture=_capture_pane,
    keys=MUXPILOT.keys,
    run=_run_command("exit_status"),
    wait=_wait_for_text,
    search=_search,
)


def _mcp_tmux_capture(pane: str, lines: int) -> Ask:
    start = {"start": -lines} if lines else {}
    return Ask(call("tmux_capture_pane", target_pane=pane, **start), content)


def _mcp_tmux_run(command: str, pane: str | None) -> Ask:
    asked = call("tmux_run", target_pane=pane, command=command, timeout=RUN_SECONDS)
    return Ask(asked, _mcp_tmux_ended)


def _mcp_tmux_ended(result: Result) -> object:
    """It looks for a mark in the last 2,000 lines, and says so where it did not find it in time."""
    found = facts(result)
    return found["exit_code"] if found["completed"] else found["error"]


def _mcp_tmux_wait(pane: str, word: str, timeout: float) -> Ask:
    return Ask(call("tmux_wait_for_text", target_pane=pane, pattern=word, timeout=timeout), field("matched"))


MCP_TMUX = Dialect(
    sessions=Ask(call("tmux_list", kind="session"), count),
    panes=Ask(call("tmux_list_panes"), count),
    capture=_mcp_tmux_capture,
    keys=lambda pane, keys: Ask(call("tmux_send_keys", target_pane=pane, text=keys), nothing),
    run=_mcp_tmux_run,
    wait=_mcp_tmux_wait,
    search=lambda _pattern, _lines: Gap("has no search over panes"),
)

TMUX_MCP = Dialect(
    sessions=Ask(call("list-sessions"), count),
    panes=Gap("lists the panes of one window at a time"),
    capture=lambda pane, lines: Ask(call("capture-pane", paneId=pane, lines=str(lines)), text),
    keys=lambda pane, keys: Ask(call("execute-command", paneId=pane, command=keys, noEnter=True), nothing),
    run=lambda _command, _pane: Gap("has no call that waits for a command's end"),
    wait=lambda _pane, _word, _timeout: Gap("has no wait"),
    search=lambda _pattern, _lines: Gap("has no search over panes"),
)
