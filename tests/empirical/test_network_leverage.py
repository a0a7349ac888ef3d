"""Layers of trained networks: their arrays, their leverage, and limits of their mismatch."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec import BiasedReLU, GaussianInit, RidgeLeverage, Uniform, mismatch, uniform_sphere
from kernelspec.empirical import network_leverage, neurons_of


def test_both_ways_to_keep_a_layer():
    rng = np.random.default_rng(0)
    W, b = rng.standard_normal((7, 3)), rng.standard_normal(7)
    expected = np.column_stack([W, b])
    np.testing.assert_array_equal(neurons_of(W, b), expected)
    np.testing.assert_array_equal(neurons_of(W, b, d=3), expected)
    np.testing.assert_array_equal(neurons_of(W.T, b, d=3), expected)
    np.testing.assert_array_equal(neurons_of(W.T, b[:, None], d=3), expected)
    np.testing.assert_array_equal(neurons_of(W, d=3)[:, -1], 0)


def test_the_relative_leverage_is_the_exact_one():
    """Heights on a grid, 2 ridges: within 25 % and, on the mean over directions, within 8 %."""
    d, lam = 3, [1e-1, 2e-2]
    heights = np.repeat([-0.4, 0.0, 0.5, 0.9], 60)
    rng = np.random.default_rng(0)
    W = rng.standard_normal((heights.size, d))
    W *= np.sqrt(1 - heights**2)[:, None] / np.linalg.norm(W, axis=1)[:, None]
    V = 3.7 * np.column_stack([W, heights])  # only the direction counts
    rows = network_leverage(uniform_sphere(d, 900, 1), V, "sphere", lam, neurons=800, rng=2)
    for row, ridge in zip(rows, lam, strict=True):
        model = BiasedReLU(d)
        exact = model.leverage(heights, ridge) / model.degrees_of_freedom(ridge)
        quotient = (row.ratio / exact).reshape(4, 60)
        np.testing.assert_allclose(quotient, 1, atol=0.25)
        np.testing.assert_allclose(quotient.mean(axis=1), 1, atol=0.08)
        assert row.pool_ratio.mean() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("tau", [0.3, 1.0, 10.0])
def test_the_limit_stays_below_the_mismatch(tau):
    """At 95 %, for 12 samples at once: more than 5 failures have probability below 1e-4."""
    d, lam = 3, 0.02
    exact = mismatch(BiasedReLU(d), GaussianInit(d, tau), lam).kappa
    X = uniform_sphere(d, 400, 0)
    V = GaussianInit(d, tau).sample(12_000, 7)
    limits = [
        network_leverage(X, part, "sphere", lam, neurons=300, rng=1)[0].mismatch_low
        for part in np.split(V, 12)
    ]
    assert sum(limit > exact for limit in limits) <= 5
    if tau != 1.0:
        assert min(limits) > 1.2


def test_neurons_of_the_leverage_law_show_next_to_no_mismatch():
    model, lam = BiasedReLU(3), 0.02
    V = RidgeLeverage(model, lam).sample(3000, 0)
    (row,) = network_leverage(uniform_sphere(3, 800, 0), V, Uniform(3), lam, neurons=800, rng=1)
    assert row.mismatch_low < 1.15
    assert np.mean(row.ratio) > 1.2


def test_a_direction_the_layer_has_lost_is_seen():
    """All neurons dead but a few: high leverage is what they lack."""
    V = np.column_stack([0.1 * uniform_sphere(3, 500, 0), -np.ones(500)])
    (row,) = network_leverage(uniform_sphere(3, 400, 0), V, "sphere", 0.05, neurons=300)
    assert np.all(row.ratio == 0)
    assert row.share_seen == 0
    assert row.mismatch_low > 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neurons_of([[1.0, 2.0]], d=3), "weight of shape (1, 2) is not allowed: (m, 3)"),
        (lambda: neurons_of([1.0, 2.0]), "weight of shape (2,) is not allowed"),
        (lambda: neurons_of([[1.0, np.inf]]), "weight[0, 1] = inf is not allowed"),
        (lambda: neurons_of([[1.0, 2.0]], [1.0, 2.0]), "bias of shape (2,) is not allowed"),
        (
            lambda: network_leverage(np.ones((3, 2)), np.zeros((4, 3)), "sphere", 0.1),
            "at least one neuron that does not vanish",
        ),
        (
            lambda: network_leverage(np.ones((3, 2)), np.ones((4, 2)), "sphere", 0.1),
            "V of shape (4, 2) is not allowed",
        ),
        (
            lambda: network_leverage(np.ones((3, 2)), np.ones((4, 3)), "sphere", []),
            "lam of shape (0,) is not allowed",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
