"""Harmonic coefficients of a neuron: against their definition, next to the poles, in the mean."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp

from kernelspec import BiasedReLU, gegenbauer, multiplicity
from kernelspec.harmonics import (
    amplitudes,
    cap_moment,
    kink_angle,
    one_minus_two_squares,
    squared_norm,
)
from kernelspec.testing import degrees, dimensions, heights, models, orders

KINK = math.sqrt(0.5)
NEXT_TO_POLES = [sign * KINK * (1 - 10.0**-e) for e in (15, 12, 9, 6, 4, 3, 2) for sign in (1, -1)]


def test_reference_values(reference):
    assert len(reference["coefficients"]) == 48
    for row in reference["coefficients"]:
        a = BiasedReLU(row["d"], row["s"]).coefficients(float(row["b"]), row["k"])
        assert a.shape == (row["k"] + 1,)
        assert oracles.relative_error(a[row["k"]], row["value"]) < 1e-13, row


@given(dimensions(max_value=30), orders(), heights(), degrees(25))
@example(2, 0, 0.0, 1)
@example(2, 5, 0.3, 4)
@example(200, 3, 0.1, 12)
@example(1000, 1, 0.02, 1)
@example(1000, 1, -0.02, 9)
def test_coefficients_against_their_definition(d, s, b, k):
    """a_k = E_t[max(|w| t + b, 0)^s P_k(t)] by 50-digit quadrature."""
    a = float(BiasedReLU(d, s).coefficients(b, k)[k])
    exact = oracles.coefficient(d, s, b, k)
    assert abs(a - exact) < 2e-14 * mp.sqrt(oracles.squared_norm(d, s, b)) + mp.mpf(10) ** -45
    if k <= s and exact > 1e-33:  # an integral of a positive function: no digit is lost
        assert oracles.relative_error(a, exact) < 2e-14


@given(models(), heights(), degrees(12))
def test_coefficients_against_a_gauss_rule_over_the_features(model, b, K):
    """The same definition through `features`, at inputs of angle phi from w."""
    d, w = model.d, math.sqrt((1 - b) * (1 + b))
    x, weight = np.polynomial.legendre.leggauss(100)
    high = float(kink_angle(np.array(b)))
    phi = (x + 1) * high / 2
    X = np.zeros((phi.size, d))
    X[:, 0], X[:, 1] = np.cos(phi), np.sin(phi)
    V = np.zeros((1, d + 1))
    V[0, 0], V[0, d] = w, b
    values = model.features(X, V)[:, 0]
    full_x, full_weight = np.polynomial.legendre.leggauss(200)
    total = full_weight @ np.sin((full_x + 1) * math.pi / 2) ** (d - 2) * math.pi / 2
    density = weight * high / 2 * np.sin(phi) ** (d - 2) / total
    moments = gegenbauer(d, K, X[:, 0]) @ (density * values)
    scale = max(float(np.sqrt(density @ values**2)), 1e-300)
    assert np.max(np.abs(moments - model.coefficients(b, K))) < 1e-13 * scale + 1e-15


@given(dimensions(max_value=1000), orders(), heights())
@example(1000, 5, 0.0)
@example(1000, 0, -0.05)
@example(2, 0, -KINK * (1 - 1e-15))
def test_squared_norm(d, s, b):
    exact = oracles.squared_norm(d, s, b)
    computed = float(squared_norm(d, s, np.array(b)))
    assert oracles.relative_error(computed, exact) < 5e-14 or exact < 1e-280


# --- identities ----------------------------------------------------------------------------------


@given(dimensions(max_value=30), orders(), heights())
def test_neurons_without_a_kink_have_low_degrees_only(d, s, b):
    model = BiasedReLU(d, s)
    a = model.coefficients(b, 30)
    if b <= -KINK:
        assert np.all(a == 0)
    elif b >= KINK:
        assert np.all(a[s + 1 :] == 0)
        assert np.all(a[: s + 1] >= 0)
    if b == 1:
        assert a[0] == pytest.approx(1, rel=1e-14)
        assert np.all(a[1:] == 0)


@given(dimensions(max_value=100), orders(), heights())
@example(5, 2, 0.0)
def test_opposite_neurons_add_up_to_a_polynomial(d, s, b):
    """phi_v + (-1)^s phi_{-v} = (w.x + b)^s: a_k(-b) = (-1)^{k+s+1} a_k(b) for k > s."""
    if abs(b) >= KINK:
        return
    model = BiasedReLU(d, s)
    k = np.arange(41)
    a, reflected = model.coefficients([b, -b], 40).T
    sign = np.where((k + s) % 2 == 1, 1.0, -1.0)
    assert np.allclose(reflected[s + 1 :], (sign * a)[s + 1 :], rtol=1e-13, atol=1e-18)
    if b == 0:
        assert np.all(a[s + 2 :: 2] == 0)


@given(dimensions(), st.integers(2, 5), heights())
def test_squares_add_up_to_the_norm(d, s, b):
    """Sum N_k a_k^2 = |phi_v|^2; for s >= 2 the terms beyond degree 6,000 do not matter."""
    g = amplitudes(d, s, np.array([b]), 6_000)
    norm = float(squared_norm(d, s, np.array(b)))
    # terms fall as k^{-2s-2} once k theta > 1; closer to a pole they have not begun to
    gap = min(float(kink_angle(np.array(b))), math.pi - float(kink_angle(np.array(b))))
    if gap == 0 or gap > 0.1:
        assert float(np.sum(g**2)) == pytest.approx(norm, rel=1e-12)
    assert np.all(np.cumsum(g**2) <= norm * (1 + 1e-12))


@pytest.mark.parametrize("s", [0, 1])
@pytest.mark.parametrize("d", [2, 3, 10])
def test_what_is_left_of_the_norm_falls_at_the_rate_of_the_kink(d, s):
    """|phi|^2 - sum_{k<=K} N_k a_k^2 falls as K^{-2s-1}."""
    b = np.linspace(-0.6, 0.6, 13)
    squares = np.cumsum(amplitudes(d, s, b, 8_000) ** 2, axis=0)
    rest = squared_norm(d, s, b) - squares[[500, 8_000]]
    assert np.all(rest > -1e-14)
    expected = 16.0 ** (2 * s + 1)
    floor = 1e-13 / rest[0]  # what rounding adds to the later one
    assert np.all(np.abs(rest[1] / rest[0] * expected - 1) < 0.2 + floor * expected)


@given(models(), heights())
def test_features_are_the_sum_of_their_harmonics(model, b):
    """phi_v(x) = sum_k N_k a_k(v) P_k(w.x/|w|), where it converges fast enough to be seen."""
    d, s = model.d, model.order
    if s < 3 or d > 6 or abs(abs(b) - KINK) < 0.01:
        return
    t = np.linspace(-1, 1, 21)
    P = gegenbauer(d, 4_000, t)
    a = model.coefficients(b, 4_000)
    series = (multiplicity(d, np.arange(4_001)) * a) @ P
    direct = np.maximum(math.sqrt(1 - b * b) * t + b, 0) ** s
    assert np.max(np.abs(series - direct)) < 1e-7


@given(models(), st.lists(heights(), min_size=1, max_size=6), degrees(40))
@example(BiasedReLU(3), [0.65, -0.65, 0.1], 12)
def test_amplitudes_are_scaled_coefficients_and_arrays_are_elementwise(model, b, K):
    d, s, b = model.d, model.order, np.array(b)
    a = model.coefficients(b, K)
    g = amplitudes(d, s, b, K)
    scale = np.sqrt(multiplicity(d, np.arange(K + 1)))[:, None] * a
    assert np.allclose(g, scale, rtol=1e-11, atol=1e-12 * (1e-300 + np.abs(scale).max()))
    assert model.coefficients(b.reshape(1, -1, 1), K).shape == (K + 1, 1, b.size, 1)
    for i in range(b.size):
        assert np.allclose(model.coefficients(float(b[i]), K), a[:, i], rtol=1e-15, atol=0)


# --- next to the poles ---------------------------------------------------------------------------


@given(st.floats(-1, 1), st.integers(1, 52))
@settings(max_examples=200)
def test_one_minus_two_squares_is_exact(b, bits):
    for height in (b, KINK * (1 - 2.0**-bits), -KINK * (1 + 2.0**-bits) if bits > 1 else b):
        exact = 1 - 2 * Fraction(height) ** 2
        computed = Fraction(float(one_minus_two_squares(np.array(height))))
        assert abs(computed - exact) <= abs(exact) * Fraction(1, 2**52)


@pytest.mark.parametrize("b", NEXT_TO_POLES)
def test_kink_angle_next_to_the_poles(b):
    with mp.workdps(60):
        exact = oracles.kink_angle(b)
        gap = min(exact, mp.pi - exact)
        computed = float(kink_angle(np.array(b)))
        if b < 0:
            assert oracles.relative_error(computed, gap) < 1e-15
        # next to pi the angle itself rounds; its sine is what must be accurate
        w = mp.sqrt(1 - mp.mpf(b) ** 2)
        sine = mp.sqrt(1 - (mp.mpf(b) / w) ** 2)
        if gap > 1e-3:
            assert oracles.relative_error(math.sin(computed), sine) < 1e-12


@pytest.mark.parametrize(("d", "s"), [(2, 0), (2, 1), (3, 1), (5, 2), (8, 5)])
@pytest.mark.parametrize("b", NEXT_TO_POLES[:-4])
def test_amplitudes_next_to_the_poles(d, s, b):
    """sqrt(N_k) a_k to degree 3,000, relative to the largest: b - 1/sqrt(2) must not be lost."""
    exact = [mp.sqrt(square) for square in oracles.squares(d, s, b, 3_000)]
    top = max(exact[s + 1 :])
    if top < 1e-280:
        return
    g = amplitudes(d, s, np.array([b]), 3_000)[s + 1 :, 0]
    error = [abs(abs(float(x)) - y) / top for x, y in zip(g, exact[s + 1 :], strict=True)]
    assert max(error) < 2e-11


@given(dimensions(max_value=1000), heights(), st.integers(0, 10), st.integers(0, 10))
@example(2, KINK * (1 - 1e-14), 2, 0)
@example(2, 0.0, 1, 0)
def test_cap_moment(d, b, m, extra):
    """E-type integral of (|w| cos phi + b)^m sin^p phi over the active cap."""
    p = d - 2 + extra
    with mp.workdps(40):
        height = mp.mpf(b)
        w = mp.sqrt(1 - height**2)
        exact = oracles.density_constant(d) * oracles.gauss(
            lambda phi: (w * mp.cos(phi) + height) ** m * mp.sin(phi) ** p,
            mp.mpf(0),
            oracles.kink_angle(b),
            3 + p // 20,
        )
    computed = float(cap_moment(d, np.array(b), m, p))
    assert oracles.relative_error(computed, exact) < 5e-14 or exact < 1e-280
