"""Modes of what is written: folders 0700, files 0600, and nobody else's locked."""
from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mnemos_mcp import private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("folder", ["empty", "new/deep"])
def test_files_are_private_and_tightened_again(tmp_path, folder):
    before = os.umask(0o022)
    try:
        (tmp_path / "empty").mkdir()
        place = tmp_path / folder
        database = place / "mnemos.db"
        assert private.make_private(str(database), create=True) is None
        assert (mode(place), mode(database)) == (0o700, 0o600)
        files = [database] + [place / name for name in ("mnemos.db-wal", "mnemos.db-shm", "mnemos.log", "mnemos-2026.jsonl", "export.jsonl")]
        (place / "backups").mkdir()
        files.append(place / "backups/old.db")
        for path in files:
            path.touch()
            path.chmod(0o644)
        place.chmod(0o755)
        assert private.make_private(str(database)) is None
        assert mode(place) == mode(place / "backups") == 0o700 and {mode(path) for path in files} == {0o600}
    finally:
        os.umask(before)


def test_a_folder_with_other_files_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o755)
    for name in ("report.txt", "m.db", "m.db-wal", "mnemos-notes.md", "m.py"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    assert "other files" in private.make_private(str(tmp_path / "m.db"))
    assert mode(tmp_path) == 0o755 and mode(tmp_path / "m.db") == mode(tmp_path / "m.db-wal") == 0o600
    assert {mode(tmp_path / name) for name in ("report.txt", "mnemos-notes.md", "m.py")} == {0o644}


def test_shared_folders_and_homes_are_never_closed(tmp_path, monkeypatch):
    shared, house = tmp_path / "shared", tmp_path / "house"
    for folder, bits in ((shared, 0o1777), (house, 0o755)):
        folder.mkdir()
        folder.chmod(bits)
    monkeypatch.setenv("HOME", str(house))
    for folder in (shared, house):
        was = mode(folder)
        private.make_private(str(folder / "mnemos.db"), create=True)
        assert mode(folder) == was and mode(folder / "mnemos.db") == 0o600


def test_what_fails_warns(tmp_path, monkeypatch):
    database = tmp_path / "mnemos.db"
    database.touch(0o644)
    database.chmod(0o644)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")
    monkeypatch.setattr(os, "chmod", refuse)
    assert "could not be tightened" in private.make_private(str(database))
    assert "is a file" in private.make_private(str(database / "sub/mnemos.db"), create=True)
    assert private.make_private("/proc/nope/x/mnemos.db", create=True)


def test_new_files_are_private_from_the_first_byte(tmp_path):
    path = tmp_path / "export.jsonl"
    os.close(private.open_private(str(path)))
    assert mode(path) == 0o600
    with pytest.raises(FileExistsError):
        private.open_private(str(path))
    path.chmod(0o666)
    os.close(private.open_private(str(path), append=True))
    assert mode(path) == 0o600
