"""The feature family: features, kernel by sampling, and the constants it carries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, Uniform, multiplicity, uniform_sphere
from kernelspec.testing import dimensions, orders

FALSE_ALARM_SIGMAS = 6.0  # a normal deviate beyond it has probability 2e-9


@given(dimensions(max_value=1000), orders())
def test_the_decay_exponent(d, s):
    assert BiasedReLU(d, s).decay_exponent == (d + 2 * s) / (d - 1)


@given(dimensions(max_value=40), orders())
def test_the_eigenvalue_constant_is_the_limit_of_the_eigenvalues(d, s):
    model = BiasedReLU(d, s)
    L, k = d / 2 + s, 20_000
    kappa = k + (d - 2) / 2
    log_ratio = model.eigenvalues(k, log=True)[-1] + (d + 2 * s) * math.log(kappa)
    log_ratio -= math.log(model.eigenvalue_constant)
    assert log_ratio == pytest.approx(L * (8 * L * L - 5) / 24 / kappa**2, abs=1e-9, rel=0.2)


def test_the_constant_at_order_one_in_elementary_form():
    for d in (2, 3, 5, 17):
        elementary = 2 ** (d - 2.5) * math.gamma(d / 2) * math.gamma(d / 2 + 1)
        elementary /= math.pi**2 * (d + 1)
        assert BiasedReLU(d).eigenvalue_constant == pytest.approx(elementary, rel=1e-13)


def test_features_by_hand():
    X, V = [[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.0, 0.8], [-0.6, 0.0, 0.1], [0.0, 0.0, -1.0]]
    np.testing.assert_allclose(BiasedReLU(2).features(X, V), [[1.4, 0, 0], [0.8, 0.1, 0]])
    np.testing.assert_allclose(BiasedReLU(2, 3).features(X, V), [[1.4**3, 0, 0], [0.8**3, 1e-3, 0]])
    np.testing.assert_allclose(BiasedReLU(2, 0).features(X, V), [[1, 0, 0], [1, 1, 0]])


@pytest.mark.parametrize("d", [2, 4, 9])
@pytest.mark.parametrize("s", [0, 1, 2])
def test_the_kernel_is_the_mean_product_of_features(d, s):
    model = BiasedReLU(d, s)
    X = uniform_sphere(d, 6, rng=d)
    phi = model.features(X, Uniform(d).sample(200_000, rng=s))
    products = phi[:, None, :] * phi[None, :, :]
    error = products.std(axis=2) / math.sqrt(products.shape[2])
    kernel = model.kernel(np.clip(X @ X.T, -1, 1))
    # 21 comparisons: together a false alarm below 1e-7
    assert np.all(np.abs(products.mean(axis=2) - kernel) < FALSE_ALARM_SIGMAS * error)


@settings(max_examples=12)
@given(dimensions(max_value=30), orders(), st.integers(0, 2**32 - 1))
def test_the_kernel_is_positive_semidefinite(d, s, seed):
    X = uniform_sphere(d, 40, rng=seed)
    gram = BiasedReLU(d, s).kernel(np.clip(X @ X.T, -1, 1))
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues.min() > -1e-13 * eigenvalues.max()


@pytest.mark.parametrize(("d", "s"), [(3, 1), (5, 0), (6, 2)])
def test_a_feature_is_its_harmonic_expansion(d, s):
    """The partial sums of phi_v = sum N_k a_k P_k converge in mean square at the stated rate."""
    model = BiasedReLU(d, s)
    X = uniform_sphere(d, 4000, rng=1)
    v = np.append(np.sqrt(1 - 0.2**2), np.zeros(d - 1))
    phi = model.features(X, np.append(v, 0.2)[None])[:, 0]
    from kernelspec import gegenbauer

    K = 60
    terms = multiplicity(d, np.arange(K + 1)) * model.coefficients(0.2, K)
    partial = terms @ gegenbauer(d, K, np.clip(X[:, 0], -1, 1))
    squares = multiplicity(d, np.arange(4 * K + 1)) * model.coefficients(0.2, 4 * K) ** 2
    tail = squares[K + 1 :].sum()
    assert np.mean((phi - partial) ** 2) < 3 * tail + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BiasedReLU(1), "d = 1 is not allowed: an integer from 2 to 1000"),
        (lambda: BiasedReLU(1001), "d = 1001 is not allowed"),
        (lambda: BiasedReLU(2.5), "d = 2.5 is not allowed"),
        (lambda: BiasedReLU(math.nan), "d = nan is not allowed"),
        (lambda: BiasedReLU("3"), "d = '3' is not allowed"),
        (lambda: BiasedReLU(True), "d = True is not allowed"),
        (lambda: BiasedReLU(3, 6), "order = 6 is not allowed: an integer from 0 to 5"),
        (lambda: BiasedReLU(3).kernel(1.5), "t = 1.5 is not allowed: numbers from -1 to 1"),
        (lambda: BiasedReLU(3).kernel([0.0, math.nan]), "t[1] = nan is not allowed"),
        (lambda: BiasedReLU(3).eigenvalues(-1), "max_degree = -1 is not allowed"),
        (lambda: BiasedReLU(3).eigenvalues(2.5), "max_degree = 2.5 is not allowed"),
        (lambda: BiasedReLU(3).coefficients(1.1, 3), "b = 1.1 is not allowed"),
        (lambda: BiasedReLU(3).leverage(0.0, 0.0), "lam = 0.0 is not allowed"),
        (lambda: BiasedReLU(3).leverage(0.0, -1e-3), "lam = -0.001 is not allowed"),
        (lambda: BiasedReLU(3).leverage([0.1, 0.2], [1, 2, 3]), "must broadcast"),
        (lambda: BiasedReLU(3).degrees_of_freedom(math.inf), "lam = inf is not allowed"),
        (lambda: BiasedReLU(3).features([[1.0, 0.0]], [[1.0, 0, 0, 0]]), "X of shape (1, 2)"),
        (lambda: BiasedReLU(3).features([[1.0, 0, 0]], [[1.0, 0, 0]]), "V of shape (1, 3)"),
        (lambda: BiasedReLU(2).features([[1.0, math.nan]], [[1.0, 0, 0]]), "X[0, 1] = nan"),
    ],
)
def test_bad_input_is_one_line_that_names_it(call, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
