"""Leverage of a pool: against the definition, for either shape of the feature matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec.empirical import pool_leverage, pool_spectrum


def features(n, M, seed, rank=None):
    """Positive and negative, with one dead neuron; of deficient rank where asked."""
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((n, M))
    if rank is not None:
        F = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, M))
    F[:, M // 2] = 0.0
    return F


def by_definition(F, lam, weights):
    n = len(F)
    w = weights / weights.sum()
    K = (F * w) @ F.T / n
    inverse = np.linalg.inv(K + lam * np.eye(n))
    leverage = np.einsum("ij,ik,kj->j", F, inverse, F) / n
    return leverage, np.trace(K @ inverse)


@settings(max_examples=15)
@given(st.integers(1, 12), st.integers(2, 12), st.integers(0, 99), st.floats(-4, 2), st.booleans())
@example(1, 2, 0, -2.0, True)
@example(12, 3, 1, -4.0, True)
@example(3, 12, 1, -4.0, True)
def test_the_definition(n, M, seed, exponent, weighted):
    F, lam = features(n, M, seed), 10.0**exponent
    rng = np.random.default_rng(seed + 1)
    w = rng.uniform(0.1, 3, M) if weighted else np.ones(M)
    q = rng.uniform(0.2, 2, M)
    found = pool_leverage(F, lam, density=q, weights=w if weighted else None)
    leverage, dof = by_definition(F, lam, w)
    np.testing.assert_allclose(found.leverage, leverage, rtol=1e-9, atol=1e-11)
    assert found.dof == pytest.approx(dof, rel=1e-9)
    ratio = leverage / q
    assert found.kappa == pytest.approx(ratio.max() / dof, rel=1e-9)
    assert ratio[found.index] == pytest.approx(ratio.max(), rel=1e-9)
    assert found.leverage[M // 2] == 0
    assert np.sum(w / w.sum() * found.leverage) == pytest.approx(found.dof, rel=1e-10)


@pytest.mark.parametrize("shape", [(7, 30), (30, 7), (9, 9)])
def test_both_shapes_give_the_same_as_the_eigenvalues_say(shape):
    F = features(*shape, seed=3)
    spectrum = pool_spectrum(F)
    exact = np.linalg.svd(F, compute_uv=False) ** 2 / F.size
    np.testing.assert_allclose(spectrum.eigenvalues, exact, atol=1e-14)
    np.testing.assert_allclose(
        np.mean(spectrum.coordinates**2, axis=1), spectrum.eigenvalues, atol=1e-14
    )


def test_many_ridges_at_once_agree_with_one_by_one():
    F = features(20, 15, seed=4)
    lam = np.logspace(-5, 1, 6).reshape(2, 3)
    together = pool_leverage(F, lam)
    assert together.leverage.shape == (2, 3, 15)
    assert together.dof.shape == together.kappa.shape == together.index.shape == (2, 3)
    for at in np.ndindex(2, 3):
        alone = pool_leverage(F, lam[at])
        np.testing.assert_allclose(together.leverage[at], alone.leverage, rtol=1e-11, atol=1e-14)
        assert together.kappa[at] == pytest.approx(alone.kappa, rel=1e-11)
        assert isinstance(alone.kappa, float)
        assert isinstance(alone.index, int)


@pytest.mark.parametrize("shape", [(12, 40), (40, 12)])
def test_a_ridge_below_the_rounding_of_a_square_takes_singular_values(shape):
    """Features of condition 1e7 at lambda = 1e-14: their Gram matrix holds only noise there."""
    rng = np.random.default_rng(5)
    r = min(shape)
    left = np.linalg.qr(rng.standard_normal((shape[0], r)))[0]
    right = np.linalg.qr(rng.standard_normal((shape[1], r)))[0]
    singular = np.logspace(0, -7, r)
    F = math.sqrt(shape[0] * shape[1]) * (left * singular) @ right.T
    found = pool_leverage(F, 1e-14)
    assert found.dof == pytest.approx(np.sum(singular**2 / (singular**2 + 1e-14)), rel=1e-8)
    expected = shape[1] * ((right * singular) ** 2 @ (1 / (singular**2 + 1e-14)))
    np.testing.assert_allclose(found.leverage, expected, rtol=1e-7)
    assert found.rounding < 1e-7


def test_a_neuron_never_drawn_makes_kappa_infinite_unless_it_is_dead():
    F = features(6, 5, seed=6)
    dead = F.shape[1] // 2
    never = np.ones(5)
    never[dead] = 0.0
    assert math.isfinite(pool_leverage(F, 0.1, density=never).kappa)
    never[0] = 0.0
    found = pool_leverage(F, 0.1, density=never)
    assert found.kappa == math.inf
    assert found.index == 0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[1.0, np.nan]], 0.1), {}, "features[0, 1] = nan is not allowed"),
        (([1.0, 2.0], 0.1), {}, "features of shape (2,) is not allowed"),
        ((np.ones((0, 3)), 0.1), {}, "features of shape (0, 3) is not allowed"),
        ((np.zeros((2, 2)), 0.1), {}, "features = 0 is not allowed: at least one neuron active"),
        (("text", 0.1), {}, "features = 'text' is not allowed"),
        ((np.ones((2, 2)), 0.0), {}, "lam = 0.0 is not allowed: finite numbers > 0"),
        ((np.ones((2, 2)), []), {}, "lam of size 0 is not allowed"),
        ((np.ones((2, 2)), 1.0), {"density": [1.0]}, "density of shape (1,) is not allowed"),
        ((np.ones((2, 2)), 1.0), {"density": [1.0, -1.0]}, "density[1] = -1.0 is not allowed"),
        ((np.ones((2, 2)), 1.0), {"weights": [1.0, 0.0]}, "weights[1] = 0.0 is not allowed"),
        ((np.ones((2, 2)), 1.0), {"weights": [1.0]}, "weights of shape (1,) is not allowed"),
    ],
)
def test_bad_input_is_named(arguments, options, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        pool_leverage(*arguments, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
