"""What `empirical_mismatch` returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelspec.empirical.extremes import Extremes
from kernelspec.empirical.spectrum import PoolSpectrum

__all__ = ["EmpiricalMismatch", "RidgeMismatch"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeMismatch:
    """Mismatch at one ridge.

    Attributes
    ----------
    lam : float
        The ridge.
    dof : float
        Degrees of freedom N(lambda).
    dof_error : float
        Standard error of `dof`, neurons and points both being samples.
    leverage : ndarray
        l_j of every neuron of the pool, shape (M,).
    kappa : float
        max_j l_j/(q_j N) over the pool: no more than the supremum over all neurons.
    low, high : float
        Approximate 95 % interval for that supremum; `high` is inf where the pool sets no limit.
    index : int
        The neuron of the pool where `kappa` is reached.
    searched : float
        Largest ratio a search outside the pool found; `kappa` where it found none.
    tail : Extremes
        How the ratios behave at their upper end.
    verdict : str
        "stable", "growing", "heavy tail", "too few", "out of reach" or "infinite".
    warning : str
        What it means and what to do; empty if "stable".

    Examples
    --------
    >>> from kernelspec import GaussianInit, Uniform, uniform_sphere
    >>> from kernelspec.empirical import empirical_mismatch
    >>> X = uniform_sphere(3, 200, 0)
    >>> (row,) = empirical_mismatch(X, Uniform(3), GaussianInit(3, 2.0), 0.05, neurons=200).ridges
    >>> row.low <= row.kappa, row.kappa <= row.high
    (True, True)
    """

    lam: float
    dof: float
    dof_error: float
    leverage: Array
    kappa: float
    low: float
    high: float
    index: int
    searched: float
    tail: Extremes
    verdict: str
    warning: str


@dataclass(frozen=True)
class EmpiricalMismatch:
    """Spectrum and mismatch of a law of neurons on a set of points.

    Attributes
    ----------
    neurons : ndarray
        The pool, shape (M, d + 1).
    density : ndarray
        q_j, density of the initial law with respect to the target, shape (M,); for a pool drawn
        from the initial law, times the pool's mean of 1/q, as its weights are normalised.
    effective_size : float
        1/sum w_j^2: equally weighted neurons that estimate as well; M where drawn from the target.
    spectrum : PoolSpectrum
        Eigenvalues of K, and leverage at any other ridge.
    ridges : tuple of RidgeMismatch
        One a ridge, in the order asked for.

    Examples
    --------
    >>> from kernelspec import GaussianInit, Uniform, uniform_sphere
    >>> from kernelspec.empirical import empirical_mismatch
    >>> X = uniform_sphere(3, 200, 0)
    >>> found = empirical_mismatch(X, Uniform(3), GaussianInit(3, 2.0), [0.1, 0.05], neurons=200)
    >>> found.neurons.shape, [row.lam for row in found.ridges]
    ((200, 4), [0.1, 0.05])
    """

    neurons: Array
    density: Array
    effective_size: float
    spectrum: PoolSpectrum
    ridges: tuple[RidgeMismatch, ...]

    @property
    def warning(self) -> str:
        """The warnings of all ridges, each once; empty where every verdict is "stable"."""
        return "; ".join(dict.fromkeys(r.warning for r in self.ridges if r.warning))
