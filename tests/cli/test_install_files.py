from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from muxpilot.cli.install import files
from muxpilot.cli.install.failure import ConfigRefused, Malformed

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that everybody can get to."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """Root may write anywhere; so not as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_the_mode_of_the_file_is_kept_also_by_its_backup(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")
    file.chmod(0o640)
    backup = files.write(file, b"old", b"new")
    assert backup == tmp_path / "f.muxpilot-backup"
    assert [path.stat().st_mode & 0o777 for path in (file, backup)] == [0o640, 0o640]
    assert (file.read_bytes(), backup.read_bytes()) == (b"new", b"old")


def test_a_new_file_is_private(tmp_path: Path) -> None:
    assert files.write(tmp_path / "a/b/f", None, b"new") is None
    assert (tmp_path / "a/b/f").stat().st_mode & 0o777 == 0o600


def test_no_backup_is_ever_written_over(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"0")
    for number in range(3):
        files.write(file, str(number).encode(), str(number + 1).encode())
    assert [path.read_text() for path in sorted(tmp_path.iterdir())] == ["3", "0", "1", "2"]


def test_what_another_program_wrote_meanwhile_stays(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"theirs")
    with pytest.raises(ConfigRefused, match="changed by another program"):
        files.write(file, b"old", b"new")
    with pytest.raises(ConfigRefused, match="changed by another program"):
        files.write(file, None, b"new")
    assert [*tmp_path.iterdir()] == [file]
    assert file.read_bytes() == b"theirs"


def test_a_dangling_link_gets_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("there/f")
    assert files.read(link) is None
    files.write(link, None, b"new")
    assert link.is_symlink()
    assert (tmp_path / "there/f").read_bytes() == b"new"


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").symlink_to("f")
    with pytest.raises(ConfigRefused, match="symbolic links"):
        files.read(tmp_path / "f")


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigRefused, match=f"{tmp_path}: Is a directory"):
        files.read(tmp_path)


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(ConfigRefused, match="Not a directory"):
        files.read(tmp_path / "f/g")


def test_a_folder_without_permission_is_refused(folder: Path) -> None:
    (folder / "f").write_bytes(b"old")
    (folder / "f").chmod(0o666)
    folder.chmod(0o555)
    with as_somebody_else(), pytest.raises(ConfigRefused, match="Permission denied"):
        files.write(folder / "f", b"old", b"new")
    with as_somebody_else(), pytest.raises(ConfigRefused, match="Permission denied"):
        files.write(folder / "new/f", None, b"new")
    assert [path.name for path in folder.iterdir()] == ["f"]


def test_a_read_only_file_is_refused_though_its_folder_is_not(folder: Path) -> None:
    (folder / "f").write_bytes(b"old")
    (folder / "f").chmod(0o444)
    folder.chmod(0o777)
    with as_somebody_else(), pytest.raises(ConfigRefused, match="f: Permission denied"):
        files.write(folder / "f", b"old", b"new")
    assert [path.name for path in folder.iterdir()] == ["f"]


def test_bytes_that_are_no_text_are_told_with_their_place() -> None:
    with pytest.raises(Malformed, match="line 2, column 3: this is not UTF-8"):
        files.text(b"ok\nab\xff")
