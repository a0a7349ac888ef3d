"""Errors of ways to read alpha off one spectrum: python benchmarks/decay.py [--repetitions R].

Ours beside what is common: regression of log eigenvalues on log ranks over all eigenvalues, the
same over the first half, and the maximum-likelihood fit of the `powerlaw` package (left out where
it is not installed). All see the eigenvalues of the same Gram matrices.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, uniform_sphere
from kernelspec.decay import estimate_decay_from_gram

Array = NDArray[np.float64]

CASES = [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (5, 0), (6, 0)]


def regression(falling: Array, share: float) -> tuple[float, float]:
    """Slope and its standard error as ordinary least squares reports it."""
    positive = falling[falling > 1e-14 * falling[0]]
    y = np.log(positive[: max(int(share * positive.size), 3)])
    x = np.log(np.arange(1, y.size + 1))
    coefficients, covariance = np.polyfit(x, y, 1, cov=True)
    return -float(coefficients[0]), float(np.sqrt(covariance[0, 0]))


def powerlaw(falling: Array) -> tuple[float, float]:
    """Exponent from the tail index of the `powerlaw` package: N(lambda) ~ lambda^-1/alpha."""
    fit = import_module("powerlaw").Fit(falling[falling > 1e-14 * falling[0]], verbose=False)
    tail = float(fit.power_law.alpha) - 1  # 1/alpha
    return 1 / tail, float(fit.power_law.sigma) / tail**2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--n", type=int, default=400)
    options = parser.parse_args()
    methods = ["ours", "all ranks", "first half"]
    methods += ["powerlaw"] if find_spec("powerlaw") else []
    print("mean error of alpha, and how often the 95 % interval covers")
    print(f"{'d':>2} {'s':>2} {'alpha':>6} " + " ".join(f"{name:>17}" for name in methods))
    for d, s in CASES:
        model = BiasedReLU(d, s)
        found: dict[str, list[tuple[float, bool]]] = {name: [] for name in methods}
        for seed in range(options.repetitions):
            X = uniform_sphere(d, options.n, seed)
            gram = model.kernel((X @ X.T).clip(-1, 1))
            ours = estimate_decay_from_gram(gram, rng=seed)
            alpha = model.decay_exponent
            found["ours"].append((ours.alpha, ours.low <= alpha <= ours.high))
            falling = np.linalg.eigvalsh(gram / options.n)[::-1]
            pairs = {"all ranks": regression(falling, 1.0), "first half": regression(falling, 0.5)}
            if "powerlaw" in methods:
                pairs["powerlaw"] = powerlaw(falling)
            for name, (value, error) in pairs.items():
                found[name].append((value, abs(value - alpha) <= 1.96 * error))
        cells = []
        for name in methods:
            values, covered = map(np.array, zip(*found[name], strict=True))
            cells.append(
                f"{np.mean(values) - model.decay_exponent:>+8.3f} {np.mean(covered):>8.0%}"
            )
        print(f"{d:>2} {s:>2} {model.decay_exponent:>6.3f} " + " ".join(cells), flush=True)


if __name__ == "__main__":
    main()
