"""Leverage without the matrix of features: the bounds hold, and they are as tight as they say."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec import GaussianInit, Uniform, uniform_sphere
from kernelspec.empirical import (
    activations,
    approximate,
    approximate_leverage,
    features,
    pool_leverage,
)


def case(d, n, M, activation="relu", seed=0):
    X = uniform_sphere(d, n, seed)
    V = Uniform(d).sample(M, seed + 1)
    return X, V, features(X, V, activation)


@pytest.mark.parametrize("activation", ["relu", "heaviside", "gelu"])
@pytest.mark.parametrize(("d", "lam"), [(2, 1e-3), (5, 1e-3), (12, 1e-2)])
@pytest.mark.parametrize("rtol", [1.0, 0.02])
def test_the_exact_leverage_lies_between_the_bounds(activation, d, lam, rtol):
    """For all 500 neurons; the chance that one fails is below 1e-8 by construction."""
    X, V, F = case(d, 400, 500, activation)
    exact = pool_leverage(F, lam)
    found = approximate_leverage(X, V, lam, activation=activation, rtol=rtol)
    slack = 1e-9 * exact.leverage.max()
    assert np.all(found.lower <= exact.leverage + slack)
    assert np.all(found.upper >= exact.leverage - slack)
    assert found.dof_lower <= exact.dof * (1 + 1e-9)
    assert found.dof_upper >= exact.dof * (1 - 1e-9)
    alive = exact.leverage > 1e-6 * exact.leverage.max()
    off = np.abs(found.leverage[alive] / exact.leverage[alive] - 1)
    assert off.max() <= found.error * (1 + 1e-6) + 1e-6
    if rtol == 0.02:
        assert found.error < 0.05


def test_the_basis_is_from_a_part_and_the_blocks_are_many(monkeypatch):
    """Neither the part nor the size of the blocks may show beyond the bounds."""
    monkeypatch.setattr(approximate, "_PART", 150)
    monkeypatch.setattr(approximate, "_BLOCK", 40_000)
    X, V, F = case(4, 900, 1100)
    exact = pool_leverage(F, 3e-3)
    found = approximate_leverage(X, V, 3e-3, rtol=0.1)
    assert found.rank <= 150
    assert found.error < 0.2
    assert np.all(found.lower <= exact.leverage * (1 + 1e-9))
    assert np.all(found.upper >= exact.leverage * (1 - 1e-9))
    np.testing.assert_allclose(found.leverage, exact.leverage, rtol=found.error * 1.01)


@settings(max_examples=8)
@given(st.integers(1, 6), st.integers(0, 50), st.floats(-4, -1))
def test_any_basis_gives_bounds(rank, seed, exponent):
    """Even a few vectors: the bounds are wide then, not wrong."""
    X, V, F = case(3, 60, 80, seed=seed)
    lam = 10.0**exponent
    exact = pool_leverage(F, lam).leverage
    found = approximate_leverage(X, V, lam, rank=rank, rng=seed)
    assert found.rank <= rank
    assert np.all(found.lower <= exact + 1e-9 * exact.max())
    assert np.all(found.upper >= exact - 1e-9 * exact.max())


def test_a_full_basis_leaves_nothing_open():
    X, V, F = case(3, 40, 200)
    found = approximate_leverage(X, V, 1e-3, rank=40)
    np.testing.assert_allclose(found.leverage, pool_leverage(F, 1e-3).leverage, rtol=1e-5)
    assert found.error < 1e-5


def test_weights_stand_for_a_law():
    X, V = uniform_sphere(3, 300, 0), GaussianInit(3, 3.0).sample(400, 1)
    w = 1 / GaussianInit(3, 3.0).density(V[:, -1])
    exact = pool_leverage(features(X, V, "relu"), 1e-2, weights=w)
    found = approximate_leverage(X, V, 1e-2, weights=w, rtol=0.02)
    assert found.dof == pytest.approx(exact.dof, rel=found.error)
    alive = exact.leverage > 1e-9 * exact.leverage.max()
    np.testing.assert_allclose(found.leverage[alive], exact.leverage[alive], rtol=found.error)


def test_the_same_seed_gives_the_same_numbers():
    X, V, _ = case(3, 100, 120)
    first, again = (approximate_leverage(X, V, 1e-2, rng=7) for _ in range(2))
    np.testing.assert_array_equal(first.leverage, again.leverage)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.ones((3, 2)), np.ones((4, 2)), 0.1), {}, "V of shape (4, 2) is not allowed"),
        ((np.ones((3, 2)), np.ones((4, 3)), 0.0), {}, "lam = 0.0 is not allowed"),
        ((np.ones((3, 2)), np.ones((4, 3)), 0.1), {"rank": 0}, "rank = 0 is not allowed"),
        ((np.ones((3, 2)), np.ones((4, 3)), 0.1), {"rtol": -1}, "rtol = -1 is not allowed"),
        ((np.ones((3, 2)), np.ones((4, 3)), 0.1), {"weights": [1]}, "weights of shape (1,)"),
        ((np.ones((3, 2)), -np.ones((4, 3)), 0.1), {}, "no neuron of a large sample is active"),
        ((np.ones((3, 2)), np.ones((4, 3)), 0.1), {"activation": "rel"}, "activation = 'rel'"),
    ],
)
def test_bad_input_is_named(arguments, options, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        approximate_leverage(*arguments, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_stated_accuracy_in_ten_dimensions():
    """As at 100,000 points and neurons: an error of the order of rtol, mostly far below."""
    X, V, F = case(10, 2000, 2000)
    exact = pool_leverage(F, 1e-4).leverage
    found = approximate_leverage(X, V, 1e-4)
    alive = exact > 1e-9 * exact.max()
    off = np.abs(found.leverage[alive] / exact[alive] - 1)
    assert off.max() <= found.error <= 0.08
    assert np.median(off) < 0.01
    assert found.rank < 3 * found.dof


@pytest.mark.parametrize("tile", [1, 7, 300])
def test_features_do_not_depend_on_the_tiles(monkeypatch, tile):
    X, V = uniform_sphere(3, 41, 0), Uniform(3).sample(23, 1)
    naive = np.maximum(X @ V[:, :-1].T + V[:, -1], 0)
    monkeypatch.setattr(activations, "_TILE", tile)
    np.testing.assert_allclose(features(X, V, "relu"), naive, atol=1e-15)
    whole = np.empty((41, 23))
    for place, F in activations.blocks(X, V, activations.activation("relu"), 5):
        whole[:, place] = F
    np.testing.assert_allclose(whole, naive, atol=1e-15)


def test_the_matrix_of_features_is_never_held(monkeypatch):
    """It would take 72 MB of its own."""
    monkeypatch.setattr(approximate, "_PART", 200)
    monkeypatch.setattr(approximate, "_BLOCK", 1 << 17)
    X, V = uniform_sphere(4, 3000, 0), Uniform(4).sample(3000, 1)
    tracemalloc.start()
    try:
        found = approximate_leverage(X, V, 1e-3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.rank < 100
    assert peak < 16e6


def test_what_the_basis_leaves_out_is_bounded_closely():
    """A basis of the leading eigenvector leaves the second, here one of three that are close.

    The norms of 16 Gaussian triples are all below 1.34 with probability 2e-7.
    """
    X, V, F = case(3, 400, 400)
    second = np.linalg.eigvalsh(F @ F.T / F.size)[-2]
    found = approximate_leverage(X, V, 1e-2, rank=1)
    assert 1.5 * second < found.beyond < 3 * second
