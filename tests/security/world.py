"""A canary world: two tmux servers and a folder full of things that no tool call has any business with.

`scratch` and `scratch2` are the sessions that calls are about; they are made anew after a call changed them.
Everything else is a canary: `World.taken()` writes all of it down, and `differences` compares two such notes.
A shell that runs a hostile value makes a file `SENTINEL`, which is a change of the folder like any other.
"""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.lab import TMUX, Lab, eventually, running

SECONDS_TO_ANSWER = 1.0
"""What tmux must answer another client in, whatever we are asked."""
SCRATCH = ("scratch", "scratch2")
Notes = dict[str, str]

_CAT = "printf 'hello from scratch\\n'; exec cat"
_PANE = (
    "#{session_id} #{session_name} #{window_id} #{window_index} #{window_name} #{window_layout} "
    "#{pane_id} #{pane_index} #{pane_pid} #{pane_dead} #{pane_title} #{pane_pipe} #{pane_in_mode} "
    "#{window_active} #{pane_active} #{pane_marked} #{history_size} #{pane_start_command}"
)
_WATCHED = ("canary", "canary2")
_SHOWN_TO_PEOPLE = "#{T:status-left}#{T:status-right}#{T:status-format[0]}#{T:set-titles-string}"


@dataclass(frozen=True, slots=True)
class Scratch:
    """The ids of what calls are about: two panes and a second window; a second session."""

    session: str
    window: str
    cat: str
    sh: str
    window2: str
    cat2: str
    session2: str
    window3: str
    cat3: str


