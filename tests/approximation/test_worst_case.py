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
from kernelspec.approximation._residual import Residual

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


# ---- symmetries ------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 5])
def test_more_neurons_never_hurt(d):
    model = BiasedReLU(d)
    V = gaussian_network(d, 80, 1.0, d)
    before = worst_case_error(model, V[:10], rtol=FINE)
    for m in (20, 40, 80):
        after = worst_case_error(model, V[:m], rtol=FINE)
        assert after.lower <= before.upper
        assert after.value <= before.value * (1 + 2 * FINE)
        before = after


@pytest.mark.parametrize("d", [2, 3, 6])
def test_rotation_order_and_scale_do_not_matter(d):
    model = BiasedReLU(d)
    rng = np.random.default_rng(d)
    V = gaussian_network(d, 40, 1.0, 20 + d)
    E = worst_case_error(model, V, rtol=FINE)
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    rotated = np.column_stack([V[:, :d] @ turn, V[:, d]])
    scales = 10.0 ** rng.uniform(-150, 150, 40)[:, None]
    for other in (rotated, V[rng.permutation(40)], V * scales):
        again = worst_case_error(model, other, rtol=FINE)
        assert again.value == pytest.approx(E.value, rel=FINE)
        assert again.rank == E.rank
        assert (again.lower, again.upper) == pytest.approx((E.lower, E.upper), rel=3 * FINE)


@pytest.mark.parametrize("d", [2, 3])
def test_duplicates_and_dead_rows_change_nothing(d):
    model = BiasedReLU(d)
    V = gaussian_network(d, 30, 1.0, 1)
    dead = gaussian_network(d, 5, 1.0, 2)
    dead[:, -1] = -2 * np.linalg.norm(dead[:, :-1], axis=1)
    padded = np.concatenate([V, 3.0 * V[:7], V[20:22] / 7.0, dead, np.zeros((1, d + 1))])
    assert worst_case_error(model, padded) == worst_case_error(model, V)


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (3, 2), (3, 0), (5, 1)])
def test_opposite_neurons_add_polynomials(d, order):
    """phi_v and phi_{-v} span phi_v and a polynomial, so opposites of all add all polynomials."""
    model = BiasedReLU(d, order)
    V = active_network(d, 25, 3)
    whole = gaussian_network(d, 60, 1.0, 4)
    whole[:, -1] = 1.0 + 3 * np.linalg.norm(whole[:, :-1], axis=1)
    both = worst_case_error(model, np.concatenate([V, -2.0 * V]), rtol=FINE)
    with_polynomials = worst_case_error(model, np.concatenate([whole, V]), rtol=FINE)
    assert both.value == pytest.approx(with_polynomials.value, rel=FINE)
    assert (both.rank, both.missing) == (with_polynomials.rank, 0)


def test_one_opposite_pair_adds_its_own_polynomial():
    for d, order in [(3, 1), (4, 2), (3, 3)]:
        model = BiasedReLU(d, order)
        V = active_network(d, 10, 4)
        V = np.concatenate([V, -V[:1]])
        E = worst_case_error(model, V, rtol=FINE)
        _agree(E, dense_error(model, V, 14 if d == 3 else 9), 3e-5)
        assert (E.rank, E.missing) == (11, 0)


# ---- nearly dependent neurons ----------------------------------------------------------


@pytest.mark.parametrize("gap", [1e-5, 1e-6, 1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("d", [2, 3])
def test_nearly_equal_neurons_do_not_break_the_enclosure(d, gap):
    """As neurons merge, their span tends to the neuron and its derivative: E has a limit."""
    model = BiasedReLU(d)
    V = active_network(d, 12, 8)
    move = np.random.default_rng(9).standard_normal(V.shape)
    limit = worst_case_error(model, np.concatenate([V, V + 1e-4 * move]), rtol=1e-3)
    E = worst_case_error(model, np.concatenate([V, V + gap * move]), rtol=1e-3)
    assert limit.converged
    assert E.lower <= limit.upper * 1.002
    assert E.upper >= limit.lower * 0.998
    assert E.rank + E.missing == 24
    if E.missing:
        assert not E.converged
        assert str(E.missing) in E.message


def test_dependent_polynomials_are_counted_as_hidden():
    """Three whole neurons in a plane: the third adds nothing, but rounding cannot tell."""
    model = BiasedReLU(3)
    V = gaussian_network(3, 3, 1.0, 4)
    V[:2, -1] = 1.0 + 3 * np.linalg.norm(V[:2, :-1], axis=1)
    V[2] = 0.3 * V[0] + 0.7 * V[1]
    E, two = worst_case_error(model, V), worst_case_error(model, V[:2])
    assert (E.rank, E.missing) == (2, 1)
    assert E.lower <= two.lower
    assert E.upper == pytest.approx(two.upper, rel=1e-9)


def test_neurons_too_small_to_scale_are_granted_to_the_lower_bound():
    model = BiasedReLU(100)
    V = active_network(100, 3, 0)
    tiny = active_network(100, 1, 1)
    tiny[0, :-1] /= np.linalg.norm(tiny[0, :-1])
    tiny[0, -1] = -1 + 1e-11
    E, without = worst_case_error(model, np.concatenate([V, tiny])), worst_case_error(model, V)
    assert (E.rank, E.missing) == (3, 1)
    assert E.upper == without.upper
    assert E.lower <= without.lower


def test_the_upper_bound_does_not_trust_the_eigensolver(monkeypatch):
    """An eigenpair far below the top is taken for the top: the count must find out."""
    model, V = BiasedReLU(3), active_network(3, 60, 0)
    E = worst_case_error(model, V)
    honest = Residual.top

    def misled(self, tolerance):
        value, vector = honest(self, tolerance)
        return 0.3 * value, vector

    monkeypatch.setattr(Residual, "top", misled)
    assert worst_case_error(model, V).upper >= E.lower


def test_a_neuron_that_is_nearly_a_polynomial_keeps_its_rest():
    """With all linear functions at hand only the tiny cap counts, whatever the neuron's norm."""
    model = BiasedReLU(5)
    whole = gaussian_network(5, 20, 1.0, 0)
    whole[:, -1] = 1.0 + 3 * np.linalg.norm(whole[:, :-1], axis=1)
    V = active_network(5, 30, 1)
    u = uniform_sphere(5, 1, 2)[0]
    large = np.append(u * math.cos(math.pi / 4 - 1e-4), math.sin(math.pi / 4 - 1e-4))
    nearly = worst_case_error(model, np.concatenate([whole, V, large[None]]))
    small = worst_case_error(model, np.concatenate([whole, V, -large[None]]))
    assert nearly.missing == 0
    assert nearly.value == pytest.approx(small.value, rel=1e-9)


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
