"""The uniform law on the sphere of neurons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.laws.base import Law, Seed
from kernelspec.laws.gaussian import GaussianInit

__all__ = ["Uniform"]


@dataclass(frozen=True)
class Uniform(Law):
    """The target law pi: neurons uniform on S^d. Its density is 1; it is `GaussianInit(d, 1)`.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.

    Raises
    ------
    TypeError, ValueError
        If `d` is not an integer in its range.

    Examples
    --------
    >>> Uniform(5).density([-0.3, 0.9])
    array([1., 1.])
    """

    d: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", _checks.dimension(self.d))

    def density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Density with respect to pi at height b: 1 (see `Law.density`)."""
        return np.ones_like(_checks.height(b))

    def log_density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density at height b: 0 (see `Law.log_density`)."""
        return np.zeros_like(_checks.height(b))

    def sample(self, size: int, rng: Seed) -> NDArray[np.float64]:
        """Draw independent neurons, shape (size, d + 1) (see `Law.sample`)."""
        return GaussianInit(self.d, 1.0).sample(size, rng)
