"""kappa_P, the rate, the explicit bound, the captured share and networks drawn for them."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from kernelspec.bounds import (
    captured_fraction,
    explicit_bound,
    mixture_mismatch,
    rate_bound,
    theorem_kappa0,
    trainable_proportion,
)
from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit, Mixture, RidgeLeverage
from kernelspec.networks import draw_network

shares = st.one_of(st.just(0.0), st.floats(1e-200, 1))
mismatches = st.floats(1, 1e6)
exponents = st.floats(0.5, 12)


def exact_share(P, alpha, kappa0, kappa1):
    """Formula of the captured share as it is stated, with digits for a P of 1e-300."""
    with mpmath.workdps(400):
        P, alpha, kappa0, kappa1 = map(mpmath.mpf, (P, alpha, kappa0, kappa1))
        kappa_P = 1 / (P / kappa1 + (1 - P) / kappa0)
        return (kappa0**alpha - kappa_P**alpha) / (kappa0**alpha - kappa1**alpha)


# ---- constants -------------------------------------------------------------------------


@given(st.integers(2, 1000), st.floats(1, 100))
def test_theorem_constant_is_four_times_the_sharp_limit(d, tau):
    assert theorem_kappa0(d, tau) == pytest.approx(4 * (math.sqrt(2) * tau * (d + 1) / d))
    assert isinstance(theorem_kappa0(d, tau), float)


def test_theorem_constant_broadcasts():
    table = theorem_kappa0([[3], [5]], [1.0, 10.0])
    assert table.shape == (2, 2)
    assert table[1, 1] == theorem_kappa0(5, 10) == pytest.approx(67.88225099390857, rel=1e-15)


# ---- kappa_P ---------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(shares, mismatches, mismatches)
@example(0.5, 1.0, 1.0)
@example(0.3, 1e6, 1e6)
@example(1.0, 3.0, 7.0)
def test_mixture_lies_between_its_parts(P, kappa0, kappa1):
    value = mixture_mismatch(P, kappa0, kappa1)
    assert min(kappa0, kappa1) <= value <= max(kappa0, kappa1)
    assert value == pytest.approx(1 / (P / kappa1 + (1 - P) / kappa0), rel=1e-14)
    assert mixture_mismatch(0, kappa0, kappa1) == kappa0
    assert mixture_mismatch(1, kappa0, kappa1) == kappa1


@settings(deadline=None, max_examples=200)
@given(shares, shares, shares, st.floats(1.01, 1e6))
def test_mixture_decreases_and_is_convex(P, Q, t, kappa0):
    low, high = sorted((P, Q))
    between = low + t * (high - low)
    at_low, at_high = mixture_mismatch([low, high], kappa0)
    assert at_low >= at_high
    if high - low > 1e-9:
        assert at_low > at_high
    chord = (1 - t) * at_low + t * at_high
    assert mixture_mismatch(between, kappa0) <= chord * (1 + 1e-12)


def test_mixture_is_strictly_convex_at_its_middle():
    assert mixture_mismatch(0.5, 10.0) == pytest.approx(20 / 11)
    assert mixture_mismatch(0.5, 10.0) < 0.5 * (1 + 10) - 3


def test_mixture_with_an_infinite_mismatch():
    np.testing.assert_array_equal(mixture_mismatch([0, 0.25, 1], math.inf, 2.0), [math.inf, 8, 2])


@pytest.mark.parametrize("P", [0.1, 0.6])
def test_mixture_bounds_the_mismatch_of_the_mixture_law(P):
    """sup l/(p N) over heights, p the mixture density, never exceeds kappa_P."""
    lam, tau = 1e-3, 3.0
    leverage, initial = RidgeLeverage(BiasedReLU(4), lam), GaussianInit(4, tau)
    b = np.linspace(-0.7, 1, 2001)
    ratio = leverage.density(b)
    kappa0 = np.max(ratio / initial.density(b))
    kappa = np.max(ratio / Mixture([leverage, initial], [P, 1 - P]).density(b))
    assert 1 < kappa <= mixture_mismatch(P, kappa0) * (1 + 1e-12)
    # where l/(q_0 N) is largest, the bound is attained only if l/(q_1 N) = 1 is too: it is
    assert kappa == pytest.approx(mixture_mismatch(P, kappa0), rel=1e-12)


# ---- rate ------------------------------------------------------------------------------


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 10**9), mismatches, exponents, st.floats(1e-12, 0.999))
def test_rate_is_its_formula(m, kappa, alpha, delta):
    with mpmath.workdps(30):
        exact = (kappa * mpmath.log(mpmath.mpf(m) / delta) / m) ** alpha
    assert rate_bound(m, kappa, alpha, delta) == pytest.approx(float(exact), rel=1e-12)


def test_rate_broadcasts_and_takes_infinity():
    value = rate_bound([[10], [100]], [1.0, 2.0, math.inf], 1.75, 0.1)
    assert value.shape == (2, 3)
    assert np.all(np.isinf(value[:, 2]))
    assert value[1, 1] / value[1, 0] == pytest.approx(2**1.75)


# ---- explicit bound --------------------------------------------------------------------


def needed(model, lam, kappa, delta):
    """The width that the bound demands at a ridge."""
    effective = kappa * float(model.degrees_of_freedom(lam))
    return 5 * effective * math.log(16 * effective / delta)


@settings(deadline=None, max_examples=25)
@given(
    st.integers(2, 12),
    st.integers(0, 3),
    st.integers(1, 100_000),
    st.floats(1, 1e3),
    st.floats(1e-9, 0.9),
)
@example(5, 1, 1, 1.0, 0.5)
@example(5, 1, 1, 1e6, 0.999)  # x = 16 kappa N/delta is close to 1 here
@example(3, 1, 10_000, 67.88, 0.05)
@example(300, 1, 10_000, 2.0, 0.05)
def test_explicit_bound_is_the_smallest_ridge(d, order, m, kappa, delta):
    model = BiasedReLU(d, order)
    lam = explicit_bound(model, m, kappa, delta) / 4
    assert needed(model, lam * (1 + 1e-12), kappa, delta) <= m
    assert needed(model, lam * (1 - 1e-12), kappa, delta) > m
    # and for every smaller ridge tried, too: the set of good ridges is a half line
    for factor in (0.9, 0.5, 0.1):
        assert needed(model, lam * factor, kappa, delta) > m
    assert needed(model, lam * 2, kappa, delta) < m


def test_explicit_bound_broadcasts_and_is_monotone():
    model = BiasedReLU(5)
    table = explicit_bound(model, [[100], [1000], [10_000]], [1.0, 10.0, math.inf], 0.05)
    assert table.shape == (3, 3)
    assert np.all(np.diff(table[:, :2], axis=0) < 0)
    assert np.all(table[:, 0] < table[:, 1])
    assert np.all(np.isinf(table[:, 2]))
    assert table[1, 0] == explicit_bound(model, 1000, 1.0, 0.05)
    assert explicit_bound(model, 1000, 1.0, 0.01) > table[1, 0]


@pytest.mark.parametrize("d", [3, 5])
def test_explicit_bound_decays_like_the_rate(d):
    """d log(bound)/d log(m/log) tends to -alpha; the widths here are within 2 % of it."""
    model = BiasedReLU(d)
    m = np.array([10**7, 10**8])
    slope = np.diff(np.log(explicit_bound(model, m, 1.0, 0.1)))
    alpha = (d + 2) / (d - 1)
    expected = np.diff(np.log(rate_bound(m, 1.0, alpha, 0.1)))
    assert slope == pytest.approx(expected, rel=0.02)


def test_explicit_bound_exceeds_the_kolmogorov_width():
    model = BiasedReLU(3)
    degrees = np.arange(60)
    spectrum = np.repeat(model.eigenvalues(59), 2 * degrees + 1)
    for m in (10, 100, 1000):
        assert explicit_bound(model, m, 1.0, 0.5) > spectrum[m]


# ---- captured share --------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(shares, exponents, mismatches, mismatches)
@example(0.5, 1.75, 1.0 + 1e-12, 1.0)
@example(0.3, 1.75, np.nextafter(2.0, 3.0), 2.0)
@example(1e-300, 1.75, 1e6, 1.0)
def test_share_is_its_formula(P, alpha, kappa0, kappa1):
    kappa1, kappa0 = sorted((kappa0, kappa1))
    assume(kappa0 > kappa1)
    value = captured_fraction(P, alpha, kappa0, kappa1)
    assert value == pytest.approx(float(exact_share(P, alpha, kappa0, kappa1)), rel=1e-12, abs=0)


@settings(deadline=None, max_examples=200)
@given(shares, exponents, mismatches)
@example(0.0, 2.0, 5.0)
@example(1.0, 2.0, 5.0)
@example(0.5, 1.75, 1.0)
@example(0.5, 1.75, 1.0 + 1e-13)
@example(1 - 1e-12, 12.0, 1e6)
def test_proportion_and_share_are_inverse(share, alpha, kappa0):
    P = trainable_proportion(share, alpha, kappa0)
    assert 0 <= P <= 1
    assert captured_fraction(P, alpha, kappa0) == pytest.approx(share, rel=1e-11, abs=0)
    # the other way round where the share has not saturated to 1 in float64
    fraction = captured_fraction(share, alpha, kappa0)
    assume(1 - fraction > 1e-4 or share in (0, 1))
    assert trainable_proportion(fraction, alpha, kappa0) == pytest.approx(share, rel=1e-9, abs=0)


@given(exponents, mismatches, st.floats(1, 10))
def test_ends_are_exact(alpha, kappa0, factor):
    for function in (captured_fraction, trainable_proportion):
        np.testing.assert_array_equal(function([0, 1], alpha, kappa0 * factor, kappa0), [0, 1])


@given(shares, exponents, mismatches)
def test_equal_mismatches_give_the_limit(P, alpha, kappa):
    assert captured_fraction(P, alpha, kappa, kappa) == P
    assert trainable_proportion(P, alpha, kappa, kappa) == P
    near = captured_fraction(P, alpha, kappa * (1 + 1e-9), kappa)
    assert near == pytest.approx(P, rel=1e-7)


def test_infinite_mismatch_is_captured_at_once():
    np.testing.assert_array_equal(
        captured_fraction([0, 1e-9, 0.5, 1], 1.75, math.inf), [0, 1, 1, 1]
    )
    np.testing.assert_array_equal(trainable_proportion([0, 0.5, 1], 1.75, math.inf), [0, 0, 1])
    assert captured_fraction(1e-9, 1.75, 1e300) == pytest.approx(1)


def test_the_headline():
    """d = 5, tau = 10: the theorem's constant gives 4.06 %, the sharp limit 16.3 %."""
    kappa0 = theorem_kappa0(5, 10)
    assert kappa0 == pytest.approx(67.88, abs=5e-3)
    assert 100 * trainable_proportion(0.9, 7 / 4, kappa0) == pytest.approx(4.06, abs=5e-3)
    assert 100 * trainable_proportion(0.9, 7 / 4, kappa0 / 4) == pytest.approx(16.3, abs=0.05)
    grid = trainable_proportion([[0.5], [0.9]], 7 / 4, [kappa0, kappa0 / 4])
    assert grid.shape == (2, 2)
    assert np.all(grid[0] < grid[1])


