"""The mismatch where its exact value, its limit or its rate of approach is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import (
    BiasedReLU,
    GaussianInit,
    Mixture,
    RidgeLeverage,
    Uniform,
    UniformBias,
    limiting_mismatch,
    mismatch,
)
from kernelspec.arccosine import kernel_at_one
from kernelspec.spectrum import eigenvalue_constant
from kernelspec.testing import heights, laws, orders, ridges, scales

KINK = math.sqrt(0.5)


# --- the leverage law of another ridge -----------------------------------------------------------


@settings(max_examples=10)
@given(st.integers(2, 300), orders(), ridges(1e-8, 10), st.floats(0, 10))
@example(2, 0, 1.0, 8.0)
@example(50, 5, 1e-2, 200.0)
@example(1000, 5, 1e-4, 1.0)
def test_leverage_law_of_a_larger_ridge(d, s, lam_0, decades):
    """kappa = lambda_0 N(lambda_0)/(lambda N(lambda)), approached by neurons about to die."""
    model, lam = BiasedReLU(d, s), lam_0 * 10.0**-decades
    found = mismatch(model, RidgeLeverage(model, lam_0), lam)
    large, small = model.degrees_of_freedom([lam_0, lam])
    assert found.kappa == pytest.approx(lam_0 * large / (lam * small), rel=1e-12)
    assert found.b == pytest.approx(-KINK, rel=1e-15)


@pytest.mark.parametrize(("d", "s"), [(3, 1), (5, 2)])
def test_the_search_finds_that_supremum_too(d, s):
    """A mixture of one law takes the general path: grid, then refinement next to b = -1/sqrt(2)."""
    model, lam_0, lam = BiasedReLU(d, s), 1e-2, np.array([1e-3, 1e-5])
    found = mismatch(model, Mixture([RidgeLeverage(model, lam_0)], [1.0]), lam)
    exact = mismatch(model, RidgeLeverage(model, lam_0), lam)
    assert np.allclose(found.kappa, exact.kappa, rtol=1e-9, atol=0)  # digits of the all but dead


@settings(max_examples=6)
@given(st.integers(2, 8), orders(), ridges(1e-6, 1e-2), st.floats(1.5, 1e4))
def test_leverage_law_of_a_smaller_ridge(d, s, lam_0, factor):
    """For lambda > lambda_0, l/l_0 < 1: kappa < N(lambda_0)/N(lambda), and at least 1."""
    model, lam = BiasedReLU(d, s), factor * lam_0
    found = mismatch(model, RidgeLeverage(model, lam_0), lam)
    small, large = model.degrees_of_freedom([lam_0, lam])
    assert 1 - 1e-12 <= found.kappa <= small / large * (1 + 1e-12)


# --- every law -----------------------------------------------------------------------------------


@settings(max_examples=12)
@given(st.data(), st.integers(2, 12), orders(), ridges(1e-14, 1e3))
def test_the_ratio_at_the_maximiser_is_the_mismatch(data, d, s, lam):
    model, law = BiasedReLU(d, s), data.draw(laws(d, everywhere=True))
    found = mismatch(model, law, lam)
    assert found.dof == model.degrees_of_freedom(lam)
    ratio = float(model.leverage(found.b, lam) / law.density(found.b)) / found.dof
    assert found.kappa == pytest.approx(ratio, rel=1e-11)
    b = np.array(data.draw(st.lists(heights(), min_size=1, max_size=30)))
    others = model.leverage(b, lam) / law.density(b) / found.dof
    assert np.all(others <= found.kappa * (1 + 1e-11))


@settings(max_examples=10)
@given(st.data(), st.integers(2, 8), ridges(1e-8), st.floats(0.01, 0.99))
def test_a_mixture_is_no_worse_than_the_harmonic_mean(data, d, lam, share):
    """sup l/(p N) <= (sum_i w_i/kappa_i)^{-1}; a law of infinite kappa_i does not help."""
    model = BiasedReLU(d)
    first, second = data.draw(laws(d, everywhere=True)), data.draw(laws(d))
    mixed = mismatch(model, Mixture([first, second], [share, 1 - share]), lam).kappa
    alone = [mismatch(model, law, lam).kappa for law in (first, second)]
    assert mixed <= 1 / (share / alone[0] + (1 - share) / alone[1]) * (1 + 1e-11)


@pytest.mark.parametrize("d", [2, 3, 8, 100])
@pytest.mark.parametrize("s", [0, 1, 5])
def test_a_huge_ridge_leaves_the_squared_norm(d, s):
    """l/N -> |phi|^2/K(1): at tau = 1, where phi at b = 1 is 1, no less than 1/K(1)."""
    model = BiasedReLU(d, s)
    lam = np.array([1e14, 1e280, 1e300])
    kappa = mismatch(model, Uniform(d), lam).kappa
    assert np.all(kappa >= (1 - 1e-12) / kernel_at_one(d, s))
    assert np.allclose(kappa, kappa[0], rtol=1e-12, atol=0)
    if s == 1:
        assert kappa[0] == pytest.approx(d + 1, rel=1e-12)


@pytest.mark.parametrize(("d", "s"), [(2, 0), (10, 5), (100, 1), (1000, 5)])
def test_extremes_give_numbers(d, s):
    found = mismatch(BiasedReLU(d, s), GaussianInit(d, 2.0), [1e-280, 1e-16, 1e-3, 1e3])
    assert np.all(np.isfinite(found.kappa))
    assert np.all(found.kappa >= 1)
    assert np.all(np.abs(found.b) <= 1)
    assert found.reason == ""


# --- small ridges --------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "s"), [(2, 1), (4, 0), (10, 3)])
def test_at_the_least_ridges_every_law_is_at_its_limit(d, s):
    """At lambda = 1e-280 the knee lies beyond degree 1e18 for these d."""
    model = BiasedReLU(d, s)
    for law in (
        GaussianInit(d, 0.2),
        Mixture([UniformBias(d, 1.0), Uniform(d)], [0.9, 0.1]),
        Mixture([RidgeLeverage(model, 1e-2), Uniform(d)], [0.5, 0.5]),
        Mixture([GaussianInit(d, 0.2), GaussianInit(d, 5.0)], [0.5, 0.5]),
    ):
        limit = limiting_mismatch(model, law)
        found = mismatch(model, law, 1e-280)
        assert found.kappa == pytest.approx(limit.kappa, rel=1e-10), law
        assert abs(found.b) == pytest.approx(abs(limit.b), abs=1e-5), law


@pytest.mark.parametrize("d", [3, 50])
def test_infinite_limits_are_infinite_or_unbounded_before(d):
    model = BiasedReLU(d)
    for tau in (0.5, 1.0, 3.0):
        law = UniformBias(d, tau)
        limit = limiting_mismatch(model, law)
        assert limit.kappa == mismatch(model, law, 1e-3).kappa == math.inf
        assert "never drawn" in limit.reason
    law = RidgeLeverage(model, 1e-2)
    kappa = mismatch(model, law, [1e-4, 1e-10, 1e-100, 1e-280]).kappa
    assert limiting_mismatch(model, law).kappa == math.inf
    assert np.all(np.diff(np.log(kappa)) > 0)
    assert kappa[-1] > 1e15


@pytest.mark.parametrize(("d", "s"), [(2, 0), (5, 1), (50, 5), (300, 1)])
def test_laws_that_thin_out_too_fast_have_no_finite_limit(d, s):
    """Whether or not their density underflows where neurons die."""
    model = BiasedReLU(d, s)
    first, second = RidgeLeverage(model, 1e-2), RidgeLeverage(model, 1e-3)
    limit = limiting_mismatch(model, Mixture([first, second], [0.5, 0.5]))
    assert limit.kappa == math.inf
    assert limit.reason
    limit = limiting_mismatch(model, Mixture([first, Uniform(d)], [0.5, 0.5]))
    assert 1 <= limit.kappa < math.inf
    assert limit.reason == ""


@pytest.mark.parametrize(("d", "power"), [(2, 1.0), (4, 2.0), (5, 2.0), (9, 2.0)])
def test_rate_of_approach(d, power):
    """1 - kappa/limit = O(K^-p), K = (A/lambda)^{1/(d+2)}: p = 1 for d = 2 and 2 for d >= 4."""
    model, law = BiasedReLU(d), GaussianInit(d, 10.0)
    knees = np.array([1e3, 4e3, 1.6e4])
    lam = np.exp(eigenvalue_constant(d, 1)[1] - (d + 2) * np.log(knees))
    gap = 1 - mismatch(model, law, lam).kappa / limiting_mismatch(model, law).kappa
    assert np.all(gap > 0)
    slope = -np.diff(np.log(gap)) / math.log(4)
    assert np.allclose(slope, power, rtol=0, atol=0.1)


def test_rate_of_approach_in_three_dimensions():
    """1 - kappa/limit = O(log K/K^2): times K^2 it grows by equal steps when K grows by factors."""
    model, law = BiasedReLU(3), GaussianInit(3, 10.0)
    knees = 1e3 * 4.0 ** np.arange(4)
    lam = np.exp(eigenvalue_constant(3, 1)[1] - 5 * np.log(knees))
    gap = 1 - mismatch(model, law, lam).kappa / limiting_mismatch(model, law).kappa
    steps = np.diff(gap * knees**2)
    assert np.all(steps > 0)
    assert np.allclose(steps, steps[0], rtol=0.02, atol=0)


@settings(max_examples=10)
@given(st.integers(2, 8), orders(), scales(), ridges(1e-10))
def test_tau_does_not_matter_beyond_its_factor_once_the_maximum_is_at_zero(d, s, tau, lam):
    """kappa/tau is nonincreasing and bounded below by l(0)/N, which q_tau(0) = 1/tau leaves."""
    model = BiasedReLU(d, s)
    floor = float(model.leverage(0.0, lam) / model.degrees_of_freedom(lam))
    found = mismatch(model, GaussianInit(d, tau), lam)
    assert found.kappa >= floor * tau * (1 - 1e-11)
