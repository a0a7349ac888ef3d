"""The ridge leverage law: its inversion against quadrature and a closed form."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from law_oracles import KINK, LimitModel, distance, panels, threshold

from kernelspec.features import BiasedReLU
from kernelspec.laws import RidgeLeverage
from kernelspec.laws.base import height_constant


@pytest.mark.parametrize(
    ("d", "order"), [(2, 0), (2, 1), (3, 1), (5, 1), (10, 5), (100, 1), (400, 2)]
)
def test_leverage_quantiles_invert_a_known_distribution_function(d, order):
    model = LimitModel(d, order)
    u = np.concatenate([np.linspace(0, 1, 4001), 10.0 ** np.arange(-12, -3), [1 - 1e-12]])
    b = RidgeLeverage(model, 1.0).quantile(u)
    np.testing.assert_allclose(model.cdf(b), u, rtol=0, atol=2e-13)
    assert np.all(np.diff(b[:4001]) > 0)


@pytest.mark.parametrize(
    ("d", "order", "lam"),
    [
        (2, 1, 1e-1),
        (2, 1, 1e-16),
        (2, 0, 1e-4),
        (3, 1, 1e-10),
        (5, 1, 10.0),
        (5, 1, 1e-4),
        (5, 1, 1e-12),
        (10, 3, 1e-9),
        (100, 1, 1e-5),
        (1000, 1, 1e-3),
    ],
)
def test_leverage_law_against_quadrature(d, order, lam):
    """Mass between quantiles, by Gauss-Legendre panels in the latitude: 1e-8 of the density."""
    law = RidgeLeverage(BiasedReLU(d, order), lam)
    share = np.linspace(0, 1, 9)
    b = law.quantile(share)
    assert -KINK <= b[0] < b[-1] <= 1
    if d <= 10:  # the ends may be cut where no draw can fall: no mass may hide beyond
        b[0], b[-1] = -KINK, 1
    for low, high, mass in zip(b[:-1], b[1:], np.diff(share), strict=True):
        nodes, weight = panels(law, low, high, levels=20 if d <= 10 else 5, splits=1)
        assert weight @ law.density(nodes) == pytest.approx(mass, rel=1e-9)


@pytest.mark.parametrize(("d", "lam"), [(2, 1e-8), (5, 1e-12), (30, 1e-6)])
def test_leverage_density_is_reproduced_to_1e8(d, lam):
    """The derivative of the quantile function is one over the density of the height."""
    law = RidgeLeverage(BiasedReLU(d), lam)
    u = np.linspace(0.02, 0.98, 41)
    h = 1e-4
    slope = (law.quantile(u + h) - law.quantile(u - h)) / (2 * h)
    wider = (law.quantile(u + 2 * h) - law.quantile(u - 2 * h)) / (4 * h)
    b = law.quantile(u)
    of_height = law.density(b) * height_constant(d) * ((1 - b) * (1 + b)) ** (d / 2 - 1)
    np.testing.assert_allclose(of_height * (4 * slope - wider) / 3, 1, rtol=1e-8)


@pytest.mark.parametrize(
    ("d", "order", "lam"), [(2, 0, 1e-10), (3, 0, 1e-12), (2, 1, 1e-14), (5, 1, 1e-12)]
)
def test_boundary_layers_are_resolved(d, order, lam):
    """The density that is inverted, cell by cell, against the leverage: 1e-9 of the maximum."""
    law = RidgeLeverage(BiasedReLU(d, order), lam)
    inverse = law._inverse
    away = 10.0 ** np.linspace(-6, 0, 97)
    t = np.concatenate([away, np.pi - away, np.linspace(0.1, 3.9, 97)])
    cell = np.searchsorted(inverse._centre - inverse._half, t) - 1
    x = (t - inverse._centre[cell]) / inverse._half[cell]
    power = np.arange(1, inverse._integral.shape[0])[:, None]
    terms = power * x ** (power - 1) * inverse._integral[1:, cell]
    interpolated = np.where(np.abs(x) <= 1, terms.sum(axis=0) / inverse._half[cell], 0)
    exact = law._angle_density(t)
    np.testing.assert_allclose(interpolated, exact, rtol=0, atol=1e-9 * exact.max())


def test_leverage_samples_follow_the_law():
    """Heights against the distribution function by quadrature; false alarm below 1e-9."""
    law = RidgeLeverage(BiasedReLU(5), 1e-5)
    size = 100_000
    V = law.sample(size, 4)
    np.testing.assert_allclose(np.sum(V**2, axis=1), 1, rtol=1e-13)
    b, weight = panels(law, levels=10, splits=20)
    order = np.argsort(b)
    running = np.cumsum((weight * law.density(b))[order])
    height = V[:, -1]
    # running sums of a Gauss rule are off by at most the mass of one node, far below the threshold
    assert distance(height, np.interp(height, b[order], running)) < threshold(size)
    assert height.min() > -KINK


def test_leverage_that_does_not_integrate_to_its_degrees_of_freedom_is_refused():
    @dataclass(frozen=True)
    class Broken(LimitModel):
        def degrees_of_freedom(self, lam):
            return 1.0 + 1e-6

    with pytest.raises(ArithmeticError, match="times N"):
        RidgeLeverage(Broken(5), 1.0).sample(1, 0)


def test_leverage_laws_are_values():
    law = RidgeLeverage(BiasedReLU(3), 0.1)
    law.sample(1, 0)
    assert law == RidgeLeverage(BiasedReLU(3), 0.1) != RidgeLeverage(BiasedReLU(3), 0.2)
    assert pickle.loads(pickle.dumps(law)) == law
    assert repr(law) == f"RidgeLeverage(model={BiasedReLU(3)!r}, lam=0.1)"
