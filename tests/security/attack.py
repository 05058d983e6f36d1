"""Hostile values in every place of a call that takes text, every other argument valid; then the canaries.

The places come from the calls in `benign.py`; for a tool that is not there, from the schema that is listed.
"""

from __future__ import annotations

import copy
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.mcp.client import RawClient, mcp_server
from tests.security.benign import REQUESTS, TABLES, Answer, Benign, Json
from tests.security.hostile import values
from tests.security.world import SECONDS_TO_ANSWER, Clock, World, cpu_seconds, differences

Path_ = tuple[Any, ...]

RUNS_TEXT = {
    *(("terminal", "command"), ("run_command", "command"), ("new_session", "command")),
    *(("split_window", "shell"), ("respawn_pane", "shell"), ("tmux_split_window", "command")),
    *(("tmux_create_session", "command"), ("tmux_create_window", "command")),
}
"""Their text is run by a shell in a pane of its own. That is what they are for; it must hit nobody else."""
FOR_SHELLS = {"shell", "paths", "sockets", "options"}
"""Families that do something when a shell is asked to run them."""
WRITES_FILES = {("pipe_pane", "output_path")}
MAKES_SESSIONS = {"terminal", "run_command", "create_session", "tmux_create_session", "new_session"}
"""They may leave new sessions behind, also on a new server in our own tmux folder."""
MAY_END_PANES = {
    *("kill_pane", "kill_window", "kill_session", "kill_server", "tmux_kill", "respawn_pane", "interrupt"),
    *(
        "terminal",
        "run_command",
        "send_keys",
        "send_keys_batch",
        "paste_text",
        "paste_buffer",
        "tmux_send_keys",
    ),
}
"""They end a pane, or type what may end the program in it. No other tool ends the pane that it is about."""
SHORT_SECONDS = 0.05
PATIENCE_WITH_CULPRITS = 60.0
"""Seconds to look for more of them once one is found."""
KEY = object()
"""At the end of a place: not the value but its name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere in the arguments of a call that text can stand."""

    benign: Benign
    path: Path_

    def __str__(self) -> str:
        return ".".join("(name)" if part is KEY else str(part) for part in self.path)


@dataclass(frozen=True, slots=True)
class Attempt:
    place: Place
    family: str
    value: str


