r"""The plainest fit of a curve that all more flexible ones confirm.

Fitted is a power with p corrections,

.. math:: \log\lambda = a - \alpha\log N + \sum_{j=1}^p b_j N^{-j\rho}, \qquad \rho = 2/3,

on windows of several starts and ends. A fit is more flexible than another if it starts no earlier,
ends no later and has no fewer corrections: its bias is smaller and its sampling error greater. One
fit is *confirmed* if it differs from no more flexible one by more than their difference's own
error allows; those with rho = 1/2 and 1 are asked as well (Lepskii, Theory Probab. Appl. 35, 1991).
Of the confirmed fits the most precise is sought, and a more flexible one is reported, whose error
is `UNDERSMOOTHING` times as large: what bias the comparison could not see is then small against it,
and the interval is that of the sampling error, which the halves of the sample tell
(:mod:`kernelspec.decay.doubling`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from kernelspec.decay.curve import STEP, trusted
from kernelspec.decay.doubling import HALVED, growth, overstatement, pilot_exponent
from kernelspec.decay.judge import WIDEST, concluded, ends_early, steepening
from kernelspec.decay.result import DecayEstimate

__all__ = [
    "LARGEST_CORRECTION",
    "LEAST_N",
    "UNDERSMOOTHING",
    "Agreement",
    "compare_fits",
    "estimate_by_agreement",
]

Array = NDArray[np.float64]

LARGEST_CORRECTION: Final = 0.05
"""In log lambda: where halving the sample says that the curve is further off, it ends."""

LEAST_N: Final = 5.6
"""No window starts below this number of degrees of freedom."""

UNDERSMOOTHING: Final = 1.4

_POWERS: Final = (2 / 3, 1.0, 0.5)  # the first is reported, all must agree
_CORRECTIONS: Final = (1, 2, 3, 4, 5)
_ENDS: Final = (0, 2, 4)  # steps of the curve before its end: n/4, n/5.7, n/8
_SPARE: Final = 4  # points of a window beyond its corrections
_USABLE: Final = 0.1  # standard error over alpha from which a fit confirms nothing
_WITNESSES: Final = 3  # more flexible fits that have to confirm
_LEVEL: Final = 0.94  # quantile of the difference at which a fit is not confirmed
# Of the interval, by the number of corrections: that fits had to agree cuts the error's tails, the
# less the fewer are more flexible than the one reported.
_QUANTILES: Final = (0.95, 0.95, 0.95, 0.965, 0.97)


@dataclass(frozen=True)
class _Family:
    """Every fit on a curve of given length: columns start, end, corrections, power; weights."""

    kind: NDArray[np.int64]  # (f, 4)
    weight: Array  # (f, g): alpha is weight @ curve
    flexible: NDArray[np.bool_]  # (f, f): whether the second is more flexible than the first


@lru_cache(maxsize=64)
def _family(first: float, points: int) -> _Family:
    """All fits on a curve of `points` points from log N = `first` in steps of `STEP`."""
    x = first + STEP * np.arange(points)
    kinds, weights = [], []
    for shorter in _ENDS:
        end = points - shorter
        starts = [i for i in range(end - 1, -1, -2) if x[i] >= math.log(LEAST_N)]
        for start in starts:
            for p in _CORRECTIONS:
                if end - start < p + _SPARE:
                    continue
                inside = x[start:end]
                for index, power in enumerate(_POWERS):
                    fading = np.exp(-power * (inside - inside[-1]))[:, None] ** np.arange(1, p + 1)
                    columns = np.column_stack([np.ones_like(inside), -inside, fading])
                    weight = np.zeros(points)
                    weight[start:end] = np.linalg.pinv(columns)[1]
                    kinds.append((start, shorter, p, index))
                    weights.append(weight)
    kind = np.array(kinds, dtype=np.int64).reshape(-1, 4)
    flexible = np.all(kind[None, :, :3] >= kind[:, None, :3], axis=2)
    np.fill_diagonal(flexible, False)
    return _Family(kind, np.array(weights).reshape(-1, points), flexible)


def _chosen(family: _Family, alpha: Array, error: Array, apart: Array, limit: float) -> int | None:
    """Index of the fit to report, None if no fit is confirmed."""
    if alpha.size == 0:
        return None
    witness = family.flexible & (error <= _USABLE * np.abs(alpha))[None, :]
    differ = np.abs(alpha[None, :] - alpha[:, None]) > limit * apart
    reported = family.kind[:, 3] == 0
    confirmed = ~np.any(witness & differ, axis=1) & (witness.sum(axis=1) >= _WITNESSES) & reported
    if not confirmed.any():
        return None
    best = np.flatnonzero(confirmed)[np.argmin(error[confirmed])]
    wider = family.flexible[best] & reported & (error >= UNDERSMOOTHING * error[best])
    if not wider.any():
        return None
    return int(np.flatnonzero(wider)[np.argmin(error[wider])])


@dataclass(frozen=True)
class Agreement:
    """All fits of a curve, and which of them is reported.

    Attributes
    ----------
    log_n, log_lambda : ndarray
        The trustworthy part of the curve, its bias taken off; shape (g,).
    kind : ndarray
        Start, steps left out at the end, corrections and index of rho of each fit, shape (f, 4).
    alpha, error : ndarray
        Estimate and standard error of each fit, shape (f,).
    freedom : int
        Degrees of freedom of the errors.
    reported : int or None
        Index of the fit to report; None if no fit is confirmed.

    Examples
    --------
    All fits of a curve without noise agree on its exponent 2:

    >>> log_n = np.log(np.geomspace(2, 64, 21))
    >>> halves = np.broadcast_to(-2 * log_n, (8, 2, 21)).copy()
    >>> found = compare_fits(-2 * log_n, halves, log_n, 256)
    >>> found.alpha.size, bool(np.allclose(found.alpha, 2)), found.freedom
    (171, True, 8)
    """

    log_n: Array
    log_lambda: Array
    kind: NDArray[np.int64]
    alpha: Array
    error: Array
    freedom: int
    reported: int | None


def compare_fits(whole: Array, halves: Array, log_n: Array, points: int) -> Agreement:
    """Fit the curve of a sample, shape (g,), with the noise of its halves, shape (S, 2, g).

    Examples
    --------
    >>> from kernelspec import BiasedReLU, uniform_sphere
    >>> from kernelspec.decay.curve import levels, sample_curve
    >>> from kernelspec.decay.gram import spectrum, split_curves
    >>> X, log_n = uniform_sphere(2, 320, rng=1), levels(80.0)
    >>> gram = BiasedReLU(2).kernel((X @ X.T).clip(-1, 1))
    >>> whole = sample_curve(spectrum(gram), log_n)
    >>> halves = split_curves(gram, log_n, 8, np.random.default_rng(0))
    >>> found = compare_fits(whole, halves, log_n, 320)
    >>> alpha, error = found.alpha[found.reported], found.error[found.reported]
    >>> bool(abs(alpha - BiasedReLU(2).decay_exponent) < 3 * error), found.freedom
    (True, 8)
    """
    alpha = pilot_exponent(whole, log_n)
    grown = growth(log_n, points, alpha)
    correction = (whole - halves.mean(axis=(0, 1))) / (4 * grown - 1)
    y = whole + correction
    difference = (halves[:, 0] - halves[:, 1]) / grown
    stop = trusted(y, correction, LARGEST_CORRECTION)
    family = _family(float(log_n[0]), stop)
    estimate = family.weight @ y[:stop]
    noise = difference[:, :stop] @ family.weight.T
    freedom = noise.shape[0]
    covariance = noise.T @ noise / (HALVED * freedom)
    variance = np.diagonal(covariance)
    apart = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))
    error = np.sqrt(variance)
    reported = _chosen(family, estimate, error, apart, float(stdtrit(freedom, _LEVEL)))
    start, shorter, corrections, _ = family.kind.T
    end = np.exp(log_n[stop - 1 - shorter]) / points
    error = error / overstatement(corrections, stop - shorter - start, end, alpha)
    return Agreement(log_n[:stop], y[:stop], family.kind, estimate, error, freedom, reported)


def estimate_by_agreement(
    whole: Array, halves: Array, log_n: Array, points: int, method: str
) -> DecayEstimate:
    """Estimate from the curve of a sample, shape (g,), and of its halves, shape (S, 2, g).

    Examples
    --------
    A power of exponent 2, with halves that say how much of it is noise:

    >>> rng = np.random.default_rng(0)
    >>> log_n = np.log(np.geomspace(2, 256, 29))
    >>> whole = -2 * log_n + 1e-3 * rng.standard_normal(29)
    >>> halves = -2 * log_n + 3e-3 * rng.standard_normal((8, 2, 29))
    >>> found = estimate_by_agreement(whole, halves, log_n, 1024, "halves")
    >>> found.verdict, found.low < 2 < found.high, found.points
    ('power law', True, 1024)
    """
    found = compare_fits(whole, halves, log_n, points)
    x, y, alpha, error = found.log_n, found.log_lambda, found.alpha, found.error
    if alpha.size == 0:
        return ends_early(x.size, method, points, log_n, whole)
    quantile = stdtrit(found.freedom, np.array(_QUANTILES)[found.kind[:, 2] - 1])
    low, high, start, end = alpha - quantile * error, alpha + quantile * error, 0, x.size
    if found.reported is not None:
        used = np.arange(alpha.size) == found.reported
        start, end = int(found.kind[used, 0][0]), x.size - int(found.kind[used, 1][0])
    else:  # the range of the plainest fits
        used = found.kind[:, 2] == 1
    least, most = float(low[used].min()), float(high[used].max())
    middle = float(np.median(alpha[used]))
    window = slice(start, end)
    reason = steepening(x[window], y[window])
    if not reason and found.reported is None:
        reason = (
            "undecided, the correction to the power is not resolved: fits with one correction give "
            f"{least:.3g} to {most:.3g}, and more flexible ones do not confirm them"
        )
    if not reason and not most - least <= WIDEST * abs(middle):
        reason = f"undecided, the interval {least:.3g} to {most:.3g} is too wide"
    return concluded(middle, (least, most), reason, method, points, x, y, window)
