"""Ten agents at work: each with a server process, a terminal and a pane of its own, all on one tmux.

A step is one or a few calls, and whatever comes back must carry the token of that step and of no other.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from tests.mcp.client import RawClient

Json = dict[str, Any]
_NAMES = re.compile(r"agent\d+")


class Agent:
    """`work` does steps, chosen by chance, until so many calls are made."""

    def __init__(self, number: int, client: RawClient, pane_id: str) -> None:
        self.calls = 0
        self.commands = 0
        self._name = f"agent{number}"
        self._client = client
        self._pane = pane_id
        self._chance = random.Random(number)
        self._tokens = 0
        self._steps: list[Callable[[str], None]] = [
            *[self._run] * 6,
            *(self._long_output, self._type_and_wait, self._read_on, self._look, self._search, self._buffer),
            *(self._title, self._list, self._batch, self._window, self._channel, self._mistake),
        ]

    def work(self, calls: int) -> None:
        end = self.calls + calls
        while self.calls < end:
            self._chance.choice(self._steps)(self._token())

    def _token(self) -> str:
        self._tokens += 1
        return f"{self._name}-{self._tokens:06}-"

    def _call(self, tool: str, /, **arguments: Any) -> Json:
        self.calls += 1
        self.commands += tool == "terminal"
        return self._client.call(tool, **arguments)

    def _text(self, tool: str, /, **arguments: Any) -> str:
        self.calls += 1
        return self._client.text(tool, **arguments)

    def _run(self, token: str) -> None:
        status = self._chance.randrange(256)
        done = self._call(
            "terminal", command=f"echo {token}; (exit {status})", terminal_id=self._name, timeout=30
        )
        assert (done["output"], done["exit_code"]) == (token, status)

    def _long_output(self, token: str) -> None:
        done = self._call("terminal", command=f"seq -f {token}%g 3000", terminal_id=self._name, timeout=30)
        lines = done["output"].split("\n")
        assert (done["output_truncated"], done["output_lines"]) == (True, 3000)
        assert all(line.startswith((token, "[... ")) for line in lines)
        assert (lines[0], lines[-1]) == (f"{token}1", f"{token}3000")

    def _type_and_wait(self, token: str) -> None:
        self._write(f"{token}end")
        assert f"{token}end" in self._text("capture_pane", target=self._pane)

    def _read_on(self, token: str) -> None:
        """What is new is ours, and this time's."""
        before = self._call("capture_since", target=self._pane)
        self._write(f"{token}more")
        new = "\n".join(self._call("capture_since", cursor=before["cursor"])["lines"])
        assert f"{token}more" in new
        assert self._only_ours(new)

    def _look(self, _: str) -> None:
        screen = self._call("snapshot_pane", target=self._pane)
        assert self._only_ours(screen["content"])

    def _search(self, token: str) -> None:
        self._write(f"{token}found")
        found = self._call("search_panes", pattern=f"{token}found")
        assert [one["pane_id"] for one in found["matches"]] == [self._pane]

    def _buffer(self, token: str) -> None:
        name = self._call("load_buffer", content=token * 50, logical_name="soak")["buffer_name"]
        assert self._text("show_buffer", buffer_name=name) == token * 50
        self._call("delete_buffer", buffer_name=name)

    def _title(self, token: str) -> None:
        self._call("set_pane_title", target=self._pane, title=token)
        assert self._call("get_pane_info", target=self._pane)["pane_title"] == token
        assert token in self._text("display_message", format_string="#{pane_title}", target=self._pane)

    def _list(self, _: str) -> None:
        assert self._pane in {pane["pane_id"] for pane in self._call("list_panes")["panes"]}
        self._call("list_sessions")
        self._call("list_windows", target="soak")

    def _batch(self, _: str) -> None:
        operations = [{"tool": "list_panes"}, {"tool": "capture_pane", "arguments": {"target": self._pane}}]
        self._call("batch_read", operations=operations)

    def _window(self, token: str) -> None:
        made = self._call("create_window", target="soak", window_name=token)["window_id"]
        assert self._call("get_window_info", target=made)["window_name"] == token
        self._call("kill_window", target=made)

    def _channel(self, token: str) -> None:
        self._call("signal_channel", channel=token)
        self._call("wait_for_channel", channel=token, timeout=20)

    def _mistake(self, token: str) -> None:
        assert "no session" in self._text("get_session_info", target=token)

    def _write(self, text: str) -> None:
        """A line in our pane, by its shell, and there. What is typed never looks like it."""
        self._call("send_keys", target=self._pane, keys=f"printf '%s\\n' {text[:3]}'{text[3:]}'")
        found = self._call("wait_for_text", target=self._pane, patterns=text, timeout=20)
        assert found["found"], found

    def _only_ours(self, text: str) -> bool:
        return set(_NAMES.findall(text)) <= {self._name}
