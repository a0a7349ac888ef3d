"""The feature family: features entry by entry, and its parameters."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import BiasedReLU, Uniform
from kernelspec.harmonics import squared_norm
from kernelspec.testing import dimensions, models, neurons, orders, points


@given(st.data(), models())
def test_features_entry_by_entry(data, model):
    X, V = data.draw(points(model.d)), data.draw(neurons(model.d))
    phi = model.features(X, V)
    assert phi.shape == (len(X), len(V))
    for i, x in enumerate(X):
        for j, v in enumerate(V):
            argument = math.fsum([*(v[:-1] * x), v[-1]])
            if abs(argument) < 1e-14:
                continue  # the indicator may fall either way
            expected = max(argument, 0.0) ** model.order if argument > 0 else 0.0
            assert phi[i, j] == pytest.approx(expected, rel=1e-10, abs=1e-15)


@given(st.data(), models(), st.floats(0.1, 10))
def test_features_are_homogeneous(data, model, factor):
    """Projecting neurons to the sphere loses nothing: phi_{cv} = c^s phi_v."""
    X, V = data.draw(points(model.d)), data.draw(neurons(model.d))
    away = np.abs(X @ V[:, :-1].T + V[:, -1]) > 1e-12
    scaled = model.features(X, factor * V)
    expected = factor**model.order * model.features(X, V)
    assert np.allclose(scaled[away], expected[away], rtol=1e-9, atol=1e-14)


def test_the_indicator_is_zero_on_the_kink():
    assert BiasedReLU(2, 0).features([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.8, -0.6]]).tolist() == [
        [0.0],
        [1.0],
    ]


@pytest.mark.parametrize("s", range(6))
def test_squared_features_average_to_the_squared_norm(s):
    """Hoeffding's bound over 10^6 inputs, false alarm 1e-9."""
    n, d = 1_000_000, 4
    X = Uniform(d - 1).sample(n, rng=s)  # S^{d-1}
    for b in (-0.4, 0.0, 0.5, 0.9):
        V = np.zeros((1, d + 1))
        V[0, 1], V[0, d] = math.sqrt(1 - b * b), b
        mean = float(np.mean(BiasedReLU(d, s).features(X, V) ** 2))
        reach = (V[0, 1] + b) ** (2 * s)
        bound = reach * math.sqrt(math.log(2 / 1e-9) / (2 * n))
        assert abs(mean - float(squared_norm(d, s, np.array(b)))) < bound


@given(dimensions(max_value=1000), orders())
@example(2, 0)
def test_parameters(d, s):
    model = BiasedReLU(d, s)
    assert (model.d, model.order) == (d, s)
    assert model == BiasedReLU(float(d), s)
    assert len({model, BiasedReLU(d, s)}) == 1
    assert model.decay_exponent == (d + 2 * s) / (d - 1)
    assert BiasedReLU(d) == BiasedReLU(d, order=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.d = 3


@given(dimensions(max_value=60), orders())
def test_eigenvalue_constant_is_the_limit_of_scaled_eigenvalues(d, s):
    """mu_k kap^{d+2s} = A (1 + O(L^3/kap^2))."""
    model, k = BiasedReLU(d, s), 100_000
    kap = k + (d - 2) / 2
    log_mu = float(model.eigenvalues(k, log=True)[k])
    difference = log_mu + (d + 2 * s) * math.log(kap) - math.log(model.eigenvalue_constant)
    assert abs(difference) < (d / 2 + s) ** 3 / kap**2 + 1e-14 * (d + 2 * s) * math.log(kap)


def test_the_constant_beyond_float64_is_infinite():
    assert BiasedReLU(1000).eigenvalue_constant == math.inf


def test_results_are_plain_float64_arrays_of_the_stated_shapes():
    model = BiasedReLU(4, 2)
    for value, shape in (
        (model.kernel(0.3), ()),
        (model.kernel([[0.3, 1.0]]), (1, 2)),
        (model.eigenvalues(7), (8,)),
        (model.coefficients(0.1, 3), (4,)),
        (model.coefficients([[0.1], [0.2]], 3), (4, 2, 1)),
        (model.leverage(0.1, 1e-2), ()),
        (model.leverage([[0.1], [0.5]], [1e-2, 1e-3, 1.0]), (2, 3)),
        (model.leverage([], 1e-2), (0,)),
        (model.degrees_of_freedom(1e-2), ()),
        (model.degrees_of_freedom([1e-2, 1e-3]), (2,)),
        (model.features(np.ones((3, 4)), np.ones((2, 5))), (3, 2)),
        (model.features(np.ones((0, 4)), np.ones((2, 5))), (0, 2)),
    ):
        assert isinstance(value, np.ndarray)
        assert value.dtype == np.float64
        assert value.shape == shape
