r"""Estimate the decay of given eigenvalues from their ranks.

Equal eigenvalues share the mean of their ranks, which puts the steps of a spectrum with
multiplicities on its Weyl curve. Log eigenvalues are averaged over bins of equal width in log rank,
and a power with a correction is fitted (:mod:`kernelspec.decay.fit`), bins weighted by their
counts. The last third of the ranks is left out: where a list of noisy eigenvalues is cut off,
those that noise would have moved across the cut are missing.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.decay.curve import STEP
from kernelspec.decay.fit import CORRECTIONS, Fits, design, mixture_quantile
from kernelspec.decay.judge import judge, refused
from kernelspec.decay.result import DecayEstimate

__all__ = ["LEAST_EIGENVALUES", "estimate_decay"]

Array = NDArray[np.float64]

LEAST_EIGENVALUES: Final = 30

_KEPT: Final = 2 / 3  # of the ranks
_LEAST_RANK: Final = 3.0
_LEAST_BINS: Final = 7  # three coefficients, and something to see the noise in
_TIES: Final = 1e-9
_ROUNDING: Final = 1e-15  # of the largest eigenvalue, times their number
_GAP: Final = 1e-4
_ROUGH: Final = 0.1  # residuals of log lambda above this share of alpha: no curve at all
_METHOD: Final = "ranks"


def _resolved(falling: Array) -> tuple[Array, int | None]:
    """Return the eigenvalues above rounding and noise, and the rank if the spectrum breaks off."""
    rounding = _ROUNDING * falling.size * falling[0]
    count = int(np.sum(falling > rounding))
    zeros = count < falling.size and falling[-1] >= -rounding
    ends = zeros and falling[count] <= _GAP * falling[count - 1]
    # negative estimates show how large an estimate of zero may be
    noise = 10 * max(-falling[-1], 0.0)
    if ends:
        return falling[:count], count
    return falling[falling > noise], None


def _distinct(falling: Array) -> tuple[Array, Array, Array]:
    """Mean rank, log and count of each group of equal eigenvalues."""
    starts = np.flatnonzero(np.concatenate([[True], falling[1:] < falling[:-1] * (1 - _TIES)]))
    ends = np.append(starts[1:], falling.size)
    return (
        (starts + 1 + ends) / 2.0,
        np.log(falling[starts]),
        np.asarray(ends - starts, dtype=np.float64),
    )


def _binned(rank: Array, log_value: Array, count: Array, top: float) -> tuple[Array, Array, Array]:
    """Average log rank and log eigenvalue over bins that end at `top`."""
    keep = rank <= top * (1 + 1e-12)
    x, y, w = np.log(rank[keep]), log_value[keep], count[keep]
    index = np.floor((math.log(top) - x) / STEP + 1e-9).astype(int)
    index = index.max() - index
    weight = np.asarray(np.bincount(index, w), dtype=np.float64)
    filled = weight > 0
    mean_x = np.bincount(index, w * x)[filled] / weight[filled]
    mean_y = np.bincount(index, w * y)[filled] / weight[filled]
    return mean_x, mean_y, weight[filled]


def _inflation(residual: Array) -> float:
    """How much longer neighbouring residuals of one sign make the variance of a mean."""
    total = float(residual @ residual)
    if total == 0:
        return 1.0
    correlation = float(residual[1:] @ residual[:-1]) / total
    return min(max((1 + correlation) / max(1 - correlation, 0.1), 1.0), 10.0)


def _fit(x: Array, y: Array, weight: Array, start: int) -> Fits:
    x, y, root = x[start:], y[start:], np.sqrt(weight[start:] / weight[start:].max())
    freedom = x.size - 3
    alpha, error, rough = [], [], []
    for rho in CORRECTIONS:
        columns = design(x, rho) * root[:, None]
        solve = np.linalg.pinv(columns)
        residual = root * y - columns @ (solve @ (root * y))
        variance = float(residual @ residual) / freedom * _inflation(residual)
        alpha.append(float(solve[1] @ (root * y)))
        error.append(math.sqrt(variance * float(solve[1] @ solve[1])))
        rough.append(math.sqrt(float(residual @ residual) / float(root @ root)))
    smooth = min(rough) <= _ROUGH * max(abs(alpha[-1]), 1e-12)
    return Fits(start, np.array(alpha), np.array(error), float(freedom), smooth)


def _narrowest(fits: list[Fits]) -> list[Fits]:
    """Return the fits of the window with the narrowest interval, and of the next shorter window."""

    def width(fit: Fits) -> float:
        freedom = np.full(fit.alpha.shape, fit.freedom)
        low, high = (mixture_quantile(fit.alpha, fit.error, freedom, q) for q in (0.025, 0.975))
        return high - low

    good = [fit for fit in fits if fit.acceptable] or fits
    best = min(range(len(good)), key=lambda i: width(good[i]))
    return good[max(best - 1, 0) : best + 1]


def estimate_decay(eigenvalues: ArrayLike) -> DecayEstimate:
    r"""Estimate alpha in mu_(j) ~ C j^-alpha from eigenvalues, exact or with independent errors.

    For eigenvalues of a Gram matrix use `estimate_decay_from_gram`, which knows how sampling
    distorts them; here only the part j << n of such a spectrum can be trusted.

    Parameters
    ----------
    eigenvalues : array_like
        Shape (J,), in any order, each as often as its multiplicity; J >= 30. Estimates that are
        not positive are taken for noise around zero and left out with all below tenfold their size.

    Returns
    -------
    DecayEstimate
        Exponent with 95 % interval and verdict. For exact eigenvalues the interval holds what is
        unknown about the correction to the power; it is no confidence interval.

    Raises
    ------
    ValueError
        If the eigenvalues are no vector of finite numbers, or none is positive.

    Examples
    --------
    >>> import numpy as np
    >>> found = estimate_decay(np.arange(1, 1001) ** -1.75)
    >>> found.verdict, round(found.alpha, 6), round(found.high - found.low, 6)
    ('power law', 1.75, 0.0)
    >>> estimate_decay(np.exp(-0.3 * np.arange(100))).verdict[:44]
    'not a power law: the local exponent grows fr'
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"eigenvalues of shape {values.shape} is not allowed: a vector, J >= 1")
    values = _checks.real_array("eigenvalues", values, -1e300, 1e300)
    falling = np.sort(values)[::-1]
    if falling[0] <= 0:
        raise ValueError(f"eigenvalues have maximum {falling[0]:g}: at least one must be positive")
    falling, rank = _resolved(falling)
    J = falling.size
    nothing = np.empty(0)
    if rank is not None:
        log_ranks = np.log(np.arange(1.0, J + 1))
        reason = f"finite rank {rank} among {values.size} eigenvalues"
        return refused(reason, _METHOD, values.size, log_ranks, np.log(falling))
    if J < LEAST_EIGENVALUES:
        reason = f"too few points, {J} eigenvalues where {LEAST_EIGENVALUES} are needed"
        log_ranks = np.log(np.arange(1.0, J + 1))
        return refused(reason, _METHOD, values.size, log_ranks, np.log(falling) if J else nothing)
    ranks, logs, counts = _distinct(falling)
    x, y, weight = _binned(ranks, logs, counts, max(_KEPT * J, float(ranks[0])))
    starts = [
        i
        for i in range(x.size - _LEAST_BINS, -1, -1)
        if x[i] >= math.log(_LEAST_RANK) and (x.size - i - _LEAST_BINS) % 2 == 0
    ]
    if not starts:
        reason = f"too few points, {ranks.size} different eigenvalues"
        return refused(reason, _METHOD, values.size, x, y)
    fits = [_fit(x, y, weight, start) for start in starts]
    return judge(_narrowest(fits), x, y, _METHOD, values.size)
