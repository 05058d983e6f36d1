"""What can keep a figure from being taken.

BenchError
├── LabFull           this machine does not allow as many panes
├── Mismatch          a side answered something else than ours, so their times can't be compared
├── PeerUnavailable   a peer could not be installed here
└── ServerFailed      an MCP server ended or fell silent: what runs of it is no longer of use
    └── Refused       it answered, but with an error
"""

# Named for the condition, as muxpilot.errors are.

from __future__ import annotations


class BenchError(Exception):
    """The root of them all."""


class LabFull(BenchError): ...


class Mismatch(BenchError): ...


class PeerUnavailable(BenchError): ...


class ServerFailed(BenchError): ...


class Refused(ServerFailed): ...
