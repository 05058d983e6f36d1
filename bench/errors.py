"""What can keep a figure from being taken.

BenchError
├── LabFull           this machine does not allow as many panes
├── Mismatch          the two sides answered differently, so their times can't be compared
├── PeerUnavailable   the peer could not be installed here
└── ServerFailed      an MCP server ended, fell silent, or answered with an error
"""

# Named for the condition, as muxpilot.errors are.

from __future__ import annotations


class BenchError(Exception):
    """The root of them all."""


class LabFull(BenchError): ...


class Mismatch(BenchError): ...


class PeerUnavailable(BenchError): ...


class ServerFailed(BenchError): ...
