r"""The kernel in closed form: arc-cosine moments of a Gaussian pair.

:math:`E_s(u) = E[\max(a,0)^s \max(b,0)^s]` for standard Gaussians of correlation u satisfies, with
:math:`u = \cos\vartheta` and :math:`J_s = 2\pi E_s`,

.. math::
    J_0 = \pi - \vartheta, \quad J_1 = \sin\vartheta + (\pi - \vartheta)u, \quad
    J_{s+1} = (2s+1)\,u\,J_s + s^2 (1-u^2)\,J_{s-1},

a recurrence of positive terms on 0 <= u <= 1 (Cho & Saul, NeurIPS 2009, for s <= 2).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["angle_polynomial", "kernel", "kernel_at_one"]


def _normaliser(d: int, s: int) -> float:
    """((d+1)/2)_s: the 2s-th moment of the norm that projection to S^d removes."""
    return math.prod((d + 1) / 2 + i for i in range(s))


def kernel(d: int, s: int, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """K(t) = E_s((1+t)/2) / ((d+1)/2)_s, for t in [-1, 1].

    Examples
    --------
    >>> kernel(3, 1, np.array([-1.0, 0.0, 1.0])).round(6)
    array([0.079577, 0.152249, 0.25    ])
    """
    u = (1 + t) / 2
    sine_squared = (1 - t) * (3 + t) / 4
    # arcsin of the half angle keeps theta accurate where it is small, that is near t = 1
    supplement = math.pi - 2 * np.arcsin(np.sqrt(1 - t) / 2)
    previous, current = supplement, np.sqrt(sine_squared) + supplement * u
    if s == 0:
        current = previous
    for i in range(1, s):
        previous, current = current, (2 * i + 1) * u * current + i * i * sine_squared * previous
    return np.asarray(current / (2 * math.pi * _normaliser(d, s)))


def kernel_at_one(d: int, s: int) -> float:
    """K(1) = (2s-1)!! / (2 ((d+1)/2)_s), the trace of the covariance operator.

    Examples
    --------
    >>> round(kernel_at_one(3, 1), 12), round(kernel_at_one(5, 1), 12)
    (0.25, 0.166666666667)
    """
    return math.prod(range(1, 2 * s, 2)) / 2 / _normaliser(d, s)


def angle_polynomial(s: int) -> list[Fraction]:
    """Coefficients in powers of u of the factor of (pi - theta) in J_s.

    Examples
    --------
    >>> angle_polynomial(1)
    [Fraction(0, 1), Fraction(1, 1)]
    """
    previous, current = [Fraction(1)], [Fraction(0), Fraction(1)]
    if s == 0:
        return previous
    for i in range(1, s):
        grown = [Fraction(0)] * (i + 2)
        for power, value in enumerate(current):
            grown[power + 1] += (2 * i + 1) * value
        for power, value in enumerate(previous):
            grown[power] += i * i * value
            grown[power + 2] -= i * i * value
        previous, current = current, grown
    return current
