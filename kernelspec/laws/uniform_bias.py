"""Uniform directions with a uniform relative bias."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.laws.base import Law, Seed, generator, height_constant, rows_at

__all__ = ["UniformBias"]


@dataclass(frozen=True)
class UniformBias(Law):
    r"""Direction w/\|w\| uniform, threshold c = -b/\|w\| uniform on [-tau, tau].

    Under pi the threshold has density :math:`G_d (1+c^2)^{-(d+1)/2}`, :math:`G_d =
    \Gamma((d+1)/2)/(\sqrt\pi\,\Gamma(d/2))` (substitute b = -c/sqrt(1+c^2) in the density of the
    height). Dividing the uniform density 1/(2 tau) of c by it, and with 1 + c^2 = 1/(1-b^2),

    .. math:: q(v) = \frac{(1-b^2)^{-(d+1)/2}}{2\tau G_d} \text{ for } |b| \le
              \frac{\tau}{\sqrt{1+\tau^2}}, \qquad 0 \text{ beyond}.

    A neuron's kink {w·x = c \|w\|} meets the unit sphere iff \|c\| <= 1, so tau = 1 spreads the
    kinks evenly over the sphere and never draws a dead or a polynomial neuron. Its mismatch
    against pi is infinite all the same, because pi does have the polynomial ones.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.
    tau : float
        Largest threshold, > 0.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a number in its range.

    Examples
    --------
    >>> law = UniformBias(3, tau=1)
    >>> law.density([-0.8, 0.0, 0.6])
    array([0.        , 0.78539816, 1.91747598])
    """

    d: int
    tau: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", _checks.dimension(self.d))
        object.__setattr__(self, "tau", _checks.positive("tau", self.tau))

    @property
    def edge(self) -> float:
        """Largest height, tau / sqrt(1 + tau^2); below 1 even where that rounds to 1."""
        return min(self.tau / math.hypot(1.0, self.tau), math.nextafter(1.0, 0.0))

    @property
    def breaks(self) -> tuple[float, ...]:
        """The two ends of the range of heights."""
        return (-self.edge, self.edge)

    def density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Density with respect to pi at height b (see `Law.density`)."""
        b = _checks.height(b)
        with np.errstate(over="ignore", divide="ignore"):
            inside = np.sqrt((1 - b) * (1 + b)) ** -(self.d + 1)
            inside = inside / (2 * self.tau * height_constant(self.d))
        return np.where(np.abs(b) <= self.edge, inside, 0.0)

    def log_density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density at height b (see `Law.log_density`)."""
        b = _checks.height(b)
        with np.errstate(divide="ignore"):
            inside = -(self.d + 1) / 2 * (np.log1p(-b) + np.log1p(b))
        inside = inside - math.log(2 * self.tau) - math.log(height_constant(self.d))
        return np.where(np.abs(b) <= self.edge, inside, -np.inf)

    def sample(self, size: int, rng: Seed) -> NDArray[np.float64]:
        """Draw independent neurons, shape (size, d + 1) (see `Law.sample`)."""
        size = _checks.count("size", size, 0)
        require_numbers(3.0 * size * (self.d + 1), f"a sample of {size} neurons")
        rng = generator(rng)
        c = self.tau * rng.uniform(-1.0, 1.0, size)
        return rows_at(-c / np.hypot(1.0, c), self.d, rng)
