"""Expectations over pi by quadrature in the height, independent of the library's own rules."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_legendre

from kernelspec import BiasedReLU

__all__ = ["angles", "expectation", "heights", "mean_leverage", "points"]

Array = NDArray[np.float64]


def angles(n: int, low: float, high: float) -> tuple[Array, Array]:
    """Return the nodes and weights of the Gauss-Legendre rule with n points on [low, high].

    Examples
    --------
    >>> nodes, weights = angles(4, 0.0, 1.0)
    >>> round(float(weights @ nodes**7), 12)
    0.125
    """
    x, w = roots_legendre(n)
    return (high + low + (high - low) * x) / 2, (high - low) / 2 * w


def points(d: int, degree: int) -> int:
    """Return how many points resolve harmonic coefficients up to a degree.

    Their squares swing twice as fast, and a swing takes pi points; more are needed for the law of
    the angle, whose width falls as 1/sqrt(d).

    Examples
    --------
    >>> points(5, 100) > 100
    True
    """
    return 4 * degree + 100 + int(25 * math.sqrt(d))


def heights(d: int, n: int) -> tuple[Array, Array]:
    """Return heights b and weights of a rule for the law of b under pi.

    Three pieces meet at the kinks |b| = 1/sqrt(2), where integrands lose their smoothness: dead
    neurons, kinked ones (in the angle theta with cos theta = -b/|w|, in which coefficients and
    leverages are analytic) and polynomial ones. Each has n Gauss points; the weights sum to 1.

    Examples
    --------
    >>> b, weight = heights(5, 20)
    >>> round(float(weight.sum()), 6), round(float(weight @ b**2), 6)
    (1.0, 0.166667)
    """
    theta, w_kink = angles(n, 0.0, math.pi)
    c = np.cos(theta)
    b_kink = -c / np.sqrt(1 + c * c)
    w_kink = w_kink * np.sin(theta) * (1 + c * c) ** (-(d + 1) / 2)
    psi, w_polynomial = angles(n, math.pi / 4, math.pi / 2)
    w_polynomial = w_polynomial * np.cos(psi) ** (d - 1)
    b = np.concatenate([-np.sin(psi), b_kink, np.sin(psi)])
    weights = np.concatenate([w_polynomial, w_kink, w_polynomial])
    return b, weights / weights.sum()


def expectation(function: Callable[[Array], Array], d: int, n: int) -> tuple[Array, Array]:
    """Return E_pi f(b) and an estimate of its error: the change from n to 3n/2 points a piece.

    `function` maps heights of shape (N,) to values of shape (..., N).

    Examples
    --------
    >>> value, error = expectation(lambda b: b**2, 5, 20)
    >>> round(float(value), 6)
    0.166667
    """
    coarse, fine = (function(b) @ w for b, w in (heights(d, n), heights(d, n + n // 2)))
    return fine, np.abs(fine - coarse)


def mean_leverage(model: BiasedReLU, lam: float, degree: int) -> tuple[float, float]:
    """Return E_pi l_lambda and an estimate of its error; `degree` should be past mu_k = lambda.

    Examples
    --------
    >>> model = BiasedReLU(3)
    >>> value, error = mean_leverage(model, 1e-2, 20)
    >>> round(value / float(model.degrees_of_freedom(1e-2)), 6)
    1.0
    """
    mean, change = expectation(lambda b: model.leverage(b, lam), model.d, points(model.d, degree))
    return float(mean), float(change)