class Attacker:
    """A muxpilot server of one toolset and tier, in a world."""

    def __init__(self, world: World, toolset: str, tier: str) -> None:
        self.world = world
        self.toolset = toolset
        self.tier = tier
        self._stack = ExitStack()
        self.client = self._start()
        listed = self.client.request("tools/list")["tools"]
        self.schemas: dict[str, Json] = {one["name"]: one["inputSchema"] for one in listed}
        self.readonly = {one["name"] for one in listed if one.get("annotations", {}).get("readOnlyHint")}

    def _start(self) -> RawClient:
        """In the world's own folder, so that relative paths lead nowhere else.

        Where calls can name a server, the one that is used without a name does not exist.
        """
        settings = {"toolsets": self.toolset, "safety": self.tier, "state_dir": str(self.world.state)}
        if self.toolset == "full":
            settings |= {"socket": "absent", "prompts_as_tools": "1"}
        with _inside(self.world.folder):
            return self._stack.enter_context(
                mcp_server(self.world.lab, fresh=True, **settings)  # type: ignore[arg-type]
            )

    def close(self) -> None:
        with suppress(AssertionError, subprocess.TimeoutExpired, OSError):
            self._stack.close()

    def renew(self) -> None:
        """A new world, and a new server in it."""
        self.close()
        self.world.renew()
        self.client = self._start()

    def table(self) -> dict[str, list[Benign]]:
        return {**TABLES[self.toolset], **(REQUESTS if self.toolset == "full" else {}), **self._prompts()}

    def _prompts(self) -> dict[str, list[Benign]]:
        """Every prompt that is listed; what it is given must be in its text."""
        if self.toolset != "full":
            return {}
        found = []
        for prompt in self.client.request("prompts/list")["prompts"]:
            given = {
                one["name"]: "7" if one["name"] == "timeout" else "%777"
                for one in prompt.get("arguments", [])
            }
            asked = {"name": prompt["name"], "arguments": given}
            found.append(
                Benign(
                    lambda _, asked=asked: copy.deepcopy(asked),  # type: ignore[misc]
                    lambda _, a: "%777" in a.result["messages"][0]["content"]["text"],
                )
            )
        return {"prompts/get": found} if found else {}

    def names(self) -> list[str]:
        """Everything that can be asked here."""
        requests = [name for name in self.table() if "/" in name]
        return [*self.schemas, *requests]

    def ask(self, name: str, arguments: Json) -> Answer:
        return Answer(self.client.wait(self.start(name, arguments)))

    def start(self, name: str, arguments: Json) -> int:
        if "/" in name:
            return self.client.start(name, arguments)
        return self.client.start(
            "tools/call", {"name": name, "arguments": self._with_server(name, arguments)}
        )

    def _with_server(self, name: str, arguments: Json) -> Json:
        names_one = "server" in self.schemas.get(name, {}).get("properties", {})
        return {"server": "lab", **arguments} if names_one else arguments

    # Where text can stand

    def benign(self, name: str) -> list[Benign]:
        return self.table().get(name) or [Benign(lambda w: self._guess(w, name), lambda _, __: False)]

    def _guess(self, world: World, name: str) -> Json:
        """A valid call of a tool that nobody has written one for, as far as its schema tells."""
        names = {"target": world.scratch.cat, "source": world.scratch.cat2, "timeout": SHORT_SECONDS}
        properties: Json = self.schemas[name]["properties"]
        return {
            one: names.get(one, _example(schema)) for one, schema in properties.items() if one != "server"
        }

    def uncovered(self, name: str) -> list[str]:
        """String parameters that no benign call gives text to."""
        if "/" in name:
            return []
        given = {path[0] for one in self.table().get(name, []) for path in _leaves(one.arguments(self.world))}
        properties = self.schemas[name]["properties"]
        return [
            one
            for one, schema in properties.items()
            if _takes_text(schema) and one not in given and one != "server"  # `ask` always gives that one.
        ]

    def places(self, name: str) -> list[Place]:
        found: dict[object, Place] = {}
        for benign in self.benign(name):
            arguments = self._with_server(name, benign.arguments(self.world))
            for path in _leaves(arguments):
                found.setdefault((path, *sorted(arguments)), Place(benign, path))
        return list(found.values())

    def attempts(self, name: str, *, everything: bool) -> Iterator[Attempt]:
        self.world.kept = {"cursor": "none", "buffer": "none"}
        hostile = list(self._values(name, everything))
        for place in self.places(name):
            for family, value in hostile:
                if not self._rightly(name, place, family):
                    yield Attempt(place, family, value)

    def _values(self, name: str, everything: bool) -> Iterable[tuple[str, str]]:
        plain = values(self.world, everything=everything)
        yield from plain
        if name.startswith("resources/"):
            for family, value in plain:
                text = quote(value, safe="", errors="replace")
                for uri in (f"sessions/{text}", f"panes/{text}/content", f"sessions/scratch/windows/{text}"):
                    yield family, f"tmux://{uri}?socket_name=lab"
                yield family, f"tmux://sessions?socket_name={text}"

    def _rightly(self, name: str, place: Place, family: str) -> bool:
        """What is asked for there may be done: it is what the parameter is for."""
        spot = (name, place.path[0])
        if spot in RUNS_TEXT:
            return family in FOR_SHELLS
        if spot in WRITES_FILES:
            return family in {"paths", "sockets", "shell"}
        return (
            spot == ("set_option", "value") and self.tier == "destructive" and family in {"formats", "shell"}
        )

    def allowed(self, name: str) -> list[str]:
        """Canaries that this tool may touch: see `differences`."""
        stale = f"file {self.world.sockets.name}/stale"  # A server may be started there, as tmux would.
        more = ["sessions", "servers", stale] if name in MAKES_SESSIONS else []
        if name == "set_option" and self.tier == "destructive":
            more.append("lab options")  # Never hooks.
        return more

    # The attack

    def attack(self, name: str, *, everything: bool) -> list[str]:
        """Everything that happened and should not have; each with the value that did it."""
        self.world.ready()
        found = self._tried(name, self.attempts(name, everything=everything))
        return self._culprits(name, everything) or found if found else []

    def _tried(self, name: str, attempts: Iterable[Attempt]) -> list[str]:
        """What else changed while these were tried, and who had to wait."""
        before = self.world.taken(state=self.tier == "readonly")
        with Clock(self.world).running() as clock:
            try:
                for attempt in attempts:
                    self._try(name, attempt)
                found = self._look(name, before)
            except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                found = [f"ended or frozen: {error}"]
        return [*found, *clock.too_long]

    def _try(self, name: str, attempt: Attempt) -> None:
        arguments = self._arguments(name, attempt)
        if self.tier == "readonly":
            self._answers_meanwhile(name, arguments)
            return
        answer = self.ask(name, arguments)
        if answer.accepted and name not in self.readonly and "/" not in name:
            lost = [] if name in MAY_END_PANES else self.world.lost_panes()
            self.world.ready()
            assert not lost, f"{name} {arguments} ended {lost}"

    def _answers_meanwhile(self, name: str, arguments: Json) -> None:
        """A second request is answered within a second, however long the first one takes."""
        pid, call = self.client.process.pid, self.start(name, arguments)
        busy, started = cpu_seconds(pid), time.monotonic()
        self.client.wait(self.client.start("ping"))
        took, busy = time.monotonic() - started, cpu_seconds(pid) - busy
        assert took < SECONDS_TO_ANSWER or busy < SECONDS_TO_ANSWER / 2, f"a ping took {took:.1f} s"
        self.client.wait(call)

    def _arguments(self, name: str, attempt: Attempt) -> Json:
        arguments = copy.deepcopy(attempt.place.benign.arguments(self.world))
        if "timeout" in arguments and "/" not in name:
            arguments["timeout"] = SHORT_SECONDS
        arguments = self._with_server(name, arguments)
        _put(arguments, attempt.place.path, attempt.value)
        return arguments

    def _look(self, name: str, before: dict[str, str]) -> list[str]:
        now = self.world.taken(state=self.tier == "readonly")
        if now["lab complaint"] and name in MAY_END_PANES:  # A program that was told to end took its time.
            self.world.ready()
            now = self.world.taken()
        found = differences(before, now, self.allowed(name))
        self.world.send_strangers_away()
        return found

    def _culprits(self, name: str, everything: bool) -> list[str]:
        """The same again in a new world, place by place, then one by one, until three culprits are found."""
        found: list[str] = []
        end = time.monotonic() + PATIENCE_WITH_CULPRITS
        self.renew()
        for place in range(len(self.places(name))):
            if self._tried(name, self._at(name, place, everything)):
                self.renew()
                found += self._one_by_one(name, place, everything, 3 - len(found))
            if len(found) == 3 or (found and time.monotonic() > end):
                break
        return found

    def _at(self, name: str, place: int, everything: bool) -> list[Attempt]:
        """Of one place; its values name the canaries of the world as it is now."""
        where = self.places(name)[place].path
        return [one for one in self.attempts(name, everything=everything) if one.place.path == where]

    def _one_by_one(self, name: str, place: int, everything: bool, most: int) -> list[str]:
        found: list[str] = []
        attempts = self._at(name, place, everything)
        for index in range(len(attempts)):
            attempt = attempts[index]
            self.world.ready()
            if what := self._tried(name, [attempt]):
                found.append(f"{name} {attempt.place}={attempt.value[:120]!r} ({attempt.family}): {what[:3]}")
                self.renew()
                attempts = self._at(name, place, everything)
            if len(found) == most:
                break
        return found


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _leaves(value: object, path: Path_ = ()) -> Iterator[Path_]:
    """Where text stands: strings, and the names in objects below the arguments."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for name, one in value.items():
            if path:
                yield (*path, name, KEY)
            yield from _leaves(one, (*path, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _leaves(one, (*path, index))


def _put(arguments: Any, path: Path_, value: str) -> None:
    *way, last = path
    renamed = last is KEY
    if renamed:
        *way, last = way
    for step in way:
        arguments = arguments[step]
    if renamed:
        arguments[value] = arguments.pop(last)
    else:
        arguments[last] = value


def _takes_text(schema: Json) -> bool:
    if "anyOf" in schema:
        return any(_takes_text(one) for one in schema["anyOf"])
    return schema.get("type") in {"string", "object"} or (
        schema.get("type") == "array" and _takes_text(schema.get("items", {}))
    )


def _example(schema: Json) -> Any:
    """Something valid of this type."""
    if "anyOf" in schema:
        return _example(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"] if schema["default"] != "" else "x"
    kinds: Json = {"string": "x", "boolean": False, "integer": 1, "number": 1, "object": {"x": "x"}}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}))]
    return kinds.get(schema.get("type", "string"), "x")
