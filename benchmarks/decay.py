"""Errors of ways to read alpha off one spectrum: python -m benchmarks.decay [--repetitions R].

Ours beside what is common: regression of log eigenvalues on log ranks over all eigenvalues, the
same over the first half, and the maximum-likelihood fit of the `powerlaw` package (left out where
it is not installed). All see the eigenvalues of the same Gram matrices: biased ReLU kernels on
spheres, where alpha = (d+2s)/(d-1), and Matern kernels of smoothness nu on spheres and on the
interval, where alpha = 1 + 2 nu/(dimension of the domain).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from benchmarks.decay_coverage import matern as matern_kernel
from kernelspec import BiasedReLU, uniform_sphere
from kernelspec.decay import estimate_decay_from_gram

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A kernel with its exponent; `gram` takes the number of points and a seed."""

    name: str
    alpha: float
    gram: Callable[[int, int], Array]


def biased_relu(d: int, s: int) -> Case:
    model = BiasedReLU(d, s)

    def gram(n: int, seed: int) -> Array:
        X = uniform_sphere(d, n, seed)
        return np.asarray(model.kernel((X @ X.T).clip(-1, 1)))

    return Case(f"ReLU^{s}, sphere d = {d}", model.decay_exponent, gram)


def matern(twice_nu: int, d: int, length: float) -> Case:
    """On the unit sphere of R^d, by the distance in R^d; d = 1 stands for the interval [0, 1]."""

    def gram(n: int, seed: int) -> Array:
        X = uniform_sphere(d, n, seed) if d > 1 else np.random.default_rng(seed).random((n, 1))
        return matern_kernel(twice_nu, length, X)

    where = f"sphere d = {d}" if d > 1 else "interval"
    return Case(f"Matern {twice_nu}/2, {where}", 1 + twice_nu / max(d - 1, 1), gram)


CASES = [
    *[biased_relu(d, s) for d, s in [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (5, 0), (6, 0)]],
    *[matern(1, d, 1.0) for d in (1, 2, 3, 5)],
    *[matern(3, d, 1.0) for d in (1, 2, 3)],
]


def regression(falling: Array, share: float) -> tuple[float, float]:
    """Slope and its standard error as ordinary least squares reports it."""
    positive = falling[falling > 1e-14 * falling[0]]
    y = np.log(positive[: max(int(share * positive.size), 3)])
    x = np.log(np.arange(1, y.size + 1))
    coefficients, covariance = np.polyfit(x, y, 1, cov=True)
    return -float(coefficients[0]), float(np.sqrt(covariance[0, 0]))


def powerlaw(falling: Array) -> tuple[float, float]:
    """Exponent from the tail index of the `powerlaw` package: N(lambda) ~ lambda^-1/alpha."""
    positive = falling[falling > 1e-14 * falling[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its search for the threshold
        fit = import_module("powerlaw").Fit(positive, verbose=False)
        tail = float(fit.power_law.alpha) - 1  # 1/alpha
        error = (tail / np.sqrt(np.sum(positive >= fit.power_law.xmin))) / tail**2
    return 1 / tail, float(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--n", type=int, default=400)
    options = parser.parse_args()
    methods = ["ours", "all ranks", "first half"]
    methods += ["powerlaw"] if find_spec("powerlaw") else []
    print(f"n = {options.n}, {options.repetitions} samples a case: mean error of alpha,")
    print("median half-width of the 95 % interval, and how often it covers")
    print(f"{'':>25} {'alpha':>6} " + " ".join(f"{name:>21}" for name in methods))
    for case in CASES:
        found: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in methods}
        for seed in range(options.repetitions):
            gram = case.gram(options.n, seed)
            ours = estimate_decay_from_gram(gram, rng=seed)
            half = (ours.high - ours.low) / 2 if ours.is_power_law else np.nan
            found["ours"].append((ours.alpha, half, ours.low <= case.alpha <= ours.high))
            falling = np.linalg.eigvalsh(gram / options.n)[::-1]
            pairs = {"all ranks": regression(falling, 1.0), "first half": regression(falling, 0.5)}
            if "powerlaw" in methods:
                pairs["powerlaw"] = powerlaw(falling)
            for name, (value, error) in pairs.items():
                half = 1.96 * error
                found[name].append((value, half, abs(value - case.alpha) <= half))
        cells = []
        for name in methods:
            values, halves, covered = map(np.array, zip(*found[name], strict=True))
            given = np.isfinite(halves)  # ours refuses what it sees no power law in
            error = np.mean(values[given]) - case.alpha if given.any() else np.nan
            missing = "" if given.all() else f" ({np.sum(~given)} refused)"
            width = np.median(halves[given]) if given.any() else np.nan
            share = np.mean(covered[given]) if given.any() else np.nan
            cells.append(f"{error:>+8.3f} {width:>6.3f} {share:>5.0%}{missing}")
        print(f"{case.name:>25} {case.alpha:>6.3f} " + " ".join(cells), flush=True)


if __name__ == "__main__":
    main()
