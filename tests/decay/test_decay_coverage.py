"""Intervals cover: every threshold is the 1e-6 quantile of Binomial(repetitions, 0.9).

An interval of true coverage 0.9 or more fails a test with probability below 1e-6. The full study,
with 200 repetitions a regime, is benchmarks/decay_coverage.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from kernelspec import BiasedReLU, Uniform, uniform_sphere
from kernelspec.decay import (
    DecayEstimate,
    estimate_decay,
    estimate_decay_from_features,
    estimate_decay_from_gram,
    estimate_decay_from_neurons,
)

Draw = Callable[[np.random.Generator], DecayEstimate]


def sphere(d: int, order: int, n: int) -> Draw:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        X = uniform_sphere(d, n, rng)
        gram = BiasedReLU(d, order).kernel((X @ X.T).clip(-1, 1))
        return estimate_decay_from_gram(gram, splits=6, rng=rng)

    return draw


def matern_half(rng: np.random.Generator) -> DecayEstimate:
    X = rng.random(320)
    return estimate_decay_from_gram(np.exp(-abs(X - X[:, None])), splits=6, rng=rng)


def coordinates(rng: np.random.Generator) -> DecayEstimate:
    F = rng.standard_normal((400, 420)) / np.arange(1, 421) ** 1.0
    return estimate_decay_from_features(F, splits=6, rng=rng)


def neurons(rng: np.random.Generator) -> DecayEstimate:
    V = Uniform(2).sample(1280, rng)
    F = BiasedReLU(2, 0).features(uniform_sphere(2, 320, rng), V)
    return estimate_decay_from_neurons(F, splits=6, rng=rng)


def noisy(alpha: float, J: int, noise: float) -> Draw:
    def draw(rng: np.random.Generator) -> DecayEstimate:
        return estimate_decay(
            np.arange(1, J + 1) ** -alpha * np.exp(noise * rng.standard_normal(J))
        )

    return draw


REGIMES = {
    "sphere-d2-s0": (sphere(2, 0, 320), 2.0, 40, 0.25),
    "sphere-d3-s0": (sphere(3, 0, 320), 1.5, 40, 0.25),
    "interval-matern12": (matern_half, 2.0, 40, 0.4),
    "neurons-d2-s0": (neurons, 2.0, 40, 0.25),
    "features": (coordinates, 2.0, 20, 0.5),
    "noisy-1.2": (noisy(1.2, 500, 0.1), 1.2, 200, 0.15),
    "noisy-3": (noisy(3.0, 500, 0.2), 3.0, 200, 0.3),
}


@pytest.mark.parametrize("name", REGIMES)
def test_intervals_cover_and_are_of_use(name: str) -> None:
    draw, alpha, repetitions, widest = REGIMES[name]
    found = [draw(np.random.default_rng([i, 23])) for i in range(repetitions)]
    accepted = [one for one in found if one.is_power_law]
    # of the regimes here nine in ten are accepted, measured with 200 samples
    assert len(accepted) >= binom.ppf(1e-6, repetitions, 0.8)
    covered = sum(one.low <= alpha <= one.high for one in accepted)
    assert covered >= binom.ppf(1e-6, len(accepted), 0.9)
    assert np.mean([one.high - one.low for one in accepted]) < widest


def gaussian(rng: np.random.Generator) -> DecayEstimate:
    X = uniform_sphere(3, 260, rng)
    return estimate_decay_from_gram(np.exp(X @ X.T), splits=4, rng=rng)


def linear(rng: np.random.Generator) -> DecayEstimate:
    X = rng.standard_normal((260, 12))
    return estimate_decay_from_gram(X @ X.T, splits=4, rng=rng)


def low_rank(rng: np.random.Generator) -> DecayEstimate:
    F = rng.standard_normal((200, 15)) @ rng.standard_normal((15, 150))
    return estimate_decay_from_features(F, splits=4, rng=rng)


def few_neurons(rng: np.random.Generator) -> DecayEstimate:
    V = np.tile(Uniform(3).sample(40, rng), (10, 1))
    F = BiasedReLU(3).features(uniform_sphere(3, 260, rng), V)
    return estimate_decay_from_neurons(F, splits=4, rng=rng)


def exponential(rng: np.random.Generator) -> DecayEstimate:
    return estimate_decay(np.exp(-0.1 * np.arange(200) + 0.1 * rng.standard_normal(200)))


OTHERS = {
    "gaussian": (gaussian, "grows|moves|undecided|ends too early"),
    "linear": (linear, "finite rank 12 on 260 points"),
    "low-rank": (low_rank, "finite rank 15 of 150 features"),
    "few-neurons": (few_neurons, r"finite rank (3\d|40) on 260 points"),
    "exponential": (exponential, "local exponent grows"),
    "few-points": (sphere(3, 1, 60), "too few points"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_power_law_is_refused_with_its_reason(name: str) -> None:
    import re

    draw, reason = OTHERS[name]
    for i in range(10):
        found = draw(np.random.default_rng([i, 29]))
        assert not found.is_power_law
        assert found.verdict.startswith("not a power law: ")
        assert re.search(reason, found.verdict)
        assert np.isfinite(found.alpha)  # the refusal carries an estimate
