"""A tmux, a muxpilot on it, and a terminal with a command that tells how often it ran.

What every test here asks in the end: each call ended in time, with a true result or a named condition;
nothing of ours is left running; no command ran twice.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab import Lab, children, eventually, running
from tests.mcp.client import Json, RawClient, ToolError, mcp_server

TIMEOUT = 2.0
"""Seconds that tmux has to answer."""
GRACE = 3.0
"""Seconds that a call may take beyond its own deadline: tmux may be asked once more, with a deadline too."""
CONDITIONS = frozenset(
    {"server_gone", "server_not_running", "server_unresponsive", "not_found", "refused", "pane_ended"}
    | {"tmux_error", "server_mismatch", "state_unusable"}
)
"""What a fault may be called. `error` is none of them: that is a failure which nobody has thought of."""


@dataclass(frozen=True)
class Process:
    """A process, told by its start from a later one that has its number."""

    pid: int
    started: str

    @classmethod
    def of(cls, pid: int) -> Process:
        return cls(pid, _started(pid))

    @property
    def is_running(self) -> bool:
        return running(self.pid) and _started(self.pid) == self.started


def _started(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def see_out(processes: set[Process]) -> None:
    """They are gone, or soon will be."""
    with suppress(AssertionError):
        eventually(lambda: not any(one.is_running for one in processes))
    left = [Path(f"/proc/{one.pid}/cmdline").read_bytes() for one in processes if one.is_running]
    assert not left, left


@dataclass(frozen=True)
class Pending:
    """A call under way, which must have ended by `end`."""

    number: int
    end: float


@dataclass(frozen=True)
class Told:
    """How it ended: with a condition, or with facts (and text)."""

    condition: str | None
    facts: Json
    text: str


class Stage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lab = Lab(folder)
        self.lab.environ |= {"SHELL": "/bin/bash"}
        self.state = folder / "state"
        self.effects = folder / "effects"
        self.settings: dict[str, Any] = {"safety": "destructive", "timeout": str(TIMEOUT)}
        self._servers = ExitStack()
        self._ours: set[Process] = set()
        self._client: RawClient | None = None

    @property
    def client(self) -> RawClient:
        assert self._client is not None
        return self._client

    @property
    def pid(self) -> int:
        return self.client.process.pid

    def start(self, **settings: str) -> RawClient:
        """A muxpilot, the first or another one."""
        self.settings |= {"state_dir": str(self.state), **settings}
        self._client = self._servers.enter_context(mcp_server(self.lab, **self.settings))
        return self._client

    def kill(self) -> None:
        """As if it had never been warned."""
        self.note_ours()
        os.kill(self.pid, signal.SIGKILL)
        self.client.process.wait()

    def ready(self) -> None:
        """tmux with a pane %0 that runs `cat`, and the terminal `default` at its prompt."""
        self.lab.new_session("main", "cat")
        self.start()
        self.works()

    def works(self, word: str = "works") -> None:
        """A command in the terminal is run, told exactly, and written down."""
        done = self.client.call("terminal", command=f"echo {word}; (exit 3)", timeout=10)
        assert (done["status"], done["exit_code"], done["output"]) == ("completed", 3, word), done
        (noted,) = self.client.call("list_commands", limit=1)["commands"]
        assert (noted["command"], noted["exit_code"]) == (done["command"], 3), noted

    def begin(self, tool: str, /, timeout: float = 0.0, **arguments: Any) -> Pending:
        """Start a call; `timeout` is the call's own, where it has one."""
        if timeout:
            arguments["timeout"] = timeout
        number = self.client.start("tools/call", {"name": tool, "arguments": arguments})
        return Pending(number, time.monotonic() + (timeout or TIMEOUT) + GRACE)

    def told(self, call: Pending) -> Told:
        """How it ended, which it did in time and in a way that has a name."""
        answer = self.client.wait(call.number)
        late = time.monotonic() - call.end
        assert late < 0, f"{late:.2f} s past its deadline: {answer}"
        assert "result" in answer, answer
        result = answer["result"]
        condition = result["_meta"]["condition"] if result.get("isError") else None
        text = result["content"][0]["text"]
        assert condition is None or condition in CONDITIONS, text
        return Told(condition, result.get("structuredContent") or {}, text)

    def condition_of(self, tool: str, /, **arguments: Any) -> str | None:
        """Of a call that may fail."""
        return self.told(self.begin(tool, **arguments)).condition

    def once(self, rest: str = "", number: int = 1) -> str:
        """A command that leaves a line in `effects` each time it runs."""
        return f"echo {number} >>{self.effects}; {rest}" if rest else f"echo {number} >>{self.effects}"

    def runs_of(self, number: int = 1) -> int:
        with suppress(FileNotFoundError):
            return self.effects.read_text().splitlines().count(str(number))
        return 0

    def pane(self, terminal_id: str = "default") -> str:
        rows = self.lab.tmux("list-panes", "-a", "-F", "#{pane_id} #{@muxpilot_terminal}").splitlines()
        return next(row.split()[0] for row in rows if row.split()[1:] == [terminal_id])

    def control_clients(self) -> list[int]:
        rows = self.lab.tmux("list-clients", "-F", "#{client_control_mode} #{client_pid}").splitlines()
        return [int(row.split()[1]) for row in rows if row.startswith("1 ")]

    def recorder(self) -> int:
        """The process that writes the terminal's tape."""
        (pid,) = self.recorders()
        return pid

    def recorders(self) -> list[int]:
        """All that write a tape."""
        told = []
        for path in self.state.glob("panes/*/recorder-*"):
            with suppress(FileNotFoundError):  # Another one has taken its place.
                told.append(path.read_text().strip())
        return [int(pid) for pid in told if pid and running(int(pid))]

    def note_ours(self) -> None:
        """Remember the processes that are ours now: they must not be there at the end."""
        if running(self.pid):
            self._ours |= {Process.of(pid) for pid in (self.pid, *children(self.pid))}

    def close(self) -> None:
        """Nothing of ours outlives our processes, and what belongs to the panes does not outlive those."""
        if self._client is None:
            return
        self.note_ours()
        self._client = None
        self._servers.close()
        see_out(self._ours)
        recorders = {Process.of(pid) for pid in self.recorders()}
        self.lab.end()
        see_out(recorders)


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """As after `kill -STOP`, until the block ends."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def truth(told: Told, expected: tuple[int | None, str]) -> bool:
    """Whether it is the result, the whole result. A named condition is none; anything else is a lie."""
    if told.condition is not None:
        return False
    facts = told.facts
    assert facts["status"] == "completed", facts
    assert (facts["exit_code"], facts["output"]) == expected, facts
    return True


__all__ = ["Pending", "Stage", "Told", "ToolError", "stopped", "truth"]
