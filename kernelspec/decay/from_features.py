r"""Estimate the decay of a covariance from features, of which there are finitely many.

With M features the spectrum ends at rank M, and the trace beyond it is missing. Two things follow.
The curve is that of the squared degrees of freedom, :math:`\sum (\mu/(\mu+\lambda))^2`, which
hardly sees the end. What it does see is put back: if the features are the first M coordinates of a
power law with constant C, the sum lacks

.. math:: T = \sum_{j>M} (C j^{-\alpha}/\lambda)^2 \approx
          \frac{(N/c_\alpha)^{2\alpha} M^{1-2\alpha}}{2\alpha-1}, \qquad
          c_\alpha = \Bigl(1-\frac1\alpha\Bigr)\frac{\pi/\alpha}{\sin(\pi/\alpha)},

with N the squared degrees of freedom; alpha is iterated. Random neurons are no such coordinates:
estimate their kernel's decay from the kernel.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.decay.curve import half_curves, levels, sample_curve
from kernelspec.decay.gram import LEAST_POINTS
from kernelspec.decay.halves import from_halves
from kernelspec.decay.judge import refused
from kernelspec.decay.result import DecayEstimate

__all__ = ["estimate_decay_from_features"]

Array = NDArray[np.float64]

_SHARE: Final = 10  # N <= min(n, M)/10
_ROUNDS: Final = 3
_METHOD: Final = "squared degrees of freedom"


def _completed(log_n: Array, alpha: float, M: int) -> Array:
    """Log of N with the missing tail added."""
    scale = (1 - 1 / alpha) * (math.pi / alpha) / math.sin(math.pi / alpha)
    log_tail = 2 * alpha * (log_n - math.log(scale)) + (1 - 2 * alpha) * math.log(M)
    return np.logaddexp(log_n, log_tail - math.log(2 * alpha - 1))


def _spectrum(features: Array) -> Array:
    """Eigenvalues of F F'/n, padded to n."""
    n, M = features.shape
    gram = features @ features.T if n <= M else features.T @ features
    eigenvalues = np.linalg.eigvalsh(gram / n)
    return np.concatenate([np.zeros(max(n - M, 0)), eigenvalues])


def _from_coordinates(F: Array, splits: int, rng: np.random.Generator) -> DecayEstimate:
    n, M = F.shape
    log_n = levels(max(min(n, M) / _SHARE, 2.0))
    eigenvalues = _spectrum(F)
    whole = sample_curve(eigenvalues, log_n, squared=True)
    rank = int(np.sum(eigenvalues > 1e-13 * n * eigenvalues[-1]))
    if rank < min(n, M):
        reason = f"finite rank {rank} of {M} features on {n} points"
        return refused(reason, _METHOD, n, log_n, whole)
    if min(n, M) < LEAST_POINTS:
        reason = f"too few points or features, {n} and {M} where {LEAST_POINTS} are needed"
        return refused(reason, _METHOD, n, log_n, whole)
    halves = half_curves(
        n, splits, rng, lambda part: sample_curve(_spectrum(F[part]), log_n, squared=True)
    )
    found = from_halves(whole, halves, log_n, n, _METHOD)
    for _ in range(_ROUNDS):
        if not 1.02 < found.alpha < 20:
            break
        found = from_halves(whole, halves, _completed(log_n, found.alpha, M), n, _METHOD)
    return found


def estimate_decay_from_features(
    features: ArrayLike,
    *,
    splits: int = 8,
    rng: int | np.random.Generator = 0,
) -> DecayEstimate:
    """Estimate alpha of the covariance of features that were evaluated at independent points.

    Parameters
    ----------
    features : array_like
        Shape (n, M), one row a point.
    splits : int, keyword-only
        How often the sample is split in halves, >= 2.
    rng : int or numpy.random.Generator, keyword-only
        Seed or generator of the splits.

    Returns
    -------
    DecayEstimate
        Exponent with 95 % interval and verdict. The window ends at a tenth of the smaller of
        n and M.

    Raises
    ------
    ValueError
        If `features` is no finite matrix.
    MemoryError
        If the Gram matrix does not fit into memory, with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> scale = np.arange(1, 601) ** -1.0  # alpha = 2
    >>> F = np.random.default_rng(0).standard_normal((500, 600)) * scale
    >>> found = estimate_decay_from_features(F)
    >>> found.verdict, found.low < 2 < found.high
    ('power law', True)
    """
    splits = _checks.integer("splits", splits, 2)
    F = np.asarray(features, dtype=np.float64)
    if F.ndim != 2 or 0 in F.shape:
        raise ValueError(f"features of shape {F.shape} is not allowed: a matrix of shape (n, M)")
    F = _checks.matrix("features", F, F.shape[1])
    if not np.any(F):
        raise ValueError("features are all zero: at least one must not be")
    n, M = F.shape
    require_memory(
        4 * 8.0 * min(n, M) ** 2, f"the spectrum of {n} points", advice="take fewer points"
    )
    generator = np.random.default_rng(rng)
    return _from_coordinates(F, splits, generator)