class World:
    """Made anew by `renew`, and after each call that changed it by `ready`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lab = Lab(folder)
        self.lab.environ |= {"SHELL": "/bin/sh", "HISTFILE": "/dev/null", "WORLD": str(folder)}
        self.sentinel = folder / "SENTINEL"
        self.safe = folder / "safe"
        self.playground = folder / "playground"
        self.state = folder / "state"
        self.sockets = folder / f"tmux-{os.getuid()}"
        self.hidden_socket = folder / "hidden" / "socket"
        self.kept: dict[str, str] = {}
        """What one call returned and the next one takes."""
        self._waiters: list[subprocess.Popen[bytes]] = []
        self._servers: list[int] = []
        self._made: Scratch | None = None
        self._scratch_then = ["", ""]
        for place in (self.safe, self.playground, self.state, self.hidden_socket.parent):
            place.mkdir()
        self._make_files()

    @property
    def scratch(self) -> Scratch:
        assert self._made is not None
        return self._made

    @property
    def server_pid(self) -> int:
        return self._servers[0]

    def tmux(
        self, *argv: str, server: str = "lab", seconds: float = 10.0
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TMUX, "-u", "-L", server, "-f", "/dev/null", *argv],
            env=self.lab.environ,
            cwd=self.folder,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=seconds,
            check=False,
        )

    def ask(self, question: str, target: str = "") -> str:
        """What tmux says about the scratch, or about any target."""
        aim = ["-t", target] if target else []
        return self.tmux("display-message", "-p", *aim, question).stdout.removesuffix("\n")

    def screen(self, pane: str) -> str:
        return self.tmux("capture-pane", "-p", "-t", pane).stdout

    # Making it

    def renew(self) -> None:
        """Everything as it was in the beginning; nothing of an earlier life goes on."""
        self.end()
        for one in self.folder.iterdir():
            if one.name.startswith("SENTINEL"):
                one.unlink()
        self._make_files()
        self._start_servers()
        self._make_canaries()
        self._made = None
        self.ready()

    def _make_files(self) -> None:
        """In a folder of their own: a text, a program, a link, a device (a pipe if that is not allowed)."""
        for one in self.safe.iterdir():
            one.unlink()
        (self.safe / "letter").write_text("dear reader\n")
        (self.safe / "program").write_text(f"#!/bin/sh\ntouch {self.sentinel}\n")
        (self.safe / "program").chmod(0o755)
        (self.safe / "link").symlink_to(self.safe / "letter")
        (self.folder / ".tmux.conf").write_text("set -g @read-by-nobody 1\n")
        try:
            os.mknod(self.safe / "device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
        except PermissionError:
            os.mkfifo(self.safe / "device", 0o600)
        with socket.socket(socket.AF_UNIX) as nobody:
            nobody.bind(str(self.safe / "stale"))

    def _start_servers(self) -> None:
        for server in ("lab", "other"):
            new = ["new-session", "-d", "-s", "canary", "-n", "first", "-x", "100", "-y", "30", "exec cat"]
            self._servers.append(self._start("-L", server, *new))
        self._servers.append(self._start("-S", str(self.hidden_socket), "new-session", "-d", "exec cat"))
        self._leave_a_socket()

    def _leave_a_socket(self) -> None:
        """One that nobody listens on, in the folder where servers may be started."""
        stale = self.sockets / "stale"
        with socket.socket(socket.AF_UNIX) as somebody:
            if stale.exists() and somebody.connect_ex(str(stale)) == 0:
                self._end_server(stale)
        if not stale.exists():
            with socket.socket(socket.AF_UNIX) as nobody:
                nobody.bind(str(stale))

    def _start(self, *argv: str) -> int:
        """Returns the pid of the new server."""
        command = [TMUX, "-f", "/dev/null", *argv, ";", "display-message", "-p", "#{pid}"]
        done = subprocess.run(
            command, env=self.lab.environ, cwd=self.folder, capture_output=True, timeout=20, check=False
        )
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    def _make_canaries(self) -> None:
        commands = [
            ["split-window", "-d", "-t", "=canary:first", "exec sh"],
            ["new-window", "-d", "-t", "=canary:", "-n", "second", "exec cat"],
            ["new-session", "-d", "-s", "canary2", "-n", "third", "exec cat"],
            ["select-pane", "-m", "-t", "=canary:second"],
            ["set-option", "-g", "@canary", "sings"],
            ["set-option", "-t", "=canary:", "@canary", "sings here"],
            ["set-option", "-w", "-t", "=canary:first", "@canary", "sings in a window"],
            ["set-hook", "-g", "session-created[7]", "set-option -g @hooked 1"],
            ["set-hook", "-t", "=canary:", "alert-bell", "display-message canary"],
            ["set-environment", "-g", "CANARY", "global"],
            ["set-environment", "-t", "=canary:", "CANARY", "here"],
            ["set-buffer", "-b", "canary", "a person's clipboard"],
            ["wait-for", "-L", "canary-lock"],
        ]
        done = self.tmux(*(word for command in commands for word in (*command, ";")))
        assert done.returncode == 0, done.stderr
        for more in (["canary-channel"], ["-L", "canary-lock"]):
            command = [TMUX, "-L", "lab", "wait-for", *more]
            self._waiters.append(subprocess.Popen(command, env=self.lab.environ, cwd=self.folder))

    def ready(self, *, exactly: bool = False) -> Scratch:
        """The scratch as it should be: made anew where a call has ended, moved or renamed a part of it.

        `exactly`: also where it only looks different.
        """
        if self._made is None or self._scratch_now(exactly) != self._scratch_then[exactly]:
            for one in (*SCRATCH, *self._scratch_ids()):
                self.tmux("kill-session", "-t", one if one.startswith("$") else f"={one}")
            self._made = self._make_scratch()
            eventually(lambda: self.screen(self.scratch.cat).startswith("hello"))
            eventually(lambda: self.screen(self.scratch.sh).strip())
            self._scratch_then = [self._scratch_now(exactly) for exactly in (False, True)]
        return self.scratch

    def _make_scratch(self) -> Scratch:
        place = ["-P", "-F", "#{session_id} #{window_id} #{pane_id}"]
        new = ["new-session", "-d", *place, "-x", "100", "-y", "30"]
        done = self.tmux(
            *(*new, "-s", "scratch", "-n", "one", _CAT, ";"),
            *("split-window", "-d", *place, "-t", "=scratch:one", "exec sh", ";"),
            *("new-window", "-d", *place, "-t", "=scratch:", "-n", "two", _CAT, ";"),
            *(*new, "-s", "scratch2", "-n", "three", _CAT),
        )
        assert done.returncode == 0, done.stderr
        (session, window, cat), (_, _, sh), (_, window2, cat2), (session2, window3, cat3) = (
            line.split() for line in done.stdout.splitlines()
        )
        return Scratch(session, window, cat, sh, window2, cat2, session2, window3, cat3)

    def _scratch_now(self, exactly: bool) -> str:
        fields = "#{session_name} #{window_id} #{pane_id} #{pane_dead} "
        if exactly:
            fields += (
                "#{window_index} #{window_name} #{window_layout} #{pane_pid} #{pane_in_mode} #{pane_pipe}"
            )
        listed = self.tmux("list-panes", "-a", "-f", "#{m:scratch*,#{session_name}}", "-F", fields)
        return listed.stdout

    def strangers(self) -> list[str]:
        """Sessions that are neither canaries nor scratch: made by calls."""
        listed = self.tmux("list-sessions", "-F", "#{session_id} #{session_name}").stdout.splitlines()
        rows = [one.partition(" ") for one in listed]
        known = (*_WATCHED, *SCRATCH)
        return [
            f"{one} {name}" for one, _, name in rows if name not in known and one not in self._scratch_ids()
        ]

    def lost_panes(self) -> list[str]:
        """Panes of the scratch that have ended."""
        left = self.tmux("list-panes", "-a", "-F", "#{pane_id}").stdout.split()
        made = self.scratch
        return [one for one in (made.cat, made.sh, made.cat2, made.cat3) if one not in left]

    def _scratch_ids(self) -> tuple[str, ...]:
        """Whatever they are called now."""
        return () if self._made is None else (self._made.session, self._made.session2)

    def send_strangers_away(self) -> None:
        """Sessions, servers and files that calls were right to make."""
        for one in self.strangers():
            self.tmux("kill-session", "-t", one.split()[0])
        for server in self._more_servers():
            self._end_server(server)
        self._leave_a_socket()
        for path in self.playground.iterdir():
            with suppress(OSError):
                path.unlink()

    def _more_servers(self) -> list[Path]:
        return [one for one in self.sockets.iterdir() if one.name not in {"lab", "other", "stale"}]

    def _end_server(self, path: Path) -> None:
        """One that a call has made. Nobody knows its pid, so it is asked to go."""
        command = [TMUX, "-S", str(path), "kill-server"]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, env=self.lab.environ, capture_output=True, timeout=5, check=False)
        path.unlink(missing_ok=True)

    def end(self) -> None:
        """Nothing is left running, not even a server that a call has frozen."""
        for pid in self._servers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        for pid in self._servers:
            try:
                eventually(lambda pid=pid: not running(pid), 2)  # type: ignore[misc]
            except AssertionError:
                os.kill(pid, signal.SIGKILL)
                eventually(lambda pid=pid: not running(pid), 5)  # type: ignore[misc]
        self._servers.clear()
        for one in self._more_servers() if self.sockets.exists() else ():
            self._end_server(one)
        for pid in self._servers_elsewhere():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for waiter in self._waiters:
            waiter.kill()
            waiter.wait()
        self._waiters.clear()

    def _servers_elsewhere(self) -> Iterator[int]:
        """tmux servers that a call has started where it should not have; they have our environment."""
        ours = f"\0WORLD={self.folder}\0".encode()
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (process / "comm").read_text().startswith("tmux: server") and ours in (
                    process / "environ"
                ).read_bytes():
                    yield int(process.name)

    # Writing it down

    def taken(self, *, state: bool = False) -> Notes:
        """All canaries as they are now; with `state` also what muxpilot itself keeps on disk."""
        self._settle()
        notes = {f"lab {name}": text for name, text in self._server_notes("lab").items()}
        notes |= {f"other {name}": text for name, text in self._server_notes("other").items()}
        alive = " ".join(str(waiter.poll()) for waiter in self._waiters)
        return notes | self._files(state) | {"processes that wait for a channel": alive}

    def _settle(self) -> None:
        """Show what people are shown, and let tmux run what it was told to run by that."""
        for server in ("lab", "other"):
            for session in SCRATCH if server == "lab" else ("canary",):
                self.tmux("display-message", "-p", "-t", f"={session}:", _SHOWN_TO_PEOPLE, server=server)
            self.tmux("run-shell", "true", server=server)

    def _server_notes(self, server: str) -> Notes:
        sections = dict(self._questions(server))
        commands = [
            ("display-message", "-p", f"=== {name}", ";", *ask, ";") for name, ask in sections.items()
        ]
        done = self.tmux(*(word for command in commands for word in command), server=server)
        notes = {}
        for part in done.stdout.split("=== ")[1:]:
            name, _, text = part.partition("\n")
            notes[name] = text
        notes["complaint"] = done.stderr
        return notes

    def _questions(self, server: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield "server", ("display-message", "-p", "#{pid} #{start_time} #{socket_path}")
        # By whole names: a call may make a session that is called `canary*`.
        ours = "#{||:#{==:#{session_name},canary},#{==:#{session_name},canary2}}"
        yield "panes", ("list-panes", "-a", "-f", ours, "-F", _PANE)
        yield "buffers", ("list-buffers", "-f", "#{?#{m:muxpilot_*,#{buffer_name}},0,1}")
        yield "keys", ("list-keys",)
        for scope in ("-s", "-g", "-gw"):
            yield f"options {scope}", ("show-options", scope)
        for scope in ("-g", "-gw"):
            yield f"hooks {scope}", ("show-hooks", scope)
        yield "environment", ("show-environment", "-g")
        for session in _WATCHED if server == "lab" else ("canary",):
            for command in ("show-options", "show-hooks", "show-environment"):
                yield f"{command} of {session}", (command, "-t", f"={session}:")
        for window in ("first", "second") if server == "lab" else ("first",):
            target = f"=canary:{window}"
            yield f"options of window {window}", ("show-options", "-w", "-t", target)
            yield f"options of pane {window}", ("show-options", "-p", "-t", target)
            yield f"screen of {window}", ("capture-pane", "-p", "-t", target)
        if server == "lab":  # Last: the scratch may be gone, and what comes behind a complaint is not shown.
            for scope in ("", "-w", "-p"):
                aim = ("-t", self.scratch.cat)
                yield f"hooks of scratch {scope}", ("show-hooks", *([scope] if scope else []), *aim)

    def _files(self, state: bool) -> Notes:
        notes = {"servers": " ".join(sorted(one.name for one in self._more_servers()))}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder)
            if name.parts[0] == self.state.name and not state:
                continue
            if name.parts[0] == self.playground.name:
                continue
            if name.parts[0] == self.sockets.name and path.name not in {"lab", "other", "stale"}:
                continue
            with suppress(FileNotFoundError):
                notes[f"file {name}"] = _file(path)
        return notes | {"sessions": "\n".join(self.strangers())}


def _file(path: Path) -> str:
    """Everything about a file but when it was read. Attached clients change the mode of tmux's socket."""
    found = path.lstat()
    place = f"{stat.S_IFMT(found.st_mode):o} {found.st_ino} {found.st_nlink} {found.st_rdev}"
    if stat.S_ISSOCK(found.st_mode):
        return place
    if stat.S_ISDIR(found.st_mode):
        return f"{place} {found.st_mode:o}"
    place = f"{place} {found.st_mode:o} {found.st_uid} {found.st_mtime_ns} {found.st_size}"
    if stat.S_ISLNK(found.st_mode):
        return f"{place} {path.readlink()}"
    return (
        f"{place} {hashlib.sha256(path.read_bytes()).hexdigest()}" if stat.S_ISREG(found.st_mode) else place
    )


