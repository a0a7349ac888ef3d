r"""The curve: its parameters as they are fitted, and its derivatives.

.. math:: \log E(P) = e_1 + \log\bigl(\varphi + (1-\varphi)\, x^{-\alpha}\bigr),
    \qquad x = P + (1-P)/\rho

is floor + A kappa_P^alpha with :math:`\rho = \kappa_0/\kappa_1`, the error :math:`e^{e_1}` at P = 1
and the share :math:`\varphi` of the floor in it: floor :math:`= \varphi e^{e_1}`,
:math:`A\kappa_1^\alpha = (1-\varphi) e^{e_1}`. Of kappa_0, kappa_1 and A nothing else can be told
from errors (docs/derivations/fits.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

__all__ = ["ALPHA", "ANCHOR", "RATIO", "SHARE", "Curve", "Solution"]

Array = NDArray[np.float64]

# places in the vector of parameters; the ratios follow
ANCHOR: Final = 0
ALPHA: Final = 1
SHARE: Final = 2
RATIO: Final = 3

LOWEST_ALPHA: Final = 0.02
HIGHEST_ALPHA: Final = 50.0  # close to the exponential, to which curves tend beyond
_LOG_RATIO: Final = (math.log(1e-3), math.log(1e8))
_HIGHEST_SHARE: Final = 1 - 1e-9
_STARTS: Final = ((0.7, 0.0), (2.0, 0.0), (12.0, 0.0), (1.0, 0.5), (4.0, 0.5))


@dataclass(frozen=True)
class Solution:
    """Parameters and their sum of squares, over the means of log E.

    Examples
    --------
    >>> Solution(np.array([1.75]), 0.01).rss
    0.01
    """

    theta: Array
    rss: float


@dataclass(frozen=True)
class Curve:
    """Least squares for one curve a tau, on the log scale.

    Parameters
    ----------
    P : ndarray, shape (p,)
        Trained proportions.
    target : ndarray, shape (taus, p)
        Means of log E over the seeds.
    held : mapping
        Parameters that are not fitted, by place: (e_1, log alpha, phi, log rho_1, ...).

    Examples
    --------
    Errors of alpha = 2 and rho = 5 without a floor, and the fit that finds them again:

    >>> P = np.linspace(0, 1, 7)
    >>> truth = np.array([0.0, math.log(2.0), 0.0, math.log(5.0)])
    >>> target, jacobian = Curve(P, np.zeros((1, 7))).evaluate(truth)
    >>> jacobian.shape
    (1, 7, 4)
    >>> found = Curve(P, target).holding(SHARE, 0.0).minimise_from_all()
    >>> np.exp(found.theta[[ALPHA, RATIO]]).round(6)
    array([2., 5.])
    """

    P: Array
    target: Array
    held: dict[int, float] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of parameters, the held ones included."""
        return RATIO + int(self.target.shape[0])

    @property
    def free(self) -> list[int]:
        """Places of those that are fitted."""
        return [i for i in range(self.size) if i not in self.held]

    def bounds(self, place: int) -> tuple[float, float]:
        """Range of a parameter."""
        if place == ANCHOR:
            return -math.inf, math.inf
        if place == ALPHA:
            return math.log(LOWEST_ALPHA), math.log(HIGHEST_ALPHA)
        return (0.0, _HIGHEST_SHARE) if place == SHARE else _LOG_RATIO

    def holding(self, place: int, value: float) -> Curve:
        """Hold one parameter more."""
        return Curve(self.P, self.target, {**self.held, place: value})

    def evaluate(self, theta: Array) -> tuple[Array, Array]:
        """Return log E, shape (taus, p), and its Jacobian, shape (taus, p, parameters)."""
        alpha, share = math.exp(theta[ALPHA]), theta[SHARE]
        weight = (1 - self.P) * np.exp(-theta[RATIO:])[:, None]
        x = self.P + weight
        power = x**-alpha
        total = share + (1 - share) * power
        slope = (1 - share) * power / total  # d log E / d log(x^-alpha)
        jacobian = np.zeros((*x.shape, self.size))
        jacobian[..., ANCHOR] = 1.0
        jacobian[..., ALPHA] = -slope * alpha * np.log(x)
        jacobian[..., SHARE] = (1 - power) / total
        places = np.arange(x.shape[0])
        jacobian[places, :, RATIO + places] = slope * alpha * weight / x
        return theta[ANCHOR] + np.log(total), jacobian

    def minimise(self, start: Array) -> Solution:
        """Descend from a start."""
        free = self.free
        low, high = np.array([self.bounds(i) for i in free]).T
        full = np.array(start, dtype=np.float64)
        for place, value in self.held.items():
            full[place] = value

        def complete(part: Array) -> Array:
            theta = full.copy()
            theta[free] = part
            return theta

        def residual(part: Array) -> Array:
            return (self.evaluate(complete(part))[0] - self.target).ravel()

        def jacobian(part: Array) -> Array:
            return self.evaluate(complete(part))[1].reshape(-1, self.size)[:, free]

        result = least_squares(
            residual,
            np.clip(full[free], low, high),
            jac=jacobian,
            bounds=(low, high),
            xtol=1e-9,
            ftol=1e-11,
            gtol=1e-11,
            max_nfev=200,
        )
        return Solution(complete(result.x), float(2 * result.cost))

    def minimise_from_all(self) -> Solution:
        """Descend from several exponents and shares, and keep the best."""
        ends = self.target[:, np.argmax(self.P)], self.target[:, np.argmin(self.P)]
        found = []
        for alpha, share in _STARTS:
            ratios = (ends[1] - ends[0]) / alpha
            start = np.concatenate([[ends[0].mean(), math.log(alpha), share], ratios])
            found.append(self.minimise(start))
        return min(found, key=lambda solution: solution.rss)
