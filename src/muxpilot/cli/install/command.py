"""`muxpilot install`: what is asked for, done or refused, and told in a few lines.

Exit status 0: it is so now. 1: the file was left as it is. 2: what was asked for makes no sense.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from muxpilot.cli.install.clients import CLIENTS, Client
from muxpilot.cli.install.document import Document, snippet
from muxpilot.cli.install.entry import entry, joined
from muxpilot.cli.install.failure import ConfigRefused
from muxpilot.cli.install.launch import launch
from muxpilot.cli.install.places import config_file
from muxpilot.config import Settings
from muxpilot.errors import BadInput

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def run(arguments: argparse.Namespace) -> int:
    """Returns the exit status. Raises BadInput, before anything is read."""
    _check(arguments)
    try:
        _act(arguments)
    except ConfigRefused as error:
        print(f"muxpilot: {error}", file=sys.stderr)
        return 1
    return 0


def _act(arguments: argparse.Namespace) -> None:
    client = CLIENTS.get(arguments.client)
    if client is None or arguments.list:
        _list([client] if client else [*CLIENTS.values()], arguments)
    elif arguments.remove:
        _remove(client, _file(client, arguments), arguments.name)
    elif arguments.print:
        _print(client, _file(client, arguments), arguments.name, _ours(client, arguments))
    else:
        _install(client, _file(client, arguments), arguments.name, _ours(client, arguments))


def _install(client: Client, file: Path, name: str, ours: dict[str, object]) -> None:
    document = Document.open(client, file, name)
    before, after = document.entry, joined(client.shape, document.entry, ours)
    if before == after:
        print(f"Already installed: {name} is in {file}")
        return
    backup = document.install(after)
    print(f"{'Installed' if before is None else 'Replaced'} {name} in {file}")
    if kept := [key for key in after if key not in ours]:
        print(f"Kept what was set there: {', '.join(kept)}")
    _tell_backup(backup)
    print(f'Next: restart {client.title}, then ask it: "Run uname -a in a terminal."')


def _remove(client: Client, file: Path, name: str) -> None:
    document = Document.open(client, file, name)
    if document.entry is None:
        print(f"Not installed: {name} is not in {file}")
        return
    backup = document.remove()
    print(f"Removed {name} from {file}")
    _tell_backup(backup)
    print(f"Next: restart {client.title}.")


def _print(client: Client, file: Path, name: str, ours: dict[str, object]) -> None:
    """Also for a file that makes no sense: this is how to go on by hand."""
    keys, after = (*client.servers[-1], name), ours
    try:
        document = Document.open(client, file, name)
        keys, after = document.keys, joined(client.shape, document.entry, ours)
    except ConfigRefused as error:
        print(f"muxpilot: {error.message}", file=sys.stderr)
    print(f"In {file}:\n\n{snippet(client, keys, after)}", end="")


def _list(clients: list[Client], arguments: argparse.Namespace) -> None:
    row = "{:<15} {:<11} {}".format
    print(row("CLIENT", "INSTALLED", "FILE"))
    for client in clients:
        file = _file(client, arguments)
        print(row(client.name, _state(client, file, arguments.name), file))


def _state(client: Client, file: Path, name: str) -> str:
    try:
        document = Document.open(client, file, name)
    except ConfigRefused:
        return "unreadable"
    return "no file" if document.content is None else "no" if document.entry is None else "yes"


def _tell_backup(backup: Path | None) -> None:
    if backup:
        print(f"Backup: {backup}")


def _file(client: Client, arguments: argparse.Namespace) -> Path:
    given = arguments.config
    return Path(given).expanduser().absolute() if given else config_file(client)


def _ours(client: Client, arguments: argparse.Namespace) -> dict[str, object]:
    command, env = launch(arguments.command), _env(arguments.env)
    try:
        "".join([*command, *env.values()]).encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"{command} {env} is not UTF-8 text", hint="No configuration file can hold it"
        ) from None
    return entry(client.shape, command, env)


def _check(arguments: argparse.Namespace) -> None:
    if arguments.client is None and (arguments.remove or arguments.print or arguments.config):
        raise BadInput("no client is named", hint=f"One of {', '.join(CLIENTS)}")
    if not _NAME.fullmatch(arguments.name):
        raise BadInput(
            f"--name is {arguments.name!r}", hint="Letters, digits, '_' and '-' are what clients take"
        )
    # A setting that muxpilot would refuse is better refused now than when the client starts it.
    Settings.from_environ(_env(arguments.env))


def _env(given: list[str]) -> dict[str, str]:
    pairs = [_VARIABLE.fullmatch(pair) for pair in given]
    for text, pair in zip(given, pairs, strict=True):
        if pair is None:
            raise BadInput(f"--env is {text!r}", hint="It must be KEY=VALUE")
    return {pair[1]: pair[2] for pair in pairs if pair}
