"""Gaussian initialisation, projected to the sphere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.laws.base import Law, Seed, generator

__all__ = ["GaussianInit"]


@dataclass(frozen=True)
class GaussianInit(Law):
    r"""The law of (w, b)/\|(w, b)\| for independent w ~ N(0, I_d) and b ~ N(0, tau^2).

    An angular central Gaussian law (Tyler, Biometrika 74, 1987), with density

    .. math:: q_\tau(v) = \frac{1}{\tau}\left(|w|^2 + \frac{b^2}{\tau^2}\right)^{-(d+1)/2}

    with respect to the uniform law pi on S^d. tau = 1 is pi itself; as tau -> 0 all neurons
    gather on the great sphere b = 0, as tau -> inf at the two poles b = -1 and 1. Since ReLU-like
    activations are homogeneous, projecting to the sphere loses nothing.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.
    tau : float
        Standard deviation of the bias relative to that of each weight, > 0.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a number in its range.

    Examples
    --------
    >>> law = GaussianInit(5, tau=2)
    >>> law
    GaussianInit(d=5, tau=2.0)
    >>> law.density([-1.0, 0.0, 1.0])
    array([32. ,  0.5, 32. ])
    >>> law.sample(3, rng=0).shape
    (3, 6)
    """

    d: int
    tau: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", _checks.dimension(self.d))
        object.__setattr__(self, "tau", _checks.positive("tau", self.tau))

    def _radius(self, b: ArrayLike) -> NDArray[np.float64]:
        """Length of (w, b/tau); with the factors (1-b)(1+b), accurate also near the poles."""
        b = _checks.height(b)
        with np.errstate(over="ignore"):
            return np.asarray(np.hypot(np.sqrt((1 - b) * (1 + b)), b / self.tau))

    def density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Density with respect to pi at height b (see `Law.density`)."""
        radius = self._radius(b)
        # at a pole and for d in the hundreds, tau^d may leave the range: inf or 0 is the answer
        with np.errstate(over="ignore", divide="ignore"):
            return np.asarray(radius ** -(self.d + 1) / self.tau)

    def log_density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density at height b (see `Law.log_density`)."""
        return np.asarray(-(self.d + 1) * np.log(self._radius(b)) - math.log(self.tau))

    def sample(self, size: int, rng: Seed) -> NDArray[np.float64]:
        """Draw independent neurons, shape (size, d + 1) (see `Law.sample`)."""
        size = _checks.count("size", size, 0)
        require_numbers(3.0 * size * (self.d + 1), f"a sample of {size} neurons")
        V = generator(rng).standard_normal((size, self.d + 1))
        # the scale is free, so shrink the smaller part: squares cannot overflow
        if self.tau <= 1:
            V[:, self.d] *= self.tau
        else:
            V[:, : self.d] /= self.tau
        V /= np.sqrt(np.einsum("ij,ij->i", V, V))[:, None]
        return V
