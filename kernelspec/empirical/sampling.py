"""Ridge leverage sampling from a pool of neurons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.empirical.spectrum import per_neuron
from kernelspec.laws.base import Seed, generator

__all__ = ["LeverageSample", "leverage_sample"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LeverageSample:
    """Neurons drawn from a pool.

    Attributes
    ----------
    index : ndarray
        Places in the pool, shape (size,), with repetition.
    density : ndarray
        l_j/N of each draw, shape (size,): the density of the sampling law with respect to the law
        of the pool. A neuron weighted by 1/(size density) makes the kernel unbiased.

    Examples
    --------
    Neurons with their weights, for which the kernel of the drawn ones has the pool's as its mean:

    >>> found = leverage_sample([1.0, 3.0], 3, rng=0)
    >>> 1 / (3 * found.density[found.index == 1])
    array([0.22222222, 0.22222222])
    """

    index: NDArray[np.intp]
    density: Array


def leverage_sample(
    leverage: ArrayLike, size: int, rng: Seed, *, weights: ArrayLike | None = None
) -> LeverageSample:
    """Draw neurons of a pool independently, each with probability w_j l_j/N.

    With exact leverage the mismatch over the pool is 1. With leverage that is off by at most a
    factor 1 +- e, it is at most (1 + e)/(1 - e).

    Parameters
    ----------
    leverage : array_like
        l_j >= 0, shape (M,), not all zero.
    size : int
        Number of draws, >= 0.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator.
    weights : array_like, optional
        Weights of the neurons up to a factor, shape (M,), > 0; by default all equal.

    Returns
    -------
    LeverageSample
        Places in the pool and densities.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range or the shapes differ.

    Examples
    --------
    >>> found = leverage_sample([0.0, 1.0, 3.0], 4, rng=0)
    >>> found.index, found.density
    (array([2, 2, 1, 1]), array([2.25, 2.25, 0.75, 0.75]))
    """
    size = _checks.count("size", size, 0)
    ell = _checks.real_array("leverage", leverage, 0.0, float(np.finfo(np.float64).max))
    if ell.ndim != 1 or not np.any(ell > 0):
        raise ValueError(
            f"leverage of shape {ell.shape} is not allowed: numbers >= 0, not all zero, shape (M,)"
        )
    w = np.ones(ell.size) if weights is None else _checks.positive_array("weights", weights)
    w = per_neuron("weights", w, ell.size) / w.max()
    w /= w.sum()
    mass = w * (ell / ell.max())
    index = generator(rng).choice(ell.size, size=size, p=mass / mass.sum())
    return LeverageSample(index, ell[index] / ell.max() / mass.sum())
