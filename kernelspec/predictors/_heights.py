"""Expectations over the height of an active neuron, for any sampling law."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws import Law, Mixture
from kernelspec.laws.base import height_constant

__all__ = ["HeightRule", "height_rule", "kink_sine_squared"]

Array = NDArray[np.float64]

_KINK: Final = math.sqrt(0.5)  # neurons of |b| below it bend inside the sphere
_PANEL_NODES: Final = 32
_POLE_NODES: Final = 12
_POLE_PANELS: Final = 30  # halved towards the poles, where wide initial biases gather
_MASS: Final = 1e-7  # what the weights of all heights may miss of 1
_MOST: Final = 1 << 14


@dataclass(frozen=True)
class HeightRule:
    """Heights and their probabilities; dead neurons are left out.

    Attributes
    ----------
    b, weight : ndarray
        Shape (n,).
    kinked : ndarray of bool
        Whether the neuron bends inside the sphere; otherwise it is a polynomial there.
    """

    b: Array
    weight: Array
    kinked: NDArray[np.bool_]


def kink_sine_squared(b: Array) -> Array:
    """1 - c^2 for the threshold c = -b/|w|, zero where the kink misses the sphere."""
    squared = (1 - b) * (1 + b)
    return np.asarray(np.maximum(1 - 2 * b * b, 0.0) / np.maximum(squared, 0.25))


def _gauss(edges: Array, size: int) -> tuple[Array, Array]:
    """Gauss rule of the given size on each panel."""
    x, w = np.polynomial.legendre.leggauss(size)
    width = np.diff(edges)[:, None]
    return (edges[:-1, None] + width * (x + 1) / 2).ravel(), (width * w / 2).ravel()


def _split(edges: Array, panels: int) -> Array:
    """Cut every piece evenly, about `panels` panels in all."""
    pieces = [
        np.linspace(left, right, max(1, math.ceil(panels * (right - left) / math.pi)) + 1)
        for left, right in itertools.pairwise(edges)
    ]
    return np.unique(np.concatenate(pieces))


@lru_cache(maxsize=16)
def _nodes(d: int, breaks: tuple[float, ...], n: int) -> tuple[Array, Array]:
    """Heights and their weights under pi: kinked ones in the angle of the kink, then both poles."""
    inner = np.array([b for b in breaks if abs(b) < _KINK])
    angles = np.arccos(np.clip(-inner / np.sqrt((1 - inner) * (1 + inner)), -1, 1))
    edges = np.unique(np.concatenate([[0.0, math.pi], angles]))
    theta, w = _gauss(_split(edges, math.ceil(n / _PANEL_NODES)), _PANEL_NODES)
    c = np.cos(theta)
    b = -c / np.sqrt(1 + c * c)
    constant = height_constant(d)
    weight = w * constant * np.sin(theta) * np.exp(-(d + 1) / 2 * np.log1p(c * c))
    heights, weights = [b], [weight]
    halved = math.pi / 4 * 2.0 ** -np.arange(_POLE_PANELS)
    for sign in (1.0, -1.0):
        outer = np.arccos([sign * b for b in breaks if sign * b > _KINK])
        edges = np.unique(np.concatenate([[0.0], halved, outer]))
        u, w = _gauss(edges, _POLE_NODES)
        heights.append(sign * np.cos(u))
        weights.append(constant * w * np.sin(u) ** (d - 1))
    return np.concatenate(heights), np.concatenate(weights)


@lru_cache(maxsize=64)
def _simple(law: Law, breaks: tuple[float, ...], n: int) -> Array:
    b, weight = _nodes(law.d, breaks, n)
    return weight * law.density(b)


def _probabilities(law: Law, breaks: tuple[float, ...], n: int) -> Array:
    """Mixtures are summed from their parts, so that parts are evaluated once for all mixtures."""
    if not isinstance(law, Mixture):
        return _simple(law, breaks, n)
    parts = zip(law.laws, law.weights, strict=True)
    total = np.zeros(_nodes(law.d, breaks, n)[0].size)
    for part, share in parts:
        if share > 0:
            total = total + share * _probabilities(part, breaks, n)
    return total


def height_rule(law: Law, n: int = 128) -> HeightRule:
    """Return a rule of at least n kinked heights whose probabilities are those of the law.

    The number of nodes is doubled until the probabilities of all heights sum to 1.

    Parameters
    ----------
    law : Law
        Sampling law.
    n : int
        Number of kinked heights to start from: functions of the height with up to about n
        oscillations are integrated.

    Raises
    ------
    ArithmeticError
        If the density is too narrow to be integrated by 16384 nodes.
    """
    size = n
    while size <= max(n, _MOST):
        probability = _probabilities(law, law.breaks, size)
        if abs(float(probability.sum()) - 1) <= _MASS:
            b = _nodes(law.d, law.breaks, size)[0]
            alive = b > -_KINK
            return HeightRule(b[alive], probability[alive], np.abs(b[alive]) < _KINK)
        size *= 2
    raise ArithmeticError(f"the density of {law!r} is too narrow to be integrated over the height")
