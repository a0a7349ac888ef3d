"""The table of initialisers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special

from kernelspec.bounds import theorem_kappa0
from kernelspec.features import BiasedReLU
from kernelspec.initialisers import (
    cube_mismatch,
    initialiser,
    initialiser_names,
    initialiser_table,
    tau_from_std,
)
from kernelspec.laws import GaussianInit


def sharp_limit(d, order, tau):
    """Closed form of the limiting mismatch, for tau above its threshold."""
    return math.sqrt(2) * tau * special.poch((d + 1) / 2, order) / special.poch(d / 2, order)


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 50), st.integers(0, 3))
@example(5, 1)
def test_rows_agree_with_the_closed_form(d, order):
    for row in initialiser_table(d, order):
        if row.tau == 0:
            assert row.law is None
            assert row.kappa0 == row.kappa0_own == math.inf
            assert "no harmonics" in row.reason
        else:
            assert row.law == GaussianInit(d, row.tau)
            assert row.kappa0 >= sharp_limit(d, order, row.tau) * (1 - 1e-11)
        if row.tau >= 1:
            assert row.kappa0 == pytest.approx(sharp_limit(d, order, row.tau), rel=1e-11)
        if row.tau >= 1 and order == 1:
            assert row.theorem_kappa0 == theorem_kappa0(d, row.tau)
        else:
            assert row.theorem_kappa0 is None


def test_every_name_is_a_row():
    table = initialiser_table(7)
    assert tuple(row.name for row in table) == initialiser_names()
    assert initialiser("lecun-normal", 7) in table
    assert {"pytorch-linear", "he-normal", "glorot-normal", "lecun-normal"} <= {
        row.name for row in table
    }


def test_neurons_without_bias_miss_the_odd_harmonics():
    """The reason given for an infinite mismatch, for orders 0 to 3."""
    for order in range(4):
        a = BiasedReLU(4, order).coefficients(0.0, order + 9)
        missing, present = a[order + 2 :: 2], a[order + 1 :: 2]
        np.testing.assert_allclose(missing, 0, atol=1e-17)
        assert np.all(np.abs(present) > 1e-6)


def test_small_tau_moves_the_supremum():
    """With torch's bias, He's weights have tau = 1/sqrt(6), below the threshold of formula 6."""
    row = initialiser("he-normal-pytorch-bias", 5)
    assert row.tau == pytest.approx(tau_from_std(math.sqrt(2 / 5), 1 / math.sqrt(3 * 5)))
    assert row.kappa0 > sharp_limit(5, 1, row.tau) * 1.01


# ---- the cube --------------------------------------------------------------------------


def cube_density(V):
    """Density on S^d, with respect to pi, of a projected uniform point of [-1, 1]^(d+1)."""
    n = V.shape[1]
    ball = math.pi ** (n / 2) / math.gamma(n / 2 + 1)
    return ball / 2**n / np.max(np.abs(V), axis=1) ** n


def limiting_density(d, order, b):
    """Limit of l_lambda/N at height b: a multiple of (1-2b^2)_+^p (1-b^2)^(1-d/2), p = d/2+s-1."""
    power = d / 2 + order - 1
    of_height = math.sqrt(2) / special.beta(0.5, power + 1) * np.maximum(1 - 2 * b**2, 0) ** power
    under_pi = (1 - b**2) ** (d / 2 - 1) / special.beta(0.5, d / 2)
    return of_height / under_pi


def test_the_density_of_the_cube_is_right():
    """Shares of sphere caps, cube points against weighted uniform points; five standard errors."""
    rng = np.random.default_rng(0)
    cube = rng.uniform(-1, 1, (400_000, 4))
    cube /= np.linalg.norm(cube, axis=1)[:, None]
    sphere = rng.standard_normal((400_000, 4))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    weight = cube_density(sphere)
    for axis in np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]]):
        share, weighted = cube @ axis > 0.9, weight * (sphere @ axis > 0.9)
        error = math.hypot(share.std(), weighted.std()) / math.sqrt(400_000)
        assert abs(share.mean() - weighted.mean()) < 5.5 * error


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 12), st.integers(0, 3), st.integers(0, 2**32))
@example(2, 0, 0)
def test_cube_mismatch_is_a_supremum(d, order, seed):
    """No direction exceeds it; along an axis at b = 0 it is attained."""
    rng = np.random.default_rng(seed)
    spread = 10 ** rng.uniform(-3, 0, d + 1)  # directions near faces, edges and axes
    V = rng.standard_normal((20_000, d + 1)) * rng.permutation(spread)
    V /= np.linalg.norm(V, axis=1)[:, None]
    ratio = limiting_density(d, order, V[:, -1]) / cube_density(V)
    supremum = cube_mismatch(d, order)
    assert np.max(ratio) <= supremum * (1 + 1e-12)
    axis = np.eye(1, d + 1)
    attained = limiting_density(d, order, axis[:, -1]) / cube_density(axis)
    assert attained[0] == pytest.approx(supremum, rel=1e-12)


def test_cube_mismatch_grows_beyond_float64():
    row = initialiser("pytorch-linear", 8)
    assert row.kappa0_own == cube_mismatch(8) > 100 * row.kappa0
    assert cube_mismatch(1000) == math.inf


# ---- tau -------------------------------------------------------------------------------


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_tau_is_the_ratio_of_deviations(weight, bias):
    assert tau_from_std(weight, bias) == bias / weight
    assert tau_from_std(weight, 0) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tau_from_std(0, 1), "weight_std = 0 .* > 0"),
        (lambda: tau_from_std(1, -1), "bias_std = -1 .* >= 0"),
        (lambda: tau_from_std(1, math.nan), "bias_std = nan .* >= 0"),
        (lambda: initialiser("xavier", 5), "name = 'xavier' .* one of sphere, .*lecun-normal"),
        (lambda: initialiser("he-normal", 1), "d = 1 .* 2 to 1000"),
        (lambda: initialiser_table(5, 6), "order = 6 .* 0 to 5"),
        (lambda: cube_mismatch(1), "d = 1 .* 2 to 1000"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
