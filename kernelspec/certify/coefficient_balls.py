r"""Enclosures of the harmonic coefficients a_k(v) and of the feature norms.

Everything follows from one integral. With w = sqrt(1-b^2), c = -b/w and m, k >= 0,

.. math:: J_{k,m}(b) = c_d \int_{-1}^{1} w^k (wt+b)_+^m (1-t^2)^{k+(d-3)/2}\,dt,

a_k = s!/((s-k)! 2^k ((d-1)/2)_k) J_{k,s-k} for k <= s (Rodrigues), and the squared L2 norm of
the feature is J_{0,2s}.
"""

from __future__ import annotations

import math

from flint import arb, ctx, fmpq, fmpz

from kernelspec import _checks
from kernelspec.certify.arithmetic import GUARD, as_ball, half_power, hull, monotone, precision
from kernelspec.certify.gegenbauer_balls import gegenbauer, gegenbauer_all, unit_part

__all__ = [
    "amplitude_constant",
    "as_height",
    "coefficient",
    "coefficient_squared",
    "coefficients_all",
    "feature_norm_squared",
    "height_of_cut",
    "square",
]


def square(x: arb) -> arb:
    """Enclose x^2, never below 0, also when the ball x contains 0.

    Examples
    --------
    >>> square(arb(0, 1)) >= 0
    True
    """
    if x.is_exact():
        return x * x
    return hull(x.abs_lower() ** 2, x.abs_upper() ** 2).nonnegative_part()


def height_of_cut(c: arb) -> arb:
    """Return the height b = -c/sqrt(1+c^2) of the neuron whose kink cuts w.x/|w| at c.

    Examples
    --------
    >>> round(float(height_of_cut(arb(-1))), 6)
    0.707107
    """
    c = as_ball("c", c)
    return monotone(lambda x: -x / (1 + x * x).sqrt(), c)


def as_height(b: arb) -> arb:
    """Return b as a ball that meets [-1, 1]; its part in there is what gets enclosed.

    Examples
    --------
    >>> as_height(arb(1, 0.5)).contains(arb(1))
    True
    >>> try:
    ...     as_height(arb(2))
    ... except ValueError as error:
    ...     print(error)
    b = 2.0... is not allowed: a ball that meets [-1, 1]
    """
    b = as_ball("b", b)
    if b > 1 or b < -1:
        raise ValueError(f"b = {b!r} is not allowed: a ball that meets [-1, 1]")
    return b


def _cut(b: arb) -> arb:
    return monotone(lambda x: -x / (1 - x * x).sqrt(), b)


def _weight(b: arb) -> arb:
    """|w| = sqrt(1 - b^2) on a ball of heights."""
    return half_power(1 - square(b), 1)


def _regions(b: arb) -> tuple[bool, arb | None, arb | None]:
    """Split a ball of heights: does it meet the dead ones, the kinked part, the polynomial part.

    The parts may be a little larger than needed, never smaller.
    """
    edge = 1 / arb(2).sqrt()
    low, high = b.lower().max(arb(-1)), b.upper().min(arb(1))
    dead = not low > -edge
    kinked = polynomial = None
    if not (high < -edge or low > edge):
        kinked = hull(low.max(-edge), high.min(edge))
    if not high < edge:
        polynomial = hull(low.max(edge).min(arb(1)), high)
    return dead, kinked, polynomial


def _direction_constant(d: int) -> arb:
    """Return c_d = Gamma(d/2)/(sqrt(pi) Gamma((d-1)/2)).

    The density of w.x/|w| is c_d (1-t^2)^((d-3)/2).
    """
    return (arb(d) / 2).gamma() / (arb.pi().sqrt() * (arb(d - 1) / 2).gamma())


def _full_moment(i: int, p: arb) -> arb:
    """Integral of t^i (1-t^2)^p over [-1, 1]."""
    if i % 2:
        return arb(0)
    a = arb(i + 1) / 2
    return a.gamma() * (p + 1).gamma() / (a + p + 1).gamma()


def _cut_moment(m: int, two_p: int, c: arb) -> arb:
    """Integral of (t-c)^m (1-t^2)^p over [c, 1], at a point c of [-1, 1] (up to rounding)."""
    p = arb(two_p) / 2
    if c < 0:
        full = arb(0)
        for i in range(0, m + 1, 2):
            full += math.comb(m, i) * (-c) ** (m - i) * _full_moment(i, p)
        reflected = _cut_moment(m, two_p, -c)
        return full + reflected if m % 2 else full - reflected
    beta = arb(math.factorial(m)) / (p + 1).rising(m + 1)
    power = half_power(1 - c * c, two_p + 2 * m + 2)
    series = ((1 - c) / 2).hypgeom_2f1(2 * p + m + 2, m + 1, p + m + 2)
    return power * beta * series / (1 << (m + 1))


def _moment(d: int, k: int, m: int, b: arb) -> arb:
    """J_{k,m} on a ball of heights (formula of the module)."""
    two_p = 2 * k + d - 3
    p = arb(two_p) / 2
    dead, kinked, polynomial = _regions(b)
    parts = [arb(0)] if dead else []
    if kinked is not None:
        cut = unit_part(_cut(kinked))
        part = monotone(lambda c: _cut_moment(m, two_p, c), cut)  # falls with c
        parts.append(_weight(kinked) ** (m + k) * part)
    if polynomial is not None:
        w = _weight(polynomial)
        total = arb(0)
        for i in range(0, m + 1, 2):
            total += math.comb(m, i) * polynomial ** (m - i) * w ** (i + k) * _full_moment(i, p)
        parts.append(total)
    return _direction_constant(d) * hull(*parts).nonnegative_part()


