from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelspec import BiasedReLU, uniform_sphere
from kernelspec.decay.curve import levels, sample_curve
from kernelspec.decay.fit import design, mixture_quantile
from kernelspec.decay.judge import hill


def slow_curve(eigenvalues: np.ndarray, N: float) -> float:
    """Bisect the definition: sum mu/(mu+z) = N, ridge = harmonic mean of mu + z."""
    low, high = -60.0, 10.0
    for _ in range(200):
        z = np.exp((low + high) / 2)
        if np.sum(eigenvalues / (eigenvalues + z)) > N:
            low = (low + high) / 2
        else:
            high = (low + high) / 2
    return float(-np.log(np.mean(1 / (eigenvalues + z))))


@given(st.floats(1.1, 5), st.integers(50, 300))
def test_the_curve_solves_its_equations(alpha: float, n: int) -> None:
    mu = np.arange(1, n + 1) ** -alpha
    log_n = levels(n / 8)
    expected = [slow_curve(mu, np.exp(x)) for x in log_n]
    np.testing.assert_allclose(sample_curve(mu, log_n), expected, atol=2e-4)


@given(st.floats(1.1, 4), st.floats(2, 20))
def test_squares_are_the_derivative(alpha: float, N: float) -> None:
    # without sampling distortion (n zeros appended) the ridge is z itself
    mu = np.concatenate([np.zeros(10**5), np.arange(1, 201) ** -alpha])
    lam = np.exp(sample_curve(mu, np.array([np.log(N)]), squared=True)[0])
    assert np.sum((mu / (mu + lam)) ** 2) == pytest.approx(N, rel=3e-3)


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (4, 0), (6, 1)])
def test_the_distortion_of_sampling_is_undone(d: int, order: int) -> None:
    model, n = BiasedReLU(d, order), 320
    log_n = levels(n / 10)
    grid = np.geomspace(1e-9, 1, 400)
    truth = np.interp(-log_n, -np.log(model.degrees_of_freedom(grid)), np.log(grid))
    curves, raw = [], []
    for seed in range(8):
        X = uniform_sphere(d, n, seed)
        mu = np.linalg.eigvalsh(model.kernel((X @ X.T).clip(-1, 1)) / n)
        curves.append(sample_curve(mu, log_n))
        z = np.geomspace(1e-10, 1, 400)
        N = np.sum(np.maximum(mu, 0) / (np.maximum(mu, 0) + z[:, None]), axis=1)
        raw.append(np.interp(-log_n, -np.log(N), np.log(z)))
    end = log_n.size - 1
    assert abs(np.mean(curves, axis=0)[end] - truth[end]) < 0.015
    # without the correction the ridge is a tenth off, as N/n = 0.1 says
    assert np.mean(raw, axis=0)[end] - truth[end] < -0.08


def test_levels_end_at_the_top() -> None:
    x = levels(50.0)
    assert np.exp(x[-1]) == pytest.approx(50)
    np.testing.assert_allclose(np.diff(x), np.log(2) / 4)
    assert 2 <= np.exp(x[0]) < 2.4


def test_nothing_is_read_below_rounding() -> None:
    mu = np.concatenate([np.exp(-np.arange(40.0)), np.full(160, 1e-18)])
    curve = sample_curve(mu, levels(60.0))
    assert np.isnan(curve[-1])
    assert np.isfinite(curve[0])


@pytest.mark.parametrize("rho", [0.4, 1.0, 4.0])
def test_the_fit_recovers_a_power_with_its_correction(rho: float) -> None:
    x = levels(100.0, 10.0)
    y = 0.3 - 1.7 * x + 0.5 * np.exp(-rho * x)
    coefficients = np.linalg.lstsq(design(x, rho), y, rcond=None)[0]
    assert coefficients[1] == pytest.approx(1.7, abs=1e-9)


@given(st.floats(0.5, 6), st.floats(-3, 3))
def test_hill_is_exact_on_powers(alpha: float, a: float) -> None:
    x = levels(64.0, 8.0)
    assert hill(x, a - alpha * x) == pytest.approx(alpha, rel=1e-12)


def test_quantiles_of_a_mixture() -> None:
    from scipy.stats import t

    one = np.array([2.0]), np.array([0.5]), np.array([6.0])
    assert mixture_quantile(*one, 0.975) == pytest.approx(2 + 0.5 * t.ppf(0.975, 6))
    two = np.array([0.0, 10.0]), np.array([0.1, 0.1]), np.array([8.0, 8.0])
    # far apart: 2.5 % of the mixture are 5 % of the lower component
    assert mixture_quantile(*two, 0.025) == pytest.approx(0.1 * t.ppf(0.05, 8))
