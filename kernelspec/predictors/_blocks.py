"""Energies of neurons degree by degree, high degrees gathered in blocks."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.features import BiasedReLU
from kernelspec.harmonics import amplitudes, squared_norm
from kernelspec.predictors._edge import System
from kernelspec.sphere import multiplicity

__all__ = ["MOST_DEGREES", "last_degree", "system"]

Array = NDArray[np.float64]

MOST_DEGREES: Final = 1 << 16
_SINGLE: Final = 48  # degrees below it stand alone; blocks above span a 48th of their degree
_REACH: Final = 4  # times the degree at which the harmonics outnumber the neurons
_CHUNK: Final = 1 << 22
_LEAST_NORM: Final = 1e-280


def last_degree(model: BiasedReLU, neurons: float) -> int:
    """Return the degree beyond which the neurons leave the harmonics alone, with a margin.

    There the load of the neurons is below reach^-(d+2s) of that where it matters, and weighs
    as little energy.
    """
    k = np.arange(64)
    while (total := np.cumsum(multiplicity(model.d, k)))[-1] < neurons:
        k = np.arange(2 * k.size)
    resolved = int(np.searchsorted(total, neurons))
    return max(_REACH * resolved, model.order + 16)


def _edges(first: int, last: int) -> NDArray[np.intp]:
    """First degrees of the blocks of first..last."""
    edges = list(range(first, min(max(first, _SINGLE), last) + 1))
    while edges[-1] <= last:
        edges.append(edges[-1] + max(1, edges[-1] // _SINGLE))
    return np.array([edge for edge in edges if edge <= last])


def system(model: BiasedReLU, b: Array, count: Array, last: int, *, above_order: bool) -> System:
    """Gather energies of the neurons of heights b.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    b, count : ndarray
        Heights of active neurons and how many there are.
    last : int
        Last degree.
    above_order : bool
        Leave out the degrees k <= s, as if projected away.
    """
    d, s = model.d, model.order
    first = s + 1 if above_order else 0
    edges = _edges(first, last)
    energy = np.empty((edges.size, b.size))
    norm = squared_norm(d, s, b)
    step = max(1, _CHUNK // (last + 1))
    for start in range(0, b.size, step):
        part = slice(start, start + step)
        squares = amplitudes(d, s, b[part], last) ** 2
        energy[:, part] = np.add.reduceat(squares, edges, axis=0)
        if above_order:
            norm[part] = norm[part] - squares[: s + 1].sum(axis=0)
    seen = (norm > _LEAST_NORM) & (count > 0)
    energy, norm, count = energy[:, seen], norm[seen], count[seen]
    # only ratios of energies matter: every neuron is scaled to unit norm
    total = np.maximum(norm, energy.sum(axis=0))
    degree = np.arange(last + 1)
    weight = multiplicity(d, degree)
    mu = model.eigenvalues(last)
    block = np.add.reduceat(weight, edges)
    return System(
        mu=np.add.reduceat(weight * mu, edges) / block,
        multiplicity=block,
        energy=energy / total,
        rest=1 - energy.sum(axis=0) / total,
        count=count,
        seen=seen,
    )
