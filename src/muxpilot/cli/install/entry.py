"""What is written for muxpilot: an entry in the client's shape, joined with what was there before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muxpilot.cli.install.clients import Client, Keys, Shape


def entry(shape: Shape, launch: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    command, *arguments = launch
    start = {"command": [*launch]} if shape.one_list else {"command": command, "args": arguments}
    return {**shape.fixed, **start, **({shape.env: dict(env)} if env else {})}


def joined(shape: Shape, before: object, ours: Mapping[str, object]) -> dict[str, object]:
    """Ours, with the settings that a person has added: variables, timeouts, tools that are shut off."""
    if not isinstance(before, Mapping):
        return dict(ours)
    env = {**_env(shape, before), **_env(shape, ours)}
    kept = before if starts_a_command(before) else {}
    return {**kept, **ours, **({shape.env: env} if env else {})}


def starts_a_command(before: object) -> bool:
    """Not so: an entry with the address of a server. Its settings mean nothing here."""
    return isinstance(before, Mapping) and "command" in before


def changes(before: object, after: Mapping[str, object]) -> list[tuple[Keys, object]]:
    """The fewest values to put, so that comments between the others stay."""
    if not isinstance(before, Mapping) or any(key not in after for key in before):
        return [((), after)]
    found: list[tuple[Keys, object]] = []
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            found += [((key, *keys), deeper) for keys, deeper in changes(old, value)]
        elif key not in before or old != value:
            found.append(((key,), value))
    return found


def servers(client: Client, config: Mapping[str, object], name: str) -> Keys:
    """Where in the file the entry is; else where it belongs."""
    tables = {keys: at(config, keys) for keys in client.servers}
    for keys, table in tables.items():
        if isinstance(table, Mapping) and name in table:
            return keys
    holds_servers = (keys for keys, table in tables.items() if _only_objects(table))
    return next(holds_servers, client.servers[-1])


def at(config: Mapping[str, object], keys: Keys) -> object:
    """None where nothing is."""
    value: object = config
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _only_objects(table: object) -> bool:
    return isinstance(table, Mapping) and all(isinstance(value, Mapping) for value in table.values())


def _env(shape: Shape, entry: Mapping[str, object]) -> Mapping[str, object]:
    env = entry.get(shape.env)
    return env if isinstance(env, Mapping) else {}