# ---- networks --------------------------------------------------------------------------


def test_network_has_exact_counts_in_order():
    """Leverage rows never lie in the dead zone; a tiny tau puts all others next to b = 0."""
    model = BiasedReLU(3)
    V = draw_network(model, 200, 0.25, tau=1e-9, lam=1e-4, rng=0)
    assert V.shape == (200, 4)
    assert np.all(np.abs(V[50:, -1]) < 1e-6)
    assert np.all(np.abs(V[:50, -1]) > 1e-6)
    assert np.all(V[:50, -1] > -math.sqrt(0.5))


@pytest.mark.parametrize(("P", "trained"), [(0, 0), (0.24, 2), (0.26, 3), (0.25, 2), (1, 10)])
def test_network_rounds_the_count(P, trained):
    V = draw_network(BiasedReLU(3), 10, P, tau=1e-9, lam=1e-4, rng=1)
    assert np.count_nonzero(np.abs(V[:, -1]) > 1e-6) == trained


def test_network_parts_are_the_laws():
    model = BiasedReLU(3)
    rng = np.random.default_rng(5)
    V = draw_network(model, 10, 0.4, tau=2.0, lam=1e-3, rng=5)
    np.testing.assert_array_equal(V[:4], RidgeLeverage(model, 1e-3).sample(4, rng))
    np.testing.assert_array_equal(V[4:], GaussianInit(3, 2.0).sample(6, rng))
    np.testing.assert_array_equal(V, draw_network(model, 10, 0.4, 2.0, 1e-3, 5))
    assert not np.array_equal(V, draw_network(model, 10, 0.4, 2.0, 1e-3, 6))


