"""The mismatch as lambda falls to 0."""

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
    limiting_leverage,
    limiting_mismatch,
    mismatch,
)
from kernelspec.testing import dimensions, orders


def rising(x, n):
    return math.prod(x + i for i in range(n))


def threshold(d, s):
    return (1 + (d - 2 + 4 * s) / (d + 1)) ** -0.5


@given(dimensions(max_value=200), orders(), st.floats(1.0, 50.0))
@example(2, 0, 1.0)
@example(1000, 5, 1.0)
def test_above_the_threshold_the_limit_is_the_stated_product(d, s, tau):
    tau = tau * threshold(d, s) * (1 + 1e-9)
    found = limiting_mismatch(BiasedReLU(d, s), GaussianInit(d, tau))
    predicted = math.sqrt(2) * tau * rising((d + 1) / 2, s) / rising(d / 2, s)
    assert found.kappa == pytest.approx(predicted, rel=1e-12)
    assert (found.b, found.lam, found.dof) == (0.0, 0.0, math.inf)


@given(dimensions(max_value=60), orders(), st.floats(0.05, 0.98))
def test_below_the_threshold_the_supremum_leaves_zero(d, s, share):
    tau = share * threshold(d, s)
    model, law = BiasedReLU(d, s), GaussianInit(d, tau)
    found = limiting_mismatch(model, law)
    assert found.b > 0
    assert found.kappa > math.sqrt(2) * tau * rising((d + 1) / 2, s) / rising(d / 2, s)
    b = np.linspace(0, math.sqrt(0.5), 4001)
    with np.errstate(divide="ignore"):
        ratio = np.exp(np.log(limiting_leverage(model, b)) - law.log_density(b))
    assert ratio.max() <= found.kappa * (1 + 1e-12)
    assert ratio.max() >= found.kappa * (1 - 1e-3)


@given(dimensions(max_value=100), orders())
@example(2, 0)
@example(1000, 1)
def test_the_limit_law_is_a_density(d, s):
    """Its mean over pi, by Gauss's rule in the height, is 1."""
    x, weight = np.polynomial.legendre.leggauss(400)
    psi = x * math.pi / 4  # b = sin(psi) on |b| < 1/sqrt(2)
    constant = math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2)) / math.sqrt(math.pi)
    pi_density = constant * np.cos(psi) ** (d - 1)
    mean = np.sum(
        weight * math.pi / 4 * pi_density * limiting_leverage(BiasedReLU(d, s), np.sin(psi))
    )
    assert mean == pytest.approx(1, rel=3e-6 if (d, s) == (2, 0) else 1e-6)


@settings(max_examples=8)
@given(st.integers(2, 8), st.integers(0, 3), st.floats(-0.69, 0.69))
@example(3, 1, 0.0)
@example(5, 2, -0.5)
def test_the_leverage_tends_to_the_limit_law(d, s, b):
    """The distance falls at least as fast as 1/kap, kap the knee, by formula 6 of the theory."""
    model = BiasedReLU(d, s)
    knees = np.array([3e2, 3e3])
    lam = np.exp(math.log(model.eigenvalue_constant) - (d + 2 * s) * np.log(knees))
    ratio = model.leverage(b, lam) / model.degrees_of_freedom(lam) / limiting_leverage(model, b)
    error = np.abs(ratio - 1)
    assert error[0] < 0.3
    assert error[1] < 0.2 * error[0] + 1e-10


@pytest.mark.parametrize(
    "law",
    [
        Uniform(3),
        GaussianInit(3, 0.4),
        GaussianInit(3, 5.0),
        Mixture([UniformBias(3, 1.0), GaussianInit(3, 2.0)], [0.6, 0.4]),
        Mixture([RidgeLeverage(BiasedReLU(3), 1e-2), GaussianInit(3, 2.0)], [0.5, 0.5]),
    ],
    ids=["uniform", "narrow", "wide", "with uniform bias", "with leverage"],
)
def test_the_limit_is_that_of_the_mismatch(law):
    model = BiasedReLU(3)
    limit = limiting_mismatch(model, law).kappa
    kappa = mismatch(model, law, [1e-9, 1e-13]).kappa
    assert abs(kappa[1] / limit - 1) < 1e-3
    assert abs(kappa[1] / limit - 1) < 0.2 * abs(kappa[0] / limit - 1) + 1e-9


def test_infinite_limits_say_why():
    model = BiasedReLU(5)
    bias = limiting_mismatch(model, UniformBias(5, 1.0))
    assert bias.kappa == math.inf
    assert "never drawn" in bias.reason
    leverage = limiting_mismatch(model, RidgeLeverage(model, 1e-3))
    assert leverage.kappa == math.inf
    assert "die" in leverage.reason


@pytest.mark.parametrize("d", [2, 1000])
@pytest.mark.parametrize("s", [0, 5])
@pytest.mark.parametrize("tau", [1e-3, 1.0, 1e3])
def test_extremes_stay_finite(d, s, tau):
    found = limiting_mismatch(BiasedReLU(d, s), GaussianInit(d, tau))
    assert found.kappa >= 1 or found.kappa == math.inf
    assert not math.isnan(found.kappa)
    assert 0 <= found.b <= math.sqrt(0.5)


@pytest.mark.parametrize("d", [2, 3])
def test_no_scale_of_the_biases_overflows(d):
    model = BiasedReLU(d)
    wide = limiting_mismatch(model, GaussianInit(d, 1e300))
    assert wide.kappa == pytest.approx(1e300 * math.sqrt(2) * (d + 1) / d, rel=1e-12)
    narrow = [limiting_mismatch(model, GaussianInit(d, tau)) for tau in (1e-100, 1e-200)]
    # kappa grows as tau^-d, its log is told where it is no float64
    assert narrow[1].kappa == math.inf
    told = float(narrow[1].reason.split("exp(")[1].split(")")[0])
    assert told - math.log(narrow[0].kappa) == pytest.approx(100 * d * math.log(10), abs=0.01)
    assert narrow[0].b == pytest.approx(narrow[1].b, rel=1e-12)
