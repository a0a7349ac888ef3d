"""Enclosures of normalised Gegenbauer polynomials, on points and on wide balls."""

from __future__ import annotations

import math

from flint import arb, ctx

from kernelspec import _checks
from kernelspec.certify.arithmetic import GUARD, as_ball, hull, precision

__all__ = ["gegenbauer", "gegenbauer_all", "unit_part"]


def unit_part(t: arb) -> arb:
    """Return a ball that contains the part of t in [-1, 1].

    Examples
    --------
    >>> float(unit_part(arb(1, 0.5)).upper()) < 1.01
    True
    """
    return hull(t.lower().max(arb(-1)).min(arb(1)), t.upper().min(arb(1)).max(arb(-1)))


def _at_point(d: int, n: int, t: arb, bits: int) -> list[arb]:
    # (k+d-2) P_{k+1} = (2k+d-2) t P_k - k P_{k-1}. In ball arithmetic a radius grows at most by
    # the factor 1 + sqrt(2) < 2^1.28 a step: that many extra bits keep the result sharp.
    with precision(bits + math.ceil(1.28 * n) + GUARD):
        values = [arb(1), +t]
        for k in range(1, n):
            values.append(((2 * k + d - 2) * t * values[k] - k * values[k - 1]) / (k + d - 2))
    return values[: n + 1]


def gegenbauer_all(d: int, n: int, t: arb) -> list[arb]:
    r"""Enclose P_0, ..., P_n (dimension d >= 2, P_k(1) = 1) on the part of t in [-1, 1].

    On a ball of midpoint m and radius r, with P_k' = k(k+d-2)/(d-1) P_{k-1}^{(d+2)} and
    |P| <= 1 in every dimension,

    .. math:: |P_k(t) - P_k(m)| \le r |P_k'(m)| + \frac{r^2}{2}
        \frac{k(k-1)(k+d-2)(k+d-1)}{(d-1)(d+1)}.

    Examples
    --------
    >>> from flint import arb
    >>> print(gegenbauer_all(3, 2, arb(0.5))[2].str(10, radius=False))
    -0.1250000000
    """
    n = _checks.count("n", n, 0)
    d = _checks.count("d", d, 2)
    bits = ctx.prec
    t = unit_part(as_ball("t", t))
    middle, radius = t.mid(), t.rad()
    values = _at_point(d, n, middle, bits)
    if not t.is_exact() and n >= 1:
        slopes = _at_point(d + 2, n - 1, middle, bits)
        with precision(bits + GUARD):
            for k in range(1, n + 1):
                slope = slopes[k - 1] * k * (k + d - 2) / (d - 1)
                bend = arb(k) * (k - 1) * (k + d - 2) * (k + d - 1) / ((d - 1) * (d + 1))
                spread = radius * abs(slope) + radius * radius / 2 * bend
                values[k] = values[k] + arb(0, spread.upper())
    with precision(bits):
        return [_within_one(value) for value in values]


def _within_one(value: arb) -> arb:
    if value.abs_upper() <= 1:
        return +value
    return unit_part(value)


def gegenbauer(d: int, n: int, t: arb) -> arb:
    """Enclose P_n on the part of the ball t in [-1, 1], P_n(1) = 1, dimension d.

    Where the derivative keeps its sign on the ball, the values at the two ends are taken: the
    result is then as narrow as possible.

    Examples
    --------
    >>> from flint import arb
    >>> gegenbauer(5, 40, arb(0, 1)).contains(1)
    True
    """
    value = gegenbauer_all(d, n, t)[n]
    t = unit_part(as_ball("t", t))
    if n < 2 or t.rad() * n * n < 2.0 ** (-ctx.prec // 2):
        return value
    if gegenbauer_all(d + 2, n - 1, t)[n - 1].contains(0):
        return value
    bits = ctx.prec
    ends = [_at_point(d, n, end, bits)[n] for end in (t.lower(), t.upper())]
    return _within_one(hull(*ends))
