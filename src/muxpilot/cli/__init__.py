"""The `muxpilot` command."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from muxpilot import __version__
from muxpilot.cli.install.options import describe as describe_install
from muxpilot.errors import MuxpilotError

DESCRIPTION = """\
Real terminals on tmux for AI agents, over MCP.

With no command it serves MCP over standard input and output: that is what an MCP client starts.
Settings come from MUXPILOT_* variables (MUXPILOT_SOCKET, MUXPILOT_SAFETY, ...); see the README.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments) or 0)
    except MuxpilotError as error:
        print(f"muxpilot: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="muxpilot", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"muxpilot {__version__}")
    parser.set_defaults(run=_serve)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    commands.add_parser("serve", help="serve MCP over stdio (the default)").set_defaults(run=_serve)
    install = commands.add_parser("install", help="write muxpilot into an MCP client's configuration")
    install.set_defaults(run=_install)
    describe_install(install)
    doctor = commands.add_parser("doctor", help="look at what muxpilot needs, and say what to do")
    doctor.set_defaults(run=_doctor)
    commands.add_parser("demo", help="start a server, drive a terminal, show it").set_defaults(run=_demo)
    return parser


# Imported where they are needed: `--help` and `--version` must not wait for the server.


def _serve(_: argparse.Namespace) -> int:
    from muxpilot.config import Settings  # noqa: PLC0415

    settings = Settings.from_environ()  # First: who has written nonsense there is told at once.

    import anyio  # noqa: PLC0415

    from muxpilot.mcp.app import build  # noqa: PLC0415
    from muxpilot.mcp.log import LogFormatter  # noqa: PLC0415
    from muxpilot.mcp.stdio import serve  # noqa: PLC0415
    from muxpilot.tmux import wait_without_threads  # noqa: PLC0415

    wait_without_threads()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogFormatter("muxpilot %(levelname)s %(message)s"))
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    anyio.run(serve, build(settings))
    return 0


def _install(arguments: argparse.Namespace) -> int:
    from muxpilot.cli.install.command import run  # noqa: PLC0415

    return run(arguments)


def _doctor(_: argparse.Namespace) -> int:
    from muxpilot.cli.doctor import run  # noqa: PLC0415

    return run()


def _demo(_: argparse.Namespace) -> int:
    from muxpilot.cli.demo import run  # noqa: PLC0415

    return run()
