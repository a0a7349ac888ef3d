"""Edited code is other code, whatever its version number says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from validation.sweeps.versions import versions


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "edited" / "plotting").mkdir(parents=True)
    for name in ("__init__.py", "core.py", "plotting/__init__.py"):
        (tmp_path / "edited" / name).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    # Asking for a module imports its package, which another test's folder may have given.
    monkeypatch.delitem(sys.modules, "edited", raising=False)
    return tmp_path / "edited"


def digest(*code: str) -> str:
    versions.cache_clear()
    return versions(code)["source"]


@pytest.mark.parametrize(
    ("file", "changes"), [("core.py", True), ("new.py", True), ("plotting/__init__.py", False)]
)
def test_digest_follows_the_code_that_computes(package: Path, file: str, changes: bool) -> None:
    before = digest("edited")
    (package / file).write_text("answer = 42\n")
    assert (digest("edited") != before) is changes


def test_digest_of_one_module(package: Path) -> None:
    before = digest("edited.core")
    (package / "__init__.py").write_text("answer = 42\n")
    assert digest("edited.core") == before
    assert digest("edited", "edited.core") != before


def test_code_that_is_not_there_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match="the code of 'no_such_code' is not found"):
        digest("no_such_code")
