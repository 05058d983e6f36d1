"""What is shipped: the bundle, the wheel, and the image's recipe."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.lab import Lab
from tests.packaging.files import ROOT, manifest, text

GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}


def source() -> set[str]:
    """Files of the package, without what a run has left there."""
    found = (path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(ROOT).as_posix() for path in found}


def packed(output: Path) -> Path:
    subprocess.run([sys.executable, ROOT / "scripts/mcpb", output], check=True, capture_output=True)
    return output


def copied() -> list[str]:
    """What the Dockerfile takes from the checkout."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", text("Dockerfile"), re.MULTILINE)
    return [name for line in lines for name in line.split()[:-1]]


def test_the_bundle_holds_the_manifest_the_source_and_what_it_takes_to_build_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(packed(tmp_path / "muxpilot.mcpb")) as bundle:
        names = set(bundle.namelist())
        assert json.loads(bundle.read("manifest.json")) == manifest()
        assert manifest()["server"]["entry_point"] in names
    assert names == {"manifest.json", "server.py", "pyproject.toml", "README.md", "LICENSE", *source()}


def test_the_same_source_makes_the_same_bundle(tmp_path: Path) -> None:
    first, second = (packed(tmp_path / name).read_bytes() for name in ("one.mcpb", "two.mcpb"))
    assert first == second


def test_the_bundle_serves_as_unpacked_by_its_entry_point(tmp_path: Path, lab: Lab) -> None:
    with zipfile.ZipFile(packed(tmp_path / "muxpilot.mcpb")) as bundle:
        bundle.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked"
    environ = {**lab.environ, "PYTHONPATH": str(unpacked / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, unpacked / manifest()["server"]["entry_point"]],
        env=environ,
        input=json.dumps(GREETING) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["version"] == manifest()["version"]


def test_the_command_that_the_bundle_and_the_image_start_is_one_that_is_installed() -> None:
    entry = re.search(r"^ENTRYPOINT (\[.+\])$", text("Dockerfile"), re.MULTILINE)
    assert entry is not None
    started = {json.loads(entry.group(1))[-1], manifest()["server"]["mcp_config"]["args"][-1]}
    assert started == {"muxpilot"}
    assert re.search(r"^\[project\.scripts\]\nmuxpilot = ", text("pyproject.toml"), re.MULTILINE)


def test_the_image_is_made_of_files_that_exist_and_are_not_ignored() -> None:
    allowed = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    assert copied()
    assert set(copied()) == allowed
    assert all((ROOT / name).exists() for name in copied())


def test_the_image_does_not_run_as_root() -> None:
    last_stage = text("Dockerfile").rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (\S+)$", last_stage, re.MULTILINE) == ["1000"]


@pytest.mark.long
def test_the_wheel_builds_from_what_the_image_copies_and_holds_source_hooks_and_types(tmp_path: Path) -> None:
    """Long, because pip may have to fetch the build backend."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in copied():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, checkout / name)
    environ = {**os.environ, "PIP_CONSTRAINT": str(checkout / "constraints.txt")}
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    argv = [*pip, "--wheel-dir", str(tmp_path), str(checkout)]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("muxpilot-*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert {f"src/{name}" for name in names} == source()
    assert {"muxpilot/py.typed", "muxpilot/terminal/hooks/bash.sh"} <= names
