"""Laws of neurons (w, b): what they offer, those of the sphere, and those of one's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelspec import _checks
from kernelspec.laws import Law
from kernelspec.laws.base import Seed, generator

__all__ = ["CustomLaw", "NeuronLaw", "OnSphere"]

Array = NDArray[np.float64]


class NeuronLaw(ABC):
    """A law of neurons (w, b) with a density.

    Attributes
    ----------
    d : int
        Number of weights; neurons have d + 1 coordinates.
    base : str
        The measure its density refers to: "sphere" (the uniform law on S^d) or "space" (Lebesgue
        measure on R^(d+1)). Two laws have a ratio only where their bases agree.

    Examples
    --------
    >>> from kernelspec import Uniform
    >>> law = OnSphere(Uniform(3))
    >>> isinstance(law, NeuronLaw), law.d, law.base
    (True, 3, 'sphere')
    >>> law.log_density(law.sample(2, 0))
    array([0., 0.])
    """

    d: int
    base: str

    @abstractmethod
    def sample(self, size: int, rng: Seed) -> Array:
        """Draw independent neurons, shape (size, d + 1), last column b."""

    @abstractmethod
    def log_density(self, V: Array) -> Array:
        """Logarithm of the density at neurons (m, d + 1); -inf where it draws none."""


@dataclass(frozen=True)
class OnSphere(NeuronLaw):
    """A law of :mod:`kernelspec.laws`, seen as a law of neurons.

    Parameters
    ----------
    law : Law
        Such as GaussianInit(d, tau).

    Examples
    --------
    >>> from kernelspec import GaussianInit
    >>> law = OnSphere(GaussianInit(5, 2.0))
    >>> law.log_density(law.sample(3, 0)).shape
    (3,)
    """

    law: Law

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise TypeError(f"law = {self.law!r} is not allowed: a law of neurons")

    @property
    def d(self) -> int:  # type: ignore[override]
        """Number of weights."""
        return self.law.d

    base = "sphere"

    def sample(self, size: int, rng: Seed) -> Array:
        """Draw independent neurons (see `NeuronLaw.sample`)."""
        return self.law.sample(size, rng)

    def log_density(self, V: Array) -> Array:
        """Logarithm of the density with respect to pi (see `NeuronLaw.log_density`)."""
        V = _checks.matrix("V", V, self.d + 1)
        return self.law.log_density(np.clip(V[:, -1], -1.0, 1.0))


@dataclass(frozen=True)
class CustomLaw(NeuronLaw):
    """A law given by a sampler and the logarithm of its density.

    Parameters
    ----------
    d : int
        Number of weights.
    sampler : callable
        (size, Generator) -> neurons (size, d + 1).
    log_ratio : callable
        Neurons (m, d + 1) -> logarithm of the density, (m,).
    base : str
        What the density refers to: any name; laws with the same base can be compared. A target law
        with `log_ratio` zero makes those of other laws ratios to it.

    Examples
    --------
    >>> law = CustomLaw(2, lambda n, rng: rng.random((n, 3)), lambda V: np.zeros(len(V)), "cube")
    >>> law.sample(4, 0).shape
    (4, 3)
    """

    d: int
    sampler: Callable[[int, np.random.Generator], Array]
    log_ratio: Callable[[Array], Array]
    base: str

    def sample(self, size: int, rng: Seed) -> Array:
        """Draw independent neurons (see `NeuronLaw.sample`)."""
        size = _checks.count("size", size, 0)
        V = _checks.matrix("sampler", self.sampler(size, generator(rng)), self.d + 1)
        if len(V) != size:
            raise ValueError(f"sampler of {len(V)} neurons is not allowed: {size} were asked for")
        return V

    def log_density(self, V: Array) -> Array:
        """Logarithm of the density (see `NeuronLaw.log_density`)."""
        V = _checks.matrix("V", V, self.d + 1)
        value = np.asarray(self.log_ratio(V), dtype=np.float64)
        if value.shape != (len(V),) or np.any(np.isnan(value)):
            raise ValueError(
                f"log_ratio of shape {value.shape} is not allowed: numbers of shape {(len(V),)}"
            )
        return value
