"""What curves of trained errors say: how far they fall, how early, with intervals over seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from validation.intervals import CONFIDENCE, jackknife_interval
from validation.training.experiment import Curves, Label

__all__ = ["Sharpening", "Summary", "needed", "sharpening", "summarise"]

Array = NDArray[Any]

SHARE: Final = 0.9
_LARGEST_LOG: Final = 700.0


@dataclass(frozen=True)
class Summary:
    """One method at one tau.

    Attributes
    ----------
    label : Label
        Target, depth and method.
    tau : float
        Scale of the initial biases.
    P : tuple of float
        Proportions.
    error, low, high : ndarray, shape (p,)
        Geometric mean over the seeds of the relative squared error, and its interval. NaN where a
        network of any seed failed: what is left is not averaged.
    fall, fall_low, fall_high : float
        E at the least P over E at the greatest.
    needed, needed_low, needed_high : float
        P that captures 90 % of the reduction; NaN where the error does not fall.
    joint : float
        Median over networks of the error with the readout as trained over that with the readout
        solved again; NaN for methods that do not train the readout.
    failed : int
        Networks without a result.

    Examples
    --------
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> (found,) = summarise(curves)
    >>> found.error.round(4), round(found.fall), round(found.needed, 2)
    (array([0.9487, 0.1095, 0.0095]), 100, 0.51)
    """

    label: Label
    tau: float
    P: tuple[float, ...]
    error: Array
    low: Array
    high: Array
    fall: float
    fall_low: float
    fall_high: float
    needed: float
    needed_low: float
    needed_high: float
    joint: float
    failed: int


def needed(P: Sequence[float], log_error: Array, share: float = SHARE) -> float:
    """Return the least P that captures a share of the reduction of E, log E interpolated in P.

    The interpolation is monotone between neighbouring points. NaN where E does not fall from the
    first P to the last, or an entry is not finite.

    Examples
    --------
    >>> round(needed([0.0, 0.5, 1.0], np.log([1.0, 0.1, 0.01])), 4)
    0.4813
    """
    if not (np.all(np.isfinite(log_error)) and log_error[-1] < log_error[0]):
        return math.nan
    first, last = math.exp(log_error[0]), math.exp(log_error[-1])
    target = math.log(first - share * (first - last))
    place = int(np.argmax(log_error <= target))
    curve = PchipInterpolator(P, log_error)
    return float(brentq(lambda x: float(curve(x)) - target, P[place - 1], P[place], xtol=1e-12))


def summarise(curves: Curves) -> list[Summary]:
    """Summarise each tau of some curves; intervals are jackknife at 99 % over the seeds.

    Parameters
    ----------
    curves : Curves
        Errors of one method.

    Returns
    -------
    list of Summary
        One for each tau.

    Examples
    --------
    Errors of two seeds at three proportions, one tau:

    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> [(row.tau, round(row.fall), row.failed) for row in summarise(curves)]
    [(1.0, 100, 0)]
    """
    return [_summary(curves, i) for i in range(len(curves.tau))]


def _summary(curves: Curves, i: int) -> Summary:
    with np.errstate(divide="ignore"):
        rows = np.log(curves.errors[i])
    bounds = [_interval(lambda mean, j=j: float(mean[j]), rows) for j in range(rows.shape[1])]  # type: ignore[misc]
    low, high = np.exp(np.array(bounds)).T
    fall = _interval(lambda mean: float(mean[0] - mean[-1]), rows)
    proportion = _interval(lambda mean: math.log(needed(curves.P, mean)), rows)
    mean = rows.mean(axis=0)
    ratio = curves.joint[i] / curves.errors[i]
    known = ratio[np.isfinite(ratio)]
    return Summary(
        curves.label,
        curves.tau[i],
        curves.P,
        error=np.exp(mean),
        low=low,
        high=high,
        fall=_exp(float(mean[0] - mean[-1])),
        fall_low=_exp(fall[0]),
        fall_high=_exp(fall[1]),
        needed=needed(curves.P, mean),
        needed_low=_exp(proportion[0]),
        needed_high=_exp(proportion[1]),
        joint=float(np.median(known)) if known.size else math.nan,
        failed=int(np.count_nonzero(~np.isfinite(rows))),
    )


def _exp(x: float) -> float:
    return math.inf if x > _LARGEST_LOG else math.exp(x)


def _interval(statistic: Callable[[Array], float], rows: Array) -> tuple[float, float]:
    """Jackknife where every entry is finite, else NaN for both ends."""
    low, high = jackknife_interval(statistic, rows)
    return (low, high) if math.isfinite(low + high) else (math.nan, math.nan)


@dataclass(frozen=True)
class Sharpening:
    """Whether the transition is sharper at one tau than at a smaller one.

    Attributes
    ----------
    label : Label
        Target, depth and method.
    tau : (float, float)
        The two scales, the smaller first.
    low, high : float
        Interval for the change of log P_90 from the smaller to the greater: below 0, the transition
        is sharper at the greater.
    confidence : float
        Its level.

    Examples
    --------
    >>> Sharpening(Label("rkhs", 2, "adam"), (1.0, 3.0), low=-1.2, high=-0.4).verdict
    'sharper'
    """

    label: Label
    tau: tuple[float, float]
    low: float
    high: float
    confidence: float = CONFIDENCE

    @property
    def verdict(self) -> str:
        """Return "sharper", "not sharper" or "undecided"."""
        if self.high < 0:
            return "sharper"
        return "not sharper" if self.low > 0 else "undecided"


def sharpening(curves: Curves) -> list[Sharpening]:
    """Compare neighbouring taus, and the least with the greatest, paired over the seeds.

    Examples
    --------
    The error at tau = 3 falls at smaller P than at tau = 1, with every seed:

    >>> late = [[1.0, 0.5, 0.01], [0.9, 0.45, 0.009]]
    >>> early = [[1.0, 0.02, 0.01], [0.9, 0.018, 0.009]]
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0, 3.0), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([late, early]), standard_errors=np.zeros((2, 2, 3)),
    ...     joint=np.full((2, 2, 3), np.nan),
    ...     heights=np.zeros((2, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> (change,) = sharpening(curves)
    >>> change.tau, change.verdict
    ((1.0, 3.0), 'sharper')
    """
    found = []
    p = len(curves.P)
    pairs = [(i, i + 1) for i in range(len(curves.tau) - 1)]
    if len(pairs) > 1:
        pairs.append((0, len(curves.tau) - 1))
    for i, j in pairs:
        with np.errstate(divide="ignore"):
            rows = np.log(np.hstack([curves.errors[i], curves.errors[j]]))

        def change(mean: Array) -> float:
            return math.log(needed(curves.P, mean[p:]) / needed(curves.P, mean[:p]))

        low, high = _interval(change, rows)
        found.append(Sharpening(curves.label, (curves.tau[i], curves.tau[j]), low, high))
    return found
