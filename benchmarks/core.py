"""The core's speed, with its accuracy beside it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from mpmath import gamma, hyp3f2, mp, mpf, rf

from kernelspec import BiasedReLU, GaussianInit, RidgeLeverage, mismatch


def _exact_eigenvalue(d, k):
    """mu_k for s = 1, k >= 2, to 40 digits."""
    with mp.workdps(40):
        L, n = mpf(d + 2) / 2, k - 2
        front = 1 / (2 * mp.pi * rf(d, 3)) * mpf(2) ** (2 * L - 1.5) * gamma(L) * gamma(L + 1)
        ratio = gamma(n + mpf(0.5)) / gamma(n + 2 * L + mpf(0.5)) / mp.pi
        return front * ratio * hyp3f2(0.5, 0.5, L, mpf(0.5) - n, n + 2 * L + 0.5, 0.5)


class Eigenvalues:
    params = [2, 5, 20, 1000]
    param_names = ["d"]

    def setup(self, d):
        self.model = BiasedReLU(d)

    def time_to_degree_million(self, d):
        self.model.eigenvalues(10**6)

    def time_log_to_degree_million(self, d):
        self.model.eigenvalues(10**6, log=True)

    def track_relative_error(self, d):
        degrees = [2, 3, 10, 66, 67, 300, 10**4, 10**6]
        mu = self.model.eigenvalues(max(degrees))
        kept = [k for k in degrees if mu[k] > 1e-290]
        return max(abs(float(mu[k] / _exact_eigenvalue(d, k) - 1)) for k in kept)


class MismatchOverRidges:
    """1,000 ridges at d = 5, tau = 10."""

    def setup(self):
        self.model, self.law = BiasedReLU(5), GaussianInit(5, 10.0)
        self.lam = np.logspace(-12, 0, 1000)

    def time_thousand(self):
        mismatch(self.model, self.law, self.lam)

    def peakmem_thousand(self):
        mismatch(self.model, self.law, self.lam)

    def track_relative_error(self):
        """Against 20 digits at lambda = 1e-1 and 1e-3."""
        exact = np.array([11.98634955260169576284463, 14.19345183094284054441348])
        return float(np.max(np.abs(mismatch(self.model, self.law, [1e-1, 1e-3]).kappa / exact - 1)))


class Leverage:
    params = [1e-4, 1e-8, 1e-16]
    param_names = ["lam"]

    def setup(self, lam):
        self.model = BiasedReLU(5)
        theta = (np.arange(1000) + 0.5) * np.pi / 1000
        self.b = -np.cos(theta) / np.sqrt(1 + np.cos(theta) ** 2)

    def time_thousand_heights(self, lam):
        self.model.leverage(self.b, lam)

    def track_squared_norm_error(self, lam):
        """lambda l_lambda tends to |phi_v|^2 = K(1)-normalised cap moments as lambda grows."""
        from kernelspec.harmonics import squared_norm

        ratio = self.model.leverage(self.b, 1e14) * 1e14 / squared_norm(5, 1, self.b)
        return float(np.max(np.abs(ratio - 1)))


class LeverageSampling:
    params = [2, 5, 20]
    param_names = ["d"]

    def setup(self, d):
        self.law = RidgeLeverage(BiasedReLU(d), 1e-4)
        self.law.sample(1, 0)

    def time_million_neurons(self, d):
        self.law.sample(10**6, 0)


class Import:
    def _seconds(self, statement):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        runs = [
            float(subprocess.check_output([sys.executable, "-c", code], text=True))
            for _ in range(5)
        ]
        return min(runs)

    def track_seconds_beyond_numpy_and_scipy(self):
        base = "import numpy, scipy.linalg, scipy.optimize, scipy.special"
        return self._seconds(f"{base}; import kernelspec") - self._seconds(base)
