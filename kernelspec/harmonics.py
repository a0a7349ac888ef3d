r"""Harmonic coefficients of a neuron: phi_v(x) = sum_k N_k a_k(v) P_k(w.x/|w|).

For k > s and \|c\| < 1, c = -b/\|w\|, Rodrigues' formula gives

.. math::
    a_k(v) = |w|^s \frac{s!\, c_d}{\prod_{i=0}^{s}(d-1+2i)}
    (1-c^2)^{(d+2s-1)/2} P_{k-s-1}^{(d+2s+2)}(c);

for k <= s it leaves an integral of a positive function over the active cap, which
:func:`cap_moment` evaluates without cancellation.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec._gamma import half_step
from kernelspec.sphere import gegenbauer, multiplicity

__all__ = [
    "amplitudes",
    "cap_moment",
    "coefficients",
    "kink_angle",
    "leading_constant",
    "low_coefficients",
    "one_minus_two_squares",
    "squared_norm",
]

Array = NDArray[np.float64]

_NODES: Final = 64  # resolves exp(-45 x^2) on [-1, 1], the sharpest integrand that occurs, to eps
_DROP: Final = 45.0  # nats below the peak at which the integrand is cut


def density_constant(d: int) -> float:
    """c_d = Gamma(d/2) / (sqrt(pi) Gamma((d-1)/2)), of the law of one coordinate."""
    return 1 / (math.sqrt(math.pi) * half_step((d - 1) / 2))


def one_minus_two_squares(b: Array) -> Array:
    """1 - 2 b^2, exact but for one final rounding: it decides how far the kink is from a pole.

    Dekker's product splits b^2 = square + error with no rounding at all.

    Examples
    --------
    >>> one_minus_two_squares(np.array([0.0, 0.5, 1.0]))
    array([ 1. ,  0.5, -1. ])
    """
    scaled = 134217729.0 * b  # 2^27 + 1 halves the significand
    upper = scaled - (scaled - b)
    lower = b - upper
    square = b * b
    error = ((upper * upper - square) + 2 * upper * lower) + lower * lower
    return np.asarray((1 - 2 * square) - 2 * error)


def kink_angle(b: Array) -> Array:
    """Angle theta of the kink w.x + b = 0 from w: cos theta = -b/|w|; pi where the whole is active.

    The sphere is inactive (theta = 0) for b <= -1/sqrt(2).

    Examples
    --------
    >>> (kink_angle(np.array([-0.9, 0.0, 0.9])) / np.pi).round(6)
    array([0. , 0.5, 1. ])
    """
    return np.arctan2(np.sqrt(np.maximum(one_minus_two_squares(b), 0.0)), -b)


@lru_cache(maxsize=1)
def _legendre() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def cap_moment(d: int, b: Array, m: int, p: int) -> Array:
    """Integrate c_d (|w| cos phi + b)^m sin^p phi over the active cap, relative error ~ eps.

    The rule sits where the integrand is above e^-45 of its maximum: for large d that is a thin
    layer of angles. Near the kink |w| cos phi + b is written as a product of sines.

    Examples
    --------
    The share of the sphere where a neuron with b = 0 is active, for m = p = 0 and d = 2:

    >>> float(cap_moment(2, np.array([0.0]), 0, 0)[0].round(12))
    0.5
    """
    shape = b.shape
    b = b.reshape(-1, 1)
    w = np.sqrt((1 - b) * (1 + b))
    theta = kink_angle(b)
    if p == 0:
        low, high = np.zeros_like(theta), theta
    else:
        depth = math.exp(-_DROP / p)
        low = np.arcsin(np.sin(np.minimum(theta, math.pi / 2)) * math.exp(-(_DROP + 5 * m) / p))
        high = np.minimum(theta, math.pi - math.asin(depth))
    x, weight = _legendre()
    phi = low + (high - low) * x
    whole = theta == math.pi
    gap = (high - low) * (1 - x) + (theta - high)
    kinked = 2 * w * np.sin((theta + phi) / 2) * np.sin(gap / 2)
    # on the wholly active sphere |w| cos phi + b = (b - |w|) + 2 |w| cos^2(phi/2)
    margin = -one_minus_two_squares(b) / (np.abs(b) + w)
    ramp = np.where(whole, margin + 2 * w * np.cos(phi / 2) ** 2, kinked)
    integral = (high - low)[:, 0] * ((ramp**m * np.sin(phi) ** p) @ weight)
    return np.asarray(density_constant(d) * integral).reshape(shape)


def squared_norm(d: int, s: int, b: Array) -> Array:
    """|phi_v|^2 in L2 of the sphere.

    Examples
    --------
    >>> squared_norm(3, 1, np.array([0.0, 1.0])).round(12)
    array([0.16666667, 1.        ])
    """
    return cap_moment(d, b, 2 * s, d - 2)


def low_coefficients(d: int, s: int, b: Array, max_degree: int) -> Array:
    """a_k for k <= min(s, K): k-fold integration by parts leaves an integral over the cap.

    Examples
    --------
    >>> low_coefficients(3, 1, np.array([0.0]), 1).round(6).ravel()
    array([0.25    , 0.166667])
    """
    w = np.sqrt((1 - b) * (1 + b))
    rows = [
        math.perm(s, k)
        / math.prod(d - 1 + 2 * i for i in range(k))
        * w**k
        * cap_moment(d, b, s - k, d - 2 + 2 * k)
        for k in range(min(s, max_degree) + 1)
    ]
    return np.stack(rows)


def leading_constant(d: int, s: int) -> float:
    """S! c_d / prod_{i<=s} (d-1+2i), the constant of the coefficients of degree k > s.

    Examples
    --------
    >>> round(leading_constant(3, 1), 12)
    0.0625
    """
    return math.factorial(s) * density_constant(d) / math.prod(d - 1 + 2 * i for i in range(s + 1))


def _envelope(d: int, s: int, b: Array) -> tuple[Array, Array]:
    """Return the factor of P_{k-s-1}(c) in a_k, zero off the kinked region, and c."""
    squared = (1 - b) * (1 + b)
    sine_squared = np.maximum(one_minus_two_squares(b), 0.0) / np.maximum(squared, 0.25)
    c = np.clip(-b / np.sqrt(np.maximum(squared, 0.25)), -1.0, 1.0)
    power = sine_squared ** ((d + 2 * s - 1) / 2)
    return leading_constant(d, s) * squared ** (s / 2) * power, c


def coefficients(d: int, s: int, b: Array, max_degree: int) -> Array:
    """a_0..a_K, shape (K+1, *b.shape).

    Examples
    --------
    >>> coefficients(3, 1, np.array([0.0]), 2).round(6).ravel()
    array([0.25    , 0.166667, 0.0625  ])
    """
    a = np.empty((max_degree + 1, *b.shape))
    a[: s + 1] = low_coefficients(d, s, b, max_degree)
    if max_degree > s:
        factor, c = _envelope(d, s, b)
        a[s + 1 :] = factor * gegenbauer(d + 2 * s + 2, max_degree - s - 1, c)
    return a


def amplitudes(d: int, s: int, b: Array, max_degree: int) -> Array:
    """sqrt(N_k) a_k for k = 0..K, shape (K+1, *b.shape): squares sum to |phi_v|^2.

    The recurrence runs on the scaled values, so N_k never overflows.

    Examples
    --------
    >>> b = np.array([0.3])
    >>> float(round((amplitudes(3, 1, b, 400) ** 2).sum() / squared_norm(3, 1, b)[0], 6))
    1.0
    """
    g = np.empty((max_degree + 1, *b.shape))
    low = min(s, max_degree)
    count = multiplicity(d, np.arange(s + 2))
    g[: low + 1] = low_coefficients(d, s, b, max_degree)
    g[: low + 1] *= np.sqrt(count[: low + 1]).reshape(-1, *([1] * b.ndim))
    if max_degree > s:
        factor, c = _envelope(d, s, b)
        start = math.sqrt(count[s + 1]) * factor
        near = np.abs(c) > 0.7
        high = g[s + 1 :]
        high[:, ~near] = _recurrence(d, s, start[~near], c[~near], max_degree)
        high[:, near] = _near_poles(d, s, start[near], b[near], max_degree)
    return g


def _growth(d: int, s: int, max_degree: int) -> tuple[Array, Array]:
    """N = k-s-1 and sqrt(N_{k+1}/N_k) for s < k < max_degree."""
    k = np.arange(s + 1, max_degree, dtype=np.float64)
    return k - s - 1, np.sqrt((2 * k + d) * (k + d - 2) / ((2 * k + d - 2) * (k + 1)))


def _recurrence(d: int, s: int, start: Array, c: Array, max_degree: int) -> Array:
    """Three-term recurrence of sqrt(N_k) P_n(c)."""
    n, growth = _growth(d, s, max_degree)
    forward = growth * (2 * n + d + 2 * s) / (n + d + 2 * s)
    backward = growth * n / (n + d + 2 * s)
    backward[1:] *= growth[:-1]
    rows = np.empty((n.size + 1, *c.shape))
    rows[0] = current = start
    previous = np.zeros_like(c)
    for i in range(n.size):
        previous, current = current, forward[i] * c * current - backward[i] * previous
        rows[i + 1] = current
    return rows


def _near_poles(d: int, s: int, start: Array, b: Array, max_degree: int) -> Array:
    """Recur in first differences: they need 1 - |c|, which a rounded c near 1 has lost."""
    n, growth = _growth(d, s, max_degree)
    angle = kink_angle(b)
    gap = 2 * np.sin(np.minimum(angle, math.pi - angle) / 2) ** 2
    keep = growth * n / (n + d + 2 * s)
    bend = growth * (2 * n + d + 2 * s) / (n + d + 2 * s)
    rows = np.empty((n.size + 1, *b.shape))
    rows[0] = current = start
    difference = np.zeros_like(b)
    for i in range(n.size):
        difference = keep[i] * difference - bend[i] * gap * current
        current = growth[i] * current + difference
        rows[i + 1] = current
    rows[1::2] *= np.where(b > 0, -1.0, 1.0)  # P_n(-c) = (-1)^n P_n(c)
    return rows
