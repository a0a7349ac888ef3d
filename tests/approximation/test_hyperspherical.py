"""The explicit basis of harmonics: addition theorem, orthonormality, compressed coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere
from kernelspec.approximation import harmonic_basis
from kernelspec.approximation._basis import DegreeBasis


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 12), st.integers(0, 6), st.integers(0, 2**31))
@example(2, 40, 0)
@example(3, 20, 0)
@example(40, 2, 0)
def test_addition_theorem(d, K, seed):
    X = uniform_sphere(d, 6, seed)
    X[0], X[1], X[2] = 0.0, 0.0, 0.0
    X[0, -1], X[1, 0], X[2, d // 2] = 1.0, -1.0, 1.0  # where partial norms vanish
    P = gegenbauer(d, K, np.clip(X @ X.T, -1, 1))
    for k, Y in enumerate(harmonic_basis(X, K)):
        count = float(multiplicity(d, k))
        assert Y.shape == (count, 6)
        assert np.max(np.abs(Y.T @ Y - count * P[k])) <= 1e-13 * count * (1 + k)


def test_basis_is_orthonormal_on_the_sphere():
    """A product rule on S^2, exact for products of degree 10."""
    t, weight = coordinate_quadrature(3, 8)
    phi = 2 * np.pi * np.arange(12) / 12
    radius = np.sqrt(1 - t**2)
    X = np.stack(
        [np.outer(radius, np.cos(phi)), np.outer(radius, np.sin(phi)), np.outer(t, np.ones(12))],
        axis=-1,
    ).reshape(-1, 3)
    Y = np.concatenate(harmonic_basis(X, 5))
    weights = np.repeat(weight / 12, 12)
    assert np.max(np.abs((Y * weights) @ Y.T - np.eye(36))) < 1e-14


@pytest.mark.parametrize(
    "X", [np.zeros((1, 3)), np.full((1, 3), np.nan), np.ones(3), np.ones((2, 1))]
)
def test_basis_refuses_what_is_no_point(X):
    with pytest.raises(ValueError, match="X"):
        harmonic_basis(X, 2)


@pytest.mark.parametrize(("d", "n", "p"), [(2, 1, 0), (3, 4, 2), (6, 10, 3), (30, 12, 0)])
def test_coordinates_reproduce_zonal_functions(d, n, p):
    """Also where the harmonics outnumber the directions and a Cholesky factor replaces them."""
    U, extra = uniform_sphere(d, n, 0), uniform_sphere(d, p, 1)
    K, low = 5, 1
    basis = DegreeBasis(d, U, extra, low, K)
    P = gegenbauer(d, K, np.clip(np.concatenate([U, extra]) @ np.concatenate([U, extra]).T, -1, 1))
    for k in range(K + 1):
        Y = basis.values(k)
        size = n + p if k <= low else n
        count = float(multiplicity(d, k))
        assert Y.shape == (basis.sizes[k], size)
        assert basis.sizes[k] == min(count, size)
        assert np.max(np.abs(Y.T @ Y - count * P[k, :size, :size])) < 1e-12 * count


def test_coordinates_survive_equal_directions():
    U = np.repeat(uniform_sphere(8, 3, 0), 2, axis=0)
    basis = DegreeBasis(8, U, np.zeros((0, 8)), 1, 4)
    P = gegenbauer(8, 4, np.clip(U @ U.T, -1, 1))
    assert np.max(np.abs(basis.values(4).T @ basis.values(4) / multiplicity(8, 4) - P[4])) < 1e-12
    assert 0 < basis.jitter < 1e-13
