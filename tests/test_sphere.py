"""Multiplicities, Gegenbauer polynomials, quadrature and uniform points of the sphere."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from kernelspec import coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere
from kernelspec.testing import degrees, dimensions, points

FALSE_ALARM = 1e-9  # of each comparison of a sample with its law

arguments = st.one_of(st.floats(-1, 1), st.sampled_from([-1.0, 0.0, 1.0, 1 - 1e-15, 1e-300]))


# --- multiplicities ------------------------------------------------------------------------------


@given(dimensions(max_value=60), degrees(400))
@example(28, 28)  # below 2^53, but not on the way
@example(1000, 0)
@example(1000, 1)
@example(1000, 60)
@example(2, 10**6)
@example(3, 10**6)
def test_multiplicity_is_the_coefficient_of_the_generating_function(d, k):
    exact = oracles.multiplicity(d, k)
    computed = float(multiplicity(d, k))
    if (d - 2) * exact < 2**53:
        assert computed == exact
    else:
        assert oracles.relative_error(computed, exact) < d * 2.0**-52


def test_multiplicity_overflows_to_inf_and_keeps_the_shape():
    N = multiplicity(1000, [[0, 1, 2], [3, 10**6, 10**9]])
    assert N.shape == (2, 3)
    assert N[1, 2] == math.inf
    assert N[0].tolist() == [1.0, 1000.0, 500499.0]
    assert multiplicity(2, 7).shape == ()


# --- Gegenbauer polynomials ----------------------------------------------------------------------


@given(dimensions(max_value=60), degrees(80), arguments)
@example(1000, 300, 0.05)
@example(2, 1000, 0.999)
@example(3, 1000, -1.0)
def test_gegenbauer_against_the_hypergeometric_polynomial(d, k, t):
    assert abs(float(gegenbauer(d, k, t)[k]) - oracles.gegenbauer(d, k, t)) < 1e-12


@pytest.mark.parametrize("k", [0, 1, 2, 17, 64])
def test_gegenbauer_against_the_classical_families(k):
    with mpmath.workdps(40):
        for t in (-1.0, -0.7, 0.1, 0.8, 1.0):
            classical = {
                2: mpmath.chebyt(k, t),
                3: mpmath.legendre(k, t),
                4: mpmath.chebyu(k, t) / (k + 1),
                7: mpmath.gegenbauer(k, 2.5, t) / mpmath.binomial(k + 4, k),
            }
            for d, value in classical.items():
                assert abs(gegenbauer(d, k, t)[k] - value) < 1e-14


@given(dimensions(max_value=1000), st.lists(arguments, min_size=1, max_size=5), degrees(200))
def test_gegenbauer_is_one_at_one_bounded_and_of_its_parity(d, t, K):
    t = np.array(t)
    P = gegenbauer(d, K, t)
    assert P.shape == (K + 1, t.size)
    assert np.all(np.abs(P) <= 1 + 1e-13)
    assert np.all(np.abs(gegenbauer(d, K, 1.0) - 1) <= 1e-13)
    sign = (-1.0) ** np.arange(K + 1)
    assert np.array_equal(gegenbauer(d, K, -t), sign[:, None] * P)


def test_gegenbauer_at_high_degree():
    phi = np.array([0.3, 1.0, 1.5, 2.9])
    K = 10**5
    P = gegenbauer(2, K, np.cos(phi))[K]
    assert np.max(np.abs(P - np.cos(K * phi))) < 1e-10  # cos of a rounded cos: 1e5 eps / sin phi
    # Hilb: P_k^{(3)} ~ sqrt(theta/sin theta) J_0((k+1/2) theta), error O(k^{-3/2})
    hilb = np.sqrt(phi / np.sin(phi)) * special.jv(0, (K + 0.5) * phi)
    assert np.max(np.abs(gegenbauer(3, K, np.cos(phi))[K] - hilb)) < 1e-7


# --- the addition theorem ------------------------------------------------------------------------


@given(points(2), points(2), degrees(30))
def test_addition_theorem_on_the_circle(X, Y, K):
    """Sum over the orthonormal harmonics of degree k of Y(x) Y(y) is N_k P_k(x.y)."""
    angle_x, angle_y = (np.arctan2(Z[:, 1], Z[:, 0]) for Z in (X, Y))
    P = gegenbauer(2, K, np.clip(X @ Y.T, -1, 1))
    for k in range(1, K + 1):
        Yx = math.sqrt(2) * np.stack([np.cos(k * angle_x), np.sin(k * angle_x)])
        Yy = math.sqrt(2) * np.stack([np.cos(k * angle_y), np.sin(k * angle_y)])
        assert np.allclose(Yx.T @ Yy, multiplicity(2, k) * P[k], rtol=0, atol=1e-11)


@given(points(3), points(3), st.integers(0, 12))
def test_addition_theorem_on_the_ordinary_sphere(X, Y, k):
    def harmonics(Z):
        polar, azimuth = np.arccos(np.clip(Z[:, 2], -1, 1)), np.arctan2(Z[:, 1], Z[:, 0])
        orders = np.arange(-k, k + 1)[:, None]
        return math.sqrt(4 * math.pi) * special.sph_harm_y(k, orders, polar, azimuth)

    left = harmonics(X).T @ harmonics(Y).conj()
    right = multiplicity(3, k) * gegenbauer(3, k, np.clip(X @ Y.T, -1, 1))[k]
    assert np.allclose(left, right, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("d", "k"), [(2, 5), (3, 4), (4, 3), (5, 3), (6, 2), (9, 2)])
def test_zonal_functions_span_a_space_of_the_right_dimension(d, k):
    """N_k P_k(x.y) is the Gram matrix of N_k functions: its rank on many points is N_k."""
    N = int(multiplicity(d, k))
    X = uniform_sphere(d, N + 20, rng=1)
    spectrum = np.linalg.eigvalsh(N * gegenbauer(d, k, np.clip(X @ X.T, -1, 1))[k])
    assert np.all(spectrum[-N:] > 1e-6)
    assert np.all(np.abs(spectrum[:-N]) < 1e-10)


# --- quadrature ----------------------------------------------------------------------------------


@given(dimensions(max_value=100), st.integers(1, 60))
@example(1000, 200)
@example(2, 1)
@example(3, 1)
def test_quadrature_makes_the_polynomials_orthogonal(d, n):
    nodes, weights = coordinate_quadrature(d, n)
    P = gegenbauer(d, n - 1, nodes)
    gram = (P * weights) @ P.T
    scale = np.sqrt(multiplicity(d, np.arange(n)))
    assert np.max(np.abs(gram - np.diag(1 / scale**2))) < 1e-14
    # the scaled functions are orthonormal as well as the rounding of the smallest weights allows
    low = scale < 1e3
    orthonormal = (scale[:, None] * gram * scale)[np.ix_(low, low)]
    assert np.max(np.abs(orthonormal - np.eye(int(low.sum())))) < 1e-9


@given(dimensions(max_value=1000), st.integers(1, 40))
@example(1000, 40)
def test_quadrature_gives_the_moments_of_a_coordinate(d, n):
    nodes, weights = coordinate_quadrature(d, n)
    assert np.all(np.abs(nodes) < 1)
    assert np.all(weights > 0)
    assert abs(weights.sum() - 1) < 1e-14
    moment = 1.0
    for m in range(n):  # E t^{2m} = (1/2)_m / (d/2)_m; the rule is exact up to degree 2n - 1
        assert weights @ nodes ** (2 * m) == pytest.approx(moment, rel=1e-12)
        assert abs(weights @ nodes ** (2 * m + 1)) < 1e-15
        moment *= (m + 0.5) / (m + d / 2)


# --- uniform points ------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 8, 200])
def test_uniform_points_have_uniform_directions(d):
    """Dvoretzky-Kiefer-Wolfowitz: the supremum distance exceeds the bound with prob. FALSE_ALARM.

    The coordinate in any direction and the product of independent points have the same law.
    """
    X = uniform_sphere(d, 40_000, rng=np.random.default_rng(d))
    assert np.allclose(np.sum(X**2, axis=1), 1, rtol=0, atol=1e-14)
    direction = np.arange(1.0, d + 1) / np.linalg.norm(np.arange(1.0, d + 1))
    samples = [X[:, 0], X[:, -1], X @ direction, np.sum(X[::2] * X[1::2], axis=1)]
    for sample in samples:
        bound = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * sample.size))
        cdf = special.betainc((d - 1) / 2, (d - 1) / 2, (1 + np.clip(np.sort(sample), -1, 1)) / 2)
        steps = np.arange(sample.size + 1) / sample.size
        assert max(np.max(np.abs(cdf - steps[1:])), np.max(np.abs(cdf - steps[:-1]))) < bound


def test_uniform_points_repeat_with_their_seed():
    assert uniform_sphere(4, 0, rng=0).shape == (0, 4)
    assert np.array_equal(uniform_sphere(4, 3, rng=5), uniform_sphere(4, 3, rng=5))
    rng = np.random.default_rng(5)
    assert not np.array_equal(uniform_sphere(4, 3, rng), uniform_sphere(4, 3, rng))
