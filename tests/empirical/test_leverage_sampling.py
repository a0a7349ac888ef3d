"""Draws from a pool: frequencies, densities, and the mismatch they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from kernelspec import Uniform, uniform_sphere
from kernelspec.empirical import approximate_leverage, features, leverage_sample, pool_leverage


def test_frequencies_are_the_leverage():
    """Chi-squared over 30 neurons, false alarm 1e-7; fixed seed."""
    rng = np.random.default_rng(0)
    leverage, w = rng.uniform(0, 3, 30), rng.uniform(0.5, 2, 30)
    leverage[4] = 0.0
    found = leverage_sample(leverage, 60_000, 1, weights=w)
    p = w * leverage / np.sum(w * leverage)
    counts = np.bincount(found.index, minlength=30)
    assert counts[4] == 0
    kept = p > 0
    assert chisquare(counts[kept], 60_000 * p[kept]).pvalue > 1e-7
    dof = np.sum(w / w.sum() * leverage)
    np.testing.assert_allclose(found.density, leverage[found.index] / dof, rtol=1e-12)


def test_the_weighted_sample_gives_the_kernel_back():
    """Weighted by 1/(size density), the kernel of the draws is unbiased: z below 6 everywhere."""
    X, V = uniform_sphere(3, 12, 0), Uniform(3).sample(50, 1)
    F = features(X, V, "relu")
    pool = pool_leverage(F, 1e-2)
    K = F @ F.T / F.size
    size, repeats = 20, 400
    estimates = np.empty((repeats, 12, 12))
    for r in range(repeats):
        draw = leverage_sample(pool.leverage, size, r)
        estimates[r] = (F[:, draw.index] / (size * draw.density)) @ F[:, draw.index].T / 12
    error = estimates.std(axis=0) / np.sqrt(repeats)
    assert np.all(np.abs(estimates.mean(axis=0) - K) < 6 * error)


def test_the_mismatch_over_the_pool_is_one_or_what_the_bounds_promise():
    X, V = uniform_sphere(4, 300, 0), Uniform(4).sample(400, 1)
    F = features(X, V, "relu")
    exact = pool_leverage(F, 1e-2)
    own = exact.leverage / exact.dof
    assert pool_leverage(F, 1e-2, density=own).kappa == pytest.approx(1, rel=1e-9)
    rough = approximate_leverage(X, V, 1e-2, rtol=0.5)
    density = rough.leverage / np.mean(rough.leverage)
    alive = rough.upper > 0
    promised = np.max(rough.upper[alive] / rough.lower[alive])
    kappa = pool_leverage(F, 1e-2, density=density).kappa
    assert 1 <= kappa <= promised
    assert kappa > 1.001


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1.0, -1.0], 3, 0), {}, "leverage[1] = -1.0 is not allowed"),
        (([0.0, 0.0], 3, 0), {}, "leverage of shape (2,) is not allowed"),
        (([[1.0]], 3, 0), {}, "leverage of shape (1, 1) is not allowed"),
        (([1.0], -1, 0), {}, "size = -1 is not allowed"),
        (([1.0, 2.0], 1, 0), {"weights": [1.0]}, "weights of shape (1,) is not allowed"),
    ],
)
def test_bad_input_is_named(arguments, options, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        leverage_sample(*arguments, **options)
    assert message in str(caught.value)
