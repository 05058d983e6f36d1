"""`python -m bench`: measure, print the table, keep it."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence

from bench import engine, floods, runs, searches, servers, waits
from bench.errors import BenchError, PeerUnavailable
from bench.measure import Plan, Row
from bench.peer import Peer, prepare
from bench.progress import say
from bench.report import Report, facts

CAREFUL, QUICK = Plan(20, burst=10), Plan(4, 5.0, burst=5)
FULL_STAGES, STAGES = (1, 100, 1000), (1, 100)

Found = tuple[list[Row], list[str]]
"""Rows, and what there is to say about them."""

PARTS: dict[str, Callable[[Plan, Sequence[int], Peer | None], Awaitable[Found]]] = {
    "engine": lambda plan, _stages, _peer: engine.measure(plan),
    "server": servers.measure,
    "search": lambda plan, _stages, peer: searches.measure(plan, peer),
    "wait": lambda plan, _stages, peer: waits.measure(plan, peer),
    "run": lambda plan, _stages, peer: runs.measure(plan, peer),
    "flood": lambda plan, _stages, _peer: floods.measure(plan),
}
"""In the order of the table."""
ALONE = {"engine", "flood"}
"""Parts in which the peer has no part."""


def main() -> int:
    """Run it; returns the exit status."""
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # So that every `finally` is reached.
    try:
        report = asyncio.run(_measure(options))
    except KeyboardInterrupt:
        return 130
    except BenchError as error:
        say(str(error))
        return 1
    print(report.text(), flush=True)
    if options.only or options.quick:
        say("a partial or quick run is not kept: bench/results/ is as it was")
    else:
        report.save()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure one part")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--full", action="store_true", help="the servers with 1,000 panes too")
    return parser.parse_args()


async def _measure(options: argparse.Namespace) -> Report:
    plan = QUICK if options.quick else CAREFUL
    stages = FULL_STAGES if options.full else STAGES
    rows: list[Row] = []
    notices: list[str] = []
    peer = None if options.only in ALONE else _peer(notices)
    for part in [options.only] if options.only else PARTS:
        found, said = await PARTS[part](plan, stages, peer)
        rows, notices = rows + found, notices + said
    return Report(facts(peer.versions if peer else {}), rows, notices)


def _peer(notices: list[str]) -> Peer | None:
    try:
        return prepare()
    except PeerUnavailable as missing:
        notices.append(f"{missing}: our own figures only")
        say(notices[-1])
        return None


sys.exit(main())
