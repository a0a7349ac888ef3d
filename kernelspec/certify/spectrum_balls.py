"""Enclosures of the eigenvalues mu_k and of the kernel K(t)."""

from __future__ import annotations

import math
from functools import lru_cache

from flint import arb, ctx, fmpq, fmpz

from kernelspec import _checks
from kernelspec.certify.arithmetic import GUARD, as_ball, monotone, precision

__all__ = ["eigenvalue", "hypergeometric_factor", "kernel", "kernel_at_one", "multiplicity"]


def multiplicity(d: int, k: int) -> fmpz:
    """Return N(d, k) exactly: C(d+k-1, k) - C(d+k-3, k-2).

    Examples
    --------
    >>> [int(multiplicity(3, k)) for k in range(4)]
    [1, 3, 5, 7]
    """
    low = math.comb(d + k - 3, k - 2) if k >= 2 else 0
    return fmpz(math.comb(d + k - 1, k) - low)


def hypergeometric_factor(two_l: int, n: int, tolerance: arb | None = None) -> arb:
    r"""Enclose :math:`F_n = {}_3F_2(1/2, 1/2, L; 1/2-n, n+2L+1/2; 1/2)`, with 2L = `two_l`.

    The terms are summed one by one. For n >= 1 and J <= n their absolute values T_j satisfy
    (see the proof page on decay): log T_j is convex on 0..n, so T_j <= max(T_J, T_n) for
    J <= j <= n; and the terms from n on add up to at most 2 (L)_n/(n+2L+1/2)_n, T_n to at most
    half of that. For j >= 3n + 2 (any j if n <= 0) each term is at most 3/4 of the one before.

    `tolerance` bounds the rest that is left out and added to the radius, by default 2^-(prec+4).

    Examples
    --------
    >>> from mpmath import hyper
    >>> ball, value = hypergeometric_factor(4, 3), hyper([0.5, 0.5, 2], [-2.5, 7.5], 0.5)
    >>> abs(float(ball) - float(value)) < 1e-13, float(ball.rad()) < 1e-13
    (True, True)
    """
    big_l = fmpq(two_l, 2)
    half = fmpq(1, 2)
    target = arb(2) ** (-ctx.prec - 4) if tolerance is None else tolerance
    term, total, j = arb(1), arb(1), 0
    beyond = arb(0)
    if n >= 1:
        beyond = 2 * arb(big_l).rising(n) / arb(n + two_l + half).rising(n)
    while True:
        # j + 1 terms are in `total`; `term` is the last of them.
        if n >= 1 and 1 <= j < n:
            rest = (n - j) * abs(term).max(beyond) + beyond
            if rest < target:
                return total + arb(0, rest.upper())
        if j >= 3 * n + 2 and j >= 1:
            rest = 3 * abs(term)  # a geometric series of ratio 3/4
            if rest < target:
                return total + arb(0, rest.upper())
        numerator = (j + half) ** 2 * (big_l + j)
        denominator = 2 * (j + 1) * (half - n + j) * (n + two_l + half + j)
        ratio = numerator / denominator
        term = term * ratio.p / ratio.q
        total += term
        j += 1


