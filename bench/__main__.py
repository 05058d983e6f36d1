"""`python -m bench`: measure, print the tables, keep them, and renew the table in the README."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import crowds, engine, floods, noise, readme, runs, searches, servers, sleepers, starts, waits
from bench.errors import BenchError
from bench.measure import Plan
from bench.peers import PEERS, Contender, prepare
from bench.progress import say
from bench.report import RESULTS, Report, facts
from bench.rows import Row
from bench.sides import tried


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is measured: how often, at how many panes, at which lengths of scrollback and output."""

    plan: Plan
    panes: Sequence[int] = (1, 100, 1000)
    scrollback: Sequence[int] = searches.LENGTHS
    output: Sequence[int] = runs.LENGTHS


WHOLE = Scope(Plan(20, 8.0, burst=10, fewest=2))
QUICK = Scope(Plan(2, 1.0, burst=3, fewest=1), (1, 100), (2_000,), (1, 100, 100_000))

Found = tuple[list[Row], list[str]]
"""Rows, and what there is to say about them."""
Part = Callable[[Scope, Sequence[Contender]], Awaitable[Found]]

PARTS: dict[str, Part] = {
    "start": lambda scope, peers: starts.measure(scope.plan, peers),
    "server": lambda scope, peers: servers.measure(scope.plan, scope.panes, peers),
    "search": lambda scope, peers: searches.measure(scope.plan, scope.scrollback, peers),
    "wait": lambda scope, peers: waits.measure(scope.plan, peers),
    "run": lambda scope, peers: runs.measure(scope.plan, scope.output, peers),
    "crowd": lambda scope, peers: crowds.measure(scope.plan, peers),
    "sleepers": lambda scope, peers: sleepers.measure(scope.plan, peers),
    "noise": lambda scope, peers: noise.measure(scope.plan, peers),
    "engine": lambda scope, _peers: engine.measure(scope.plan, scope.panes),
    "flood": lambda scope, _peers: floods.measure(scope.plan),
}
"""In the order of the tables."""
ALONE = {"engine", "flood"}
"""Parts in which peers have no part."""


def main() -> int:
    """Run it; returns the exit status: 1 where something of ours could not be measured."""
    options = _options()
    if options.readme:
        return _renew_readme()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # So that every `finally` is reached.
    try:
        report, failed = asyncio.run(_measure(options))
    except KeyboardInterrupt:
        return 130
    print(report.text(), flush=True)
    _keep(report, options, failed)
    return int(failed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure one part")
    parser.add_argument("--quick", action="store_true", help="few rounds, and not the largest sizes")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="keep the results there, whatever was measured"
    )
    parser.add_argument(
        "--readme", action="store_true", help="renew the README from the results that are kept"
    )
    return parser.parse_args()


async def _measure(options: argparse.Namespace) -> tuple[Report, bool]:
    """A part that fails leaves the others as they are, and says so."""
    scope = QUICK if options.quick else WHOLE
    rows: list[Row] = []
    notices: list[str] = []
    failed = False
    peers = [] if options.only in ALONE else tried([prepare(peer) for peer in PEERS])
    for part in [options.only] if options.only else PARTS:
        started = time.monotonic()
        try:
            found, said = await PARTS[part](scope, peers)
            rows, notices = rows + found, notices + said
        except (BenchError, TimeoutError) as error:
            failed = True
            notices.append(f"{part} could not be measured: {error}")
            say(notices[-1])
        say(f"{part} took {time.monotonic() - started:.0f} s")
    versions = {name: version for peer in peers for name, version in peer.versions.items()}
    return Report(facts(versions), rows, notices), failed


def _keep(report: Report, options: argparse.Namespace, failed: bool) -> None:
    if options.out:
        report.save(options.out)
    elif options.only or options.quick or failed:
        say(f"a partial or quick run is not kept: bench/{RESULTS.name}/ is as it was")
    else:
        report.save()
        _renew_readme()


def _renew_readme() -> int:
    """From what is kept; returns the exit status."""
    try:
        report = Report.load()
    except (OSError, LookupError):
        say(f"bench/{RESULTS.name}/ has no results that can be read: a whole run makes them")
        return 1
    if readme.refresh(report):
        return 0
    say("the README has no <!-- bench --> and <!-- /bench --> to write between")
    return 1


sys.exit(main())
