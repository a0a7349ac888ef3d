r"""Inner products of pairs of neurons in L2 of the sphere, by one regular integral.

With caps :math:`\{u\cdot x > \cos\alpha\}`, :math:`\alpha \le \pi/2`, and :math:`u\cdot u' =
\cos\gamma`, the derivative of order s+1 in :math:`\cos\gamma` of

.. math:: I(\gamma) = E[(u\cdot x-\cos\alpha)_+^s (u'\cdot x-\cos\alpha')_+^s]

is the joint density of two coordinates in dimension d+2s+2, which vanishes unless
:math:`|\alpha-\alpha'| < \gamma < \alpha+\alpha'`; outside this range I is a polynomial of
:math:`\cos\gamma` (nested caps) or 0 (disjoint caps). Taylor's formula from the nearer end leaves

.. math::
    \frac{s!}{2\pi \prod_{i<s}(d+2i)} \int |\cos\theta-\cos\gamma|^s
    (1-\rho^2(\theta))^{(d+2s-2)/2}\,d\theta, \qquad
    1-\rho^2 = \frac{(\cos\theta_+-\cos\theta)(\cos\theta-\cos\theta_-)}{\sin^2\theta}.

See docs/derivations/worst-case-error.md, section 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec._gamma import half_step
from kernelspec.harmonics import cap_moment

__all__ = ["Caps", "overlap"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# (least ratio of the lower limit to the length of the path, Gauss nodes): the closer the lower
# limit comes to the pole of the integrand at 0, the longer the path in the variable y below
_TIERS: Final = ((0.1, 20), (1e-8, 44))
_NODES_AT_POLE: Final = 16
_SHARP: Final = 10  # exponent from which the integrand is a narrow peak and takes more nodes


@dataclass(frozen=True)
class Caps:
    """Neurons with active caps of angle alpha <= pi/2, and what is needed once per neuron.

    Attributes
    ----------
    alpha : ndarray, shape (m,)
        Angle of the cap.
    scale : ndarray, shape (m,)
        |w|^s.
    moments : ndarray, shape (s // 2 + 1, s + 1, m)
        E[(u.x - cos alpha)_+^{s+i} (1 - (u.x)^2)^j] at [j, i].
    """

    alpha: Array
    scale: Array
    moments: Array

    @classmethod
    def of(cls, d: int, s: int, b: Array, alpha: Array) -> Caps:
        """Build from heights b <= 0 with kinks at angle alpha."""
        w = np.sqrt((1 - b) * (1 + b))
        rows = [
            [cap_moment(d, b, s + i, d - 2 + 2 * j) / w ** (s + i) for i in range(s + 1)]
            for j in range(s // 2 + 1)
        ]
        return cls(alpha, w**s, np.array(rows))


@lru_cache(maxsize=16)
def _legendre(n: int) -> tuple[tuple[float, float], ...]:
    """Gauss rule on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return tuple((float(x + 1) / 2, float(w) / 2) for x, w in zip(nodes, weights, strict=True))


def _path_integral(
    d: int, s: int, start: Array, stop: Array, gap: Array, front: Array, outer: Array, inner: Array
) -> Array:
    r"""\int (cos th - cos gamma)^s (1 - rho^2)^nu dth over T = tan(th/2) in [start, stop].

    1 - rho^2 = front (sigma/T)^2 (outer - inner sigma^2) with sigma^2 = T^2 - start^2, and
    gap = stop^2 - start^2. With sigma = start sinh(y) the integrand is analytic in the strip
    |Im y| < pi/2, whatever the limits.
    """
    nu = (d + 2 * s - 2) / 2
    exponent = d + 2 * s - 1
    growth = 1.0 if exponent <= _SHARP else 2.0
    # int_1^inf 1 - (1 - x^-2)^nu dx, plus 1
    layer = math.sqrt(math.pi) * nu * half_step(nu) if nu > 0 else 1.0
    length = np.sqrt(gap)
    total = np.empty_like(start)
    upper = math.inf
    for lower, n in (*_TIERS, (-1.0, _NODES_AT_POLE)):
        pick = np.flatnonzero((start > lower * length) & (start <= upper * length))
        upper = lower
        if not pick.size:
            continue
        low, rest, a, b = start[pick], gap[pick], outer[pick], inner[pick]
        accumulated = np.zeros_like(low)
        if lower < 0:  # (sigma/T)^(2 nu) is 1, but for a layer near 0 of weight layer * start
            path = length[pick]
            for x, weight in _legendre(int(n * growth)):
                square = (path * x) ** 2
                height = np.maximum(rest - square, 0.0)
                base = np.maximum(a - b * square, 0.0)
                accumulated += weight * height**s * base**nu / (1 + square) ** (s + 1)
            accumulated -= (layer * low / path) * rest**s * a**nu
        else:
            path = np.arcsinh(length[pick] / low)
            for x, weight in _legendre(int(n * growth)):
                rise = np.exp(path * x)
                sinh, cosh = (rise - 1 / rise) / 2, (rise + 1 / rise) / 2
                square = (low * sinh) ** 2
                height = np.maximum(rest - square, 0.0)
                base = np.maximum(a - b * square, 0.0)
                accumulated += (
                    weight
                    * height**s
                    * base**nu
                    * (sinh / cosh) ** exponent
                    * cosh
                    / (1 + (low * cosh) ** 2) ** (s + 1)
                )
            path = path * low
        total[pick] = accumulated * path * front[pick] ** nu
    constant = math.factorial(s) / (2 * math.pi * math.prod(d + 2 * i for i in range(s)))
    return np.asarray(constant * 2 * (2 / (1 + stop * stop)) ** s * total)


def _nested(d: int, s: int, caps: Caps, large: Indices, small: Indices, gamma: Array) -> Array:
    """E[(u.x - cos alpha)^s (u'.x - cos alpha')_+^s]: I wherever the cap of u' lies in that of u.

    Given tau = u'.x, u.x = tau cos(gamma) + sqrt(1-tau^2) sin(gamma) xi, xi a coordinate of a
    uniform point of S^{d-2}.
    """
    alpha, beta = caps.alpha[large], caps.alpha[small]
    cosine, sine = np.cos(gamma), np.sin(gamma)
    # cos(gamma) cos(beta) - cos(alpha) without cancellation where all three angles are small
    shift = 2 * np.sin((alpha + beta) / 2) * np.sin((alpha - beta) / 2)
    shift = shift - 2 * np.sin(gamma / 2) ** 2 * np.cos(beta)
    total = np.zeros_like(gamma)
    moment = 1.0
    for j in range(s // 2 + 1):
        for i in range(s - 2 * j + 1):
            count = math.comb(s, 2 * j) * math.comb(s - 2 * j, i)
            power = shift ** (s - 2 * j - i) * cosine**i * sine ** (2 * j)
            total += count * moment * power * caps.moments[j, i][small]
        moment *= (0.5 + j) / ((d - 1) / 2 + j)
    return total


def overlap(d: int, s: int, caps: Caps, first: Indices, second: Indices, gamma: Array) -> Array:
    """<phi_v, phi_v'> for pairs of caps.

    Parameters
    ----------
    d, s : int
        Ambient dimension and order.
    caps : Caps
        The neurons.
    first, second : ndarray of int
        Indices of the pairs.
    gamma : ndarray
        Angles between the directions of the pairs.

    Returns
    -------
    ndarray
        One value a pair.
    """
    swap = caps.alpha[first] < caps.alpha[second]
    large, small = np.where(swap, second, first), np.where(swap, first, second)
    alpha, beta = caps.alpha[large], caps.alpha[small]
    half_sum, half_difference, half = (alpha + beta) / 2, (alpha - beta) / 2, gamma / 2
    sines = np.sin(alpha) * np.sin(beta)
    # the polynomial outgrows the overlap where d is large, so digits cancel: use it less there
    share = 0.5 if d + 2 * s - 1 <= _SHARP else 0.3
    from_nested = half - half_difference <= share * (half_sum - half_difference)
    value = np.zeros_like(gamma)

    pick = np.flatnonzero(from_nested)
    value[pick] = _nested(d, s, caps, large[pick], small[pick], gamma[pick])
    pick = np.flatnonzero(from_nested & (half > half_difference))
    D, h, cos_sum = half_difference[pick], half[pick], np.cos(half_sum[pick])
    front = np.cos(D) ** 2
    gap = np.sin(h - D) * np.sin(h + D) / (front * np.cos(h) ** 2)
    value[pick] += (-1) ** (s + 1) * _path_integral(
        d, s, np.tan(D), np.tan(h), gap, front, sines[pick] / front, cos_sum**2
    )
    # from the disjoint end, with theta -> pi - theta
    pick = np.flatnonzero(~from_nested & (half < half_sum))
    S, h, sin_difference = half_sum[pick], half[pick], np.sin(half_difference[pick])
    front = np.sin(S) ** 2
    gap = np.sin(S - h) * np.sin(S + h) / (front * np.sin(h) ** 2)
    value[pick] += _path_integral(
        d, s, 1 / np.tan(S), 1 / np.tan(h), gap, front, sines[pick] / front, sin_difference**2
    )
    return np.asarray(value * caps.scale[large] * caps.scale[small])
