"""Hostile values in every place of a call where text can stand, every other argument valid; then a look at the canaries.

The places come from the calls of `benign`, and, for what is not in there, from the schema that the server lists.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.mcp.client import RawClient, mcp_server
from tests.security.benign import REQUESTS, TABLES, Answer, Benign, Json
from tests.security.hostile import values
from tests.security.world import Clock, World, differences

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
SHORT_SECONDS = 0.05
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

    def __init__(self, world: World, client: RawClient, toolset: str, tier: str) -> None:
        self.world = world
        self.client = client
        self.toolset = toolset
        self.tier = tier
        listed = client.request("tools/list")["tools"]
        self.schemas: dict[str, Json] = {one["name"]: one["inputSchema"] for one in listed}
        self.readonly = {one["name"] for one in listed if one.get("annotations", {}).get("readOnlyHint")}

    def table(self) -> dict[str, list[Benign]]:
        return {**TABLES[self.toolset], **(REQUESTS if self.toolset == "full" else {}), **self._prompts()}

    def _prompts(self) -> dict[str, list[Benign]]:
        """Every prompt that is listed; what it is given must be in its text."""
        if self.toolset != "full":
            return {}
        found = []
        for prompt in self.client.request("prompts/list")["prompts"]:
            given = {
                one["name"]: "7" if one["name"] == "timeout" else "%777" for one in prompt.get("arguments", [])
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
        if "/" in name:
            return Answer(self.client.wait(self.client.start(name, arguments)))
        if "server" in self.schemas.get(name, {}).get("properties", {}):
            arguments = {"server": "lab", **arguments}
        asked = {"name": name, "arguments": arguments}
        return Answer(self.client.wait(self.client.start("tools/call", asked)))

    # Where text can stand

    def benign(self, name: str) -> list[Benign]:
        return self.table().get(name) or [Benign(lambda w: self._guess(w, name), lambda _, __: False)]

    def _guess(self, world: World, name: str) -> Json:
        """A valid call of a tool that nobody has written one for, as far as its schema tells."""
        names = {"target": world.scratch.cat, "source": world.scratch.cat2, "timeout": SHORT_SECONDS}
        properties: Json = self.schemas[name]["properties"]
        return {one: names.get(one, _example(schema)) for one, schema in properties.items() if one != "server"}

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
            self._prepare(benign)
            arguments = benign.arguments(self.world)
            if "server" in self.schemas.get(name, {}).get("properties", {}):
                arguments = {**arguments, "server": "lab"}
            for path in _leaves(arguments):
                found.setdefault((path, *sorted(arguments)), Place(benign, path))
        return list(found.values())

    def _prepare(self, benign: Benign) -> None:
        if benign.before.__name__ != "<lambda>" or self.tier != "readonly":
            self.world.kept = {"cursor": "none", "buffer": "none"}

    def attempts(self, name: str, *, everything: bool) -> Iterator[Attempt]:
        for place in self.places(name):
            for family, value in self._values(name, place, everything):
                if not self._rightly(name, place, family):
                    yield Attempt(place, family, value)

    def _values(self, name: str, place: Place, everything: bool) -> Iterable[tuple[str, str]]:
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
        return spot == ("set_option", "value") and self.tier == "destructive" and family in {"formats", "shell"}

    def allowed(self, name: str) -> list[str]:
        """Canaries that this tool may touch: see `differences`."""
        more = ["sessions", "servers"] if name in MAKES_SESSIONS else []
        if name == "set_option" and self.tier == "destructive":
            more.append("lab options")  # Never hooks.
        return more

    # The attack

    def attack(self, name: str, *, everything: bool) -> list[str]:
        """Everything that happened and should not have; each with the value that did it."""
        self.world.ready()
        before = self.world.taken(state=self.tier == "readonly")
        with Clock(self.world).running() as clock:
            for attempt in self.attempts(name, everything=everything):
                self._try(name, attempt)
        found = self._look(name, before) + clock.too_long
        return self._culprits(name, everything) or found if found else []

    def _try(self, name: str, attempt: Attempt) -> None:
        arguments = self._arguments(name, attempt)
        ping = self.client.start("ping") if self.tier == "readonly" else None
        answer = self.ask(name, arguments)
        if ping is not None:
            self.client.wait(ping)
        if answer.accepted and name not in self.readonly and "/" not in name:
            self.world.ready()

    def _arguments(self, name: str, attempt: Attempt) -> Json:
        arguments = copy.deepcopy(attempt.place.benign.arguments(self.world))
        if "timeout" in arguments and "/" not in name:
            arguments["timeout"] = SHORT_SECONDS
        if "server" in self.schemas.get(name, {}).get("properties", {}):
            arguments.setdefault("server", "lab")
        _put(arguments, attempt.place.path, attempt.value)
        return arguments

    def _look(self, name: str, before: dict[str, str]) -> list[str]:
        found = differences(before, self.world.taken(state=self.tier == "readonly"), self.allowed(name))
        self.world.send_strangers_away()
        return found

    def _culprits(self, name: str, everything: bool) -> list[str]:
        """The same again in a new world, one by one, until three are found that do it by themselves."""
        found: list[str] = []
        self.world.renew()
        for attempt in list(self.attempts(name, everything=everything)):
            self.world.ready()
            before = self.world.taken(state=self.tier == "readonly")
            with Clock(self.world).running() as clock:
                self._try(name, attempt)
            if what := self._look(name, before) + clock.too_long:
                found.append(f"{name} {attempt.place}={attempt.value[:120]!r} ({attempt.family}): {what[:3]}")
                self.world.renew()
            if len(found) == 3:
                break
        return found


@contextmanager
def attacker(world: World, toolset: str, tier: str) -> Iterator[Attacker]:
    """In the world's own folder, so that relative paths lead nowhere else. Each call names its server, if it can."""
    settings = {"toolsets": toolset, "safety": tier, "state_dir": str(world.state)}
    if toolset == "full":
        settings |= {"socket": "absent", "prompts_as_tools": "1"}
    with ExitStack() as stack:
        with _inside(world.folder):
            client = stack.enter_context(mcp_server(world.lab, fresh=True, **settings))
        yield Attacker(world, client, toolset, tier)


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
