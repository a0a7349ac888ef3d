"""Slow oracles for the sampling laws: quadrature, distribution functions, a distance."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from kernelspec.laws import GaussianInit, Law, Mixture, RidgeLeverage, Uniform
from kernelspec.laws.base import height_constant

FALSE_ALARM = 1e-9  # of each Kolmogorov-Smirnov test
KINK = math.sqrt(0.5)


@dataclass(frozen=True)
class LimitModel:
    """The leverage's limit as lambda -> 0, whose law has a distribution function in closed form.

    2 b^2 is Beta(1/2, d/2 + s) distributed.
    """

    d: int
    order: int = 1

    @property
    def power(self) -> float:
        return self.d / 2 + self.order - 1

    def leverage(self, b, lam):
        inside = np.clip(1 - 2 * b * b, 0, 1)
        base = np.where(inside > 0, inside**self.power, 0.0)
        scale = math.sqrt(2) / special.beta(0.5, self.power + 1) / height_constant(self.d)
        return scale * base * np.where(inside > 0, (1 - b * b), 0.5) ** (1 - self.d / 2)

    def degrees_of_freedom(self, lam):
        return 1.0

    def cdf(self, b):
        share = special.betainc(0.5, self.power + 1, np.minimum(2 * b * b, 1))
        return 0.5 + np.sign(b) * share / 2


def panels(
    law: Law, low: float = -1.0, high: float = 1.0, levels: int = 40, splits: int = 6
) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes b and weights for integrals over the height under pi.

    In the latitude beta, b = sin(beta), panels shrink geometrically towards every break and pole.
    """
    marks = [low, *sorted(b for b in (*law.breaks, 0.0) if low < b < high), high]
    grading = np.concatenate([[0.0], 0.5 ** np.arange(levels, 0, -1)])
    edges = []
    for a, b in itertools.pairwise(np.arcsin(marks)):
        half = (b - a) / 2 * grading
        edges += [a + half, b - half]
    edges = np.unique(np.concatenate(edges))
    fine = np.arange(splits * (edges.size - 1) + 1) / splits
    edges = np.interp(fine, np.arange(edges.size), edges)
    x, w = np.polynomial.legendre.leggauss(12)
    width = np.diff(edges)[:, None]
    beta = (edges[:-1, None] + width * (x + 1) / 2).ravel()
    weight = (width * w / 2).ravel()
    return np.sin(beta), weight * height_constant(law.d) * np.cos(beta) ** (law.d - 1)


def cdf(law: Law, b: np.ndarray) -> np.ndarray:
    """Distribution function of the height, in closed form."""
    if isinstance(law, Uniform):
        return cdf(GaussianInit(law.d, 1.0), b)
    if isinstance(law, Mixture):
        return sum(w * cdf(q, b) for q, w in zip(law.laws, law.weights, strict=True))
    if isinstance(law, RidgeLeverage):
        return law.model.cdf(b)
    with np.errstate(divide="ignore"):
        slope = b / np.sqrt((1 - b) * (1 + b))
    if isinstance(law, GaussianInit):  # b/|w| is tau/sqrt(d) times a Student variable
        return special.stdtr(law.d, math.sqrt(law.d) * slope / law.tau)
    return np.clip((slope / law.tau + 1) / 2, 0, 1)


def distance(values: np.ndarray, cdf_values: np.ndarray) -> float:
    """Kolmogorov-Smirnov distance of a sample from a law."""
    rank = np.argsort(values)
    n = values.size
    steps = np.arange(n + 1) / n
    return float(max(np.max(steps[1:] - cdf_values[rank]), np.max(cdf_values[rank] - steps[:-1])))


def threshold(n: int) -> float:
    """Massart's bound: the distance exceeds it with probability at most FALSE_ALARM."""
    return math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))
