"""The kernel: closed form against quadrature, against features, and positive definiteness."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import BiasedReLU, Uniform, gegenbauer, uniform_sphere
from kernelspec.arccosine import kernel_at_one
from kernelspec.testing import dimensions, models, orders, points

products = st.one_of(
    st.floats(-1, 1), st.sampled_from([1.0, -1.0, 1 - 1e-15, 1 - 1e-8, -1 + 1e-12])
)


def test_reference_values(reference):
    assert len(reference["kernel"]) == 36
    for row in reference["kernel"]:
        value = float(BiasedReLU(row["d"], row["s"]).kernel(float(row["t"])))
        # the reference takes t as a decimal: 0.999 is not its float64, which matters below 1e-15
        assert oracles.relative_error(value, row["value"]) < 1e-13, row


@given(dimensions(max_value=1000), orders(), products)
@example(2, 0, 1 - 2**-53)
@example(1000, 5, -1.0)
def test_kernel_against_the_integral_over_the_angle(d, s, t):
    value = float(BiasedReLU(d, s).kernel(t))
    assert oracles.relative_error(value, oracles.kernel(d, s, t)) < 2e-15


@given(dimensions(max_value=1000), products)
def test_kernel_of_the_relu_as_published(d, t):
    theta = math.acos((1 + t) / 2)
    published = (math.sin(theta) + (math.pi - theta) * (1 + t) / 2) / ((d + 1) * math.pi)
    assert float(BiasedReLU(d).kernel(t)) == pytest.approx(published, rel=1e-14)


@given(dimensions(max_value=1000), orders())
def test_trace(d, s):
    exact = oracles.kernel_at_one(d, s)
    assert oracles.relative_error(kernel_at_one(d, s), exact) < 1e-14
    assert oracles.relative_error(BiasedReLU(d, s).kernel(1.0), exact) < 1e-14


@given(models(), st.lists(products, min_size=1, max_size=6))
def test_kernel_is_positive_increasing_and_elementwise(model, t):
    t = np.sort(np.array(t))
    K = model.kernel(t)
    assert np.all(K > 0)
    assert np.all(np.diff(K) >= -1e-15 * K[-1])
    assert np.array_equal(model.kernel(t[:, None, None]), K[:, None, None])
    assert [float(model.kernel(float(x))) for x in t] == K.tolist()


@given(st.data(), models())
def test_kernel_is_positive_semidefinite(data, model):
    X = data.draw(points(model.d, max_size=40))
    K = model.kernel(np.clip(X @ X.T, -1, 1))
    assert np.linalg.eigvalsh(K)[0] > -1e-13 * np.trace(K)


@given(st.data(), models())
def test_kernel_stays_positive_semidefinite_without_its_first_harmonics(data, model):
    """Take N_k mu_k P_k away for k < 6: what is left is still a sum of positive terms.

    Unlike positive definiteness, this is lost when any one of the mu_k is too large by 1e-9.
    """
    X = data.draw(points(model.d, max_size=40))
    T = np.clip(X @ X.T, -1, 1)
    count = np.array([oracles.multiplicity(model.d, k) for k in range(6)], dtype=float)
    harmonics = np.tensordot(count * model.eigenvalues(5), gegenbauer(model.d, 5, T), axes=1)
    rest = model.kernel(T) - harmonics
    assert np.linalg.eigvalsh(rest)[0] > -1e-13 * len(X) * kernel_at_one(model.d, model.order)


@pytest.mark.parametrize(("d", "s"), [(2, 0), (2, 3), (3, 1), (4, 2), (5, 1), (10, 4), (30, 1)])
def test_kernel_by_monte_carlo_over_features(d, s):
    """The empirical Bernstein bound (Maurer & Pontil 2009), two-sided, false alarm 1e-9 a pair."""
    model, n = BiasedReLU(d, s), 200_000
    X = uniform_sphere(d, 4, rng=d + s)
    phi = model.features(X, Uniform(d).sample(n, rng=100 * d + s))
    T = np.clip(X @ X.T, -1, 1)
    reach = 2.0**s  # |(x, 1)| = sqrt 2, hence 0 <= phi phi <= 2^s
    log_term = math.log(4 / 1e-9)
    for i in range(4):
        for j in range(i + 1):
            product = phi[i] * phi[j]
            bound = math.sqrt(2 * product.var(ddof=1) * log_term / n)
            bound += 7 * reach * log_term / (3 * (n - 1))
            assert abs(product.mean() - float(model.kernel(T[i, j]))) < bound
            assert bound < 0.3 * float(model.kernel(1.0))  # or the test would say nothing
