"""A client's configuration file, opened: what is in it, and how it is changed.

Every edit is read back before it is saved: it must say what was there, and what was asked for, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from muxpilot.cli.install import files, jsonc_edit, toml
from muxpilot.cli.install.clients import Client, Keys
from muxpilot.cli.install.entry import at, changes, servers
from muxpilot.cli.install.failure import ConfigRefused, Malformed

BY_HAND = "Nothing was changed. --print shows what to add by hand"


class Format(Protocol):
    """A module that edits text and leaves the rest of it alone. Raises Malformed."""

    def parse(self, text: str) -> dict[str, object]: ...

    def put(self, text: str, keys: Keys, value: object) -> str: ...

    def drop(self, text: str, keys: Keys) -> str: ...


FORMATS: Mapping[str, Format] = {"jsonc": jsonc_edit, "toml": toml}


@dataclass(frozen=True, slots=True)
class Document:
    file: Path
    format: Format
    content: bytes | None
    """None: there is no file yet."""
    config: dict[str, object]
    keys: Keys
    """The way to the entry, whether there is one or not."""

    @classmethod
    def open(cls, client: Client, file: Path, name: str) -> Document:
        """Raises ConfigRefused where it can't be read, or means nothing."""
        content, form = files.read(file), FORMATS[client.format]
        try:
            config = form.parse(files.text(content))
        except Malformed as error:
            raise ConfigRefused(f"{file}, {error}", hint=BY_HAND) from None
        return cls(file, form, content, config, (*servers(client, config, name), name))

    @property
    def entry(self) -> object:
        return at(self.config, self.keys)

    def install(self, entry: Mapping[str, object]) -> Path | None:
        """Put the entry there and save; returns the backup, where there was a file before."""
        text, expected = files.text(self.content), deepcopy(self.config)
        try:
            for keys, value in changes(self.entry, entry):
                text = self.format.put(text, (*self.keys, *keys), value)
        except Malformed as error:
            raise ConfigRefused(f"{self.file}, {error}", hint=BY_HAND) from None
        _holder(expected, self.keys)[self.keys[-1]] = entry
        return self._save(text, expected)

    def remove(self) -> Path | None:
        """Take the entry out and save; returns the backup."""
        expected = deepcopy(self.config)
        del _holder(expected, self.keys)[self.keys[-1]]
        try:
            text = self.format.drop(files.text(self.content), self.keys)
        except Malformed:
            raise self._unsafe() from None
        return self._save(text, expected)

    def _save(self, text: str, expected: dict[str, object]) -> Path | None:
        if not self._says(text, expected):
            raise self._unsafe()
        return files.write(self.file, self.content, text.encode())

    def _unsafe(self) -> ConfigRefused:
        return ConfigRefused(f"{self.file} is written in a way that can't be edited safely", hint=BY_HAND)

    def _says(self, text: str, expected: dict[str, object]) -> bool:
        try:
            return _filled(self.format.parse(text)) == _filled(expected)
        except Malformed:
            return False


def snippet(client: Client, keys: Keys, entry: Mapping[str, object]) -> str:
    """The entry alone, as a file that holds nothing else."""
    return FORMATS[client.format].put("", keys, entry)


def _holder(config: dict[str, object], keys: Keys) -> dict[str, object]:
    for key in keys[:-1]:
        deeper = config.setdefault(key, {})
        assert isinstance(deeper, dict)
        config = deeper
    return config


def _filled(config: Mapping[str, object]) -> dict[str, object]:
    """Without empty objects at the top: a TOML table is gone with the last thing in it."""
    return {key: value for key, value in config.items() if value != {}}
