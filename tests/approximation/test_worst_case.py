"""The worst-case error against closed forms, slow oracles, random functions and its symmetries."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from approximation_oracles import (
    active_network,
    circle_error,
    dense_error,
    gaussian_network,
    one_neuron_error,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, multiplicity, uniform_sphere
from kernelspec.approximation import worst_case_error, worst_case_memory
from kernelspec.approximation._enclosure import least_residual

FINE = 1e-5


def _sorted_eigenvalue(model, j):
    """mu_(j), counted with multiplicity from 1."""
    mu = model.eigenvalues(60)
    counts = np.cumsum(multiplicity(model.d, np.arange(61)))
    return mu[np.searchsorted(counts, j)]


def _agree(E, exact, rel):
    """The enclosure holds the value, up to the oracle's own error, and is as narrow as it says."""
    assert E.lower * (1 - rel) <= exact <= E.upper * (1 + rel)
    assert E.lower <= E.value <= E.upper


# ---- allowances ------------------------------------------------------------------------


@settings(deadline=None, max_examples=300)
@given(
    st.floats(1e-6, 1.0),
    st.floats(0.0, 30.0),
    st.floats(0.05, 1.0),
    st.floats(0, 1),
    st.floats(0, 1),
)
@example(1.0, 0.0, 0.1, 0.0, 1.0)
@example(1.0, 1.0, 0.1, 0.0, 1.0)
@example(1e-6, 30.0, 0.05, 1.0, 1.0)
def test_no_coefficients_leave_less_than_the_allowed_residual(r, size, sigma, eta, delta):
    shift, error = eta * 0.1 * sigma**2, delta * 0.3 * sigma
    found = least_residual(r**2, size, sigma**2, shift, error)
    # any coefficients y' = size - e: the curve's floor, the coordinates' error and the shift
    e = np.linspace(-3, 3, 20001) * (size + r / sigma)
    left = np.maximum(np.sqrt(r**2 + sigma**2 * e**2) - error * np.abs(size - e), 0.0)
    least = max(np.min(left**2 - 2 * shift * (size - e) ** 2), 0.0)
    assert found <= least + 1e-9 * (r**2 + size**2)
    if eta == delta == 0:
        assert found == r**2


def test_small_allowances_cost_their_first_order():
    r, size, sigma, delta, eta = 0.3, 2.0, 0.7, 1e-9, 1e-10
    lost = r**2 - least_residual(r**2, size, sigma**2, eta, delta)
    assert lost == pytest.approx(2 * delta * size * r + 2 * eta * size**2, rel=1e-6)
    assert least_residual(0.0, size, sigma**2, eta, delta) == 0.0
    assert least_residual(r**2, size, sigma**2, sigma**2, delta) == 0.0


# ---- closed forms ----------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 5, 30, 1000])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_without_active_neurons_the_constant_is_worst(d, order):
    model = BiasedReLU(d, order)
    dead = np.zeros((3, d + 1))
    dead[0, -1], dead[1, :2], dead[1, -1] = -1.0, 0.1, -5.0
    for V in (np.empty((0, d + 1)), dead):
        E = worst_case_error(model, V)
        assert E.value == E.lower == E.upper == model.eigenvalues(0)[0]
        assert (E.rank, E.converged) == (0, True)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 12), st.integers(0, 3), st.floats(-0.7, 0.7), st.integers(0, 2**31))
@example(2, 1, 0.0, 0)
@example(3, 1, -0.7, 0)
@example(3, 1, 0.70710678, 0)
@example(200, 1, 0.1, 0)
def test_one_neuron(d, order, b, seed):
    model = BiasedReLU(d, order)
    u = uniform_sphere(d, 1, seed)
    E = worst_case_error(model, np.column_stack([u * math.sqrt(1 - b * b), [b]]), rtol=FINE)
    # the series of the oracle stops at degree 400: for order 0 its tail is of size 1/400
    _agree(E, one_neuron_error(model, b), 1e-5 if order == 0 else 1e-9)
    assert E.converged


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (5, 1), (3, 0), (3, 2), (4, 3)])
def test_polynomial_neurons_capture_the_degrees_up_to_their_order(d, order):
    """Far more of them than dimensions: an unpivoted factorisation would invent directions."""
    model = BiasedReLU(d, order)
    V = gaussian_network(d, 90, 1.0, 0)
    V[:, -1] = 1.0 + 3 * np.linalg.norm(V[:, :-1], axis=1)
    E = worst_case_error(model, V)
    _agree(E, model.eigenvalues(order + 1)[-1], 1e-12)
    assert E.rank == multiplicity(d, np.arange(order + 1)).sum()
    assert (E.missing, E.converged) == (0, True)


