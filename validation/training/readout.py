"""The readout of a trained network, solved again by least squares before an error is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

__all__ = ["Readout", "solve_readout"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Readout:
    """A least-squares readout.

    Attributes
    ----------
    coefficients : ndarray, shape (m,)
        Outer weights.
    rank : int
        Numerical rank of the features.
    error : float
        Mean squared residual at the points of the fit.

    Examples
    --------
    >>> H = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> fit = solve_readout(H, np.array([1.0, 3.0, 4.0, 4.0]))
    >>> fit.coefficients.round(12), fit.rank, round(fit.error, 12)
    (array([2., 4.]), 2, 0.5)
    """

    coefficients: Array
    rank: int
    error: float


def solve_readout(H: Array, y: Array) -> Readout:
    r"""Minimise :math:`|y - H c|^2/n`, the smallest c among equals, by singular values in float64.

    As in `kernelspec.least_squares_error`, columns are scaled to unit norm and singular values
    below max(n, m) eps times the largest count as 0. A readout that was trained along with the
    neurons is not at its minimum when training stops, and overstates the error of the features.

    One departure: a neuron that is active at a single point gets no weight. Its coefficient would
    interpolate one value, however faint the neuron is there and strong elsewhere.

    Parameters
    ----------
    H : ndarray, shape (n, m)
        Features at the points of the fit.
    y : ndarray, shape (n,)
        Values to fit.

    Returns
    -------
    Readout
        Coefficients, rank and error; NaN with rank 0 where a feature is not finite.

    Examples
    --------
    >>> fit = solve_readout(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]), np.array([1, 2, 3]))
    >>> fit.rank, round(fit.error, 12)
    (1, 0.666666666667)
    """
    H, y = np.asarray(H, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n, m = H.shape
    if not np.all(np.isfinite(H)):
        return Readout(np.full(m, np.nan), 0, np.nan)
    H = np.where(np.count_nonzero(H, axis=0) > 1, H, 0.0)
    norm = np.sqrt(np.einsum("ij,ij->j", H, H))
    scale = np.where(norm > 0, norm, 1.0)
    cutoff = max(n, m) * np.finfo(np.float64).eps
    solution, _, rank, _ = lstsq(H / scale, y, cond=cutoff, lapack_driver="gelsd")
    coefficients = np.asarray(solution) / scale
    return Readout(coefficients, int(rank), float(np.mean((y - H @ coefficients) ** 2)))
