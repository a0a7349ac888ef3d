"""Intervals for what random draws show: a share, a mean, a function of means."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["CONFIDENCE", "jackknife_interval", "mean_interval", "share_interval"]

CONFIDENCE = 0.99

Array = NDArray[np.float64]


def share_interval(
    fewest: int, most: int, draws: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the Clopper-Pearson interval for a probability, from independent draws.

    Its ends are quantiles of beta laws, so it errs on the wide side for every number of draws.

    Parameters
    ----------
    fewest, most
        The number of successes, between which it lies: equal unless some draws are undecided.
    draws
        The number of draws, >= 1.
    confidence
        The probability with which the interval holds the true share.

    Raises
    ------
    ValueError
        Unless 0 <= fewest <= most <= draws and draws >= 1.

    Examples
    --------
    >>> [round(end, 4) for end in share_interval(0, 0, 52)]
    [0.0, 0.0969]
    """
    if not (0 <= fewest <= most <= draws and draws >= 1):
        raise ValueError(
            f"fewest, most, draws = {(fewest, most, draws)!r} is not allowed: "
            "0 <= fewest <= most <= draws and draws >= 1"
        )
    tail = (1 - confidence) / 2
    low = special.betaincinv(fewest, draws - fewest + 1, tail) if fewest else 0.0
    high = special.betaincinv(most + 1, draws - most, 1 - tail) if most < draws else 1.0
    return float(low), float(high)


def _quantile(draws: int, confidence: float) -> float:
    """Two-sided quantile of Student's t with draws - 1 degrees of freedom."""
    return float(special.stdtrit(draws - 1, (1 + confidence) / 2))


def mean_interval(low: Array, high: Array, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Student's interval for the mean of numbers known to lie between `low` and `high`.

    The interval of the lower ends' mean from below, that of the upper ends' mean from above.

    Parameters
    ----------
    low, high
        One entry a draw, two draws at least.
    confidence
        As for `share_interval`.

    Raises
    ------
    ValueError
        If there are fewer than two draws.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> [round(end, 2) for end in mean_interval(x, x, 0.95)]
    [-0.48, 4.48]
    """
    if low.size < 2:
        raise ValueError(f"low has {low.size} draws, which is not allowed: two at least")
    factor = _quantile(low.size, confidence) / math.sqrt(low.size)
    below = low.mean() - factor * low.std(ddof=1)
    above = high.mean() + factor * high.std(ddof=1)
    return float(below), float(above)


def jackknife_interval(
    statistic: Callable[[Array], float],
    rows: Array,
    error: float = 0.0,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """Return an interval for a function of the column means of independent rows.

    The spread comes from leaving out one row at a time, with Student's quantile. To it is added, to
    first order, what the function may change if each mean is off by `error`.

    Parameters
    ----------
    statistic
        Function of the vector of means; nearly linear over the spread of the means.
    rows
        One row a draw, shape (draws, n), two draws at least.
    error
        Largest error of an entry, alike for all.
    confidence
        As for `share_interval`.

    Raises
    ------
    ValueError
        If there are fewer than two draws.

    Examples
    --------
    For a linear function it is Student's interval.

    >>> x = np.array([[1.0], [2.0], [3.0]])
    >>> [round(end, 2) for end in jackknife_interval(lambda mean: mean[0], x, confidence=0.95)]
    [-0.48, 4.48]
    """
    draws = len(rows)
    if draws < 2:
        raise ValueError(f"rows has {draws} draws, which is not allowed: two at least")
    mean = rows.mean(axis=0)
    centre = statistic(mean)
    left_out = np.array([statistic((draws * mean - row) / (draws - 1)) for row in rows])
    spread = math.sqrt((draws - 1) / draws * float(((left_out - left_out.mean()) ** 2).sum()))
    steps = error * np.eye(mean.size)
    change = sum(
        max(abs(statistic(mean + step) - centre), abs(statistic(mean - step) - centre))
        for step in steps
    )
    reach = _quantile(draws, confidence) * spread + change
    return float(centre - reach), float(centre + reach)
