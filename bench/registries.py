"""Where peers come from: packages by name and exact version, each into a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.errors import PeerUnavailable

PATIENCE = 600.0
"""Seconds for one installation."""


@dataclass(frozen=True, slots=True)
class Registry:
    """`install` may raise PeerUnavailable; `versions` of packages are empty where not all are installed."""

    install: Callable[[Path, str, str], None]
    versions: Callable[[Path, Sequence[str]], dict[str, str]]


def python_of(home: Path) -> str:
    """The interpreter of a package from PyPI."""
    return str(home / "bin" / "python")


def _pip_install(home: Path, name: str, version: str) -> None:
    _run(sys.executable, "-m", "venv", "--clear", str(home))
    _run(python_of(home), "-m", "pip", "install", "--quiet", "--no-input", f"{name}=={version}")


def _pip_versions(home: Path, names: Sequence[str]) -> dict[str, str]:
    """Empty where it is not, or not wholly, installed."""
    ask = f"""import json; from importlib.metadata import version
print(json.dumps({{name: version(name) for name in {list(names)!r}}}))"""
    try:
        asked = subprocess.run([python_of(home), "-c", ask], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[str, str] = json.loads(asked.stdout)
    return found


def _npm_install(home: Path, name: str, version: str) -> None:
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    _run("npm", "install", *quiet, "--prefix", str(home), f"{name}@{version}")


def _npm_versions(home: Path, names: Sequence[str]) -> dict[str, str]:
    packages = {name: home / "node_modules" / name / "package.json" for name in names}
    if not all(package.exists() for package in packages.values()):
        return {}
    return {name: json.loads(package.read_text())["version"] for name, package in packages.items()}


def _run(*argv: str) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    try:
        done = subprocess.run(argv, env=environ, capture_output=True, check=False, timeout=PATIENCE)
    except FileNotFoundError:
        raise PeerUnavailable(f"there is no {argv[0]} here") from None
    except subprocess.TimeoutExpired:
        raise PeerUnavailable(f"not within {PATIENCE:.0f} s") from None
    if done.returncode != 0:
        missing = b"E404" in done.stderr or b"No matching distribution" in done.stderr
        raise PeerUnavailable("the registry used here does not have it" if missing else "offline?")


PYPI, NPM = Registry(_pip_install, _pip_versions), Registry(_npm_install, _npm_versions)
