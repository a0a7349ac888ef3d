"""The mismatch over all ridges."""

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
    holds_below,
    limiting_mismatch,
    mismatch,
    theorem_kappa0,
    worst_mismatch,
)


@settings(max_examples=6)
@given(
    st.integers(2, 8),
    st.floats(0.5, 10),
    st.lists(st.floats(-12, 4), min_size=40, max_size=40),
)
@example(5, 1.0, [-2.0, 3.0])
def test_the_supremum_is_never_exceeded(d, tau, exponents):
    model, law = BiasedReLU(d), GaussianInit(d, tau)
    worst = worst_mismatch(model, law)
    kappa = mismatch(model, law, 10.0 ** np.array(exponents)).kappa
    assert np.all(kappa <= worst.kappa * (1 + 1e-10))
    assert worst.kappa >= limiting_mismatch(model, law).kappa * (1 - 1e-12)


def test_as_lambda_grows_the_ratio_is_that_of_squared_norms():
    """At tau = 1 the neuron b = 1 is worst: |phi|^2 = 1 against K(1) = 1/(d+1)."""
    for d in (2, 5, 30):
        worst = worst_mismatch(BiasedReLU(d), Uniform(d))
        assert worst.kappa == pytest.approx(d + 1, rel=1e-12)
        assert (worst.lam, worst.b, worst.dof) == (math.inf, 1.0, 0.0)


@pytest.mark.parametrize("d", [3, 5, 10])
def test_for_large_tau_the_supremum_is_the_limit(d):
    worst = worst_mismatch(BiasedReLU(d), GaussianInit(d, 10.0))
    assert worst.kappa == pytest.approx(10 * math.sqrt(2) * (d + 1) / d, rel=1e-12)
    assert worst.lam == 0.0


def test_a_cap_on_lambda_cuts_the_supremum():
    model, law = BiasedReLU(8), GaussianInit(8, 1.0)
    capped = worst_mismatch(model, law, lam_max=0.05)
    assert capped.kappa == pytest.approx(float(mismatch(model, law, 0.05).kappa), rel=1e-11)
    assert capped.lam == pytest.approx(0.05)
    inside = worst_mismatch(model, law, lam_max=1e-9)
    assert inside.kappa < 1.7


@pytest.mark.parametrize(
    "law",
    [
        Mixture([GaussianInit(3, 2.0), UniformBias(3, 0.5)], [0.5, 0.5]),
        Mixture([GaussianInit(2, 2.0), GaussianInit(2, 0.1)], [0.3, 0.7]),
    ],
    ids=["with uniform bias", "wide and narrow"],
)
def test_a_maximum_between_the_limits_is_refined(law):
    """The supremum lies inside, between two ridges of the first grid."""
    model = BiasedReLU(law.d)
    worst = worst_mismatch(model, law)
    assert 0 < worst.lam < math.inf
    assert worst.kappa > 1.2 * limiting_mismatch(model, law).kappa
    around = mismatch(model, law, worst.lam * np.geomspace(0.5, 2, 201)).kappa
    assert around[100] == pytest.approx(worst.kappa, rel=1e-11)
    assert np.all(around <= worst.kappa * (1 + 1e-7))


def test_infinite_mismatch_comes_with_its_reason():
    model = BiasedReLU(4)
    for law in (UniformBias(4, 1.0), RidgeLeverage(model, 1e-3)):
        worst = worst_mismatch(model, law)
        assert worst.kappa == math.inf
        assert worst.reason
        assert holds_below(model, law, 1e6) == 0.0


def test_a_mixture_is_finite_as_soon_as_one_law_covers_the_sphere():
    model = BiasedReLU(3)
    law = Mixture([UniformBias(3, 1.0), GaussianInit(3, 2.0)], [0.5, 0.5])
    worst = worst_mismatch(model, law)
    assert worst.kappa <= 2 * worst_mismatch(model, GaussianInit(3, 2.0)).kappa * (1 + 1e-12)


def test_the_theorems_constant_holds_always_up_to_d_5_and_not_beyond():
    assert [holds_below(BiasedReLU(d), Uniform(d), theorem_kappa0(d, 1)) for d in (2, 3, 4, 5)] == [
        math.inf
    ] * 4
    edges = [holds_below(BiasedReLU(d), Uniform(d), theorem_kappa0(d, 1)) for d in (6, 8)]
    assert edges[0] == pytest.approx(0.50529, abs=5e-6)
    assert edges[1] == pytest.approx(0.055763, abs=5e-7)


@pytest.mark.parametrize(("d", "tau_star"), [(6, 1.0084), (10, 1.0532), (20, 1.0665), (50, 1.0731)])
def test_the_least_tau_for_which_the_constant_holds(d, tau_star):
    model = BiasedReLU(d)

    def excess(tau):
        return worst_mismatch(model, GaussianInit(d, tau)).kappa / theorem_kappa0(d, tau) - 1

    assert excess(tau_star - 1e-3) > 0 > excess(tau_star + 1e-3)


@settings(max_examples=4)
@given(st.integers(2, 12), st.floats(0.4, 3), st.floats(0.2, 0.95))
@example(8, 1.0, 0.7)
def test_the_edge_is_where_the_constant_is_met(d, tau, share):
    """A constant between the limit and the supremum fails from some lambda on, and holds below."""
    model, law = BiasedReLU(d), GaussianInit(d, tau)
    limit, worst = limiting_mismatch(model, law).kappa, worst_mismatch(model, law)
    constant = limit + share * (worst.kappa - limit)
    edge = holds_below(model, law, constant)
    if worst.kappa < limit * (1 + 1e-6):  # the limit itself is the supremum
        return
    assert 0 < edge < math.inf
    assert float(mismatch(model, law, edge).kappa) == pytest.approx(constant, rel=1e-9)
    below = mismatch(model, law, edge * np.geomspace(1e-8, 0.999, 50)).kappa
    assert np.all(below <= constant * (1 + 1e-10))


def test_a_constant_below_the_limit_never_holds_for_small_lambda():
    assert holds_below(BiasedReLU(5), GaussianInit(5, 10.0), 16.9) == 0.0
    assert holds_below(BiasedReLU(5), GaussianInit(5, 10.0), 16.98) == math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, q: worst_mismatch(m, q, lam_max=0), "lam_max = 0 is not allowed"),
        (lambda m, q: worst_mismatch(m, q, lam_max=math.nan), "lam_max = nan is not allowed"),
        (lambda m, q: holds_below(m, q, -1.0), "constant = -1.0 is not allowed"),
        (lambda m, q: worst_mismatch(m, Uniform(4)), "is not allowed: a law of the model's d = 3"),
        (lambda m, q: worst_mismatch("model", q), "model = 'model' is not allowed"),
        (lambda m, q: holds_below(m, "law", 1.0), "law = 'law' is not allowed"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(BiasedReLU(3), Uniform(3))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
