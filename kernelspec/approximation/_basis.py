"""Harmonics of one degree at a set of directions, with no more rows than directions.

Where the harmonics of a degree outnumber the directions, only their restriction to the span of the
zonal functions of the directions matters; a Cholesky factor of the Gram matrix N_k P_k(u.u') gives
coordinates in it. Some harmonics of that degree are then orthogonal to every direction.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from kernelspec.approximation.hyperspherical import harmonic_basis
from kernelspec.sphere import multiplicity

__all__ = ["DegreeBasis"]

Array = NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)


def _zonal(d: int, k: int, U: Array) -> Array:
    """P_k(u_i.u_j), with three matrices in memory whatever k."""
    t = np.clip(U @ U.T, -1.0, 1.0)
    previous, current = np.zeros_like(t), np.ones_like(t)
    for j in range(k):
        # P_{j+1} = ((2j+d-2) t P_j - j P_{j-1}) / (j+d-2); for d = 2, j = 0 it is t
        previous *= -j / max(j + d - 2, 1)
        previous += ((2 * j + d - 2) / (j + d - 2) if j + d > 2 else 1.0) * (t * current)
        previous, current = current, previous
    return current


class DegreeBasis:
    """Orthonormal coordinates of zonal functions N_k P_k(u.x), degree by degree.

    Parameters
    ----------
    d : int
        Ambient dimension.
    U : ndarray, shape (n, d)
        Directions that matter in every degree.
    extra : ndarray, shape (p, d)
        Directions that matter up to degree `low` only.
    low : int
        That degree.
    max_degree : int
        K.

    Attributes
    ----------
    sizes : ndarray of int, shape (K + 1,)
        Rows of each degree: N(d, k) or the number of directions, whichever is smaller.
    jitter : float
        Largest shift a Cholesky factor needed, relative to the diagonal; the coordinates are known
        up to its square root.
    """

    def __init__(self, d: int, U: Array, extra: Array, low: int, max_degree: int) -> None:
        degrees = np.arange(max_degree + 1)
        count = multiplicity(d, degrees)
        directions = U.shape[0] + np.where(degrees <= low, extra.shape[0], 0)
        self.d, self.low, self.U, self.extra = d, low, U, extra
        self.sizes = np.minimum(count, directions).astype(int)
        short = np.flatnonzero(count > directions)
        top = int(short[0]) - 1 if short.size else max_degree
        self._explicit = harmonic_basis(U, top) if top >= 0 else []
        self._explicit_extra = harmonic_basis(extra, min(top, low)) if top >= 0 else []
        self.jitter = 0.0

    def values(self, k: int) -> Array:
        """Coordinates of N_k P_k(u_i.x), shape (sizes[k], n), or (sizes[k], n + p) for k <= low."""
        if k < len(self._explicit):
            if k > self.low:
                return self._explicit[k]
            return np.concatenate([self._explicit[k], self._explicit_extra[k]], axis=1)
        U = np.concatenate([self.U, self.extra]) if k <= self.low else self.U
        zonal = _zonal(self.d, k, U)
        shift = 0.0
        for attempt in range(8):
            R, info = lapack.dpotrf(zonal + shift * np.eye(U.shape[0]), clean=1)
            if info == 0:
                break
            shift = U.shape[0] * _EPS * 10.0**attempt
        self.jitter = max(self.jitter, shift)
        return np.asarray(np.triu(R) * np.sqrt(float(multiplicity(self.d, k))))
