r"""What a sample says about the supremum it was drawn below.

The maximum of M draws never exceeds the supremum, and how far it stays behind is written in the
largest of them. Two readings, both of the M values in decreasing order x_1 >= x_2 >= ...:

* growth: log x_1 minus the mean of the log of the maximum of a random half, in which x_r is the
  largest with probability 2^-r. So much did the last doubling of the pool add.
* the tail index gamma of extreme value theory, by the moment estimator of Dekkers, Einmahl and de
  Haan (Ann. Statist. 17, 1989): with M_j the mean j-th power of log x_i - log x_(k+1) over i <= k,

  .. math:: \gamma = M_1 + 1 - \frac{1/2}{1 - M_1^2/M_2}, \qquad
            x^* = x_{k+1} + \frac{x_{k+1} M_1 (1 - \gamma)}{-\gamma} \text{ for } \gamma < 0.

  gamma >= 0 means that no finite endpoint x* is in sight. A smooth maximum in the interior of a
  p-dimensional set of neurons has gamma = -2/p: in high dimension hardly any draw comes near it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Extremes", "extremes"]

Array = NDArray[np.float64]

_FEWEST: Final = 20  # largest values below which no tail is fitted


@dataclass(frozen=True)
class Extremes:
    """What the largest values of a sample say of its supremum.

    Attributes
    ----------
    growth : float
        What the last doubling of the sample added to the log of its maximum.
    tail_index : float
        gamma; NaN where the sample is too small to fit.
    tail_error : float
        Its asymptotic standard error.
    endpoint : float
        Estimate of the supremum, at least the maximum; inf for gamma >= 0, NaN where not fitted.

    Examples
    --------
    Values with a heavy tail have no end in sight; 1/u for u uniform on (0, 1) has tail index 1:

    >>> found = extremes(1 / ((np.arange(1000) + 0.5) / 1000))
    >>> round(found.tail_index), found.endpoint
    (1, inf)
    """

    growth: float
    tail_index: float
    tail_error: float
    endpoint: float


def extremes(values: Array) -> Extremes:
    """Read growth, tail index and endpoint off nonnegative values, at least one positive.

    Examples
    --------
    Uniform numbers have gamma = -1 and endpoint 1:

    >>> found = extremes((np.arange(1000) + 0.5) / 1000)
    >>> round(found.growth, 4), round(found.tail_index), round(found.endpoint, 2)
    (0.001, -1, 1.0)
    """
    x = np.sort(values[values > 0])[::-1]
    log = np.log(x)
    chance = 0.5 ** np.arange(1, min(len(x), 60) + 1)
    growth = float(np.sum(chance * (log[0] - log[: len(chance)])))
    k = min(int(2 * math.sqrt(values.size)), values.size // 5, len(x) - 1)
    if k < _FEWEST or log[0] == log[k]:
        flat = len(x) > _FEWEST and log[0] == log[min(k, len(x) - 1)]
        return Extremes(growth, math.nan, math.nan, float(x[0]) if flat else math.nan)
    excess = log[:k] - log[k]
    first, second = float(excess.mean()), float((excess**2).mean())
    gamma = first + 1 - 0.5 / (1 - first * first / second)
    endpoint = math.inf
    if gamma < 0:
        endpoint = max(float(x[0]), float(x[k]) * (1 + first * (1 - gamma) / -gamma))
    return Extremes(growth, gamma, _moment_error(gamma) / math.sqrt(k), endpoint)


def _moment_error(g: float) -> float:
    """Asymptotic standard deviation of sqrt(k) (estimate - gamma)."""
    if g >= 0:
        return math.sqrt(1 + g * g)
    bracket = 4 - 8 * (1 - 2 * g) / (1 - 3 * g)
    bracket += (5 - 11 * g) * (1 - 2 * g) / ((1 - 3 * g) * (1 - 4 * g))
    return math.sqrt((1 - g) ** 2 * (1 - 2 * g) * bracket)
