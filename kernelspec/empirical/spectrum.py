r"""The spectrum of the empirical kernel matrix of a pool of neurons on a finite set of points.

With features F (n, M), column j being the neuron v_j of weight w_j (1/M each for draws from pi),
the empirical kernel matrix, leverage and degrees of freedom are

.. math::
    K = \tfrac1n F\,\mathrm{diag}(w)\,F^{\mathsf T}, \qquad
    \ell_j = \tfrac1n \varphi_j^{\mathsf T} (K + \lambda)^{-1} \varphi_j, \qquad
    N = \sum_j w_j \ell_j = \mathrm{tr}\,K (K+\lambda)^{-1}.

All come from one eigendecomposition of the smaller of K and the weighted Gram matrix of the
neurons, as sums of nonnegative terms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, svd

from kernelspec import _checks
from kernelspec._memory import require_memory

__all__ = ["PoolSpectrum", "per_neuron", "pool_spectrum"]

Array = NDArray[np.float64]

EPS: Final = float(np.finfo(np.float64).eps)
_ADVICE: Final = "take fewer points or neurons, or the approximate leverage"
_GRAM_ACCURACY: Final = 1e-8  # relative error of the leverage that squaring the features may cost


@dataclass(frozen=True)
class PoolSpectrum:
    """Eigenvalues of K and what each neuron has in them; the leverage at any ridge follows.

    Attributes
    ----------
    eigenvalues : ndarray
        Of K, shape (r,), r = min(n, M), decreasing; all others are zero.
    coordinates : ndarray
        c_ij = u_i . phi_j/sqrt(n) for the eigenvectors u_i of K, shape (r, M), each u_i up to its
        sign: sum_j w_j c_ij c_kj = eigenvalues[i] where i = k, and 0 elsewhere.
    weights : ndarray
        Weights of the neurons, shape (M,), of sum 1.
    rounding : float
        Estimated error of the eigenvalues; divided by a ridge, the relative error of the leverage.

    Examples
    --------
    >>> found = pool_spectrum([[1.0, 0.0], [0.0, 2.0]])
    >>> found.coordinates.shape, (found.coordinates**2 @ found.weights).round(12)
    ((2, 2), array([1.  , 0.25]))
    """

    eigenvalues: Array
    coordinates: Array
    weights: Array
    rounding: float

    def leverage(self, lam: ArrayLike) -> Array:
        """Leverage of every neuron at ridges > 0, shape (*lam.shape, M)."""
        ridge = _checks.positive_array("lam", lam)
        return np.asarray((1 / (self.eigenvalues + ridge[..., None])) @ self.coordinates**2)

    def degrees_of_freedom(self, lam: ArrayLike) -> Array:
        """N = tr K (K + lam)^-1 at ridges > 0, of the shape of `lam`."""
        ridge = _checks.positive_array("lam", lam)
        return np.asarray(np.sum(self.eigenvalues / (self.eigenvalues + ridge[..., None]), axis=-1))


def _features(features: ArrayLike) -> Array:
    allowed = "a finite array of shape (n, M), n, M >= 1"
    try:
        F = np.asarray(features, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"features = {features!r} is not allowed: {allowed}") from None
    if F.ndim != 2 or 0 in F.shape:
        raise ValueError(f"features of shape {F.shape} is not allowed: {allowed}")
    if not np.isfinite(F.sum()):  # the sum of large entries may overflow: look at each
        return _checks.matrix("features", F, F.shape[1])
    return F


def per_neuron(name: str, array: Array, count: int) -> Array:
    """Check that there is one number a neuron.

    Examples
    --------
    >>> per_neuron("weights", np.ones(3), 3)
    array([1., 1., 1.])
    >>> per_neuron("weights", np.ones(2), 3)
    Traceback (most recent call last):
        ...
    ValueError: weights of shape (2,) is not allowed: one number a neuron, shape (3,)
    """
    if array.shape != (count,):
        raise ValueError(
            f"{name} of shape {array.shape} is not allowed: one number a neuron, shape ({count},)"
        )
    return array


def pool_spectrum(
    features: ArrayLike, *, weights: ArrayLike | None = None, smallest: float | None = None
) -> PoolSpectrum:
    """Decompose the empirical kernel matrix of a pool of neurons.

    Parameters
    ----------
    features : array_like
        phi_{v_j}(x_i), shape (n, M): a row a point, a column a neuron.
    weights : array_like, optional
        Weights of the neurons up to a factor, shape (M,), > 0: the density of pi with respect to
        the law the pool was drawn from. By default all equal: a pool drawn from pi.
    smallest : float, optional
        Smallest ridge to be asked for. Where squaring the features would cost more than 1e-8 of the
        leverage there, singular values are taken, at several times the cost.

    Returns
    -------
    PoolSpectrum
        From which the leverage at any ridge follows.

    Raises
    ------
    ValueError, TypeError
        If an argument has the wrong shape or an entry out of range.
    MemoryError
        If the decomposition does not fit into memory.

    Examples
    --------
    >>> pool_spectrum([[1.0, 0.0], [0.0, 2.0]]).eigenvalues
    array([1.  , 0.25])
    """
    F = _features(features)
    n, M = F.shape
    w = np.ones(M) if weights is None else _checks.positive_array("weights", weights)
    w = per_neuron("weights", w, M) / w.max()
    w /= w.sum()
    least = math.inf if smallest is None else _checks.positive("smallest", smallest)
    r = min(n, M)
    need = 8.0 * (n * M + 2.0 * r * M + 4.0 * r * r)
    require_memory(need, f"the leverage of {M} neurons at {n} points", advice=_ADVICE)
    G = F * np.sqrt(w / n)
    small = G @ G.T if n <= M else G.T @ G
    values, vectors = eigh(small, driver="evd", overwrite_a=True, check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1].T
    rounding = EPS * math.sqrt(r) * float(values[0])
    if rounding > _GRAM_ACCURACY * least:
        left, singular, right = svd(G, full_matrices=False, overwrite_a=True, check_finite=False)
        values, vectors = singular**2, left.T if n <= M else right
        rounding = EPS * float(np.sqrt(r * values[0] * least))
    if n <= M:
        coordinates = vectors @ F / math.sqrt(n)
    else:  # the rows are eigenvectors q_i of the Gram matrix, and u_i = G q_i/sigma_i
        coordinates = np.sqrt(values)[:, None] * vectors / np.sqrt(w)
    coordinates[:, ~F.any(axis=0)] = 0.0  # dead neurons have none, not even by rounding
    return PoolSpectrum(values, coordinates, w, rounding)
