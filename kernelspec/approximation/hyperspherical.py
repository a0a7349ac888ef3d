r"""An explicit orthonormal basis of the harmonics on S^{d-1}.

With :math:`x = (\sqrt{1-t^2}\,\xi, t)`, :math:`\xi \in S^{d-2}`, the products

.. math::
    Y_{k,j,i}(x) = \sqrt{c_{d+2j}/c_d}\;(1-t^2)^{j/2}\;
    \sqrt{N(d+2j,k-j)}\,P_{k-j}^{(d+2j)}(t)\; Y^{(d-1)}_{j,i}(\xi), \qquad 0 \le j \le k,

are orthonormal for the uniform probability measure (Müller, *Spherical Harmonics*, 1966, §11); the
circle starts the recursion with :math:`1, \sqrt2\cos k\varphi, \sqrt2\sin k\varphi`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._gamma import half_step

__all__ = ["harmonic_basis"]

Array = NDArray[np.float64]


def _circle(z: NDArray[np.complex128], max_degree: int) -> list[Array]:
    """Harmonics of the circle at unit complex numbers."""
    blocks = [np.ones((1, z.size))]
    power = np.ones_like(z)
    for _ in range(max_degree):
        power = power * z
        blocks.append(math.sqrt(2) * np.stack([power.real, power.imag]))
    return blocks


def _raise_dimension(d: int, lower: list[Array], t: Array, radius: Array) -> list[Array]:
    """From S^{d-2} to S^{d-1}: t is the new coordinate, radius = sqrt(1 - t^2)."""
    K = len(lower) - 1
    count = np.cumsum([base.shape[0] for base in lower])  # N(d, k) = sum_{j<=k} N(d-1, j)
    blocks = [np.empty((n, t.size)) for n in count]
    filled = 0
    for j, base in enumerate(lower):
        D = d + 2 * j
        # c_D / c_d as a ratio of half steps Gamma(x) / Gamma(x + 1/2), x = (D-1)/2, (d-1)/2
        constant = math.sqrt(half_step((d - 1) / 2) / half_step((D - 1) / 2))
        previous, current, backward = np.zeros_like(t), constant * radius**j, 0.0
        for k in range(j, K + 1):
            np.multiply(base, current, out=blocks[k][filled : filled + base.shape[0]])
            n = k - j + 1
            forward = math.sqrt(n * (n + D - 3) / ((2 * n + D - 2) * (2 * n + D - 4)))
            previous, current = current, (t * current - backward * previous) / forward
            backward = forward
        filled += base.shape[0]
    return blocks


def harmonic_basis(X: ArrayLike, max_degree: int) -> list[NDArray[np.float64]]:
    r"""Orthonormal harmonics of degree 0, ..., K at points of the sphere.

    They satisfy the addition theorem
    :math:`\sum_i Y_{k,i}(x)\,Y_{k,i}(y) = N(d,k)\,P_k(x\cdot y)`.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Points; rows are scaled to unit norm. d >= 2.
    max_degree : int
        K >= 0.

    Returns
    -------
    list of ndarray
        K + 1 arrays, that of degree k of shape (N(d, k), n).

    Raises
    ------
    ValueError
        If `X` has another shape, a row that is zero or an entry that is not finite, or
        `max_degree` is negative.

    Examples
    --------
    >>> Y = harmonic_basis([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]], 2)
    >>> [block.shape for block in Y]
    [(1, 2), (3, 2), (5, 2)]
    >>> bool(abs(Y[2][:, 0] @ Y[2][:, 1] - 5 * (-0.5)) < 1e-14)
    True
    """
    max_degree = _checks.count("max_degree", max_degree, 0)
    X = np.asarray(X, dtype=np.float64)
    allowed = "finite points of shape (n, d), d >= 2, none of them 0"
    if X.ndim != 2 or X.shape[1] < 2:
        raise ValueError(f"X of shape {X.shape} is not allowed: {allowed}")
    d = X.shape[1]
    # partial norms |(x_1..x_j)|, grown one coordinate at a time
    norms = np.hypot.accumulate(X, axis=1)
    if not np.all(np.isfinite(X)) or np.any(norms[:, -1] == 0):
        raise ValueError(f"X = {X!r} is not allowed: {allowed}")
    z = X[:, 0] + 1j * X[:, 1]
    first = np.where(norms[:, 1] > 0, norms[:, 1], 1.0)
    blocks = _circle(np.where(norms[:, 1] > 0, z / first, 1.0), max_degree)
    for e in range(3, d + 1):
        # where the first e coordinates vanish any point of S^{e-1} will do: take the pole
        norm = norms[:, e - 1]
        safe = np.where(norm > 0, norm, 1.0)
        t = np.where(norm > 0, X[:, e - 1] / safe, 1.0)
        radius = np.where(norm > 0, norms[:, e - 2] / safe, 0.0)
        blocks = _raise_dimension(e, blocks, t, radius)
    return blocks