def test_a_few_polynomial_neurons_leave_a_linear_function():
    model = BiasedReLU(3)
    V = gaussian_network(3, 2, 1.0, 4)
    V[:, -1] = 1.0 + 3 * np.linalg.norm(V[:, :-1], axis=1)
    E = worst_case_error(model, V, rtol=FINE)
    _agree(E, dense_error(model, V, 12), 1e-9)
    assert (E.rank, E.missing) == (2, 0)


# ---- slow oracles ----------------------------------------------------------------------


@pytest.mark.parametrize(("m", "order"), [(2, 1), (7, 1), (24, 1), (24, 2), (60, 1)])
def test_on_the_circle_against_a_fine_grid(m, order):
    """Kernel by FFT, features by values: nothing in common with the harmonics."""
    V = gaussian_network(2, m, 1.0, m)
    E = worst_case_error(BiasedReLU(2, order), V, rtol=1e-4)
    _agree(E, circle_error(V, order), 3e-4)
    assert E.converged


@pytest.mark.parametrize(
    ("d", "order", "K"), [(2, 1, 40), (3, 1, 20), (3, 2, 12), (4, 3, 8), (5, 1, 9), (8, 1, 5)]
)
@pytest.mark.parametrize("m", [3, 12, 25])
def test_against_a_dense_eigenproblem(d, order, K, m):
    model = BiasedReLU(d, order)
    V = gaussian_network(d, m, 1.0, 10 * d + m)
    E = worst_case_error(model, V, rtol=FINE)
    _agree(E, dense_error(model, V, K), 3e-5)
    assert E.converged


def test_order_zero_against_a_dense_eigenproblem():
    """The Gram series of the indicator converges as 1/k."""
    model = BiasedReLU(3, 0)
    V = gaussian_network(3, 12, 1.0, 5)
    _agree(worst_case_error(model, V, rtol=FINE), dense_error(model, V, 30, 3000), 1e-4)


def test_cutting_the_tails_of_the_features_would_show():
    """A quarter of the value: what is lost if features stop at degree K."""
    model = BiasedReLU(3)
    V = active_network(3, 60, 1)
    exact = worst_case_error(model, V, rtol=1e-4)
    cut = dense_error(model, V, 8, series=8)
    assert not exact.lower * 0.99 <= cut <= exact.upper * 1.01


# ---- the unit ball ---------------------------------------------------------------------


def _in_sample(model, V, f, X):
    """Least-squares residual at the points: its mean never exceeds the projection error."""
    A = model.features(X, V)
    residual = f - A @ np.linalg.lstsq(A, f, rcond=None)[0]
    return np.mean(residual**2)


@pytest.mark.parametrize(("d", "m"), [(2, 15), (3, 20), (5, 25)])
def test_no_function_of_the_unit_ball_exceeds_the_upper_bound(d, m):
    """400 kernel expansions of unit RKHS norm; centres spread, clustered, and one alone."""
    model = BiasedReLU(d)
    V = active_network(d, m, d)
    E = worst_case_error(model, V)
    rng = np.random.default_rng(7)
    X = uniform_sphere(d, 4000, rng)
    worst = 0.0
    for trial in range(400):
        q = int(rng.integers(1, 40))
        centres = uniform_sphere(d, q, rng)
        if trial % 2:
            centres = centres[0] + 0.3 * centres
            centres /= np.linalg.norm(centres, axis=1)[:, None]
        c = rng.standard_normal(q)
        c /= math.sqrt(c @ model.kernel(np.clip(centres @ centres.T, -1, 1)) @ c)
        f = model.kernel(np.clip(X @ centres.T, -1, 1)) @ c
        worst = max(worst, _in_sample(model, V, f, X))
    assert worst <= E.upper


