from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.homes import VARIABLES, Home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return Home(tmp_path, capsys)
