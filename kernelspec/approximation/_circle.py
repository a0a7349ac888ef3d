"""On the circle, features are smooth between their kinks: an isometry to rounding, without Gram.

Gauss nodes on every arc between neighbouring kinks turn the L2 norm into a sum of squares that is
exact to rounding for all combinations of the features. The QR factor of the sampled features then
sees nearly dependent neurons twice as deep as a Gram matrix, whose entries square small numbers.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, qr, solve_triangular, svd

from kernelspec.approximation.hyperspherical import harmonic_basis
from kernelspec.harmonics import kink_angle, squared_norm

__all__ = ["circle_factor", "circle_samples", "coordinate_error", "sample_count"]

Array = NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)
_LONGEST: Final = 0.125  # arc, times s, on which products of features are polynomials to rounding
_ENTRIES: Final = 1 << 17  # entries handled at a time
_COORDINATE_ERROR: Final = 4.0  # of a unit feature, in units of eps over the sine of its cap
_USABLE: Final = 1e3  # a singular value is usable if it exceeds this many rounding errors


def _nodes(s: int) -> int:
    """Nodes on an arc: on a small cap a squared feature is (a^2 - x^2)^{2s} (1 + O(a^2))."""
    return 2 * s + 3


def sample_count(s: int, n: int) -> int:
    """Count the nodes for n neurons."""
    return _nodes(s) * (2 * n + math.ceil(2 * math.pi * max(1, s) / _LONGEST))


def circle_samples(s: int, U: Array, b: Array) -> tuple[Array, Array, Array]:
    """Sample unit features so that sums of squares are squared norms.

    Parameters
    ----------
    s : int
        Order.
    U : ndarray, shape (n, 2)
        Directions.
    b : ndarray, shape (n,)
        Heights, |b| < 1/sqrt(2).

    Returns
    -------
    values : ndarray, shape (M, n)
        Features over their norms, at nodes, times the roots of the weights.
    points : ndarray, shape (M, 2)
        Nodes.
    root : ndarray, shape (M,)
        Roots of the weights.
    """
    centre, angle = np.arctan2(U[:, 1], U[:, 0]), kink_angle(b)
    kinks = np.mod(np.concatenate([centre - angle, centre + angle]), 2 * math.pi)
    regular = np.arange(0.0, 2 * math.pi, _LONGEST / max(1, s))
    ends = np.sort(np.concatenate([kinks, regular]))
    half = np.diff(ends, append=ends[0] + 2 * math.pi) / 2
    x, weight = np.polynomial.legendre.leggauss(_nodes(s))
    theta = (ends[:, None] + half[:, None] * (1 + x)).ravel()
    root = np.sqrt(np.outer(half, weight).ravel() / (2 * math.pi))
    points = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    scale = (2 * np.sqrt((1 - b) * (1 + b))) ** s / np.sqrt(squared_norm(2, s, b))
    values = np.empty((theta.size, b.size))
    for rows in np.array_split(np.arange(theta.size), 1 + theta.size * b.size // _ENTRIES):
        offset = theta[rows, None] - centre
        half_offset = np.abs(np.remainder(offset + math.pi, 2 * math.pi) - math.pi) / 2
        # |w| (cos(offset) - cos(angle)) as a product keeps its digits on small caps
        if s == 0:
            ramp = (half_offset < angle / 2).astype(np.float64)
        else:
            inside = np.maximum(angle / 2 - half_offset, 0.0)
            ramp = (np.sin(angle / 2 + half_offset) * np.sin(inside)) ** s
        values[rows] = ramp * scale * root[rows, None]
    return values, points, root


def coordinate_error(b: Array) -> float:
    """Allow for the rounding errors of the coordinates of unit features, in spectral norm.

    A rounding error in the angle of a kink counts relative to the angle of the smaller cap.
    """
    return _COORDINATE_ERROR * _EPS * float(np.linalg.norm(1 / np.sin(kink_angle(-np.abs(b)))))


def circle_factor(
    s: int, U: Array, b: Array, P: Array, C: Array
) -> tuple[Array, bool, float, float, int]:
    """Orthonormalise neurons on the circle against polynomials P and among themselves.

    Returns what `_span._factor` does: factor, whether triangular, allowance for the Gram matrix
    (none: 0), lower bound of its least eigenvalue in use, directions left out.
    """
    n = b.size
    if n == 0:
        return np.zeros((0, 0)), True, 0.0, 1.0, 0
    values, points, root = circle_samples(s, U, b)
    if C.shape[0]:
        harmonics = np.concatenate(harmonic_basis(points, s)).T * root[:, None]
        values -= (harmonics @ P) @ C
    floor = _USABLE * coordinate_error(b)
    R = _cholesky_qr(values.copy())
    if R is not None:
        inverse, info = lapack.dtrtri(R)
        least = 1 / float(np.linalg.norm(inverse)) if info == 0 else 0.0
        if least > floor:  # the Frobenius norm bounds the spectral norm
            return R, True, 0.0, least**2, 0
    _, singular, right = svd(qr(values, mode="r", overwrite_a=True)[0][:n])
    keep = singular > floor
    factor = right[keep].T / singular[keep]
    least = float(singular[keep].min(initial=np.inf))
    return factor, False, 0.0, least**2, int(np.count_nonzero(~keep))


def _cholesky_qr(values: Array) -> Array | None:
    """Triangular R with values R^{-1} orthonormal, None where a Cholesky factor breaks down.

    A shifted Cholesky factor of the Gram matrix leaves a well-conditioned matrix, whose own Gram
    matrix gives the rest (Fukaya, Kannan, Nakatsukasa, Yamamoto & Yanagisawa, SIAM J. Sci. Comput.
    42, 2020). Nearly all the work is matrix products, several times faster than Householder's QR.
    """
    n = values.shape[1]
    R: Array = np.eye(n)
    for shift in (4 * n * _EPS, 0.0, 0.0):
        G = values.T @ values
        G[np.diag_indices(n)] += shift
        step, info = lapack.dpotrf(G, clean=1)
        if info != 0:
            return None
        step = np.triu(step)
        R = np.asarray(step @ R)
        if shift == 0.0 and float(step.diagonal().min()) > 0.1:
            break  # the step was well conditioned: R has full relative accuracy
        values = solve_triangular(step, values.T, trans=1, overwrite_b=True).T
    return R
