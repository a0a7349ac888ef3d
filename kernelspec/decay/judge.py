"""From fits to an estimate: interval, window and verdict by stated rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.decay.fit import Fits, fit_line, mixture_quantile
from kernelspec.decay.result import POWER_LAW, DecayEstimate

__all__ = ["WIDEST", "concluded", "ends_early", "hill", "judge", "refused", "steepening"]

Array = NDArray[np.float64]

WIDEST: Final = 0.5
"""An interval wider than this share of the estimate is no answer."""

# Of a mixture: it is wider than the sampling error, so that its middle 92 % cover in 95 %.
_TAIL: Final = 0.04
_STEEPENING: Final = 0.2  # d log(slope) / d log N from which the slope counts as growing
_FLAT: Final = 1e-9  # relative error below which an exact spectrum is not resolved


def hill(x: Array, y: Array) -> float:
    """Hill's mean excess of log eigenvalues over the last, weighted by the ranks between points.

    Beyond the window's first point only: the average of y - y_last with weight dN, corrected for
    the part of the ranks that lies before the window.

    Examples
    --------
    A power of exponent 2 that is sampled finely:

    >>> log_n = np.log(np.geomspace(1, 100, 1000))
    >>> round(hill(log_n, -2 * log_n), 3)
    2.0
    """
    weight = np.exp(x)
    mass = np.diff(weight)
    excess = (y[1:] + y[:-1]) / 2 - y[-1]
    reference = x[-1] - (x[1:] + x[:-1]) / 2
    return float(mass @ excess) / float(mass @ reference)


def refused(
    reason: str, method: str, points: int, x: Array, y: Array, alpha: float = math.nan
) -> DecayEstimate:
    """Return a refusal with whatever slope there is.

    Examples
    --------
    >>> log_n = np.log([1.0, 2.0, 4.0])
    >>> found = refused("finite rank 4 on 90 points", "ranks", 90, log_n, -2 * log_n)
    >>> found.verdict, round(found.alpha, 12), found.low
    ('not a power law: finite rank 4 on 90 points', 2.0, nan)
    """
    good = np.isfinite(y)
    x, y = x[good], y[good]
    if x.size >= 2 and math.isnan(alpha):
        alpha = fit_line(x, y)
    window = (math.exp(x[0]), math.exp(x[-1])) if x.size else (math.nan, math.nan)
    verdict = f"not a power law: {reason}"
    return DecayEstimate(alpha, math.nan, math.nan, window, verdict, method, x, y, {}, points)


def ends_early(stop: int, method: str, points: int, x: Array, y: Array) -> DecayEstimate:
    """Return the refusal of a curve of which only the first `stop` points are trustworthy.

    Examples
    --------
    >>> log_n = np.log([2.0, 4.0, 8.0])
    >>> print(ends_early(2, "ranks", 90, log_n, -2 * log_n).verdict)
    not a power law: the trustworthy part of the spectrum ends too early, at N = 4
    """
    reach = f"N = {math.exp(x[stop - 1]):.3g}" if stop else "no N at all"
    reason = f"the trustworthy part of the spectrum ends too early, at {reach}"
    return refused(reason, method, points, x, y)


def concluded(
    alpha: float,
    interval: tuple[float, float],
    reason: str,
    method: str,
    points: int,
    x: Array,
    y: Array,
    window: slice,
) -> DecayEstimate:
    """Return the estimate from the points of a curve in `window`, refused if there is a reason.

    Examples
    --------
    >>> log_n = np.log(np.geomspace(2, 64, 21))
    >>> curve = (log_n, -2 * log_n, slice(4, None))
    >>> found = concluded(2.0, (1.9, 2.1), "", "ranks", 900, *curve)
    >>> found.verdict, round(found.window[0], 12), round(found.slopes["regression"], 12)
    ('power law', 4.0, 2.0)
    >>> concluded(2.0, (1.0, 3.0), "undecided", "ranks", 900, *curve).verdict
    'not a power law: undecided'
    """
    inside, values = x[window], y[window]
    return DecayEstimate(
        alpha=alpha,
        low=interval[0],
        high=interval[1],
        window=(math.exp(inside[0]), math.exp(inside[-1])),
        verdict=f"not a power law: {reason}" if reason else POWER_LAW,
        method=method,
        log_n=x,
        log_lambda=y,
        slopes={"regression": fit_line(inside, values), "Hill": hill(inside, values)},
        points=points,
    )


def _two_slopes(x: Array, y: Array) -> tuple[float, float]:
    """Exponents of the first and of the last half of a window."""
    middle = x.size // 2
    return fit_line(x[: middle + 1], y[: middle + 1]), fit_line(x[middle:], y[middle:])


def steepening(x: Array, y: Array) -> str:
    """Return the reason to refuse a curve that grows steeper as no power does, or nothing.

    Examples
    --------
    >>> log_n = np.log(np.geomspace(2, 64, 21))
    >>> steepening(log_n, -2 * log_n)
    ''
    >>> print(steepening(log_n, -np.exp(log_n / 2)))
    the local exponent grows from 1.11 to 2.65 across the window, as for eigenvalues that fall
    faster than any power
    """
    first, last = _two_slopes(x, y)
    spread = (x[-1] - x[0]) / 2
    if min(first, last) > 0 and math.log(last / first) / spread > _STEEPENING:
        return (
            f"the local exponent grows from {first:.3g} to {last:.3g} across the window, as for "
            "eigenvalues that fall faster than any power"
        )
    return ""


def _reason(x: Array, y: Array, chosen: bool, alpha: float, low: float, high: float) -> str:
    """Return why the estimate is refused, or nothing."""
    if reason := steepening(x, y):
        return reason
    first, last = _two_slopes(x, y)
    if not chosen:
        return (
            "in every window the curve departs from a power with one correction by more than its "
            f"noise; the local exponent is {first:.3g} in the first half and {last:.3g} in the last"
        )
    if last <= 0 or not high - low <= WIDEST * abs(alpha):
        return (
            f"undecided, the interval {low:.3g} to {high:.3g} is too wide: the local exponent "
            f"still moves from {first:.3g} to {last:.3g}"
        )
    return ""


def judge(fits: Sequence[Fits], x: Array, y: Array, method: str, points: int) -> DecayEstimate:
    """Mix the acceptable fits and judge the mixture.

    Examples
    --------
    Of two windows only the one whose residuals are noise is used:

    >>> log_n = np.log(np.geomspace(2, 64, 21))
    >>> good = Fits(8, np.array([2.0, 2.0]), np.array([0.05, 0.05]), 8.0, acceptable=True)
    >>> poor = Fits(0, np.array([3.0, 4.0]), np.array([0.05, 0.05]), 8.0, acceptable=False)
    >>> found = judge([good, poor], log_n, -2 * log_n, "ranks", 900)
    >>> found.verdict, round(found.alpha, 6), round(found.window[0], 6)
    ('power law', 2.0, 8.0)
    """
    good = [fit for fit in fits if fit.acceptable]
    used = good or list(fits)
    alpha = np.concatenate([fit.alpha for fit in used])
    error = np.concatenate([fit.error for fit in used])
    freedom = np.concatenate([np.full(fit.alpha.shape, fit.freedom) for fit in used])
    error = np.hypot(error, _FLAT * np.abs(alpha))
    low, middle, high = (
        mixture_quantile(alpha, error, freedom, q) for q in (_TAIL, 0.5, 1 - _TAIL)
    )
    start = min(fit.start for fit in used)
    reason = _reason(x[start:], y[start:], bool(good), middle, low, high)
    return concluded(middle, (low, high), reason, method, points, x, y, slice(start, None))
