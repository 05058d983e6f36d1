"""The command line of `muxpilot install`. Read at every start, so it imports nothing that takes time."""

from __future__ import annotations

import argparse

from muxpilot.cli.install.clients import CLIENTS

DESCRIPTION = """\
Write muxpilot into an MCP client's own configuration file.

The file is made where it is missing. In one that exists, everything else stays as it is, comments too,
and a backup is kept beside it. Without CLIENT: which clients there are, and where muxpilot is already.
"""

EXAMPLES = """\
examples:
  muxpilot install claude-code
  muxpilot install codex --env MUXPILOT_SAFETY=readonly
  muxpilot install vscode --config .vscode/mcp.json
  muxpilot install zed --print
  muxpilot install cursor --remove
"""


def describe(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "client", nargs="?", choices=CLIENTS, metavar="CLIENT", help=f"one of: {', '.join(CLIENTS)}"
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--print", action="store_true", help="show the file and the entry, change nothing")
    action.add_argument("--remove", action="store_true", help="take the entry out again")
    action.add_argument("--list", action="store_true", help="show where muxpilot is installed")
    parser.add_argument("--name", default="muxpilot", help="name of the entry (default: muxpilot)")
    parser.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a variable for muxpilot; can be given again",
    )
    parser.add_argument("--command", metavar="PATH", help="what to start (default: this muxpilot)")
    parser.add_argument("--config", metavar="PATH", help="another file than the client's own, as a project's")
