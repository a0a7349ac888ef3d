"""Place trainable neurons one after another where they lower the error most."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orth

__all__ = ["greedy_choice"]

Array = NDArray[Any]

SPENT: Final = 1e-8  # of a feature's squared norm: less is left outside the span


def greedy_choice(fixed: Array, pool: Array, y: Array, count: int) -> NDArray[np.intp]:
    r"""Choose features from a pool so that they and the fixed ones fit the values best, greedily.

    Orthogonal matching pursuit, with the choice of orthogonal least squares (Chen, Billings & Luo,
    Int. J. Control 50, 1989): at each step the feature that lowers the squared residual of the
    least-squares fit most,

    .. math:: \max_j \frac{\langle r, \phi_j\rangle^2}{|(I - \Pi)\phi_j|^2},

    with r the residual and Pi the projection on the span so far.

    Parameters
    ----------
    fixed : ndarray, shape (n, m)
        Features that are there anyway; may be linearly dependent.
    pool : ndarray, shape (n, N)
        Features to choose from.
    y : ndarray, shape (n,)
        Values to fit.
    count : int
        How many to choose, at most N.

    Returns
    -------
    ndarray of int, shape (count,)
        Columns of the pool in the order of their choice. Once nothing in the pool lies outside the
        span, the columns not yet chosen follow in their order.

    Raises
    ------
    ValueError
        If `count` exceeds the size of the pool.

    Examples
    --------
    >>> pool = np.eye(3)
    >>> greedy_choice(np.zeros((3, 0)), pool, np.array([1.0, 3.0, 2.0]), 2)
    array([1, 2])
    """
    n, N = pool.shape
    if not 0 <= count <= N:
        raise ValueError(f"count = {count!r} is not allowed: an integer from 0 to {N}")
    basis = np.zeros((n, 0))
    if fixed.size and np.any(fixed):
        norm = np.sqrt(np.einsum("ij,ij->j", fixed, fixed))
        basis = orth(fixed / np.where(norm > 0, norm, 1.0))
    span = np.zeros((n, basis.shape[1] + count))
    span[:, : basis.shape[1]] = basis
    used = basis.shape[1]
    residual = y - basis @ (basis.T @ y)
    inner = pool.T @ residual
    total = np.einsum("ij,ij->j", pool, pool)
    left = total - np.einsum("ij,ij->j", basis.T @ pool, basis.T @ pool)
    chosen: list[int] = []
    free = np.ones(N, dtype=bool)
    for _ in range(count):
        open_ = free & (left > SPENT * total)
        if not open_.any():
            break
        gain = np.where(open_, inner**2 / np.where(open_, left, 1.0), -1.0)
        j = int(np.argmax(gain))
        direction = pool[:, j] - span[:, :used] @ (span[:, :used].T @ pool[:, j])
        direction -= span[:, :used] @ (span[:, :used].T @ direction)  # once more, for rounding
        direction /= np.sqrt(direction @ direction)
        span[:, used] = direction
        used += 1
        step = pool.T @ direction
        inner -= step * (direction @ residual)
        residual = residual - direction * (direction @ residual)
        left = np.maximum(left - step**2, 0.0)
        free[j] = False
        chosen.append(j)
    rest = np.flatnonzero(free)[: count - len(chosen)]
    return np.concatenate([np.array(chosen, dtype=np.intp), rest.astype(np.intp)])
