"""Intervals by profile likelihood: how far one parameter may go while the others follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from scipy.optimize import brentq

from validation.fits.curve import ALPHA, HIGHEST_ALPHA, RATIO, SHARE, Curve, Solution

__all__ = ["Reach", "profile_interval"]

_FIRST_STEP: Final = 0.02
_GROWTH: Final = 1.7
_CLOSE: Final = 5e-4  # on the scale of logarithms


@dataclass(frozen=True)
class Reach:
    """Ends of the interval of one parameter, as fitted, and whether the data set them.

    Attributes
    ----------
    low, high : float
        Ends. Infinite, or the end of the parameter's range, where the data set none.
    low_open, high_open : bool
        Whether the profile stays under the threshold as far as the parameter can go.

    Examples
    --------
    >>> Reach(low=1.2, high=1.9, low_open=False, high_open=True).high_open
    True
    """

    low: float
    high: float
    low_open: bool
    high_open: bool


def profile_interval(curve: Curve, best: Solution, place: int, threshold: float) -> Reach:
    """Find where the least sum of squares with one parameter held passes the threshold.

    Parameters
    ----------
    curve : Curve
        The data.
    best : Solution
        The fit.
    place : int
        The parameter.
    threshold : float
        Sum of squares over the means, above that of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.linspace(0, 1, 7)
    >>> truth = np.array([0.0, math.log(2.0), 0.0, math.log(5.0)])
    >>> target, _ = Curve(P, np.zeros((1, 7))).evaluate(truth)
    >>> curve = Curve(P, target, held={SHARE: 0.0})
    >>> best = curve.minimise_from_all()
    >>> found = profile_interval(curve, best, ALPHA, threshold=best.rss + 1e-3)
    >>> found.low < math.log(2) < found.high, found.low_open, found.high_open
    (True, False, False)
    """
    low, low_open = _side(curve, best, place, threshold, -1)
    high, high_open = _side(curve, best, place, threshold, 1)
    return Reach(low, high, low_open, high_open)


def _side(
    curve: Curve, best: Solution, place: int, threshold: float, sign: int
) -> tuple[float, bool]:
    """Step away from the fit, each step longer than the last, then close in."""
    limit = curve.bounds(place)[0 if sign < 0 else 1]
    here, last = float(best.theta[place]), best

    def held(value: float) -> Solution:
        return curve.holding(place, value).minimise(last.theta)

    step = _FIRST_STEP
    while True:
        there = here + sign * step
        if sign * (there - limit) >= 0:
            there = limit
        found = held(there)
        if found.rss > threshold:
            break
        if there == limit:
            return (limit, not (place == SHARE and sign < 0))
        here, last, step = there, found, step * _GROWTH
    end = float(brentq(lambda value: held(value).rss - threshold, here, there, xtol=_CLOSE))
    # As alpha grows and rho falls to 1, curves tend to an exponential in P: an end that only the
    # range of alpha sets is none, and rho reaches 1.
    at_cap = held(end).theta[ALPHA] > math.log(HIGHEST_ALPHA) - 1e-3
    if place >= RATIO and sign * best.theta[place] < 0 and at_cap and ALPHA not in curve.held:
        return 0.0, True
    return end, False
