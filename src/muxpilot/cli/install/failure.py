"""Why a configuration file is left as it is. Nothing has been changed when one of these is raised."""

from __future__ import annotations

from muxpilot.errors import MuxpilotError


class ConfigRefused(MuxpilotError):
    """The file can't be read, can't be understood, or can't be written."""

    condition = "config_refused"


class Malformed(Exception):
    """Text that is not what its format allows, and where: line and column count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")

    @classmethod
    def at(cls, text: str, offset: int, message: str) -> Malformed:
        return cls(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
