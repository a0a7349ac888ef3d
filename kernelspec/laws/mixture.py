"""Mixtures of sampling laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.laws.base import Law, Seed, generator

__all__ = ["Mixture"]

_SUM_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Mixture(Law):
    r"""The law that picks law i with probability weights[i], with density sum_i weights[i] q_i.

    Parameters
    ----------
    laws : sequence of Law
        At least one law, all of the same dimension.
    weights : sequence of float
        One weight >= 0 a law; they must sum to 1 within 1e-12.

    Raises
    ------
    TypeError
        If an entry of `laws` is no law.
    ValueError
        If dimensions differ, the numbers of laws and weights differ, or the weights are no
        probabilities.

    Notes
    -----
    Draws are independent and identical, so the number of neurons of each law is random. A network
    with an exact number of trained neurons comes from `draw_network`.

    Examples
    --------
    >>> from kernelspec.laws import GaussianInit
    >>> law = Mixture([GaussianInit(5, 1), GaussianInit(5, 2)], [0.25, 0.75])
    >>> law.density([0.0, 1.0])
    array([ 0.625, 24.25 ])
    """

    laws: tuple[Law, ...]
    weights: tuple[float, ...]
    d: int = field(init=False, repr=False, compare=False)

    def __init__(self, laws: Sequence[Law], weights: Sequence[float]) -> None:
        object.__setattr__(self, "laws", tuple(laws))
        object.__setattr__(self, "weights", tuple(float(w) for w in _weights(weights)))
        if not self.laws:
            raise ValueError("laws = () is not allowed: at least one law")
        for law in self.laws:
            if not isinstance(law, Law):
                raise TypeError(f"laws = {laws!r} is not allowed: {law!r} is no sampling law")
            if law.d != self.laws[0].d:
                raise ValueError(f"laws = {laws!r} is not allowed: laws of one dimension d")
        if len(self.weights) != len(self.laws):
            raise ValueError(
                f"weights = {weights!r} is not allowed: one weight for each of "
                f"{len(self.laws)} laws"
            )
        object.__setattr__(self, "d", self.laws[0].d)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The breaks of the laws that have positive weight."""
        return tuple(sorted({b for law, _ in self._parts for b in law.breaks}))

    @property
    def _parts(self) -> list[tuple[Law, float]]:
        """Laws of positive weight: the others must not turn an infinite density into NaN."""
        return [(law, w) for law, w in zip(self.laws, self.weights, strict=True) if w > 0]

    def density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Density with respect to pi at height b (see `Law.density`)."""
        b = _checks.height(b)
        total = np.zeros_like(b)
        for law, weight in self._parts:
            total = total + weight * law.density(b)
        return total

    def log_density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density at height b (see `Law.log_density`)."""
        b = _checks.height(b)
        total = np.full_like(b, -np.inf)
        for law, weight in self._parts:
            total = np.logaddexp(total, math.log(weight) + law.log_density(b))
        return total

    def sample(self, size: int, rng: Seed) -> NDArray[np.float64]:
        """Draw independent neurons, shape (size, d + 1) (see `Law.sample`)."""
        size = _checks.count("size", size, 0)
        require_numbers(3.0 * size * (self.d + 1), f"a sample of {size} neurons")
        rng = generator(rng)
        weights = np.array(self.weights)
        counts = rng.multinomial(size, weights / weights.sum())
        # the law of each row: counts in random order, so that rows are exchangeable
        label = rng.permutation(np.repeat(np.arange(len(self.laws)), counts))
        V = np.empty((size, self.d + 1))
        for i, law in enumerate(self.laws):
            V[label == i] = law.sample(int(counts[i]), rng)
        return V


def _weights(weights: Sequence[float]) -> NDArray[np.float64]:
    array = _checks.real_array("weights", weights, 0.0, 1.0)
    if array.ndim != 1 or abs(math.fsum(array) - 1) > _SUM_TOLERANCE:
        raise ValueError(
            f"weights = {weights!r} is not allowed: numbers >= 0 that sum to 1 within 1e-12"
        )
    return array
