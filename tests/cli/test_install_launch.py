from __future__ import annotations

import json
from pathlib import Path

import pytest

from muxpilot.cli.install.launch import launch, running, source

GIT = "git+https://example.com/muxpilot"


def script(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "muxpilot").touch()
    return folder / "muxpilot"


def test_an_installed_script_is_started_by_its_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = script(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    assert running(Path("bin/muxpilot"), Path("/usr/bin/python3"), None) == [str(there)]


def test_a_link_is_not_followed_since_an_upgrade_moves_what_it_points_to(tmp_path: Path) -> None:
    link = tmp_path / "muxpilot"
    link.symlink_to(script(tmp_path / "share/pipx/venvs/muxpilot/bin"))
    assert running(link, Path("/usr/bin/python3"), None) == [str(link)]


def test_without_a_script_it_is_a_module_of_this_python(tmp_path: Path) -> None:
    assert running(tmp_path / "__main__.py", tmp_path / "python3", None) == [
        str(tmp_path / "python3"),
        "-m",
        "muxpilot",
    ]


@pytest.mark.parametrize(
    ("folder", "origin", "command"),
    [
        (".cache/uv/archive-v0/abc/bin", None, ["/r/uvx", "muxpilot"]),
        (".cache/uv/archive-v0/abc/bin", GIT, ["/r/uvx", "--from", GIT, "muxpilot"]),
        ("elsewhere/environments-v2/abc/bin", None, ["/r/uvx", "muxpilot"]),
        (".cache/pipx/abc/bin", None, ["/r/pipx", "run", "muxpilot"]),
        (".local/pipx/.cache/abc/bin", GIT, ["/r/pipx", "run", "--spec", GIT, "muxpilot"]),
    ],
)
def test_a_script_in_a_runners_cache_is_started_by_the_runner(
    tmp_path: Path, folder: str, origin: str | None, command: list[str]
) -> None:
    there = script(tmp_path / folder)
    assert running(there, Path("/usr/bin/python3"), origin, lambda program: f"/r/{program}") == command


@pytest.mark.parametrize(
    ("given", "command"), [("muxpilot", "muxpilot"), ("/a/b", "/a/b"), ("~/b", "/u/b"), ("./b", "/w/b")]
)
def test_a_given_path_is_made_absolute_but_not_a_name(
    monkeypatch: pytest.MonkeyPatch, given: str, command: str
) -> None:
    monkeypatch.setenv("HOME", "/u")
    monkeypatch.setattr("os.getcwd", lambda: "/w")
    assert launch(given) == [command]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, None),
        ({"url": "https://example.com/muxpilot", "vcs_info": {"vcs": "git", "commit_id": "1"}}, GIT),
        (
            {"url": "https://example.com/muxpilot", "vcs_info": {"vcs": "git", "requested_revision": "v1"}},
            f"{GIT}@v1",
        ),
        ({"url": "file:///src", "dir_info": {}}, "file:///src"),
        ({"url": "file:///src", "dir_info": {"editable": True}}, None),
    ],
)
def test_the_source_is_what_the_installer_wrote_down(
    origin: dict[str, object] | None, expected: str | None
) -> None:
    assert source(json.dumps(origin) if origin else None) == expected
