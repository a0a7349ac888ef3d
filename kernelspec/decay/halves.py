r"""Fit a curve with its sampling error from halves, whichever correction it has.

Halves of the sample see twice the ratio N/n and hence four times the remaining bias (N/n)^2, so a
third of what they differ from the whole is its own: it is taken off, and the curve ends where it
exceeds `LARGEST_CORRECTION`. The difference of the two halves gives the standard error of each fit
(:mod:`kernelspec.decay.fit`), and of its residuals. The variance of a fit falls between n^-1
(linear statistics) and n^-2 (spectral ones); n^-3/2 is taken.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.decay.curve import STEP, trusted
from kernelspec.decay.fit import CORRECTIONS, Fits, design
from kernelspec.decay.judge import ends_early, judge
from kernelspec.decay.result import DecayEstimate

__all__ = ["LARGEST_CORRECTION", "from_halves"]

Array = NDArray[np.float64]

LARGEST_CORRECTION: Final = 0.01
"""In log lambda: where halving the sample moves the curve more, the window ends."""

# N this small cannot tell a slower correction from another exponent
_CORRECTIONS: Final = tuple(rho for rho in CORRECTIONS if rho > 0.6)
_OCTAVES: Final = (1.0, 1.5, 2.0, 2.5, 3.0)  # windows end at the top and reach down that far
_LEAST_N: Final = 14.0
_NOISE: Final = 2.0  # residuals up to this multiple of their noise are noise
_NEGLIGIBLE: Final = 3e-4  # residuals of log lambda that no interval here can see
_HALVED: Final = 4 * math.sqrt(2)  # E (A-B)^2 over the variance of the whole: 4 (1/n) to 8 (1/n^2)


def _windows(x: Array) -> list[int]:
    """First points of the windows, the narrowest first."""
    starts = [x.size - 1 - round(octaves * math.log(2) / STEP) for octaves in _OCTAVES]
    return [start for start in starts if start >= 0 and x[start] >= math.log(_LEAST_N)]


def _fit(x: Array, y: Array, difference: Array, start: int) -> Fits:
    x, y, difference = x[start:], y[start:], difference[:, start:]
    alpha, error, noise_like = [], [], False
    for rho in _CORRECTIONS:
        columns = design(x, rho)
        solve = np.linalg.pinv(columns)
        remove = np.eye(x.size) - columns @ solve
        sampling = float(np.mean((difference @ solve[1]) ** 2)) / _HALVED
        noise = float(np.mean((difference @ remove) ** 2)) / _HALVED
        misfit = float(np.mean((remove @ y) ** 2))
        # residuals of a smooth curve hang together: count every fourth point
        systematic = 4 * max(misfit - noise, 0.0) * float(solve[1] @ solve[1])
        alpha.append(float(solve[1] @ y))
        error.append(math.sqrt(sampling + systematic))
        noise_like |= misfit <= max(_NOISE**2 * noise, _NEGLIGIBLE**2)
    return Fits(start, np.array(alpha), np.array(error), float(difference.shape[0]), noise_like)


def from_halves(
    whole: Array, halves: Array, log_n: Array, points: int, method: str
) -> DecayEstimate:
    """Estimate from the curve of the sample, shape (g,), and of its halves, shape (S, 2, g).

    Examples
    --------
    A power of exponent 2, with halves that say how much of it is noise:

    >>> rng = np.random.default_rng(0)
    >>> log_n = np.log(np.geomspace(2, 256, 29))
    >>> whole = -2 * log_n + 1e-3 * rng.standard_normal(29)
    >>> halves = -2 * log_n + 2e-3 * rng.standard_normal((8, 2, 29))
    >>> found = from_halves(whole, halves, log_n, 1024, "halves")
    >>> found.verdict, found.low < 2 < found.high
    ('power law', True)
    """
    correction = (whole - halves.mean(axis=(0, 1))) / 3
    y = whole + correction
    stop = trusted(y, correction, LARGEST_CORRECTION)
    x, y, difference = log_n[:stop], y[:stop], (halves[:, 0] - halves[:, 1])[:, :stop]
    starts = _windows(x) if stop else []
    if not starts:
        return ends_early(stop, method, points, log_n, whole)
    return judge([_fit(x, y, difference, start) for start in starts], x, y, method, points)
