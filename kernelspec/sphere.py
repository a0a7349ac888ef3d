"""Harmonics on S^{d-1}: multiplicities, Gegenbauer polynomials, quadrature, uniform points."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh_tridiagonal

from kernelspec import _checks
from kernelspec._memory import require_numbers

__all__ = ["coordinate_quadrature", "gegenbauer", "multiplicity", "uniform_sphere"]


def multiplicity(d: int, k: ArrayLike) -> NDArray[np.float64]:
    r"""Dimension N(d, k) of the spherical harmonics of degree k on S^{d-1}.

    .. math:: N(d, k) = \frac{2k + d - 2}{k + d - 2} \binom{k + d - 2}{k}, \qquad N(d, 0) = 1

    (Müller, *Spherical Harmonics*, 1966, §1). Exact while (d - 2) N(d, k) < 2^53, within d units
    in the last place above, inf beyond the range of float64.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.
    k : array_like of int
        Degrees, >= 0.

    Returns
    -------
    ndarray
        N(d, k) in float64, of the shape of `k`.

    Raises
    ------
    ValueError
        If `d` or an entry of `k` is out of range or not an integer.

    Examples
    --------
    >>> multiplicity(3, [0, 1, 2, 3])
    array([1., 3., 5., 7.])
    >>> float(multiplicity(5, 10))
    506.0
    """
    d = _checks.dimension(d)
    degree = _checks.real_array("k", k, 0, math.inf)
    if np.any((degree != np.floor(degree)) | np.isinf(degree)):
        raise ValueError(f"k = {k!r} is not allowed: integers >= 0")
    if d == 2:
        return np.where(degree == 0, 1.0, 2.0)
    # binom(k + d - 3, d - 3) grown one factor at a time stays an integer, hence exact, throughout
    binomial = np.ones_like(degree)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(1, d - 2):
            binomial = binomial * (degree + i) / i
        return np.asarray(binomial * (2 * degree + d - 2) / (d - 2))


def gegenbauer(d: int, max_degree: int, t: ArrayLike) -> NDArray[np.float64]:
    r"""Gegenbauer (Legendre) polynomials P_0, ..., P_K of dimension d, normalised P_k(1) = 1.

    .. math:: (k + d - 2) P_{k+1}(t) = (2k + d - 2)\, t\, P_k(t) - k\, P_{k-1}(t).

    Since ``|P_k| <= 1`` on [-1, 1], nothing overflows, whatever d and K.

    Parameters
    ----------
    d : int
        Dimension, >= 2 (2: Chebyshev, 3: Legendre).
    max_degree : int
        K >= 0.
    t : array_like
        Points in [-1, 1].

    Returns
    -------
    ndarray
        Shape (K + 1, \*t.shape).

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> gegenbauer(3, 2, [0.0, 1.0])
    array([[ 1. ,  1. ],
           [ 0. ,  1. ],
           [-0.5,  1. ]])
    """
    d = _checks.integer("d", d, 2)
    max_degree = _checks.count("max_degree", max_degree, 0)
    t = _checks.real_array("t", t, -1.0, 1.0)
    require_numbers((max_degree + 1.0) * t.size, f"a table of {max_degree + 1} degrees")
    P = np.empty((max_degree + 1, *t.shape))
    P[0] = 1.0
    if max_degree >= 1:
        P[1] = t
    for k in range(1, max_degree):
        P[k + 1] = ((2 * k + d - 2) * t * P[k] - k * P[k - 1]) / (k + d - 2)
    return P


def coordinate_quadrature(d: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Gauss rule for one coordinate of a uniform point of S^{d-1}.

    The coordinate has density :math:`c_d (1-t^2)^{(d-3)/2}`, :math:`c_d = \Gamma(d/2) /
    (\sqrt\pi\,\Gamma((d-1)/2))`; the rule integrates polynomials of degree 2n - 1 exactly
    (Golub & Welsch, Math. Comp. 23, 1969).

    Parameters
    ----------
    d : int
        Dimension, >= 2.
    n : int
        Number of nodes, >= 1.

    Returns
    -------
    nodes, weights : ndarray
        Shape (n,) each; the weights sum to 1.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> nodes, weights = coordinate_quadrature(5, 4)
    >>> bool(abs(weights @ nodes**2 - 1 / 5) < 1e-15)
    True
    """
    d = _checks.integer("d", d, 2)
    n = _checks.count("n", n)
    if d == 2:  # Chebyshev points of the first kind, equal weights
        return -np.cos((np.arange(n) + 0.5) * (math.pi / n)), np.full(n, 1.0 / n)
    i = np.arange(1, n)
    off_diagonal = np.sqrt(i * (i + d - 3.0) / ((2.0 * i + d - 2) * (2.0 * i + d - 4)))
    nodes, vectors = eigh_tridiagonal(np.zeros(n), off_diagonal)
    weights = vectors[0] ** 2
    # the rule is symmetric: averaging with its mirror image removes half the rounding
    return (nodes - nodes[::-1]) / 2, (weights + weights[::-1]) / (2 * weights.sum())


def uniform_sphere(d: int, size: int, rng: int | np.random.Generator) -> NDArray[np.float64]:
    """Draw independent uniform points of S^{d-1}.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    size : int
        Number of points, >= 0.
    rng : int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    ndarray
        Shape (size, d), rows of unit norm.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> X = uniform_sphere(3, 4, rng=0)
    >>> X.shape, bool(np.allclose(np.sum(X**2, axis=1), 1))
    ((4, 3), True)
    """
    d = _checks.integer("d", d, 2)
    size = _checks.count("size", size, 0)
    require_numbers(2.0 * size * d, f"a sample of {size} points")
    X = np.random.default_rng(rng).standard_normal((size, d))
    X /= np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
    return X