def moment_polynomial(order: int) -> dict[int, fmpq]:
    """Return the coefficients of E[(ab)^s] in the correlation u: {degree: coefficient}."""
    s = order
    return {
        j: fmpq(
            math.factorial(s) ** 2,
            math.factorial(j) * math.factorial((s - j) // 2) ** 2 * 2 ** (s - j),
        )
        for j in range(s % 2, s + 1, 2)
    }


def _polynomial_part(d: int, k: int, order: int) -> arb:
    """Return the k-th eigenvalue of E[(ab)^s]/(2 ((d+1)/2)_s), by E[u^j P_k] as beta functions."""
    h = arb(d - 1) / 2
    beta_h = h.gamma() ** 2 / (2 * h).gamma()
    total = arb(0)
    for j, coefficient in moment_polynomial(order).items():
        if j >= k:
            factor = fmpz(math.factorial(j) // math.factorial(j - k)) / h.rising(k)
            beta = (j + h).gamma() * (k + h).gamma() / (j + k + 2 * h).gamma()
            total += coefficient * factor * beta / beta_h
    return total / (2 * (arb(d + 1) / 2).rising(order))


@lru_cache(maxsize=65536)
def _eigenvalue(d: int, k: int, order: int, bits: int) -> arb:
    with precision(bits + GUARD):
        two_l = d + 2 * order
        n = k - order - 1
        big_l = arb(two_l) / 2
        scale = fmpz(math.factorial(order)) ** 2 / (2 * arb.pi() * arb(d).rising(2 * order + 1))
        scale *= (arb(2) ** (two_l - 1) / arb(2).sqrt()) * big_l.gamma() * (big_l + 1).gamma()
        scale /= arb.pi() * (n + arb(1) / 2).rising(two_l)
        value = scale * hypergeometric_factor(two_l, n)
        if k <= order:
            value += _polynomial_part(d, k, order)
    with precision(bits):
        return +value


def eigenvalue(d: int, k: int, order: int = 1) -> arb:
    r"""Enclose the Mercer eigenvalue mu_k at flint's current precision.

    Closed form, one :math:`{}_3F_2` at 1/2 per degree:

    .. math:: \mu_k = \frac{(s!)^2}{2\pi (d)_{2s+1}}
        \frac{2^{2L-3/2}\Gamma(L)\Gamma(L+1)}{\pi}
        \frac{\Gamma(n+1/2)}{\Gamma(n+2L+1/2)} F_n + p_k,

    L = (d+2s)/2, n = k-s-1. The polynomial part p_k is zero for k > s; for k <= s it is the
    eigenvalue of half the full Gaussian moment E[(ab)^s], the part of the kernel that has no
    half-integer power of 1-t.

    Examples
    --------
    >>> print(eigenvalue(3, 0).str(15, radius=False))
    0.156250000000000
    """
    d, k, order = _checks.dimension(d), _checks.count("k", k, 0), _checks.order(order)
    return _eigenvalue(d, k, order, ctx.prec)


def _sine_polynomial(order: int) -> dict[int, fmpq]:
    """Return r_s of E_s(u) = [(pi - th) m_s(u) + sin th r_s(u)]/(2 pi), by E_s' = s^2 E_{s-1}."""
    r: dict[int, fmpq] = {}
    for s in range(1, order + 1):
        before, m = r, moment_polynomial(s)
        r = {}
        if s % 2 == 1:
            r[0] = fmpq(2 ** (s - 1) * math.factorial((s - 1) // 2) ** 2)
        for i in range(s - 1):
            lower = before.get(i, fmpq(0)) - before.get(i - 2, fmpq(0))
            total = i * r.get(i - 1, fmpq(0)) - m.get(i, fmpq(0)) + s * s * lower
            if total != 0:
                r[i + 1] = total / (i + 1)
    return r


def _polynomial(coefficients: dict[int, fmpq], u: arb) -> arb:
    total = arb(0)
    for j, coefficient in coefficients.items():
        total += coefficient * u**j
    return total


def kernel(d: int, t: arb, order: int = 1) -> arb:
    r"""Enclose K(t) = E_s((1+t)/2)/((d+1)/2)_s on the part of the ball t in [-1, 1].

    K increases with t (every Maclaurin coefficient of E_s is >= 0), so a wide ball costs nothing.

    Examples
    --------
    >>> print(kernel(2, arb(1)).str(15, radius=False))
    0.333333333333333
    """
    d, order = _checks.dimension(d), _checks.order(order)
    t = as_ball("t", t)
    bits = ctx.prec
    with precision(bits + GUARD):
        m, r = moment_polynomial(order), _sine_polynomial(order)

        def value(x: arb) -> arb:
            u = ((1 + x) / 2).max(arb(0)).min(arb(1))
            angle = arb.pi() - u.acos()
            sine = (1 - u * u).nonnegative_part().sqrt()
            return (angle * _polynomial(m, u) + sine * _polynomial(r, u)) / (2 * arb.pi())

        result = monotone(value, t) / (arb(d + 1) / 2).rising(order)
    with precision(bits):
        return +result


def kernel_at_one(d: int, order: int = 1) -> arb:
    """Enclose K(1) = (2s-1)!!/(2 ((d+1)/2)_s) = sum_k N_k mu_k.

    Examples
    --------
    >>> kernel_at_one(5).contains(arb(1) / 6)
    True
    """
    d, order = _checks.dimension(d), _checks.order(order)
    odd = math.prod(range(1, 2 * order, 2))
    return fmpz(odd) / (2 * (arb(d + 1) / 2).rising(order))
