r"""From the spectrum of a sample to degrees of freedom of the population.

Let :math:`\hat\lambda_i` be the eigenvalues of the Gram matrix divided by n. For every z > 0 the
ridge

.. math:: \lambda(z) = \Bigl(\frac1n\sum_i \frac1{\hat\lambda_i + z}\Bigr)^{-1}
    \quad\text{gives}\quad
    N(\lambda(z)) \approx \sum_i \frac{\hat\lambda_i}{\hat\lambda_i + z}:

the sample at ridge z acts like the population at the greater ridge lambda(z) (the deterministic
equivalent of the sample covariance: Silverstein & Bai, J. Multivariate Anal. 54, 1995; Jacot et
al., NeurIPS 2020). The relation is exact to first order in N/n; what is left is of order (N/n)^2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

__all__ = ["STEP", "half_curves", "levels", "rounding_floor", "sample_curve", "trusted"]

Array = NDArray[np.float64]

STEP: Final = math.log(2) / 4
"""Distance of two points of a curve in log N."""

_RIDGES: Final = 240
_EPS: Final = float(np.finfo(np.float64).eps)


def levels(top: float, bottom: float = 2.0) -> Array:
    """Return log N from about `bottom` to exactly `top`, in steps of a quarter octave.

    Examples
    --------
    >>> np.exp(levels(32.0)).round(2)[-5:]
    array([16.  , 19.03, 22.63, 26.91, 32.  ])
    """
    count = int(max(math.log(top / bottom), 0) / STEP) + 1
    return np.asarray(math.log(top) - STEP * np.arange(count)[::-1])


def rounding_floor(eigenvalues: Array) -> float:
    """Eigenvalues below this are rounding of a symmetric solver.

    Examples
    --------
    >>> rounding_floor(np.array([2.0, 1.0, 0.5])) == 4 * 3 * 2.0 * 2.0**-52
    True
    """
    return 4 * _EPS * eigenvalues.size * float(eigenvalues.max())


def sample_curve(eigenvalues: Array, log_n: Array, *, squared: bool = False) -> Array:
    """Log of the ridge at which the population has N degrees of freedom.

    Parameters
    ----------
    eigenvalues : ndarray
        Of the Gram matrix of n points divided by n, shape (n,).
    log_n : ndarray
        Log N, shape (g,).
    squared : bool, keyword-only
        Take the sum of (mu/(mu+lambda))^2 in place of mu/(mu+lambda): it hardly sees eigenvalues
        far below lambda, so that a spectrum that ends early does not matter.

    Returns
    -------
    ndarray
        Shape (g,); nan where the sample or rounding does not reach N.

    Examples
    --------
    Eigenvalues 1, 1 and 0 give N = 2/(1+z) at lambda(z) = 3z(1+z)/(1+3z):

    >>> z = 0.5
    >>> curve = sample_curve(np.array([1.0, 1.0, 0.0]), np.log([2 / (1 + z)]))
    >>> round(float(np.exp(curve[0])), 3), 3 * z * (1 + z) / (1 + 3 * z)
    (0.9, 0.9)
    """
    floor = rounding_floor(eigenvalues)
    mu = np.maximum(eigenvalues, 0.0)
    z = np.geomspace(10 * mu.max(), max(1e-3 * mu.min(), floor / 10), _RIDGES)
    resolvent = 1 / (mu + z[:, None])
    ridge = 1 / resolvent.mean(axis=1)
    freedom = resolvent @ mu
    if squared:  # sum (mu/(mu+lam))^2 = N + lam dN/dlam
        weight = (resolvent**2).mean(axis=1)
        freedom = freedom - (resolvent**2 @ mu) / (ridge * weight)
    keep = (ridge > 12 * floor) & (freedom > 0)
    rising = np.flatnonzero(
        keep & (freedom > np.concatenate([[0], np.maximum.accumulate(freedom)[:-1]]) * (1 + 1e-12))
    )
    if rising.size < 2:
        return np.full(log_n.shape, np.nan)
    curve = PchipInterpolator(np.log(freedom[rising]), np.log(ridge[rising]), extrapolate=False)
    return np.asarray(curve(log_n))


def half_curves(
    n: int,
    splits: int,
    rng: np.random.Generator,
    curve: Callable[[NDArray[np.int64]], Array],
) -> Array:
    """Split n points in halves `splits` times; curves of both halves, shape (splits, 2, g).

    Examples
    --------
    With the points themselves for a curve, the two halves of each split make up the whole:

    >>> halves = half_curves(4, 3, np.random.default_rng(0), lambda part: np.array(part, float))
    >>> halves.shape, np.unique(np.sort(halves.reshape(3, 4)), axis=0)
    ((3, 2, 2), array([[0., 1., 2., 3.]]))
    """
    halves = []
    for _ in range(splits):
        order = rng.permutation(n)
        halves.append([curve(order[: n // 2]), curve(order[n // 2 : 2 * (n // 2)])])
    return np.array(halves)


def trusted(y: Array, correction: Array, largest: float) -> int:
    """Count the points before the curve is unknown or was corrected by more than `largest`.

    Examples
    --------
    >>> y, correction = np.array([3.0, 2.0, 1.0, np.nan]), np.array([0.001, 0.01, 0.1, 0.0])
    >>> trusted(y, correction, 0.05), trusted(y, correction, 0.2)
    (2, 3)
    """
    good = np.isfinite(y) & (np.abs(correction) <= largest)
    return int(good.size if good.all() else np.argmin(good))
