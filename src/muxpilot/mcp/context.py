"""What a tool gets to work with: the settings and the tmux servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from muxpilot.config import Settings, Tier
from muxpilot.mcp.large import LargeAnswers
from muxpilot.mcp.views import pane_view
from muxpilot.terminal.attention import Attention
from muxpilot.terminal.caller import Caller
from muxpilot.terminal.cursors import Cursors
from muxpilot.terminal.model import Pane
from muxpilot.terminal.run import Runner
from muxpilot.terminal.snapshot import EVERYTHING, Snapshot, take_snapshot
from muxpilot.terminal.store import Store
from muxpilot.terminal.target import (
    is_pane_id,
    is_session_id,
    is_window_id,
    parts_for,
    require_kind,
    resolve,
    resolve_session,
)
from muxpilot.terminal.terminals import Terminals
from muxpilot.terminal.vigil import Progress
from muxpilot.tmux import Endpoint, ServerPool, TmuxServer

Report = Callable[[float, float], Awaitable[None]]
_IDS = {"pane": is_pane_id, "window": is_window_id, "session": is_session_id}
Reader = Callable[["Context", str, dict[str, Any]], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Context:
    settings: Settings
    servers: ServerPool
    caller: Caller
    attention: Attention
    cursors: Cursors
    runner: Runner
    terminals: Terminals
    read: Reader
    """Calls another tool that changes nothing, and returns its answer."""
    large: LargeAnswers = field(default_factory=LargeAnswers)
    report: Report | None = None
    """Tells the client how far this call has come, where it asked to be told."""

    @classmethod
    def from_settings(cls, settings: Settings, read: Reader) -> Context:
        endpoint = Endpoint(settings.server, settings.tmux_bin, settings.tmux_config, named_by_settings=True)
        caller = Caller(
            settings.caller_pane,
            settings.caller_socket,
            settings.caller_server_pid,
            may_type=settings.type_in_own_pane,
        )
        runner = Runner(Store(settings.state_dir, settings.disk_limit))
        return cls(
            settings,
            ServerPool(endpoint, settings.timeout, settings.session, caller.check),
            caller,
            Attention(),
            Cursors(),
            runner,
            Terminals(runner, settings.session),
            read,
        )

    async def close(self) -> None:
        """Leave nothing of ours in the user's tmux."""
        self.cursors.close()
        await self.servers.close()

    def progress(self, total: float) -> Progress | None:
        """For a wait of `total` seconds."""
        report = self.report
        if report is None:
            return None
        return lambda elapsed: report(min(elapsed, total), total)

    def tmux(self, server: str | None) -> TmuxServer:
        return self.servers.get(server)

    async def snapshot(self, server: str | None, *parts: str) -> Snapshot:
        """These parts, or everything; a part may be named more than once."""
        return await take_snapshot(self.tmux(server), tuple(dict.fromkeys(parts)) or EVERYTHING)

    @property
    def may_end_sessions(self) -> bool:
        return self.settings.tier >= Tier.DESTRUCTIVE

    async def exact_id(self, kind: str, target: str, server: str | None, tools: str = "kill") -> str:
        """The id of what `target` names, for what must not widen: a window's id never means its session.

        Raises:
            TargetError: it names something of another kind; the hint says which of these `tools` is meant.
        """
        if _IDS[kind](target):
            return target
        found = resolve(await self.snapshot(server, *parts_for(target)), target)
        require_kind(found, target, kind, tools)
        return found.id

    async def pane_id(self, target: str, server: str | None) -> str:
        """The pane that `target` names. A pane id needs no look-up: tmux takes it as it is, or says no."""
        if is_pane_id(target):
            return target
        return resolve(await self.snapshot(server, *parts_for(target)), target).pane_id

    async def window_id(self, target: str, server: str | None) -> str:
        if is_window_id(target):
            return target
        return resolve(await self.snapshot(server, *parts_for(target)), target).window_id

    async def session_id(self, target: str, server: str | None) -> str:
        if is_session_id(target):
            return target
        return resolve_session(await self.snapshot(server, *parts_for(target)), target).session_id

    async def pane_to_type_in(self, target: str, server: str | None) -> str:
        """Like `pane_id`, for tools that type. Raises `PaneRefused` for the pane that we run in ourselves.

        The guard of the tmux server refuses it too, but only when half of the work may have been done.
        """
        pane_id = await self.pane_id(target, server)
        await self.caller.guard_typing(pane_id, self.tmux(server))
        return pane_id

    async def pane_to_end(self, target: str, server: str | None, tools: str = "kill") -> str:
        """Like `exact_id`, for tools that end what runs there. Raises `PaneRefused` for our own pane, even if
        typing into it is allowed."""
        pane_id = await self.exact_id("pane", target, server, tools)
        await self.caller.guard_ending(pane_id, self.tmux(server))
        return pane_id

    async def pane_view(self, pane: Pane, server: str | None) -> dict[str, Any]:
        """A pane as tools show it."""
        ours = await self.caller.panes_on(self.tmux(server))
        return {**pane_view(pane), "is_caller": pane.pane_id in ours}
