"""Memory is estimated before, threads are held to one during, time left is told after a cell."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sweep_cells import CODE, COLUMNS, HUGE, PRODUCT, product_cell
from threadpoolctl import threadpool_info, threadpool_limits

from validation.sweeps import SweepProgress, SweepSettings, cells, run_sweep
from validation.sweeps.measure import run_cell
from validation.sweeps.memory import (
    WORKER_BASE,
    require_memory,
)
from validation.sweeps.pace import Pace
from validation.sweeps.threads import single_blas_thread

SETTINGS = SweepSettings(d=3, m=8, P=(0.0, 1.0), tau=2.0, seed=5)
GIB = 2**30


def test_a_sweep_that_does_not_fit_is_refused_before_it_runs(tmp_path: Path) -> None:
    seen: list[SweepProgress] = []
    with pytest.raises(MemoryError, match=r"2 cells at once need an estimated .* this machine has"):
        run_sweep(SETTINGS, tmp_path, jobs=2, measure=HUGE, progress=seen.append)
    assert [state.done for state in seen] == [0]
    assert (tmp_path / "cells.journal").read_bytes() == b""


def test_estimate_takes_the_largest_cells_that_run_at_once() -> None:
    needs = [1 * GIB, 5 * GIB, 2 * GIB]
    exact = 7 * GIB + 2 * WORKER_BASE
    require_memory(needs, 2, exact, "here")
    with pytest.raises(MemoryError, match=r"7\.3 GiB"):
        require_memory(needs, 2, exact - 1, "here")
    require_memory(needs, 2, math.inf, "a place that does not tell")
    require_memory([], 2, 0, "an idle place")


def blas_threads() -> set[int]:
    np.linalg.norm(np.ones((2, 2)) @ np.ones((2, 2)))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_threads_are_limited_inside_and_restored_after() -> None:
    with threadpool_limits(limits=2):
        with single_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {2}
        with pytest.raises(ArithmeticError), single_blas_thread():
            raise ArithmeticError
        assert blas_threads() == {2}


def test_threads_that_wait_for_one_another_get_the_same_numbers() -> None:
    cell = cells(SETTINGS)[0]
    arguments = (product_cell, tuple(COLUMNS), CODE, cell, 5)
    alone = run_cell(*arguments).values
    # A thread that leaves must not lift the limit for one that is still inside.
    with ThreadPoolExecutor(3) as pool:
        outcomes = [
            pool.submit(run_cell, product_cell, tuple(COLUMNS), CODE, cell, 5) for _ in range(12)
        ]
    assert [outcome.result().values for outcome in outcomes] == [alone] * 12


def test_a_limit_held_by_other_code_fails_the_cell() -> None:
    cell = cells(SETTINGS)[0]
    with threadpool_limits(limits=2), ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(run_cell, product_cell, tuple(COLUMNS), CODE, cell, 5).result()
    alone = run_cell(product_cell, tuple(COLUMNS), CODE, cell, 5)
    # Libraries differ in whether another thread may change the limit; a wrong one is not kept.
    assert outcome.values == alone.values or "cannot be held to one thread" in str(outcome.error)


def test_time_left_follows_the_cost_of_the_cells() -> None:
    now = 0.0
    pace = Pace(stored=[5.0], waiting=[6.0, 3.0, 1.0], clock=lambda: now)
    assert pace.state() == SweepProgress(4, 1, 0, 5 / 15, 0.0, None)
    now = 12.0
    pace.count(6.0)
    assert pace.state() == SweepProgress(4, 2, 0, 11 / 15, 12.0, 8.0)
    pace.count(3.0, failed=True)
    pace.count(1.0)
    assert pace.state() == SweepProgress(4, 3, 1, 1.0, 12.0, 0.0)


def test_pace_of_nothing_to_do() -> None:
    assert Pace([], []).state().remaining == 0.0
    assert Pace([1.0], []).state().fraction == 1.0


def test_progress_is_told_after_each_cell(tmp_path: Path) -> None:
    seen: list[SweepProgress] = []
    run_sweep(SETTINGS, tmp_path, measure=PRODUCT, progress=seen.append)
    assert [(state.done, state.total) for state in seen] == [(0, 2), (1, 2), (2, 2)]
    assert seen[0].remaining is None
    assert seen[-1].remaining == 0.0
    run_sweep(SETTINGS, tmp_path, measure=PRODUCT, progress=seen.append)
    assert [(state.done, state.remaining) for state in seen[3:]] == [(2, 0.0)]
