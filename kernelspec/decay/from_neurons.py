r"""Estimate the decay of a kernel of which both points and neurons are samples.

The mean of M independent neurons' products is a sample of their kernel as n points are one of its
operator, and raises the ridge in the same way: with z the ridge of the matrix,

.. math:: z = \lambda\,\Bigl(1-\frac Nn\Bigr)\Bigl(1-\frac NM\Bigr)

at first order. What is left of second order, and the noise of both, is told by samples of half as
many points and half as many neurons, as in :mod:`kernelspec.decay.gram`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.decay.agreement import estimate_by_agreement
from kernelspec.decay.curve import levels, sample_curve
from kernelspec.decay.gram import LEAST_POINTS, find_rank, spectrum
from kernelspec.decay.judge import refused
from kernelspec.decay.result import DecayEstimate

__all__ = ["estimate_decay_from_neurons"]

Array = NDArray[np.float64]

_SHARE_OF_POINTS: Final = 4  # N <= n/4
_SHARE_OF_NEURONS: Final = 16  # N <= M/16
_METHOD: Final = "degrees of freedom"


def _curve(features: Array, log_n: Array) -> tuple[Array, Array]:
    """Return the spectrum of these neurons at these points, and its curve."""
    M = features.shape[1]
    eigenvalues = spectrum(features @ features.T / M)
    return eigenvalues, sample_curve(eigenvalues, log_n) - np.log1p(-np.exp(log_n) / M)


def estimate_decay_from_neurons(
    features: ArrayLike,
    *,
    splits: int = 8,
    rng: int | np.random.Generator = 0,
) -> DecayEstimate:
    """Estimate alpha of the kernel of independent neurons, evaluated at independent points.

    Parameters
    ----------
    features : array_like
        Shape (n, M), one column a neuron, M > n. For features that are coordinates, of which there
        are no more than M, see `estimate_decay_from_features`.
    splits : int, keyword-only
        How often points and neurons are split in halves, >= 2.
    rng : int or numpy.random.Generator, keyword-only
        Seed or generator of the splits.

    Returns
    -------
    DecayEstimate
        Exponent with 95 % interval and verdict. The window ends at N = n/4 or M/16.

    Raises
    ------
    ValueError
        If `features` is no finite matrix with more columns than rows, or all zero.
    MemoryError
        If the Gram matrix does not fit into memory, with the estimate.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, Uniform, uniform_sphere
    >>> model = BiasedReLU(2)
    >>> F = model.features(uniform_sphere(2, 320, rng=1), Uniform(2).sample(1280, rng=2))
    >>> found = estimate_decay_from_neurons(F)
    >>> found.verdict, found.low < model.decay_exponent < found.high
    ('power law', True)
    """
    splits = _checks.integer("splits", splits, 2)
    F = np.asarray(features, dtype=np.float64)
    if F.ndim != 2 or not 0 < F.shape[0] < F.shape[1]:
        raise ValueError(f"features of shape {F.shape} is not allowed: (n, M) with 0 < n < M")
    F = _checks.matrix("features", F, F.shape[1])
    if not np.any(F):
        raise ValueError("features are all zero: at least one must not be")
    n, M = F.shape
    require_memory(4 * 8.0 * n * n, f"the spectrum of {n} points", advice="take fewer points")
    log_n = levels(max(min(n / _SHARE_OF_POINTS, M / _SHARE_OF_NEURONS), 2.0))
    eigenvalues, whole = _curve(F, log_n)
    if (rank := find_rank(eigenvalues)) is not None:
        return refused(f"finite rank {rank} on {n} points", _METHOD, n, log_n, whole)
    if n < LEAST_POINTS:
        reason = f"too few points, {n} where {LEAST_POINTS} are needed"
        return refused(reason, _METHOD, n, log_n, whole)
    generator = np.random.default_rng(rng)
    halves = np.empty((splits, 2, log_n.size))
    for pair in halves:
        points = np.array_split(generator.permutation(2 * (n // 2)), 2)
        neurons = np.array_split(generator.permutation(2 * (M // 2)), 2)
        for side in (0, 1):
            pair[side] = _curve(F[np.ix_(points[side], neurons[side])], log_n)[1]
    return estimate_by_agreement(whole, halves, log_n, n, _METHOD)
