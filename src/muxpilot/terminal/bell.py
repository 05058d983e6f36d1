"""A bell that rings when a file is written to: woken by the kernel (inotify), not by looking.

There is one inotify descriptor for the whole process, and a watch stays once it is there: closing one takes
the kernel some 20 ms. Elsewhere than on Linux a bell looks every 20 ms instead.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar
from weakref import WeakKeyDictionary

LOOK_SECONDS = 0.02

_MODIFIED, _GONE = 0x2, 0x8000
_HEADER = struct.Struct("iIII")


class Bell:
    """Rings when this file is written to, or when somebody rings it. Close it when done."""

    def __init__(self, path: Path) -> None:
        self._event = asyncio.Event()
        self._ears = _Ears.of(asyncio.get_running_loop())
        self._watch = self._ears.listen(path, self.ring) if self._ears is not None else None

    def ring(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Until it rings, or the time is over."""
        if self._watch is None:
            seconds = min(seconds, LOOK_SECONDS)
        timer = asyncio.get_running_loop().call_later(max(seconds, 0), self.ring)
        try:
            await self._event.wait()
        finally:
            timer.cancel()
        self._event.clear()

    def close(self) -> None:
        if self._ears is not None and self._watch is not None:
            self._ears.leave(self._watch, self.ring)
            self._watch = None


class _Ears:
    """All that one event loop listens to."""

    _all: ClassVar[WeakKeyDictionary[asyncio.AbstractEventLoop, _Ears | None]] = WeakKeyDictionary()

    def __init__(self, libc: ctypes.CDLL, handle: int, loop: asyncio.AbstractEventLoop) -> None:
        self._libc = libc
        self._handle = handle
        self._listeners: dict[int, list[Callable[[], None]]] = {}
        loop.add_reader(handle, self._hear)

    @classmethod
    def of(cls, loop: asyncio.AbstractEventLoop) -> _Ears | None:
        """None where the system has no such thing."""
        if loop not in cls._all:
            cls._all[loop] = cls._open(loop)
        return cls._all[loop]

    @classmethod
    def _open(cls, loop: asyncio.AbstractEventLoop) -> _Ears | None:
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            handle = int(libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
        except (OSError, AttributeError):
            return None
        return cls(libc, handle, loop) if handle >= 0 else None

    def listen(self, path: Path, ring: Callable[[], None]) -> int | None:
        watch = int(self._libc.inotify_add_watch(self._handle, os.fsencode(path), _MODIFIED))
        if watch < 0:
            return None
        self._listeners.setdefault(watch, []).append(ring)
        return watch

    def leave(self, watch: int, ring: Callable[[], None]) -> None:
        if ring in self._listeners.get(watch, []):
            self._listeners[watch].remove(ring)

    def _hear(self) -> None:
        try:
            data = os.read(self._handle, 65536)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            watch, mask, _, length = _HEADER.unpack_from(data, at)
            at += _HEADER.size + length
            for ring in self._listeners.get(watch, []):
                ring()
            if mask & _GONE:
                self._listeners.pop(watch, None)