# ---- bad input -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theorem_kappa0(1, 1), "d = 1.0 .* 2 to 1000"),
        (lambda: theorem_kappa0([3, 2.5], 1), r"d\[1\] = 2.5 .* integers from 2"),
        (lambda: theorem_kappa0(5, 0), "tau = 0.0 .* > 0"),
        (lambda: mixture_mismatch(1.5, 2), "P = 1.5 .* 0 to 1"),
        (lambda: mixture_mismatch([0.5, math.nan], 2), r"P\[1\] = nan .* 0 to 1"),
        (lambda: mixture_mismatch(0.5, 0.5), "kappa0 = 0.5 .* from 1 to inf"),
        (lambda: mixture_mismatch(0.5, 2, math.inf), "kappa1 = inf .* from 1"),
        (lambda: rate_bound(0, 2, 1.75, 0.1), "m = 0.0 .* integers >= 1"),
        (lambda: rate_bound(10.5, 2, 1.75, 0.1), "m = 10.5 .* integers >= 1"),
        (lambda: rate_bound(math.inf, 2, 1.75, 0.1), "m = inf .* integers >= 1"),
        (lambda: rate_bound(10, 2, 0, 0.1), "alpha = 0.0 .* > 0"),
        (lambda: rate_bound(10, 2, 1.75, 1.0), "delta = 1.0 .* strictly between 0 and 1"),
        (lambda: explicit_bound(BiasedReLU(3), 10, 2, 0), "delta = 0.0 .* strictly between"),
        (lambda: explicit_bound(BiasedReLU(5), 1e300, 2, 0.1), "m is not allowed: .* < 1e-280"),
        (lambda: explicit_bound(BiasedReLU(3), 10, 0.2, 0.1), "kappa = 0.2 .* from 1"),
        (lambda: captured_fraction(-0.1, 1.75, 2), "P = -0.1 .* 0 to 1"),
        (lambda: captured_fraction(0.1, 1.75, 2, 3), "kappa1 = 3.0 .* at most kappa0 = 2.0"),
        (lambda: trainable_proportion(90, 1.75, 2), "fraction = 90.0 .* 0 to 1"),
        (lambda: trainable_proportion(0.9, math.inf, 2), "alpha = inf .* > 0"),
        (lambda: draw_network(BiasedReLU(3), 10, 1.1, 1, 0.1, 0), "P = 1.1 .* 0 to 1"),
        (lambda: draw_network(BiasedReLU(3), -1, 0.5, 1, 0.1, 0), "m = -1 .* >= 0"),
        (lambda: draw_network(BiasedReLU(3), 10, 0.5, 0, 0.1, 0), "tau = 0 .* > 0"),
        (lambda: draw_network(BiasedReLU(3), 10, 0.0, 1, -1, 0), "lam = -1 .* > 0"),
        (lambda: draw_network(BiasedReLU(3), 10, 0.5, 1, 0.1, -3), "rng = -3 .* seed"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bad_types_are_named():
    with pytest.raises(TypeError, match=r"kappa0 = 'many' .* from 1"):
        mixture_mismatch(0.5, "many")
    for call in (
        lambda: rate_bound([1, 2], [1.0, 2.0, 3.0], 1.75, 0.1),
        lambda: explicit_bound(BiasedReLU(3), [1, 2], [1.0, 2.0, 3.0], 0.1),
    ):
        with pytest.raises(ValueError, match=r"m \(2,\), kappa \(3,\), .* must broadcast"):
            call()
    with pytest.raises(ValueError, match=r"fraction \(2,\), alpha \(3,\)"):
        trainable_proportion([0.1, 0.2], [1.0, 2.0, 3.0], 5.0)