@pytest.mark.parametrize(("d", "m"), [(2, 10), (3, 16), (5, 20)])
def test_gradient_ascent_over_the_unit_ball_reaches_the_lower_bound(d, m):
    """Power iteration f <- T (f - fit) on a sample approaches the worst function."""
    model = BiasedReLU(d)
    V = active_network(d, m, 10 + d)
    E = worst_case_error(model, V)
    n = 2500
    X = uniform_sphere(d, n, 3)
    T = model.kernel(np.clip(X @ X.T, -1, 1)) / n
    Q, _ = np.linalg.qr(model.features(X, V))
    r = np.random.default_rng(0).standard_normal(n)
    for _ in range(60):
        r -= Q @ (Q.T @ r)
        r /= np.linalg.norm(r)
        value, r = r @ T @ r, T @ r
    # a sample of n points: relative error of a few n^{-1/2}
    assert 0.85 * E.lower <= value <= 1.15 * E.upper


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 8), st.integers(0, 60), st.floats(0.2, 10), st.integers(0, 2**31))
@example(2, 1, 1.0, 0)
@example(3, 3, 1.0, 0)
def test_no_features_beat_the_width(d, m, tau, seed):
    """m features cannot do better than the best m: E >= mu_(m+1)."""
    model = BiasedReLU(d)
    E = worst_case_error(model, gaussian_network(d, m, tau, seed))
    assert E.lower >= _sorted_eigenvalue(model, m + 1) * (1 - 1e-12)
    assert E.upper <= model.eigenvalues(0)[0] * (1 + 1e-12)
    assert E.converged
    assert E.upper - E.lower <= 0.02 * E.value


# ---- accuracy and cost -----------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 5])
def test_width_of_the_enclosure_follows_rtol(d):
    model = BiasedReLU(d)
    V = active_network(d, 120, 0)
    fine = worst_case_error(model, V, rtol=1e-5)
    for rtol in (0.3, 0.02, 1e-3):
        E = worst_case_error(model, V, rtol=rtol)
        assert E.converged
        assert E.upper - E.lower <= rtol * E.value
        assert E.lower <= fine.upper
        assert E.upper >= fine.lower


@pytest.mark.parametrize(("d", "m"), [(2, 500), (3, 500), (5, 500), (10, 200)])
def test_default_width_of_large_networks(d, m):
    E = worst_case_error(BiasedReLU(d), active_network(d, m, 6))
    assert E.converged
    assert (E.rank, E.missing) == (m, 0)
    assert E.upper - E.lower <= 0.02 * E.value


@pytest.mark.parametrize(("d", "m"), [(2, 300), (3, 300), (5, 300)])
def test_memory_stays_within_the_estimate(d, m):
    model, V = BiasedReLU(d), active_network(d, m, 6)
    worst_case_error(model, V)
    tracemalloc.start()
    worst_case_error(model, V)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= worst_case_memory(model, m) <= 5 * peak


@pytest.mark.parametrize("d", [2, 3])
def test_memory_is_refused_before_it_is_taken(d):
    V = active_network(d, 3000, 0)
    tracemalloc.start()
    with pytest.raises(MemoryError, match=r"3000 active neurons needs about .* GiB"):
        worst_case_error(BiasedReLU(d), V, max_memory=1e8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e7  # the Gram matrix alone would take 7e7


def test_a_degree_beyond_the_memory_ends_the_refinement():
    model, V = BiasedReLU(5), active_network(5, 60, 0)
    enough_to_begin = worst_case_memory(model, 60, rtol=1e-9)
    E = worst_case_error(model, V, rtol=1e-9, max_memory=enough_to_begin)
    exact = worst_case_error(model, V, rtol=1e-4)
    assert not E.converged
    assert "memory" in E.message
    assert E.lower <= exact.upper
    assert E.upper >= exact.lower


# ---- bad input -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("V", "error", "words"),
    [
        (np.zeros((3, 3)), ValueError, r"V of shape \(3, 3\)"),
        (np.zeros(4), ValueError, r"V of shape \(4,\)"),
        ([[0.0, 1.0, math.nan, 0.0]], ValueError, r"V\[0, 2\] = .*nan"),
        ([[0.0, 1.0, 0.0, math.inf]], ValueError, r"V\[0, 3\] = .*inf"),
        ([["a", "b", "c", "d"]], TypeError, "V = "),
    ],
)
def test_bad_networks_are_refused(V, error, words):
    with pytest.raises(error, match=words):
        worst_case_error(BiasedReLU(3), V)


@pytest.mark.parametrize("rtol", [0.0, 1.0, -1.0, math.nan])
def test_bad_tolerances_are_refused(rtol):
    with pytest.raises(ValueError, match="rtol"):
        worst_case_error(BiasedReLU(3), np.eye(4), rtol=rtol)


def test_bad_memory_is_refused():
    with pytest.raises(ValueError, match="max_memory"):
        worst_case_error(BiasedReLU(3), np.eye(4), max_memory=-1.0)