def amplitude_constant(d: int, order: int = 1) -> arb:
    """Return s! c_d / prod_{i<=s} (d-1+2i), the factor of a_k for k > s.

    Examples
    --------
    At b = 0, where w has length 1, it is a_2 itself:

    >>> float(amplitude_constant(3)), float(coefficient(3, 2, arb(0)))
    (0.0625, 0.0625)
    """
    product = math.prod(d - 1 + 2 * i for i in range(order + 1))
    return fmpz(math.factorial(order)) * _direction_constant(d) / fmpz(product)


def _envelope(d: int, order: int, b: arb) -> arb:
    """|w|^s (1-c^2)_+^((d+2s-1)/2): falls with |b|, so the ends of |b| enclose it."""

    def value(x: arb) -> arb:
        kept = (1 - 2 * x * x).nonnegative_part()
        return half_power(kept / (1 - x * x), d + 2 * order - 1) * half_power(1 - x * x, order)

    size = hull(b.abs_lower(), b.abs_upper())
    return monotone(value, size.min(arb(fmpq(3, 4))))


def coefficients_all(d: int, max_degree: int, b: arb, order: int = 1) -> list[arb]:
    """Enclose a_0, ..., a_K at the heights of the ball b (see `coefficient`).

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> balls = coefficients_all(3, 4, arb(0.25))
    >>> values = BiasedReLU(3).coefficients(0.25, 4)
    >>> bool(max(abs(float(ball) - a) for ball, a in zip(balls, values)) < 1e-12)
    True
    """
    d, order = _checks.dimension(d), _checks.order(order)
    b = as_height(b)
    bits = ctx.prec
    with precision(bits + GUARD):
        low = [_low_degree(d, k, b, order) for k in range(min(order, max_degree) + 1)]
        dead, kinked, polynomial = _regions(b)
        count = max_degree - order
        if kinked is None or count <= 0:
            values = low + [arb(0)] * max(count, 0)
        else:
            factor = amplitude_constant(d, order) * _envelope(d, order, kinked)
            table = gegenbauer_all(d + 2 * order + 2, count - 1, _cut(kinked))
            high = [factor * value for value in table]
            if dead or polynomial is not None:
                high = [hull(value, arb(0)) for value in high]
            values = low + high
    with precision(bits):
        return [+value for value in values]


def _low_degree(d: int, k: int, b: arb, order: int) -> arb:
    scale = fmpz(math.factorial(order) // math.factorial(order - k))
    return scale / ((1 << k) * (arb(d - 1) / 2).rising(k)) * _moment(d, k, order - k, b)


def coefficient(d: int, k: int, b: arb, order: int = 1) -> arb:
    r"""Enclose the harmonic coefficient a_k of the neurons whose height lies in the ball b.

    For k > s and \|c\| <= 1, a_k = \|w\|^s s! c_d / prod_{i<=s}(d-1+2i) (1-c^2)^{(d+2s-1)/2}
    P_{k-s-1}^{(d+2s+2)}(c); zero for \|c\| >= 1. For k <= s a truncated moment (module docstring).

    Examples
    --------
    >>> from flint import arb
    >>> print(coefficient(5, 0, arb(0)).str(12, radius=False))
    0.187500000000
    """
    d, k, order = _checks.dimension(d), _checks.count("k", k, 0), _checks.order(order)
    b = as_height(b)
    bits = ctx.prec
    with precision(bits + GUARD):
        if k <= order:
            value = _low_degree(d, k, b, order)
        else:
            dead, kinked, polynomial = _regions(b)
            value = arb(0)
            if kinked is not None:
                factor = amplitude_constant(d, order) * _envelope(d, order, kinked)
                value = factor * gegenbauer(d + 2 * order + 2, k - order - 1, _cut(kinked))
                if dead or polynomial is not None:
                    value = hull(value, arb(0))
    with precision(bits):
        return +value


def coefficient_squared(d: int, k: int, c: arb, order: int = 1) -> arb:
    """Enclose a_k(v)^2 of the neurons with -b/|w| = c, a ball of any real numbers.

    Examples
    --------
    Neurons of height 0 cut the sphere at c = 0, those with c > 1 are dead:

    >>> float(coefficient_squared(3, 2, arb(0))), float(coefficient_squared(3, 2, arb(2)))
    (0.00390625, 0.0)
    >>> bool(coefficient_squared(3, 2, arb(0, 0.25)) >= 0)
    True
    """
    return square(coefficient(d, k, height_of_cut(c), order))


def feature_norm_squared(d: int, b: arb, order: int = 1) -> arb:
    """Enclose the squared L2 norm of phi_v, which is sum_k N_k a_k(v)^2.

    Examples
    --------
    >>> from flint import arb
    >>> print(feature_norm_squared(2, arb(0)).str(12, radius=False))
    0.250000000000
    """
    d, order = _checks.dimension(d), _checks.order(order)
    b = as_height(b)
    bits = ctx.prec
    with precision(bits + GUARD):
        value = _moment(d, 0, 2 * order, b)
    with precision(bits):
        return +value
