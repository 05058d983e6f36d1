"""Plays the story on real programs: a muxpilot over stdio, a private tmux, and a person's attached client.

The person's terminal is a pane of a second private tmux that runs `tmux attach`; so what is captured is what
a person sees, the status line too. Both servers have sockets in a temporary folder and are ended with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from scripts.picture import story
from scripts.picture.screen import Screen, parse
from scripts.picture.story import Answer, Json, Step

PATIENCE = 30.0
LOOK_AGAIN = 0.04
STANDS = 5
"""Looks that a screen must stand unchanged to be told: what only flickers by is different in each run."""
_TOOK = re.compile(r"(?<= in )\d\.\d\d(?=s)")
"""How long pytest took: the one thing on the screen that is different in each run."""


@dataclass(frozen=True, slots=True)
class Played:
    """One call: what the screen showed before, meanwhile and after it, and the answer."""

    step: Step
    before: Screen
    meanwhile: tuple[Screen, ...]
    after: Screen
    answer: Answer


class StoryFailed(Exception):
    """The real thing did something else than the story says."""


def play() -> list[Played]:
    """The whole story, as it went."""
    with _stage() as stage:
        return anyio.run(_play, stage)


class _Stage:
    def __init__(self, folder: Path) -> None:
        self.project = folder / "shop"
        keep = {name: os.environ[name] for name in ("PATH",)}
        here = Path(sys.executable).parent
        self.environ = {
            **keep,
            "PATH": f"{here}:{keep['PATH']}",
            "HOME": str(folder),
            "TMUX_TMPDIR": str(folder),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "PYTEST_ADDOPTS": "-p no:cacheprovider --color=yes",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MUXPILOT_SOCKET": "inner",
            "MUXPILOT_STATE_DIR": str(folder / "state"),
        }

    def tmux(self, socket: str, *argv: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-L", socket, *argv],
            env=self.environ,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        return done.stdout

    def build(self, folder: Path) -> None:
        self.project.mkdir()
        for name, content in story.FILES.items():
            (self.project / name).write_text(content)
            (self.project / name).chmod(0o644 if name.endswith(".py") else 0o755)
        (folder / ".bashrc").write_text(story.BASHRC)
        (folder / ".tmux.conf").write_text(story.TMUX_CONF)
        size = ["-x", str(story.SIZE[0]), "-y", str(story.SIZE[1])]
        self.tmux("inner", "new-session", "-d", "-s", story.SESSION, "-c", str(self.project), *size, "bash")
        self.tmux("outer", "-f", "/dev/null", "new-session", "-d", *size, "sh")
        self.tmux("outer", "set-option", "-g", "status", "off")
        attach = f"TMUX= exec tmux -u -L inner attach -t {story.SESSION}"
        self.tmux("outer", "respawn-pane", "-k", attach)

    def type(self, text: str) -> None:
        """As the person, at the attached terminal."""
        self.tmux("outer", "send-keys", "-l", text)
        self.press("Enter")

    def press(self, key: str) -> None:
        self.tmux("outer", "send-keys", key)

    def look(self) -> Screen:
        where = "#{cursor_x} #{cursor_y} #{cursor_flag}"
        printed = self.tmux("outer", "capture-pane", "-e", "-N", "-p", ";", "display-message", "-p", where)
        captured, _, last = printed.removesuffix("\n").rpartition("\n")
        x, y, shown = (int(word) for word in last.split())
        return parse(_TOOK.sub("0.02", captured), (x, y) if shown else None)


@contextmanager
def _stage() -> Iterator[_Stage]:
    if shutil.which("tmux") is None:
        raise StoryFailed("tmux is needed")
    with tempfile.TemporaryDirectory(prefix="muxpilot-picture-") as name:
        stage = _Stage(Path(name))
        try:
            stage.build(Path(name))
            yield stage
        finally:
            for socket in ("outer", "inner"):
                argv = ["tmux", "-L", socket, "kill-server"]
                subprocess.run(argv, env=stage.environ, capture_output=True, check=False)


async def _play(stage: _Stage) -> list[Played]:
    await _settled(stage, "$")
    stage.type("ls")
    await _settled(stage, "cart.py")
    server = StdioServerParameters(command=sys.executable, args=["-m", "muxpilot"], env=stage.environ)
    async with Client(stdio_client(server)) as client:
        return [await _step(stage, client, step) for step in story.STEPS]


async def _step(stage: _Stage, client: Client, step: Step) -> Played:
    if step.person_first:
        stage.press(step.person_first)
    before = await _settled(stage)
    seen: list[Screen] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_watch, stage, seen)
        if step.typed:
            tasks.start_soon(_person, stage, step.typed)
        with anyio.fail_after(PATIENCE):
            called = await client.call_tool(step.tool, step.arguments)
        tasks.cancel_scope.cancel()
    result: Json = dict(called.structured_content or {})
    wrong = {name: result.get(name) for name, value in step.expects.items() if result.get(name) != value}
    if called.is_error or wrong:
        raise StoryFailed(f"{step.tool} {step.shown}: {wrong or called.content}")
    after = await _settled(stage)
    kept = tuple(screen for screen in seen if screen not in {before, after}) if step.live else ()
    return Played(step, before, kept, after, step.answer(result))


async def _person(stage: _Stage, text: str) -> None:
    await anyio.sleep(1)  # People are slow; the agent waits meanwhile.
    await anyio.to_thread.run_sync(stage.type, text)


async def _watch(stage: _Stage, seen: list[Screen]) -> None:
    async for screen in _standing(stage):
        if screen not in seen:
            seen.append(screen)


async def _settled(stage: _Stage, text: str = "") -> Screen:
    """The screen once it stands (and shows this): tmux draws a client a moment after the pane has changed."""
    with anyio.fail_after(PATIENCE):
        async for screen in _standing(stage):
            if any(text in run.text for row in screen.rows for run in row):
                return screen
    raise AssertionError("it never ends")


async def _standing(stage: _Stage) -> AsyncIterator[Screen]:
    """Each screen that has stood for a while. tmux tells nobody what a client shows, so we look again."""
    last, stood = None, 0
    while True:
        screen = await anyio.to_thread.run_sync(stage.look)
        stood = stood + 1 if screen == last else 0
        if stood >= STANDS:
            yield screen
        last = screen
        await anyio.sleep(LOOK_AGAIN)