def differences(before: Notes, after: Notes, allowed: Iterable[str] = ()) -> list[str]:
    """What changed, in words; `allowed` are the beginnings of what may."""
    found = []
    for name in sorted({*before, *after}):
        then, now = before.get(name), after.get(name)
        if then == now or name.startswith(tuple(allowed)):
            continue
        gone = [line for line in (then or "").splitlines() if line not in (now or "").splitlines()]
        come = [line for line in (now or "").splitlines() if line not in (then or "").splitlines()]
        what = "is gone" if now is None else "is new" if then is None else "changed"
        found.append(
            f"{name} {what}: {[line[:200] for line in gone[:4]]} -> {[line[:200] for line in come[:4]]}"
        )
    return found


class Clock:
    """Another client that asks tmux something all the time, and notes how long the longest answer took.

    An answer is late only if the tmux server itself was busy: a machine under load is slow for everybody.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._done = threading.Event()
        self.too_long: list[str] = []

    @contextmanager
    def running(self) -> Iterator[Clock]:
        thread = threading.Thread(target=self._ask, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._done.set()
            thread.join()

    def _ask(self) -> None:
        pid = self._world.server_pid
        while not self._done.wait(0.1):
            busy, started = cpu_seconds(pid), time.monotonic()
            with suppress(subprocess.TimeoutExpired):
                self._world.tmux("display-message", "-p", "", seconds=4 * SECONDS_TO_ANSWER)
            took, busy = time.monotonic() - started, cpu_seconds(pid) - busy
            if took > SECONDS_TO_ANSWER and busy > SECONDS_TO_ANSWER / 2:
                self.too_long.append(f"tmux answered another client after {took:.1f} s ({busy:.1f} s busy)")


def cpu_seconds(pid: str | int) -> float:
    """What a process has computed so far; 0 where there is no such process, or no /proc."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0
