r"""What is proved in docs/derivations/three-layer.md, as numbers. Every error here is *squared*."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.sphere import gegenbauer, multiplicity
from validation.three_layer.block import Block, unit_directions
from validation.three_layer.target import RidgeSum

__all__ = ["additive_floor", "error_bound", "fixed_features_floor", "spline_error"]

Array = NDArray[np.float64]

_RANK = 1e-10  # relative eigenvalue of a Gram matrix below which directions count as dependent


def error_bound(target: RidgeSum, block: Block) -> float:
    r"""Upper bound of the squared L2 error with all r directions right.

    .. math:: \Bigl(\sum_i \|G_i''\|_\infty\Bigr)^2 \Bigl(\frac{h^2}{8}
        + e^{-R^2/4}\sqrt{12 R^{-4} + 6hR^{-3} + h^2R^{-2}}\Bigr)^2,

    the second term only where R < sqrt(d): Theorem 1. With R^2 <= 8 log M, it is at most a number
    without d times :math:`(\log M/M^2)^2`.

    Parameters
    ----------
    target : RidgeSum
        f.
    block : Block
        The second layer.

    Examples
    --------
    >>> from validation.three_layer import wave_target
    >>> f = wave_target(10, 4, 2.0, rng=0)
    >>> round(error_bound(f, Block(10, 8)) / error_bound(f, Block(10, 16)), 6)
    16.0
    """
    h, R = block.spacing, block.half_range
    reach = h**2 / 8
    if math.sqrt(block.d) > R:
        tail = 12 / R**4 + 6 * h / R**3 + h**2 / R**2
        reach += math.exp(-(R**2) / 4) * math.sqrt(tail)
    return float((sum(G.curvature for G in target.profiles) * reach) ** 2)


def spline_error(target: RidgeSum, block: Block) -> float:
    r"""Leading term of the squared L2 error with all r directions right.

    .. math:: \frac{h^4}{720} \sum_i E\, G_i''(s_i)^2,

    Theorem 2: exact to first order as h -> 0, for linearly independent directions, r < d, d >= 3.

    Parameters
    ----------
    target : RidgeSum
        f.
    block : Block
        The second layer.

    Examples
    --------
    >>> from validation.three_layer import wave_target
    >>> f = wave_target(10, 4, 2.0, rng=0)
    >>> spline_error(f, Block(10, 32)) < error_bound(f, Block(10, 32))
    True
    """
    return float(block.spacing**4 / 720 * sum(G.mean_square_curvature for G in target.profiles))


def additive_floor(target: RidgeSum, U: ArrayLike) -> float:
    r"""Squared L2 distance of the target from all sums of functions of u_l.x.

    .. math:: \sum_k \bigl[ g_k^T P_k(VV^T) g_k
        - g_k^T P_k(VU^T) P_k(UU^T)^{+} P_k(UV^T) g_k \bigr],

    V the target's directions, g_k its amplitudes of degree k: Theorem 3. No block of any size does
    better behind these first-layer neurons.

    Parameters
    ----------
    target : RidgeSum
        f.
    U : array_like, shape (n, d)
        First-layer directions.

    Raises
    ------
    ValueError
        If the shape does not fit or a direction is 0.

    Examples
    --------
    >>> from validation.three_layer import wave_target
    >>> f = wave_target(10, 4, 2.0, rng=0)
    >>> additive_floor(f, f.centres) < 1e-12 < additive_floor(f, f.centres[:3])
    True
    """
    U = unit_directions(U, target.d)
    g = target.amplitudes()
    K = len(g) - 1
    between = gegenbauer(target.d, K, np.clip(U @ target.centres.T, -1, 1))
    among = gegenbauer(target.d, K, np.clip(U @ U.T, -1, 1))
    seen = np.einsum("kli,ki->kl", between, g)
    values, vectors = np.linalg.eigh(among)
    keep = values > _RANK * values[:, -1:]
    parts = np.einsum("klj,kl->kj", vectors, seen) ** 2
    captured = np.where(keep, parts / np.where(keep, values, 1.0), 0.0).sum(axis=1)
    return float(np.maximum(target.energies - captured, 0.0).sum())


def fixed_features_floor(target: RidgeSum, n: int) -> float:
    r"""Least mean squared L2 error that n features fixed in advance leave.

    The mean is over a uniform rotation of the target. The n features span at most n dimensions, the
    rotated target has the covariance sum_k (e_k/N_k) Pi_k, e_k its energy of degree k, so the mean
    is at least the sum of all but the n largest of its eigenvalues: Theorem 3. Two-layer random
    features, and a three-layer network with an untrained first layer, are of this kind.

    Parameters
    ----------
    target : RidgeSum
        f.
    n : int
        Dimension of the span, >= 0; a constant counts as one.

    Raises
    ------
    ValueError
        If n is no count.

    Examples
    --------
    >>> from validation.three_layer import wave_target
    >>> f = wave_target(10, 4, 2.0, rng=0)
    >>> [round(fixed_features_floor(f, n) / f.squared_norm, 2) for n in (0, 133, 5000)]
    [1.0, 0.59, 0.02]
    """
    n = _checks.count("n", n, 0)
    energies = target.energies
    counts = np.asarray(multiplicity(target.d, np.arange(energies.size)), dtype=np.float64)
    order = np.argsort(-energies / counts, kind="stable")
    before = np.cumsum(counts[order]) - counts[order]
    taken = np.clip(n - before, 0.0, counts[order])
    return float((energies[order] * (1 - taken / counts[order])).sum())
