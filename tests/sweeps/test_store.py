"""A store is refused unless the very same sweep wrote it, and is never left half written."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from sweep_cells import CODE, PLACE, PRODUCT

from validation.sweeps import (
    StoreBusyError,
    StoreMismatchError,
    SweepSettings,
    SweepTable,
    VersionsDifferError,
    engine,
    measure,
    read_table,
    run_sweep,
)
from validation.sweeps.store import open_store, write_durably

SETTINGS = SweepSettings(d=3, m=8, P=(0.0, 1.0), tau=2.0, seed=5)
ENDING = ("complete", "table_sha256")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    run_sweep(SETTINGS, folder, measure=PRODUCT)
    return folder


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 6}, "settings.seed: 5 in the store, 6 now"),
        ({"seeds": 2}, "settings.seeds: 1 in the store, 2 now"),
        ({"tau": (2.0, 3.0)}, r"settings.tau: \[2.0\] in the store, \[2.0, 3.0\] now"),
        ({"kappa0": "limit"}, "settings.kappa0: 'theorem' in the store, 'limit' now"),
    ],
)
def test_other_settings_are_refused(store: Path, change: dict[str, Any], words: str) -> None:
    before = contents(store)
    with pytest.raises(StoreMismatchError, match=words):
        run_sweep(dataclasses.replace(SETTINGS, **change), store, measure=PRODUCT)
    assert contents(store) == before


def test_another_measure_is_refused(store: Path) -> None:
    with pytest.raises(StoreMismatchError, match="measure: 'product' in the store, 'place' now"):
        run_sweep(SETTINGS, store, measure=PLACE)


@pytest.mark.parametrize("name", ["numpy", "kernelspec", "source"])
def test_other_versions_are_refused(
    store: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {**engine.versions(CODE), name: "0.0"}
    monkeypatch.setattr(engine, "versions", lambda code: other)
    with pytest.raises(StoreMismatchError, match=f"versions.{name}: '.*' in the store, '0.0' now"):
        run_sweep(SETTINGS, store, measure=PRODUCT)


def test_numbers_of_a_worker_with_other_versions_are_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {**engine.versions(CODE), "scipy": "0.1"}
    monkeypatch.setattr(measure, "versions", lambda code: other)
    with pytest.raises(VersionsDifferError, match=r"scipy 0.1 \(here "):
        run_sweep(SETTINGS, tmp_path, measure=PRODUCT)
    assert (tmp_path / "cells.journal").read_bytes() == b""


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(StoreMismatchError, match=r"no manifest.json but holds 'thesis.tex'"):
        run_sweep(SETTINGS, tmp_path, measure=PRODUCT)


@pytest.mark.parametrize("text", ["", "{", "[1]"])
def test_a_broken_manifest_is_refused(store: Path, text: str) -> None:
    (store / "manifest.json").write_text(text)
    with pytest.raises(StoreMismatchError, match=r"manifest\.json"):
        run_sweep(SETTINGS, store, measure=PRODUCT)


def test_one_writer_at_a_time(store: Path) -> None:
    manifest = json.loads((store / "manifest.json").read_text())
    identity = {name: manifest[name] for name in manifest if name not in ENDING}
    with open_store(store, identity), pytest.raises(StoreBusyError):
        run_sweep(SETTINGS, store, measure=PRODUCT)
    run_sweep(SETTINGS, store, measure=PRODUCT)


def test_a_kill_before_the_first_manifest_leaves_a_usable_folder(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / ".manifest.json.x1y2.part").write_text("{")
    assert len(run_sweep(SETTINGS, tmp_path, measure=PRODUCT)) == 2


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    write_durably(path, "old")

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        write_durably(path, "new")
    assert path.read_text() == "old"


def test_manifest_tells_what_made_the_table(store: Path) -> None:
    manifest = json.loads((store / "manifest.json").read_text())
    table = read_table(store / "table.csv")
    assert manifest["complete"] is True
    assert SweepSettings.from_mapping(manifest["settings"]) == SETTINGS
    assert tuple(manifest["columns"]) == table.columns
    assert manifest["versions"] == engine.versions(CODE)


def test_table_reads_back_bit_for_bit(tmp_path: Path) -> None:
    rows = ((1, 0.1), (2, 5e-324), (3, -0.0), (4, float("inf")), (5, float("nan")))
    path = tmp_path / "table.csv"
    path.write_text(SweepTable(("n", "x"), rows).to_csv())
    assert repr(read_table(path).rows) == repr(rows)


def test_unknown_column_is_named(store: Path) -> None:
    with pytest.raises(KeyError, match="'eror' is no column of this table: d, order, m"):
        read_table(store / "table.csv")["eror"]


@pytest.mark.parametrize("value", [True, "0.1", None, 1j])
def test_a_value_that_is_no_number_fails_the_cell(tmp_path: Path, value: Any) -> None:
    odd = measure.Measure("odd", lambda cell, seeds: {"x": value}, {"x": "odd"})
    with pytest.raises(engine.SweepFailedError, match=r"x = .* is not allowed: an int or a float"):
        run_sweep(SETTINGS, tmp_path, measure=odd)


def test_a_missing_column_fails_the_cell(tmp_path: Path) -> None:
    odd = measure.Measure("odd", lambda cell, seeds: {"x": 1}, {"x": "odd", "y": "absent"})
    with pytest.raises(engine.SweepFailedError, match=r"columns \['x'\] came back"):
        run_sweep(SETTINGS, tmp_path, measure=odd)
