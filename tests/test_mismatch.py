"""Sampling mismatch: the supremum over neurons of leverage over density."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, GaussianInit, Mixture, RidgeLeverage, UniformBias, mismatch
from kernelspec.testing import laws, ridges, scales


def test_reference_values(reference):
    for row in reference["mismatch"]:
        model = BiasedReLU(row["d"], row["s"])
        found = mismatch(model, GaussianInit(row["d"], float(row["tau"])), float(row["lam"]))
        assert found.kappa == pytest.approx(float(row["kappa0"]), rel=1e-13)
        assert found.b == pytest.approx(float(row["b_max"]), abs=1e-7)


@settings(max_examples=12)
@given(st.integers(2, 12), st.integers(0, 3), st.data())
def test_no_neuron_has_a_larger_ratio(d, s, data):
    """A global maximum: no height of a fine random set comes higher."""
    model, law = BiasedReLU(d, s), data.draw(laws(d))
    lam = data.draw(ridges())
    found = mismatch(model, law, lam)
    if math.isinf(found.kappa):
        assert found.reason
        return
    rng = np.random.default_rng(0)
    theta = np.concatenate([rng.uniform(0, math.pi, 400), math.pi * rng.uniform(0, 0.02, 50)])
    b = np.concatenate(
        [-np.cos(theta) / np.sqrt(1 + np.cos(theta) ** 2), rng.uniform(0.7, 1, 200), [1.0]]
    )
    leverage = model.leverage(b, lam)
    with np.errstate(divide="ignore"):
        ratio = np.exp(np.log(leverage) - law.log_density(b)) / found.dof
    assert np.all(ratio[leverage > 0] <= found.kappa * (1 + 1e-10))
    assert found.kappa >= 1 - 1e-10


@settings(max_examples=8)
@given(st.integers(2, 10), st.integers(0, 2), ridges())
@example(5, 1, 1e-3)
@example(2, 0, 1e-6)
def test_the_leverage_law_has_none(d, s, lam):
    model = BiasedReLU(d, s)
    assert mismatch(model, RidgeLeverage(model, lam), lam).kappa == pytest.approx(1, abs=1e-9)


@settings(max_examples=8)
@given(st.integers(2, 30), st.integers(0, 3), ridges(), scales(), st.floats(1.01, 4))
@example(5, 1, 1e-3, 1.0, 2.0)
def test_kappa_over_tau_does_not_grow_with_tau(d, s, lam, tau, factor):
    model = BiasedReLU(d, s)
    small = mismatch(model, GaussianInit(d, tau), lam).kappa / tau
    large = mismatch(model, GaussianInit(d, tau * factor), lam).kappa / (tau * factor)
    assert large <= small * (1 + 1e-11)


@settings(max_examples=6)
@given(st.integers(2, 8), ridges(), scales(0.5, 10), st.floats(0.01, 0.99))
def test_mixing_with_the_leverage_law_gives_the_harmonic_mean(d, lam, tau, P):
    model = BiasedReLU(d)
    initial, trained = GaussianInit(d, tau), RidgeLeverage(model, lam)
    kappa0 = mismatch(model, initial, lam).kappa
    mixed = mismatch(model, Mixture([trained, initial], [P, 1 - P]), lam).kappa
    assert mixed == pytest.approx(1 / (P + (1 - P) / kappa0), rel=1e-8)


@pytest.mark.parametrize("d", [2, 5, 40])
def test_many_ridges_at_once_agree_with_one_by_one(d):
    model, law = BiasedReLU(d), GaussianInit(d, 3.0)
    lam = np.logspace(-9, 2, 12).reshape(3, 4)
    together = mismatch(model, law, lam)
    assert together.kappa.shape == together.b.shape == together.dof.shape == (3, 4)
    alone = [float(mismatch(model, law, x).kappa) for x in lam.ravel()]
    np.testing.assert_allclose(together.kappa.ravel(), alone, rtol=1e-11)
    assert isinstance(mismatch(model, law, 0.1).kappa, float)
    assert mismatch(model, law, []).kappa.shape == (0,)


def test_at_a_large_ridge_the_wholly_active_neuron_is_worst():
    """At tau = 1, d = 5: l/N -> |phi|^2/K(1), largest at b = 1, where it is d + 1."""
    found = mismatch(BiasedReLU(5), GaussianInit(5, 1.0), 1e9)
    assert found.b == 1.0
    assert found.kappa == pytest.approx(6, rel=1e-8)


def test_neurons_never_drawn_make_it_infinite_and_are_named():
    found = mismatch(BiasedReLU(5), UniformBias(5, 1.0), 1e-3)
    assert found.kappa == math.inf
    assert "never drawn" in found.reason


def test_a_finite_value_beyond_float64_is_said_to_be_so():
    found = mismatch(BiasedReLU(1000), GaussianInit(1000, 1e-3), 1.0)
    assert found.kappa == math.inf
    assert "finite, exp(" in found.reason


@pytest.mark.parametrize(
    ("model", "law", "lam", "message"),
    [
        (BiasedReLU(3), GaussianInit(4, 1.0), 0.1, "a law of the model's d = 3"),
        (BiasedReLU(3), GaussianInit(3, 1.0), 0.0, "lam = 0.0 is not allowed: finite numbers > 0"),
        (BiasedReLU(3), GaussianInit(3, 1.0), [1.0, -2.0], "lam[1] = -2.0 is not allowed"),
        (BiasedReLU(3), GaussianInit(3, 1.0), math.nan, "lam = nan is not allowed"),
        (BiasedReLU(3), GaussianInit(3, 1.0), "small", "lam = 'small' is not allowed"),
        (3, GaussianInit(3, 1.0), 0.1, "model = 3 is not allowed: a BiasedReLU"),
        (BiasedReLU(3), 1.0, 0.1, "law = 1.0 is not allowed: a sampling law"),
    ],
)
def test_bad_input_is_named(model, law, lam, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        mismatch(model, law, lam)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
