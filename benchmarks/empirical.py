"""Leverage on data: 10,000 points and 4,096 neurons, and pools too large for one matrix.

Required of `Exact`: 60 s and 6 GiB on two cores.

    python -m benchmarks.empirical [--n N] [--d D] [--lam LAM] [--rtol RTOL]

prints time, memory and error of the approximate leverage of N neurons on N points, by default
100,000, against conjugate gradients on 16 of the neurons.
"""

from __future__ import annotations

import argparse
import resource
import time

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


def by_conjugate_gradients(X, V, chosen, lam, tolerance=1e-8, most=60):
    """Leverage of a few neurons from plain conjugate gradients, and a bound of its relative error.

    A solution y with residual r = phi - (K + lam) y gives 2 phi.y - y.(K + lam) y = n l - e with
    0 <= e = r.(K + lam)^-1 r <= |r|^2/lam.
    """
    n, M = len(X), len(V)

    def apply(Y):
        total = lam * Y
        for part in np.array_split(np.arange(M), max(1, n * M // 2**24)):
            F = features(X, V[part], "relu")
            total += F @ (F.T @ Y) / (n * M)
        return total

    phi = features(X, V[chosen], "relu")
    Y, R = np.zeros_like(phi), phi.copy()
    D, square = R.copy(), np.sum(R * R, axis=0)
    for _ in range(most):
        AD = apply(D)
        step = square / np.sum(D * AD, axis=0)
        Y += step * D
        R -= step * AD
        last, square = square, np.sum(R * R, axis=0)
        value = np.sum((phi + R) * Y, axis=0)
        if np.all(square <= tolerance * lam * value):
            break
        D = R + square / last * D
    return value / n, float(np.max(square / (lam * value)))


class Approximate:
    params = [0.5, 0.05]
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
        return _largest_error(approximate_leverage(X, V, 1e-3, rtol=rtol).leverage, exact)


class HundredThousand:
    """As many points and neurons in dimension 10: 80 GB, were the features held."""

    timeout = 3600
    number = repeat = 1
    warmup_time = 0

    def setup(self):
        self.X, self.V = uniform_sphere(10, 100_000, 0), Uniform(10).sample(100_000, 1)

    def time_hundred_thousand(self):
        approximate_leverage(self.X, self.V, 1e-4)

    def peakmem_hundred_thousand(self):
        approximate_leverage(self.X, self.V, 1e-4)

    def track_stated_error(self):
        return approximate_leverage(self.X, self.V, 1e-4).error


def _largest_error(found, exact):
    kept = exact > 1e-9 * exact.max()
    return float(np.max(np.abs(found[kept] / exact[kept] - 1)))


def main():
    parser = argparse.ArgumentParser(description="approximate leverage at scale")
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--d", type=int, default=10)
    parser.add_argument("--lam", type=float, default=1e-4)
    parser.add_argument("--rtol", type=float, default=0.05)
    parser.add_argument("--exact", action="store_true", help="all neurons exactly, by eigenvectors")
    o = parser.parse_args()
    X, V = uniform_sphere(o.d, o.n, 0), Uniform(o.d).sample(o.n, 1)
    wall, cpu = time.perf_counter(), time.process_time()
    found = approximate_leverage(X, V, o.lam, rtol=o.rtol)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"n = M = {o.n}, d = {o.d}, ridge {o.lam:g}, rtol {o.rtol:g}: basis of {found.rank}")
    print(f"{cpu:.0f} s of processor, {wall:.0f} s by the clock, {memory:.2f} GiB at most")
    print(
        f"degrees of freedom {found.dof:.4g}, from {found.dof_lower:.4g} to {found.dof_upper:.4g}"
    )
    print(f"stated error {found.error:.2%}", flush=True)
    order = np.argsort(found.leverage)
    order = order[found.leverage[order] > 1e-9 * found.leverage.max()]
    ends = [order[:5], order[-5:]]
    random = np.random.default_rng(2).choice(order[5:-5], 6, replace=False)
    chosen = np.concatenate([*ends, random])
    name = "all neurons exactly" if o.exact else f"conjugate gradients on {len(chosen)} neurons"
    if o.exact:
        chosen, open_ = order, 0.0
        exact = pool_leverage(features(X, V, "relu"), o.lam).leverage[chosen]
    else:
        exact, open_ = by_conjugate_gradients(X, V, chosen, o.lam)
    error = np.abs(found.leverage[chosen] / exact - 1)
    inside = np.mean(
        (found.lower[chosen] <= exact * (1 + 1e-6 + open_))
        & (exact <= found.upper[chosen] * (1 + 1e-6 + open_))
    )
    print(f"against {name}, themselves within {open_:.0e}:")
    print(f"error at most {error.max():.2%}, median {np.median(error):.2%}")
    print(f"{inside:.0%} of them within the bounds")


if __name__ == "__main__":
    main()
