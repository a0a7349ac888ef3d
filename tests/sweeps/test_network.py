"""The cell of the theorem: what it draws, what it predicts, what it needs."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelspec
from kernelspec.approximation import WorstCaseError, worst_case_error
from validation.sweeps import (
    Cell,
    SweepSettings,
    SweepTable,
    cells,
    read_table,
    run_sweep,
    seed_sequence,
)
from validation.sweeps.measure import run_cell
from validation.sweeps.network import n_width, network_error

SETTINGS = SweepSettings(d=(2, 3), m=(12, 40), P=(0.0, 0.3, 1.0), tau=4.0, seed=3)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep")
    run_sweep(SETTINGS, folder)
    return folder


@pytest.fixture(scope="module")
def table(store: Path) -> SweepTable:
    return read_table(store / "table.csv")


def test_numbers_do_not_depend_on_the_number_of_workers(tmp_path: Path, store: Path) -> None:
    run_sweep(SETTINGS, tmp_path, jobs=2)
    for name in ("table.csv", "manifest.json"):
        assert (tmp_path / name).read_bytes() == (store / name).read_bytes()


def test_numbers_do_not_depend_on_what_ran_before(table: SweepTable) -> None:
    measure = network_error(SETTINGS)
    for cell, row in reversed(list(zip(cells(SETTINGS), table.rows, strict=True))):
        outcome = run_cell(
            measure.function, tuple(measure.columns), measure.code, cell, SETTINGS.seed
        )
        assert outcome.values is not None
        assert tuple(outcome.values.values()) == row[len(vars(cell)) :]


def test_row_holds_the_drawn_networks_error_and_its_predictions(table: SweepTable) -> None:
    row = dict(zip(table.columns, table.where(d=3, m=12, P=0.3).rows[0], strict=True))
    cell = Cell(d=3, order=1, m=12, P=0.3, tau=4.0, delta=0.1, replicate=0)
    model = kernelspec.BiasedReLU(3)
    kappa0 = kernelspec.theorem_kappa0(3, 4.0)
    kappa = kernelspec.mixture_mismatch(4 / 12, kappa0)
    bound = kernelspec.explicit_bound(model, 12, kappa, 0.1)
    V = kernelspec.draw_network(
        model, 12, 0.3, 4.0, bound / 4, np.random.default_rng(seed_sequence(3, cell))
    )
    error = worst_case_error(model, V)
    assert row["trained"] == 4
    assert (row["kappa0"], row["kappa_P"]) == (kappa0, kappa)
    assert (row["explicit_bound"], row["lam"]) == (bound, bound / 4)
    assert row["rate_bound"] == kernelspec.rate_bound(12, kappa, 2.5, 0.1)
    assert (row["error"], row["lower"], row["upper"]) == (error.value, error.lower, error.upper)


def test_errors_lie_between_the_n_width_and_the_bound(table: SweepTable) -> None:
    assert np.all(table["n_width"] <= table["upper"])
    assert np.all(table["lower"] <= table["error"])
    assert np.all(table["error"] <= table["upper"])
    assert np.all(table["lower"] <= table["explicit_bound"])


@pytest.mark.parametrize(("order", "tau"), [(0, 0.5), (2, 3.0)])
def test_sharp_limit_serves_other_orders_and_a_given_ridge(
    tmp_path: Path, order: int, tau: float
) -> None:
    settings = SweepSettings(d=3, m=16, P=0.5, tau=tau, order=order, lam=0.02, kappa0="limit")
    table = run_sweep(settings, tmp_path)
    model, law = kernelspec.BiasedReLU(3, order), kernelspec.GaussianInit(3, tau)
    assert table["kappa0"][0] == kernelspec.limiting_mismatch(model, law).kappa
    assert table["lam"][0] == 0.02
    assert table["lower"][0] <= table["upper"][0]


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 0), (3, 1), (6, 3)])
def test_n_width_is_the_next_sorted_eigenvalue(d: int, order: int) -> None:
    mu = kernelspec.BiasedReLU(d, order).eigenvalues(40)
    counts = kernelspec.multiplicity(d, np.arange(41)).astype(int)
    listed = np.sort(np.repeat(mu, np.minimum(counts, 2000)))[::-1]
    for m in (0, 1, 2, 3, 7, 60, 79):
        assert n_width(d, order, m) == listed[m]


@pytest.mark.parametrize(("d", "rtol"), [(2, 0.02), (3, 0.02), (5, 0.004)])
def test_memory_estimate_covers_the_peak_without_excess(d: int, rtol: float) -> None:
    settings = SweepSettings(d=d, m=250, P=1.0, tau=1.0, lam=1e-4, rtol=rtol)
    measure = network_error(settings)
    [cell] = cells(settings)
    seeds = seed_sequence(0, cell)
    measure.function(cell, seeds)
    tracemalloc.start()
    measure.function(cell, seeds)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= measure.memory(cell) <= 10 * peak


def test_a_width_beyond_the_memory_limit_is_refused_before_anything_runs(tmp_path: Path) -> None:
    settings = SweepSettings(d=3, m=(8, 600), P=1.0, tau=1.0, lam=1e-3, memory_gib=0.01)
    words = r"d = 3, m = 600 needs an estimated 0\.052 GiB, and memory_gib = 0\.01 allows less"
    with pytest.raises(MemoryError, match=words):
        run_sweep(settings, tmp_path)
    assert (tmp_path / "cells.journal").read_bytes() == b""


def test_limits_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}

    def watched(model: kernelspec.BiasedReLU, V: Any, **limits: float) -> WorstCaseError:
        seen.update(limits)
        return worst_case_error(model, V, **limits)

    monkeypatch.setattr("validation.sweeps.network.worst_case_error", watched)
    settings = SweepSettings(d=3, m=8, P=1.0, tau=1.0, rtol=0.01, memory_gib=0.5)
    [cell] = cells(settings)
    network_error(settings).function(cell, seed_sequence(0, cell))
    assert seen == {"rtol": 0.01, "max_memory": 2.0**29}
