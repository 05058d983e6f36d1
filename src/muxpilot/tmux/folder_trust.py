"""What other users can do in a folder: whether something of ours stays there, and stays the same.

A folder is looked at together with every folder above it: who can rename one of them can put another tree in
its place. Root can do anything, so root's folders count like our own.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Trust(Enum):
    """What users other than us and root can do there."""

    PRIVATE = auto()
    """Nothing."""
    STICKY = auto()
    """Add files, but not touch ours."""
    UNSAFE = auto()
    """Replace files, or the folder itself."""


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """`exists`: whether the folder does; otherwise this is about the nearest one above it that exists.
    `weak`: the folder that others can change, where it is unsafe."""

    trust: Trust
    exists: bool = True
    weak: Path | None = None


def trust_of(folder: Path) -> FolderTrust:
    """For a path without links. Folders above it may be sticky: what is ours or root's in there stays."""
    owners = _owners()
    trust = Trust.PRIVATE
    for one in (*reversed(folder.parents), folder):
        try:
            found = os.lstat(one)
        except FileNotFoundError:
            return FolderTrust(trust, exists=False)
        except OSError:
            return FolderTrust(Trust.UNSAFE, weak=one)
        trust = _of_one(found, owners)
        if trust is Trust.UNSAFE:
            return FolderTrust(trust, weak=one)
    return FolderTrust(trust)


def _of_one(found: os.stat_result, owners: set[int]) -> Trust:
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in owners:
        return Trust.UNSAFE
    if not found.st_mode & _OTHERS_WRITE:
        return Trust.PRIVATE
    return Trust.STICKY if found.st_mode & stat.S_ISVTX else Trust.UNSAFE


def _owners() -> set[int]:
    """Whoever owns `/` can do what root can: in a user namespace root may have another number."""
    return {0, os.geteuid(), os.lstat("/").st_uid}
