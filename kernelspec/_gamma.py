"""Ratios of Gamma functions without the cancellation of differences of log-Gamma."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["half_step", "log_symmetric_ratio"]

# 2 E_{2i} / (4^{2i+1} 2i) with the Euler numbers E_2, E_4, ...
_HALF_STEP_SERIES = [
    2 * euler / (4 ** (2 * i + 1) * 2 * i)
    for i, euler in enumerate((-1, 5, -61, 1385, -50521, 2702765, -199360981), start=1)
]
# B_{2i}(1/2) / (2i (2i-1)): Stirling's series of log Gamma(x + 1/2) in powers x^{1-2i}
_STIRLING_HALF = (
    -1 / 24,
    7 / 2880,
    -31 / 40320,
    127 / 215040,
    -511 / 608256,
    1414477 / 738017280,
    -8191 / 1277952,
)


def half_step(x: float) -> float:
    r"""Return Gamma(x) / Gamma(x + 1/2) for x > 0.

    Series in 1/w^2, w = x - 1/4, after raising x by h(x) = h(x+1) (x+1/2)/x.
    """
    raised = 1.0
    while x < 20:
        raised *= (x + 0.5) / x
        x += 1
    w = x - 0.25
    series = sum(c * w ** (-2 * i) for i, c in enumerate(_HALF_STEP_SERIES, start=1))
    return raised * math.exp(series) / math.sqrt(w)


def log_symmetric_ratio(kappa: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    r"""Return log Gamma(kappa + a + 1/2) - log Gamma(kappa - a + 1/2).

    Written around the midpoint, so that the large equal parts never appear. The error is below
    1e-15 of the larger of the two terms a log(kappa) and 1 as long as kappa - |a| >= 20.
    """
    ratio = a / kappa
    upper, lower = kappa + a, kappa - a
    result = a * np.log(upper * lower) + 2 * kappa * (np.arctanh(ratio) - ratio)
    for i, c in enumerate(_STIRLING_HALF, start=1):
        result = result + c * (upper ** (1 - 2 * i) - lower ** (1 - 2 * i))
    return np.asarray(result)
