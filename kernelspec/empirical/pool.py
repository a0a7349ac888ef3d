"""Ridge leverage of a pool of neurons, and the mismatch of a sampling law over that pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.empirical.spectrum import EPS, per_neuron, pool_spectrum

__all__ = ["PoolLeverage", "pool_leverage"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PoolLeverage:
    """Leverage of a pool of neurons, and the mismatch of a sampling law over that pool.

    Attributes
    ----------
    leverage : ndarray
        l_j, shape (*lam.shape, M).
    dof : float or ndarray
        N, of the shape of `lam`.
    kappa : float or ndarray
        max_j l_j/(density_j N): a maximum over the pool, hence no more than the supremum over all
        neurons.
    index : int or ndarray
        The neuron j where it is reached.
    lam : float or ndarray
        The ridge.
    weights : ndarray
        Weights of the neurons, shape (M,), of sum 1.
    rounding : float
        Estimate of the relative rounding error of all of these, at the smallest ridge.

    Examples
    --------
    At several ridges at once:

    >>> found = pool_leverage([[1.0, 0.0], [0.0, 2.0]], [0.25, 1.0])
    >>> found.leverage.shape, found.dof.round(4)
    ((2, 2), array([1.3, 0.7]))
    """

    leverage: Array
    dof: float | Array
    kappa: float | Array
    index: int | NDArray[np.intp]
    lam: float | Array
    weights: Array
    rounding: float


def pool_leverage(
    features: ArrayLike,
    lam: ArrayLike,
    *,
    density: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> PoolLeverage:
    r"""Compute the ridge leverage of a pool of neurons and the mismatch of a law over it.

    .. math:: \ell_j = \tfrac1n \varphi_j^{\mathsf T} (K+\lambda)^{-1} \varphi_j, \qquad
              N = \sum_j w_j \ell_j, \qquad \kappa = \max_j \frac{\ell_j}{q_j N}

    (Bach, JMLR 18(21), 2017, section 4, with the integral over neurons replaced by the pool).

    Parameters
    ----------
    features : array_like
        phi_{v_j}(x_i), shape (n, M): a row a point, a column a neuron.
    lam : array_like
        Ridges > 0.
    density : array_like, optional
        q_j = q(v_j), density with respect to pi of the law whose mismatch is asked for, shape (M,),
        >= 0. By default 1: pi itself.
    weights : array_like, optional
        Weights of the neurons up to a factor, shape (M,), > 0: the density of pi with respect to
        the law the pool was drawn from. By default all equal: a pool drawn from pi.

    Returns
    -------
    PoolLeverage
        `kappa` is infinite where a neuron of positive leverage has density 0.

    Raises
    ------
    ValueError, TypeError
        If an argument has the wrong shape or an entry out of range, or all features vanish.
    MemoryError
        If the decomposition does not fit into memory.

    Examples
    --------
    Two orthogonal features, of which the second is twice as long:

    >>> found = pool_leverage([[1.0, 0.0], [0.0, 2.0]], 0.25)
    >>> found.leverage, found.dof, round(found.kappa, 6), found.index
    (array([1. , 1.6]), 1.3, 1.230769, 1)
    """
    ridge = _checks.positive_array("lam", lam)
    if ridge.size == 0:
        raise ValueError("lam of size 0 is not allowed: at least one ridge")
    largest = float(np.finfo(np.float64).max)
    q = None if density is None else _checks.real_array("density", density, 0.0, largest)
    spectrum = pool_spectrum(features, weights=weights, smallest=float(ridge.min()))
    count = spectrum.weights.size
    q = np.ones(count) if q is None else per_neuron("density", q, count)
    require_numbers(2.0 * ridge.size * count, f"the leverage at {ridge.size} ridges")
    leverage, dof = spectrum.leverage(ridge), spectrum.degrees_of_freedom(ridge)
    if not np.all(dof > 0):
        raise ValueError("features = 0 is not allowed: at least one neuron active at one point")
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.divide(leverage, q, out=np.zeros_like(leverage), where=leverage > 0)
    index = ratio.argmax(axis=-1)
    kappa = ratio.max(axis=-1) / dof
    rounding = max(spectrum.rounding / float(ridge.min()), EPS)
    w = spectrum.weights
    if ridge.ndim == 0:
        number = float(ridge)
        return PoolLeverage(leverage, float(dof), float(kappa), int(index), number, w, rounding)
    return PoolLeverage(leverage, dof, kappa, index, ridge, w, rounding)
