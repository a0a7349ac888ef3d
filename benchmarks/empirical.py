"""Leverage on data: 10,000 points and 4,096 neurons, and pools too large for one matrix.

Required of `Exact`: 60 s and 6 GiB on two cores.
"""

from __future__ import annotations

import numpy as np

from kernelspec import BiasedReLU, GaussianInit, Uniform, mismatch, uniform_sphere
from kernelspec.empirical import (
    approximate_leverage,
    empirical_mismatch,
    features,
    pool_leverage,
    pool_spectrum,
)

LAM = [1e-1, 1e-2, 1e-3]


def _estimate():
    X = uniform_sphere(5, 10_000, 0)
    return empirical_mismatch(X, "sphere", GaussianInit(5, 2.0), LAM, neurons=4096, rng=1)


class Exact:
    """Spectrum, degrees of freedom, leverage and mismatch with intervals, at three ridges."""

    timeout = 600

    def time_ten_thousand_points(self):
        _estimate()

    def peakmem_ten_thousand_points(self):
        _estimate()

    def track_relative_error_of_dof(self):
        exact = BiasedReLU(5).degrees_of_freedom(LAM)
        found = np.array([row.dof for row in _estimate().ridges])
        return float(np.max(np.abs(found / exact - 1)))

    def track_relative_error_of_kappa(self):
        exact = mismatch(BiasedReLU(5), GaussianInit(5, 2.0), LAM).kappa
        found = np.array([row.kappa for row in _estimate().ridges])
        return float(np.max(np.abs(found / exact - 1)))


class Decomposition:
    timeout = 600

    def setup(self):
        X = uniform_sphere(5, 10_000, 0)
        self.F = features(X, Uniform(5).sample(4096, 1), "relu")

    def time_spectrum(self):
        pool_spectrum(self.F, smallest=1e-3)


class Approximate:
    params = [0.5, 0.1]
    param_names = ["rtol"]
    timeout = 600

    def setup(self, rtol):
        self.X, self.V = uniform_sphere(5, 30_000, 0), Uniform(5).sample(30_000, 1)

    def time_thirty_thousand(self, rtol):
        approximate_leverage(self.X, self.V, 1e-3, rtol=rtol)

    def peakmem_thirty_thousand(self, rtol):
        approximate_leverage(self.X, self.V, 1e-3, rtol=rtol)

    def track_stated_error(self, rtol):
        return approximate_leverage(self.X, self.V, 1e-3, rtol=rtol).error

    def track_error_against_the_exact(self, rtol):
        X, V = self.X[:3000], self.V[:2500]
        exact = pool_leverage(features(X, V, "relu"), 1e-3).leverage
        found = approximate_leverage(X, V, 1e-3, rtol=rtol).leverage
        kept = exact > 1e-9 * exact.max()
        return float(np.max(np.abs(found[kept] / exact[kept] - 1)))
