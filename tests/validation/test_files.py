from __future__ import annotations

from pathlib import Path

import pytest

from validation import files


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_content_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "results.json"
    files.write_whole(target, "old")
    files.write_whole(target, "new λ")
    assert target.read_text(encoding="utf-8") == "new λ"
    assert names(tmp_path) == ["results.json"]


def test_a_write_that_fails_leaves_the_old_file_and_no_debris(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "results.json"
    files.write_whole(target, "old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        files.write_whole(target, "new")
    assert target.read_text() == "old"
    assert names(tmp_path) == ["results.json"]


def test_files_get_the_usual_permissions(tmp_path: Path) -> None:
    files.write_whole(tmp_path / "a", b"x")
    (tmp_path / "b").write_bytes(b"x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_directory_is_made_with_its_parents(tmp_path: Path) -> None:
    files.prepare_directory(tmp_path / "a" / "b")
    assert names(tmp_path / "a" / "b") == []


def test_a_directory_below_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be written: Not a directory"):
        files.prepare_directory(tmp_path / "file" / "out")


def test_a_file_in_a_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be written: No such file or directory"):
        files.prepare_file(tmp_path / "missing" / "figure.png")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it is a directory"):
        files.prepare_file(tmp_path)
    assert names(tmp_path) == []
