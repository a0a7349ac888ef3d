"""Counts of eigenvalues against dense ones; what a network is split into."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.approximation._circle import circle_samples, coordinate_error
from kernelspec.approximation._enclosure import _lower_beyond_missing
from kernelspec.approximation._gram import unit_gram
from kernelspec.approximation._neurons import split_neurons, unit_rows
from kernelspec.approximation._residual import Residual, _positive
from kernelspec.approximation._span import Whitening
from kernelspec.approximation.hyperspherical import harmonic_basis


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 12), st.integers(0, 2**31))
def test_inertia(n, seed):
    A = np.random.default_rng(seed).standard_normal((n, n))
    A = A + A.T
    expected = np.count_nonzero(np.linalg.eigvalsh(A) > 0) if n else 0
    assert _positive(A.copy()) == expected


def _random_residual(seed, D=12, rank=5):
    """A span that reaches beyond the D rows into a tail of eigenvalues below `beyond`."""
    rng = np.random.default_rng(seed)
    mu = np.sort(rng.uniform(0.1, 1.0, D + 8))[::-1]
    full, _ = np.linalg.qr(rng.standard_normal((D + 8, rank)))
    complement = np.eye(D + 8) - full @ full.T
    eigenvalues = np.linalg.eigvalsh(complement @ np.diag(mu) @ complement)
    return Residual(mu[:D], full[:D], float(mu[D])), eigenvalues


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31), st.floats(0.12, 1.2))
def test_counts_bracket_the_true_number(seed, level):
    residual, eigenvalues = _random_residual(seed)
    level = residual.clear_of_poles(level, 1e-6)
    exact = np.count_nonzero(eigenvalues > level)
    assert residual.least_above(level, np.zeros((5, 5))) <= exact
    if level > residual.beyond:
        assert exact <= residual.most_above(level)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**31))
def test_top_eigenvalue_bounds_from_above_and_counts_agree(seed):
    residual, eigenvalues = _random_residual(seed)
    top, _ = residual.top(1e-8)
    assert top >= eigenvalues[-1] - 1e-12
    assert residual.most_above(residual.clear_of_poles(top * (1 + 1e-6), 1e-9)) == 0
    assert residual.most_above(residual.clear_of_poles(top * (1 - 1e-6), 1e-9)) >= 1


def test_large_problems_use_lanczos_with_the_same_result():
    rng = np.random.default_rng(0)
    mu = np.sort(rng.uniform(0.1, 1.0, 400))[::-1]
    Q, _ = np.linalg.qr(rng.standard_normal((400, 60)))
    residual = Residual(mu, Q, 0.05)
    complement = np.eye(400) - Q @ Q.T
    S = np.sqrt(mu - 0.05)
    exact = 0.05 + np.linalg.eigvalsh(S[:, None] * complement * S)[-1]
    assert residual.top(1e-6)[0] == pytest.approx(exact, rel=1e-6)


def test_excess_lowers_the_count():
    residual, eigenvalues = _random_residual(3)
    level = float(np.sort(eigenvalues)[-2] * 0.999)
    assert np.count_nonzero(eigenvalues > level) >= 2
    plain = residual.least_above(level, np.zeros((5, 5)))
    assert residual.least_above(level, 100 * np.eye(5)) < plain


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31), st.integers(1, 3))
def test_hidden_directions_cost_that_many_eigenvalues(seed, missing):
    """The bound is eigenvalue missing + 1 of the known part, and below the truth."""
    rng = np.random.default_rng(seed)
    mu = np.sort(rng.uniform(0.1, 1.0, 14))[::-1]
    Q, _ = np.linalg.qr(rng.standard_normal((14, 4 + missing)))

    def spectrum(basis):
        complement = np.eye(14) - basis @ basis.T
        return np.linalg.eigvalsh(complement @ np.diag(mu) @ complement)[::-1]

    known = Whitening(np.zeros((0, 0)), np.zeros((0, 4)), np.eye(4), True, 0.0, 1.0, missing, 0.0)
    residual = Residual(mu, Q[:, :4], 0.01)
    proven = _lower_beyond_missing(residual, known, 0.01, spectrum(Q[:, :4])[0], 0.01, 0.0)
    assert proven <= spectrum(Q)[0] * (1 + 1e-12)
    exact = spectrum(Q[:, :4])[missing]
    assert 0.98 * exact <= proven <= exact * (1 + 1e-12)


def test_split():
    V = np.array(
        [
            [1.0, 0.0, 0.0, 0.1],
            [0.0, 1.0, 0.0, -0.2],
            [2.0, 0.0, 0.0, 0.2],  # twice row 0
            [0.0, -3.0, 0.0, 0.6],  # opposite of row 1
            [0.0, 0.0, 1.0, 1.0],  # kink at a point: polynomial
            [0.0, 0.0, 1.0, -1.0],  # zero
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 2.0],  # constant
            [0.0, 0.0, 0.0, 5.0],
            [0.0, 0.0, 0.0, -2.0],
            [1e-320, 0.0, 0.0, 0.0],  # subnormal, but a neuron
        ]
    )
    neurons = split_neurons(unit_rows(V, 3), 3, 1)
    assert neurons.b.size == 3
    assert neurons.U.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert neurons.whole_heights.size == 3
    assert neurons.whole_heights[-1] == pytest.approx(0.6 / np.hypot(3, 0.6))
    assert neurons.unresolved == 0


def test_neurons_whose_features_underflow_are_counted():
    b = -np.sqrt(0.5) * (1 - 1e-11)
    V = np.zeros((1, 101))
    V[0, 0], V[0, -1] = np.sqrt(1 - b * b), b
    assert split_neurons(V, 100, 1).unresolved == 1


def test_circle_samples_are_isometric():
    """Sums of squares at the nodes are the Gram matrix, and integrate harmonics exactly."""
    rng = np.random.default_rng(0)
    theta, b = rng.uniform(0, 6.28, 30), rng.uniform(-0.7, 0.7, 30)
    b[:4] = -math.sqrt(0.5) * (1 - np.array([1e-3, 1e-5, 1e-7, 1e-9]))  # small caps
    U = np.column_stack([np.cos(theta), np.sin(theta)])
    for s in range(6):
        values, points, root = circle_samples(s, U, b)
        error = np.abs(values.T @ values - unit_gram(2, s, U, b)[0])
        assert np.max(error[4:, 4:]) < 1e-13
        assert np.max(error) < 20 * coordinate_error(b)
        Y = np.concatenate(harmonic_basis(points, s)) * root
        assert np.max(np.abs(Y @ Y.T - np.eye(2 * s + 1))) < 1e-13
