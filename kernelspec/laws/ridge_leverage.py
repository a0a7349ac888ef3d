"""Ridge leverage sampling: the law with the least mismatch."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.features import BiasedReLU
from kernelspec.laws._inversion import Inverse
from kernelspec.laws.base import Law, Seed, generator, height_constant, rows_at

__all__ = ["RidgeLeverage"]

_KINK = math.sqrt(0.5)  # neurons of |b| below it bend inside the sphere
_TOLERANCE = 1e-10  # of the interpolated density, relative to its maximum
_UNSEEN = 1e-17  # times the maximum: below the spacing of the uniform numbers that are inverted
_CONSISTENT = 1e-8  # integral of the leverage against N(lambda)


@dataclass(frozen=True)
class RidgeLeverage(Law):
    r"""The law with density l_lambda(v)/N(lambda) with respect to pi.

    Its mismatch at this lambda is 1, the least possible (Bach, JMLR 18(21), 2017, §4.2). It never
    draws dead neurons: the heights lie in (-1/sqrt(2), 1]. As lambda -> 0 the density of b tends to
    a multiple of (1-2b^2)_+^{d/2+s-1}.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    lam : float
        Ridge lambda > 0.

    Raises
    ------
    TypeError, ValueError
        If `model` is no feature family or `lam` not a number > 0.

    Notes
    -----
    Heights are drawn by inversion in the angle t, with b = -cos t/sqrt(1 + cos^2 t) on [0, pi]
    (the threshold is c = cos t) and b = cos(5 pi/4 - t) on [pi, 5 pi/4]: a_k(v) is smooth in t, and
    its boundary layers at the ends of the kink region are as wide as the wavelength of the
    last degree that lambda leaves standing. The density in t is interpolated to 1e-10 of its
    maximum once for each law, at the first use, and inverted to rounding.

    Examples
    --------
    >>> from kernelspec.features import BiasedReLU
    >>> law = RidgeLeverage(BiasedReLU(5), 1e-3)
    >>> law.density([-0.8, 0.0, 0.8]).round(3)
    array([0.   , 1.343, 1.081])
    >>> law.sample(4, rng=0).shape
    (4, 6)
    """

    model: BiasedReLU
    lam: float
    d: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("d", "leverage", "degrees_of_freedom"):
            if not hasattr(self.model, name):
                raise TypeError(f"model = {self.model!r} is not allowed: a BiasedReLU")
        object.__setattr__(self, "lam", _checks.positive("lam", self.lam))
        object.__setattr__(self, "d", self.model.d)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The ends -1/sqrt(2), 1/sqrt(2) of the kink region."""
        return (-_KINK, _KINK)

    def density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Density with respect to pi at height b (see `Law.density`)."""
        b = _checks.height(b)
        return np.asarray(self.model.leverage(b, self.lam)) / self._degrees_of_freedom

    def log_density(self, b: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density at height b (see `Law.log_density`)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.density(b)))

    def quantile(self, u: ArrayLike) -> NDArray[np.float64]:
        """Height below which lies the share u of the neurons: the map that `sample` applies.

        Parameters
        ----------
        u : array_like
            Shares in [0, 1].

        Returns
        -------
        ndarray
            Heights in [-1/sqrt(2), 1], of the shape of `u`; those of 0 and 1 are the ends of an
            interval outside which the density is too small ever to be drawn.

        Raises
        ------
        ValueError
            If an entry of `u` is outside [0, 1].
        """
        u = _checks.real_array("u", u, 0.0, 1.0)
        return _height(self._inverse(u.ravel())).reshape(u.shape)

    def sample(self, size: int, rng: Seed) -> NDArray[np.float64]:
        """Draw independent neurons, shape (size, d + 1) (see `Law.sample`)."""
        size = _checks.count("size", size, 0)
        require_numbers(3.0 * size * (self.d + 1), f"a sample of {size} neurons")
        rng = generator(rng)
        return rows_at(self.quantile(rng.random(size)), self.d, rng)

    @cached_property
    def _degrees_of_freedom(self) -> float:
        return float(self.model.degrees_of_freedom(self.lam))

    @cached_property
    def _inverse(self) -> Inverse:
        """Inverse distribution function of the angle t."""
        inverse = Inverse(self._angle_density, self._edges(), _TOLERANCE)
        if not abs(inverse.total - 1) <= _CONSISTENT:
            raise ArithmeticError(
                f"the leverage of {self.model!r} at lam = {self.lam!r} integrates to "
                f"{inverse.total!r} times N(lam): both are inaccurate at so small a ridge"
            )
        return inverse

    def _edges(self) -> NDArray[np.float64]:
        """First pieces for the interpolation of the density of t.

        Eighths of [0, pi], finer towards its ends, where the boundary layers are at least as wide
        as the wavelength of the highest degree that any ridge leaves standing. Pieces at either
        end where the density is too small ever to be drawn are left out: for large d
        next to all the mass is near t = pi/2.
        """
        layer = np.pi / 8 * 0.25 ** np.arange(8, 0, -1)
        middle = np.pi / 8 * np.arange(1, 8)
        polynomial = np.pi * np.array([1, 17 / 16, 9 / 8, 5 / 4])
        edges = np.concatenate([[0], layer, middle, np.pi - layer[::-1], polynomial])
        density = self._angle_density(edges)
        seen = np.flatnonzero(density > _UNSEEN * density.max())
        return edges[max(seen[0] - 1, 0) : seen[-1] + 2]

    def _angle_density(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Density of the angle t, an increasing function of the height."""
        cosine = np.cos(t)
        kinked = np.sin(t) * np.exp(-(self.d + 1) / 2 * np.log1p(cosine**2))
        polynomial = np.sin(1.25 * np.pi - t) ** (self.d - 1)
        measure = height_constant(self.d) * np.where(t < np.pi, kinked, polynomial)
        return measure * self.density(_height(t))


def _height(t: NDArray[np.float64]) -> NDArray[np.float64]:
    cosine = np.cos(t)
    return np.where(t <= np.pi, -cosine / np.hypot(1.0, cosine), np.cos(1.25 * np.pi - t))
