"""Least squares on data: limit, interval, rank, ridge, targets."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from approximation_oracles import active_network, gaussian_network
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from kernelspec import BiasedReLU, coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere
from kernelspec.approximation import (
    Harmonic,
    KernelExpansion,
    RidgeFunction,
    ZonalTarget,
    least_squares_error,
    projection_error,
    random_kernel_expansion,
    worst_case_error,
)
from kernelspec.approximation import least_squares as module

TARGETS = {
    "kernel expansion": lambda d: random_kernel_expansion(BiasedReLU(d), 6, 1),
    "harmonic": lambda d: Harmonic(3, np.arange(1.0, d + 1)),
    "ridge function": lambda d: RidgeFunction(np.arange(1.0, d + 1), lambda t: np.exp(2 * t)),
}


# ---- targets ---------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("name", TARGETS)
def test_amplitudes_reproduce_the_target(d, name):
    target = TARGETS[name](d)
    assert isinstance(target, ZonalTarget)
    X = uniform_sphere(d, 50, 0)
    f = target.amplitudes()
    K = f.shape[0] - 1
    P = gegenbauer(d, K, np.clip(X @ target.centres.T, -1, 1))
    root = np.sqrt(multiplicity(d, np.arange(K + 1)))
    series = np.einsum("k,ki,kni->n", root, f, P)
    # kernel expansions are cut where 1e-12 of their norm is left, not of their values
    assert np.max(np.abs(series - target(X))) < 1e-6 * np.max(np.abs(series))


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 9), st.integers(1, 12), st.integers(0, 2**31))
def test_kernel_expansions_have_unit_norm(d, q, seed):
    model = BiasedReLU(d)
    target = random_kernel_expansion(model, q, seed)
    f = target.amplitudes()
    K = f.shape[0] - 1
    P = gegenbauer(d, K, np.clip(target.centres @ target.centres.T, -1, 1))
    mu = model.eigenvalues(K)
    squared = np.einsum("k,ki,kj,kij->", 1 / mu, f, f, P)
    assert squared == pytest.approx(1, rel=2e-4)  # degrees beyond K: of order 1/K^3
    assert squared <= 1 + 1e-9


def test_harmonics_have_unit_norm():
    for d in (2, 3, 8):
        nodes, weights = coordinate_quadrature(d, 12)
        X = np.zeros((12, d))
        X[:, 0], X[:, 1] = nodes, np.sqrt(1 - nodes**2)
        assert weights @ Harmonic(5, np.eye(d)[0])(X) ** 2 == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize(
    "make",
    [
        lambda: KernelExpansion(BiasedReLU(3), np.eye(3), [1.0, 2.0]),
        lambda: KernelExpansion(BiasedReLU(3), np.eye(3), [0.0, 0.0, 0.0]),
        lambda: KernelExpansion(BiasedReLU(3), np.eye(3), [1.0, math.inf, 0.0]),
        lambda: KernelExpansion(BiasedReLU(3), np.zeros((1, 3)), [1.0]),
        lambda: KernelExpansion(BiasedReLU(3), np.eye(4), np.ones(4)),
        lambda: Harmonic(-1, [1.0, 0.0]),
        lambda: Harmonic(1, [[1.0, 0.0]]),
        lambda: RidgeFunction([0.0, 0.0], np.exp),
        lambda: RidgeFunction([1.0, 0.0], np.exp, max_degree=-2),
        lambda: random_kernel_expansion(BiasedReLU(3), 0, 0),
    ],
)
def test_bad_targets_are_refused(make):
    with pytest.raises(ValueError, match=r"is not allowed|are not allowed"):
        make()


# ---- exact projection ------------------------------------------------------------------


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (3, 0), (4, 2), (30, 1)])
@pytest.mark.parametrize("name", TARGETS)
def test_projection_error_is_what_a_large_sample_gives(d, order, name):
    """In-sample residual of many points, corrected for the m degrees of freedom it used."""
    model = BiasedReLU(d, order)
    V = gaussian_network(d, 25, 1.0, 3)
    V[:9, -1] *= 4  # some of them polynomials, or dead
    target = TARGETS[name](d)
    exact = projection_error(model, V, target)
    n = 60_000
    X = uniform_sphere(d, n, 5)
    A = model.features(X, V)
    residual = target(X) - A @ np.linalg.lstsq(A, target(X), rcond=None)[0]
    spread = np.std(residual**2) / math.sqrt(n)
    mean = np.mean(residual**2) * n / (n - 25)
    # six standard deviations, and the part of the excess that is not m/n
    assert abs(mean - exact) <= 6 * spread + 0.003 * exact


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (5, 2)])
def test_what_is_in_the_span_has_no_error(d, order):
    """A neuron, written as a ridge function."""
    model = BiasedReLU(d, order)
    V = active_network(d, 8, 0)
    whole = gaussian_network(d, 40, 1.0, 4)
    whole[:, -1] = 1.0 + 3 * np.linalg.norm(whole[:, :-1], axis=1)
    low = Harmonic(order, np.ones(d))
    assert projection_error(model, np.concatenate([V, whole]), low) < 1e-13
    assert projection_error(model, V, low) > 1e-3


@pytest.mark.parametrize("d", [2, 3, 5])
def test_worst_case_bounds_every_projection_error(d):
    model = BiasedReLU(d)
    V = active_network(d, 20, 1)
    E = worst_case_error(model, V)
    errors = [
        projection_error(model, V, random_kernel_expansion(model, 1 + seed % 5, seed))
        for seed in range(40)
    ]
    assert max(errors) <= E.upper
    for k in range(8):
        # a harmonic of unit RKHS norm
        scaled = model.eigenvalues(k)[k] * projection_error(model, V, Harmonic(k, np.ones(d)))
        assert scaled <= E.upper


def test_projection_error_needs_known_harmonics():
    with pytest.raises(TypeError, match="target"):
        projection_error(BiasedReLU(3), np.eye(4), np.exp)
    with pytest.raises(ValueError, match="dimension 2"):
        projection_error(BiasedReLU(3), np.eye(4), Harmonic(1, [1.0, 0.0]))


# ---- least squares ---------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("name", TARGETS)
def test_error_approaches_the_projection_error(d, name):
    """The excess of a fit to n points falls as m/n; the interval holds the limit at large n."""
    model = BiasedReLU(d)
    V, target = active_network(d, 30, 2), TARGETS[name](d)
    exact = projection_error(model, V, target)
    excess = []
    for n in (60, 600, 60_000):
        fit = least_squares_error(model, V, target, n, rng=1, test_samples=60_000)
        excess.append(fit.error / exact - 1)
        assert fit.rank == 30 or n == 60  # 60 points may all miss a small cap
    assert excess[0] > excess[1] > excess[2] - 0.03
    assert abs(excess[2]) < 0.03
    assert fit.high > exact * (1 - 0.01)
    assert fit.low < exact * 1.01


def _error_of(model, V, target, coefficients):
    """|f - sum c phi|^2 on a grid of the circle, to 1e-5."""
    theta = 2 * np.pi * (np.arange(20_000) + 0.5) / 20_000
    X = np.column_stack([np.cos(theta), np.sin(theta)])
    return np.mean((target(X) - model.features(X, V) @ coefficients) ** 2)


def test_interval_covers_as_often_as_it_says():
    """600 fits with their own intervals; the count of hits has two-sided false-alarm rate 2e-7."""
    model, V = BiasedReLU(2), active_network(2, 6, 0)
    target = TARGETS["ridge function"](2)
    hits = 0
    for seed in range(600):
        fit = least_squares_error(model, V, target, 100, seed, test_samples=1500, confidence=0.8)
        hits += fit.low <= _error_of(model, V, target, fit.coefficients) <= fit.high
    # the normal approximation at 1500 points may miss 1 % of its level
    assert binom.ppf(1e-7, 600, 0.79) <= hits <= binom.ppf(1 - 1e-7, 600, 0.81)


def test_ridge_solves_the_regularised_normal_equations():
    model, V = BiasedReLU(3), gaussian_network(3, 12, 1.0, 0)
    target = TARGETS["ridge function"](3)
    fit = least_squares_error(model, V, target, 300, rng=4, ridge=0.05)
    X = uniform_sphere(3, 300, np.random.default_rng(4))
    A = model.features(X, V)
    normal = A.T @ A / 300 + 0.05 * np.eye(12)
    assert fit.coefficients == pytest.approx(np.linalg.solve(normal, A.T @ target(X) / 300))
    assert fit.train_error == pytest.approx(np.mean((A @ fit.coefficients - target(X)) ** 2))
    assert fit.ridge == 0.05


def test_training_error_grows_with_the_ridge():
    model, V = BiasedReLU(3), gaussian_network(3, 20, 1.0, 0)
    target = TARGETS["harmonic"](3)
    errors = [
        least_squares_error(model, V, target, 200, rng=0, ridge=ridge).train_error
        for ridge in (0.0, 1e-6, 1e-3, 1.0, 1e6)
    ]
    assert errors == sorted(errors)


@pytest.mark.parametrize("n", [3, 20, 200])
def test_rank_is_stated_and_dependent_columns_share_the_weight(n):
    """Twelve neurons of which two repeat, two are dead and seven are linear in three dimensions."""
    V = gaussian_network(3, 12, 1.0, 7)
    V[:7, -1] = 1 + 3 * np.linalg.norm(V[:7, :-1], axis=1)
    V[7:9, -1] = -1 - 3 * np.linalg.norm(V[7:9, :-1], axis=1)
    V[9] = [1.0, 0.0, 0.0, 0.1]
    V[10] = 1e6 * V[9]
    V[11] = [0.0, 1.0, 0.0, 0.1]
    model = BiasedReLU(3)
    fit = least_squares_error(model, V, TARGETS["ridge function"](3), n, rng=0)
    assert fit.rank == min(n, 4 + 2)
    assert np.all(fit.coefficients[7:9] == 0)
    # with columns of unit norm the smallest solution treats equal columns alike
    assert fit.coefficients[9] == pytest.approx(1e6 * fit.coefficients[10])
    if n > 6:
        small = np.concatenate([V[:4], V[9:10], V[11:]])
        same = least_squares_error(model, small, TARGETS["ridge function"](3), n, rng=0)
        assert same.rank == 6
        assert fit.error == pytest.approx(same.error, rel=1e-9)


def test_fewer_points_than_features_interpolate():
    model, V = BiasedReLU(3), active_network(3, 50, 0)
    fit = least_squares_error(model, V, TARGETS["harmonic"](3), 20, rng=0)
    assert fit.rank == 20
    assert fit.train_error < 1e-20


def test_no_features_and_dead_features():
    model, target = BiasedReLU(3), TARGETS["harmonic"](3)
    for V in (np.empty((0, 4)), np.array([[0.1, 0.0, 0.0, -1.0]])):
        fit = least_squares_error(model, V, target, 50, rng=0, test_samples=40_000)
        assert fit.rank == 0
        assert fit.low < 1 < fit.high
        assert np.all(fit.coefficients == 0)


def test_blocks_of_points_do_not_change_the_fit(monkeypatch):
    """The same points, reduced in blocks of 97 or all at once."""
    model, V, target = BiasedReLU(3), active_network(3, 20, 0), TARGETS["ridge function"](3)
    whole = least_squares_error(model, V, target, 1000, rng=3)
    monkeypatch.setattr(module, "_BLOCK", 97)
    parts = least_squares_error(model, V, target, 1000, rng=3)
    assert parts.coefficients == pytest.approx(whole.coefficients, rel=1e-8)
    assert parts.error == pytest.approx(whole.error, rel=1e-9)


def test_seeds_repeat():
    model, V, target = BiasedReLU(3), active_network(3, 20, 0), TARGETS["ridge function"](3)
    first, again, other = (
        least_squares_error(model, V, target, 100, rng=rng)
        for rng in (5, np.random.default_rng(5), 6)
    )
    assert first.error == again.error
    assert first.error != other.error


def test_memory_does_not_grow_with_the_sample():
    model, V, target = BiasedReLU(3), active_network(3, 20, 0), TARGETS["harmonic"](3)
    peaks = []
    for n in (20_000, 200_000):
        tracemalloc.start()
        least_squares_error(model, V, target, n, rng=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
    with pytest.raises(MemoryError, match=r"a fit of 20 features needs about .* GiB"):
        least_squares_error(model, V, target, 20_000, rng=0, max_memory=1e5)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"n": 0}, ValueError, "n = 0"),
        ({"n": 2.5}, ValueError, "n = 2.5"),
        ({"V": np.eye(3)}, ValueError, "V"),
        ({"ridge": -1.0}, ValueError, "ridge"),
        ({"test_samples": 1}, ValueError, "test_samples"),
        ({"confidence": 1.0}, ValueError, "confidence"),
        ({"target": 3.0}, TypeError, "target"),
        ({"target": lambda X: X}, ValueError, r"target returned shape \(50, 3\)"),
        ({"target": lambda X: X[:, 0] * math.nan}, ValueError, "not finite"),
    ],
)
def test_bad_arguments_are_refused(change, error, words):
    good = {"V": np.eye(4), "target": lambda X: X[:, 0], "n": 50, "rng": 0}
    with pytest.raises(error, match=words):
        least_squares_error(BiasedReLU(3), **{**good, **change})
