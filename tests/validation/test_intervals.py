from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from validation.intervals import jackknife_interval, mean_interval, share_interval


@pytest.mark.parametrize(("successes", "draws"), [(0, 52), (3, 40), (17, 17), (1, 1), (250, 1000)])
def test_a_share_has_the_exact_binomial_interval(successes: int, draws: int) -> None:
    exact = stats.binomtest(successes, draws).proportion_ci(0.99, method="exact")
    assert share_interval(successes, successes, draws) == pytest.approx((exact.low, exact.high))


def test_undecided_draws_widen_the_interval_at_both_ends() -> None:
    assert share_interval(2, 5, 50) == (share_interval(2, 2, 50)[0], share_interval(5, 5, 50)[1])


@pytest.mark.parametrize("counts", [(3, 2, 9), (-1, 0, 9), (0, 10, 9), (0, 0, 0)])
def test_impossible_counts_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="fewest, most, draws = "):
        share_interval(*counts)


def test_a_mean_has_students_interval() -> None:
    x = np.random.default_rng(0).normal(size=11)
    t = stats.t.interval(0.99, x.size - 1, x.mean(), stats.sem(x))
    assert mean_interval(x, x) == pytest.approx(t)
    assert mean_interval(x - 1, x + 2) == pytest.approx((t[0] - 1, t[1] + 2))


def test_the_jackknife_of_a_linear_function_is_students_interval() -> None:
    rows = np.random.default_rng(1).normal(size=(9, 3))
    weights = np.array([2.0, -1.0, 0.5])
    x = rows @ weights
    low, high = mean_interval(x, x)
    assert jackknife_interval(lambda mean: float(weights @ mean), rows) == pytest.approx(
        (low, high)
    )
    wider = jackknife_interval(lambda mean: float(weights @ mean), rows, error=0.1)
    assert wider == pytest.approx((low - 0.35, high + 0.35))


def test_the_jackknife_covers_a_curved_function_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(2000):
        low, high = jackknife_interval(
            lambda mean: math.exp(mean[0]), rng.normal(1.0, 0.3, size=(10, 1)), confidence=0.9
        )
        hits += low <= math.e <= high
    # 2000 draws at 90 %: six standard deviations are 0.04
    assert 0.86 < hits / 2000 < 0.94


@pytest.mark.parametrize("draws", [0, 1])
def test_one_draw_shows_no_spread(draws: int) -> None:
    with pytest.raises(ValueError, match=f"low has {draws} draws"):
        mean_interval(np.zeros(draws), np.zeros(draws))
    with pytest.raises(ValueError, match=f"rows has {draws} draws"):
        jackknife_interval(lambda mean: 0.0, np.zeros((draws, 2)))
