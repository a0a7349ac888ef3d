r"""What every sampling law offers, and the law of the height under the uniform law pi.

A law is invariant under rotations of w, so its density with respect to pi is a function of the
height b alone. Under pi the height has density

.. math:: G_d\,(1-b^2)^{(d-2)/2}, \qquad
          G_d = \frac{\Gamma((d+1)/2)}{\sqrt\pi\,\Gamma(d/2)}, \qquad -1 \le b \le 1,

and, given the height, the direction w/|w| is uniform on S^{d-1}.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec._gamma import half_step

__all__ = ["Law", "Seed", "generator", "height_constant", "rows_at"]

Seed = int | np.random.SeedSequence | np.random.Generator


class Law(ABC):
    """A law of neurons v = (w, b) on S^d, invariant under rotations of w.

    Laws are frozen dataclasses: they compare by their parameters and never change.

    Attributes
    ----------
    d : int
        Ambient dimension of the inputs; neurons have d + 1 coordinates.
    breaks : tuple of float
        Heights strictly between -1 and 1 where the density is not smooth.

    Examples
    --------
    >>> from kernelspec.laws import GaussianInit
    >>> law = GaussianInit(5, tau=2)
    >>> isinstance(law, Law), law == GaussianInit(5, tau=2.0), law.sample(3, rng=0).shape
    (True, True, (3, 6))
    """

    d: int

    @property
    def breaks(self) -> tuple[float, ...]:
        """Heights strictly between -1 and 1 where the density is not smooth."""
        return ()

    @abstractmethod
    def density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Density with respect to pi, the uniform law on S^d, at neurons of height b.

        Parameters
        ----------
        b : array_like
            Heights in [-1, 1].

        Returns
        -------
        ndarray
            Of the shape of `b`. Zero where the law has no neurons; inf or zero, too, where the
            value leaves the range of float64 (see `log_density`).

        Raises
        ------
        ValueError
            If a height is outside [-1, 1].
        """

    @abstractmethod
    def log_density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of `density`, finite also where the density leaves the range of float64.

        Parameters
        ----------
        b : array_like
            Heights in [-1, 1].

        Returns
        -------
        ndarray
            Of the shape of `b`; -inf where the law has no neurons.

        Raises
        ------
        ValueError
            If a height is outside [-1, 1].
        """

    @abstractmethod
    def sample(self, size: int, rng: Seed) -> NDArray[np.float64]:
        """Draw independent neurons.

        Parameters
        ----------
        size : int
            Number of neurons, >= 0.
        rng : int, numpy.random.SeedSequence or numpy.random.Generator
            Seed or generator. The same seed gives the same neurons.

        Returns
        -------
        ndarray
            Shape (size, d + 1): rows (w, b) of unit norm, the last column being the height.

        Raises
        ------
        ValueError
            If `size` is negative or not an integer, or `rng` is no seed.
        """


def generator(rng: Any) -> np.random.Generator:
    """Return the generator `rng`, or a new one seeded by it.

    Examples
    --------
    >>> bool(generator(0).random() == generator(0).random())
    True
    """
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        allowed = "an integer seed >= 0, a SeedSequence or a numpy Generator"
        raise type(error)(f"rng = {rng!r} is not allowed: {allowed}") from None


def height_constant(d: int) -> float:
    r"""G_d = Gamma((d+1)/2) / (sqrt(pi) Gamma(d/2)), to a few units in the last place.

    Examples
    --------
    >>> round(height_constant(2), 12), round(height_constant(3) * math.pi, 12)
    (0.5, 2.0)
    """
    return 1.0 / (math.sqrt(math.pi) * half_step(d / 2))


def rows_at(b: NDArray[np.float64], d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Neurons of the given heights, each with an independent uniform direction.

    Examples
    --------
    >>> V = rows_at(np.array([-0.5, 0.5]), 3, np.random.default_rng(0))
    >>> V[:, 3], (V**2).sum(axis=1).round(12)
    (array([-0.5,  0.5]), array([1., 1.]))
    """
    # one Gaussian too many per row, but the array is then filled and scaled in place
    V = rng.standard_normal((b.size, d + 1))
    V[:, d] = 0.0
    V *= np.sqrt((1 - b) * (1 + b) / np.einsum("ij,ij->i", V, V))[:, None]
    V[:, d] = b
    return V
