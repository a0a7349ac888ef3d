r"""Fit a power with a finite-size correction, without knowing which.

A spectrum that decays as a power reaches it with a correction that fades as a power of N:

.. math:: \log\lambda = a - \alpha \log N + b\,N^{-\rho}.

On a closed manifold of dimension m it is rho = 2/m, with a boundary rho = 1/m, after a shift of
ranks rho = 1 (Weyl's law). No sample tells rho; so all of `CORRECTIONS` are fitted, b free in each,
on several windows, and the estimate is their mixture: its spread is what not knowing rho costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

__all__ = ["CORRECTIONS", "Fits", "design", "fit_line", "mixture_quantile"]

Array = NDArray[np.float64]

CORRECTIONS: Final = (0.4, 0.5, 2 / 3, 1.0, 2.0, 4.0)
"""Powers rho of the correction, from a closed manifold of dimension 5 to next to none at all."""


@dataclass(frozen=True)
class Fits:
    """One fit for each correction on one window.

    Attributes
    ----------
    start : int
        First point of the window; the last is the last of the curve.
    alpha, error : ndarray
        Estimates and their standard errors, shape (r,).
    freedom : float
        Degrees of freedom of the errors.
    acceptable : bool
        Whether the residuals of the best fit look like noise.

    Examples
    --------
    Two corrections, of which the first leaves the exponent less certain:

    >>> fits = Fits(0, np.array([2.4, 2.5]), np.array([0.2, 0.1]), freedom=8.0, acceptable=True)
    >>> freedom = np.full(2, fits.freedom)
    >>> [round(mixture_quantile(fits.alpha, fits.error, freedom, q), 2) for q in (0.1, 0.5, 0.9)]
    [2.21, 2.47, 2.65]
    """

    start: int
    alpha: Array
    error: Array
    freedom: float
    acceptable: bool


def design(x: Array, rho: float) -> Array:
    """Return the columns 1, -x and exp(-rho (x - last x)), shape (g, 3).

    Examples
    --------
    >>> design(np.array([0.0, 1.0]), rho=2.0).round(3)
    array([[ 1.   , -0.   ,  7.389],
           [ 1.   , -1.   ,  1.   ]])
    """
    return np.stack([np.ones_like(x), -x, np.exp(-rho * (x - x[-1]))], axis=1)


def fit_line(x: Array, y: Array) -> float:
    """Slope of log-log regression, with its sign turned.

    Examples
    --------
    >>> log_rank = np.log([1.0, 2.0, 4.0])
    >>> round(fit_line(log_rank, 1 - 2.5 * log_rank), 12)
    2.5
    """
    centred = x - x.mean()
    return -float(centred @ y) / float(centred @ centred)


def mixture_quantile(alpha: Array, error: Array, freedom: Array, q: float) -> float:
    """Quantile of an equal mixture of shifted and scaled Student distributions, by bisection.

    Examples
    --------
    Two estimates that exclude each other are both inside the interval of their mixture:

    >>> alpha, error, freedom = np.array([2.0, 3.0]), np.array([0.1, 0.1]), np.array([8.0, 8.0])
    >>> [round(mixture_quantile(alpha, error, freedom, q), 2) for q in (0.025, 0.5, 0.975)]
    [1.81, 2.5, 3.19]
    """
    scale = np.maximum(error, 1e-300)
    each = alpha + scale * stdtrit(freedom, q)  # the mixture's quantile lies between these
    low, high = float(each.min()), float(each.max())
    for _ in range(50):
        middle = (low + high) / 2
        if np.mean(stdtr(freedom, (middle - alpha) / scale)) < q:
            low = middle
        else:
            high = middle
    return (low + high) / 2
