"""Coverage of the intervals: python benchmarks/decay_coverage.py [--repetitions R] [--json FILE].

Prints one row a regime: how often the estimate was accepted, how often the interval of an accepted
one covered alpha, its mean width, and the mean error. Regimes that hold no power law print how
often they were refused. NAMEs pick regimes whose name contains one of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, Uniform, uniform_sphere
from kernelspec.decay import (
    DecayEstimate,
    estimate_decay,
    estimate_decay_from_features,
    estimate_decay_from_gram,
    estimate_decay_from_neurons,
)
from validation.files import write_whole

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator], DecayEstimate]


@dataclass(frozen=True)
class Regime:
    """A way to draw samples, its alpha (None: no power law) and the estimate."""

    name: str
    alpha: float | None
    draw: Draw


def distances(X: Array) -> Array:
    squares = np.sum(X**2, axis=1)
    return np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0.0))


def matern(twice_nu: int, length: float, X: Array) -> Array:
    r = distances(X) / length * np.sqrt(twice_nu)
    polynomial = {1: 1.0, 3: 1 + r, 5: 1 + r + r**2 / 3}[twice_nu]
    return polynomial * np.exp(-r)


def sphere(d: int, order: int, n: int) -> Regime:
    model = BiasedReLU(d, order)

    def draw(rng: np.random.Generator) -> DecayEstimate:
        X = uniform_sphere(d, n, rng)
        return estimate_decay_from_gram(model.kernel((X @ X.T).clip(-1, 1)), rng=rng)

    return Regime(f"biased ReLU, d={d}, s={order}, n={n}", model.decay_exponent, draw)


def matern_interval(twice_nu: int, length: float, n: int) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        return estimate_decay_from_gram(matern(twice_nu, length, rng.random((n, 1))), rng=rng)

    name = f"Matern {twice_nu}/2, length {length:g}, interval, n={n}"
    return Regime(name, twice_nu + 1.0, draw)


def matern_sphere(d: int, twice_nu: int, n: int) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        return estimate_decay_from_gram(matern(twice_nu, 1.0, uniform_sphere(d, n, rng)), rng=rng)

    name = f"Matern {twice_nu}/2, length 1, sphere d={d}, n={n}"
    return Regime(name, (twice_nu + d - 1) / (d - 1), draw)


def neurons(d: int, order: int, n: int, M: int) -> Regime:
    model, law = BiasedReLU(d, order), Uniform(d)

    def draw(rng: np.random.Generator) -> DecayEstimate:
        features = model.features(uniform_sphere(d, n, rng), law.sample(M, rng))
        return estimate_decay_from_neurons(features, rng=rng)

    return Regime(f"neurons, d={d}, s={order}, n={n}, M={M}", model.decay_exponent, draw)


def coordinates(alpha: float, n: int, M: int) -> Regime:
    scale = np.arange(1, M + 1) ** (-alpha / 2)

    def draw(rng: np.random.Generator) -> DecayEstimate:
        return estimate_decay_from_features(rng.standard_normal((n, M)) * scale, rng=rng)

    return Regime(f"Gaussian features, alpha={alpha:g}, n={n}, M={M}", alpha, draw)


def noisy(alpha: float, J: int, noise: float) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        return estimate_decay(
            np.arange(1, J + 1) ** -alpha * np.exp(noise * rng.standard_normal(J))
        )

    return Regime(f"j^-{alpha:g} with {noise:.0%} noise, J={J}", alpha, draw)


def exact_power(alpha: float, J: int) -> Regime:
    values = np.arange(1, J + 1) ** -alpha
    return Regime(f"j^-{alpha:g} exactly, J={J}", alpha, lambda rng: estimate_decay(values))


def gaussian(d: int, length: float, n: int, domain: str) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        X = uniform_sphere(d, n, rng) if domain == "sphere" else rng.random((n, d))
        return estimate_decay_from_gram(np.exp(-((distances(X) / length) ** 2) / 2), rng=rng)

    return Regime(f"Gaussian kernel, length {length:g}, {domain} d={d}, n={n}", None, draw)


def polynomial(d: int, degree: int, n: int) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        X = uniform_sphere(d, n, rng)
        return estimate_decay_from_gram((X @ X.T + (degree > 1)) ** degree, rng=rng)

    return Regime(f"polynomial kernel of degree {degree}, d={d}, n={n}", None, draw)


def low_rank(rank: int, n: int, M: int) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        F = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, M))
        return estimate_decay_from_features(F, rng=rng)

    return Regime(f"features of rank {rank}, n={n}, M={M}", None, draw)


def exponential(rate: float, J: int) -> Regime:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        noise = np.exp(0.1 * rng.standard_normal(J))
        return estimate_decay(np.exp(-rate * np.arange(J)) * noise)

    return Regime(f"exp(-{rate:g} j) with 10% noise, J={J}", None, draw)


def few(n: int) -> Regime:
    return Regime(f"{n} points only, biased ReLU, d=3", None, sphere(3, 1, n).draw)


REGIMES = [
    *(sphere(d, s, 400 if d < 4 else 600) for d in range(2, 7) for s in range(3)),
    *(matern_interval(v, length, 400) for v in (1, 3, 5) for length in (0.3, 1.0)),
    *(matern_sphere(d, v, 400) for d in (2, 3, 4) for v in (1, 3, 5)),
    matern_sphere(4, 1, 1000),
    matern_sphere(5, 1, 400),
    *(sphere(d, 0, 1000) for d in (4, 5, 6)),
    sphere(4, 1, 1000),
    *(neurons(d, s, 400, 1600) for d in (2, 3) for s in (0, 1)),
    *(coordinates(a, 400, 500) for a in (1.2, 1.5, 2.0, 3.0)),
    exact_power(1.2, 500),
    exact_power(4.0, 500),
    *(noisy(a, J, s) for a in (1.2, 2.0, 4.0) for J in (300, 1000) for s in (0.05, 0.2)),
    gaussian(3, 1.0, 300, "sphere"),
    gaussian(3, 0.3, 300, "sphere"),
    gaussian(6, 1.0, 300, "sphere"),
    gaussian(1, 0.1, 300, "cube"),
    gaussian(3, 0.3, 300, "cube"),
    polynomial(20, 1, 300),
    polynomial(3, 3, 300),
    low_rank(30, 300, 500),
    exponential(0.05, 300),
    exponential(0.3, 300),
    few(60),
]


def measure(index: int, repetitions: int) -> dict[str, object]:
    """Draw a regime and count: accepted, and covered among those; mean width and error."""
    regime = REGIMES[index]
    rngs = (np.random.default_rng([repetition, 17]) for repetition in range(repetitions))
    found = [regime.draw(rng) for rng in rngs]
    accepted = [one for one in found if one.is_power_law]
    result: dict[str, object] = {
        "regime": regime.name,
        "alpha": regime.alpha,
        "repetitions": repetitions,
        "accepted": len(accepted),
    }
    if regime.alpha is not None and accepted:
        low, high, alpha = np.array([(one.low, one.high, one.alpha) for one in accepted]).T
        result["covered"] = int(np.sum((low <= regime.alpha) & (regime.alpha <= high)))
        result["width"] = float(np.mean(high - low))
        result["error"] = float(np.mean(alpha) - regime.alpha)
    return result


def row(found: dict[str, Any]) -> str:
    alpha = "" if found["alpha"] is None else f"{found['alpha']:.3f}"
    text = f"{found['regime']:<52} {alpha:>6} {found['accepted'] / found['repetitions']:>9.1%}"
    if "covered" not in found:
        return text
    covered = found["covered"] / found["accepted"]
    return f"{text} {covered:>9.1%} {found['width']:>8.2g} {found['error']:>+8.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    heads = ("accepted", "covered", "width", "error")
    print(f"{'regime':<52} {'alpha':>6} {heads[0]:>9} {heads[1]:>9} {heads[2]:>8} {heads[3]:>8}")
    chosen = [
        index
        for index, regime in enumerate(REGIMES)
        if not options.names or any(name in regime.name for name in options.names)
    ]
    results = []
    with ProcessPoolExecutor(options.jobs) as executor:
        for found in executor.map(measure, chosen, [options.repetitions] * len(chosen)):
            results.append(found)
            print(row(found), flush=True)
    if options.json:
        command = f"python benchmarks/decay_coverage.py --repetitions {options.repetitions}"
        study = {"command": command, "version": version("kernelspec"), "regimes": results}
        write_whole(options.json, json.dumps(study, indent=1) + "\n")


if __name__ == "__main__":
    main()
