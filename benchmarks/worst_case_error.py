"""Worst-case errors of networks: cost and accuracy against width, and against a dense baseline."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from scipy.linalg import qr
from scipy.sparse.linalg import svds

from kernelspec import BiasedReLU, multiplicity, uniform_sphere
from kernelspec.approximation import (
    Harmonic,
    harmonic_basis,
    least_squares_error,
    projection_error,
    worst_case_error,
    worst_case_memory,
)


def network(d, m, seed=0):
    """A network all of whose kinks meet the sphere: the hardest case of its width."""
    rng = np.random.default_rng(seed)
    w = uniform_sphere(d, m, rng)
    b = rng.uniform(-0.7, 0.7, m)
    return np.column_stack([w * np.sqrt(1 - b**2)[:, None], b])


def sampled_error(model, V, points, degree, seed=0):
    """Baseline: everything by values at random points, projection by dense QR.

    The largest singular value of (I - QQ^T) H S, H the harmonics of degree <= `degree` at the
    points and S the roots of their eigenvalues. Its error falls as points grow, without a bound.
    """
    X = uniform_sphere(model.d, points, seed)
    Q, _ = qr(model.features(X, V), mode="economic", overwrite_a=True)
    H = np.concatenate(harmonic_basis(X, degree)).T / np.sqrt(points)
    counts = multiplicity(model.d, np.arange(degree + 1)).astype(int)
    H *= np.sqrt(np.repeat(model.eigenvalues(degree), counts))
    H -= Q @ (Q.T @ H)
    start = np.random.default_rng(0).standard_normal(min(H.shape))
    return float(svds(H, k=1, return_singular_vectors=False, v0=start)[0] ** 2)


class WorstCase:
    """The default tolerance of 2 %."""

    params = ((2, 3, 5, 10), (128, 256, 512, 1024))
    param_names = ("d", "m")
    timeout = 300

    def setup(self, d, m):
        self.model, self.V = BiasedReLU(d), network(d, m)

    def time_error(self, d, m):
        worst_case_error(self.model, self.V)

    def peakmem_error(self, d, m):
        worst_case_error(self.model, self.V)

    def track_relative_width(self, d, m):
        """(upper - lower) / value."""
        E = worst_case_error(self.model, self.V)
        return (E.upper - E.lower) / E.value

    def track_distance_from_fine(self, d, m):
        """How far the default estimate is from one of a hundredth of the tolerance."""
        fine = worst_case_error(self.model, self.V, rtol=2e-4)
        return abs(worst_case_error(self.model, self.V).value / fine.value - 1)

    def track_memory_estimate(self, d, m):
        """Bytes foreseen."""
        return worst_case_memory(self.model, m)


class WorstCaseLarge:
    """Width 2048."""

    params = (2, 3, 5)
    param_names = ("d",)
    timeout = 300
    number, repeat, warmup_time = 1, 1, 0

    def setup(self, d):
        self.model, self.V = BiasedReLU(d), network(d, 2048)

    def time_error(self, d):
        worst_case_error(self.model, self.V)

    def peakmem_error(self, d):
        worst_case_error(self.model, self.V)

    def track_relative_width(self, d):
        E = worst_case_error(self.model, self.V)
        return (E.upper - E.lower) / E.value


class Growth:
    """Exponents of cost in the width, fitted to widths 256, 512, 1024."""

    params = (2, 3, 5)
    param_names = ("d",)
    timeout = 300

    def track_time_exponent(self, d):
        """Seconds ~ m^exponent, best of three."""
        model, widths, seconds = BiasedReLU(d), (256, 512, 1024), []
        for m in widths:
            V, best = network(d, m), np.inf
            for _ in range(3):
                start = time.perf_counter()
                worst_case_error(model, V)
                best = min(best, time.perf_counter() - start)
            seconds.append(best)
        return float(np.polyfit(np.log(widths), np.log(seconds), 1)[0])

    def track_memory_exponent(self, d):
        """Peak bytes ~ m^exponent, where buffers of fixed size no longer matter."""
        model, widths, peaks = BiasedReLU(d), (1024, 2048), []
        for m in widths:
            V = network(d, m)
            tracemalloc.start()
            worst_case_error(model, V)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        return float(np.polyfit(np.log(widths), np.log(peaks), 1)[0])


class Baseline:
    """Values at random points, as many as it takes to come within 2 % of the enclosure."""

    params = ((3, 5), (64, 128, 256))
    param_names = ("d", "m")
    timeout = 300

    def setup(self, d, m):
        self.model, self.V = BiasedReLU(d), network(d, m)
        E = worst_case_error(self.model, self.V)
        self.degree = E.degree
        self.points = 8 * m
        while self.points < 1 << 16:
            errors = [
                sampled_error(self.model, self.V, self.points, self.degree, seed) / E.value - 1
                for seed in range(3)
            ]
            if np.max(np.abs(errors)) <= 0.02:
                break
            self.points *= 2

    def time_enclosure(self, d, m):
        worst_case_error(self.model, self.V)

    def time_baseline(self, d, m):
        sampled_error(self.model, self.V, self.points, self.degree)

    def peakmem_enclosure(self, d, m):
        worst_case_error(self.model, self.V)

    def peakmem_baseline(self, d, m):
        sampled_error(self.model, self.V, self.points, self.degree)

    def track_points(self, d, m):
        """Points that the baseline needs."""
        return self.points


class LeastSquares:
    """A harmonic fitted by 256 features."""

    params = (1_000, 10_000, 100_000)
    param_names = ("n",)

    def setup(self, n):
        self.model, self.V = BiasedReLU(3), network(3, 256)
        self.target = Harmonic(12, [0.0, 0.6, 0.8])

    def time_fit(self, n):
        least_squares_error(self.model, self.V, self.target, n, rng=0)

    def peakmem_fit(self, n):
        least_squares_error(self.model, self.V, self.target, n, rng=0)

    def track_excess(self, n):
        """Test error over the exact projection error, less 1: falls as m / n."""
        exact = projection_error(self.model, self.V, self.target)
        fit = least_squares_error(self.model, self.V, self.target, n, rng=0, test_samples=200_000)
        return fit.error / exact - 1
