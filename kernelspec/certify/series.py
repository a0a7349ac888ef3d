r"""Bounds for the 3F2 of the eigenvalues that hold for every large n, and for boxes of 1/L.

F_n = sum_j (+-) T_j with T_j > 0 and T_{j+1}/T_j = r(j),

.. math:: r(j) = \frac{(j+1/2)^2 (L+j)}{2 (j+1) |n-1/2-j| (n+2L+1/2+j)},

sign (-1)^j for j <= n and (-1)^n afterwards. The argument x = 1/L lets L range to infinity. The
lemmas named here are proved on the page "Decay of the eigenvalues" of the documentation.
"""

from __future__ import annotations

from flint import arb, ctx, fmpq

from kernelspec.certify.arithmetic import monotone

__all__ = ["first_term", "late_terms", "ratio", "series_sum"]

HALF = fmpq(1, 2)


def _step(j: int, n: int, x: arb) -> arb:
    """(L+j)/(n+2L+1/2+j) at L = 1/x: a Moebius function of x, so its ends enclose it."""
    return monotone(lambda t: (1 + j * t) / (2 + (n + HALF + j) * t), x)


def ratio(j: int, n: int, x: arb) -> arb:
    """Enclose r(j) = T_{j+1}/T_j at L = 1/x.

    Examples
    --------
    The terms fall except about j = n, from j = 3n + 2 on at least by a quarter:

    >>> [round(float(ratio(j, 8, arb(1) / 2)), 3) for j in (0, 4, 8, 16, 26)]
    [0.003, 0.21, 3.916, 0.595, 0.511]
    """
    return (j + HALF) ** 2 / (2 * (j + 1) * abs(n - HALF - j)) * _step(j, n, x)


def first_term(n: int, x: arb) -> arb:
    """Enclose T_1 = L/(8 (n-1/2)(n+2L+1/2)) at L = 1/x, n >= 1.

    Examples
    --------
    At n = 1 and L = 2 it is 2/(8 (1/2) (11/2)) = 1/11:

    >>> round(1 / float(first_term(1, arb(1) / 2)), 12)
    11.0
    """
    return ratio(0, n, x)


def late_terms(n: int, x: arb) -> arb:
    """Bound the terms T_j past the point where they start to grow: 5/2 (L)_n/(n+2L+1/2)_n.

    For n >= 2: 1 - T_1 - late <= F_n <= 1 - T_1 + T_2 + late (lemma "envelope"). From n to n+1
    the bound falls at least by one half (lemma "halving").

    Examples
    --------
    >>> bounds = [float(late_terms(n, arb(1) / 2)) for n in range(4, 9)]
    >>> round(bounds[0], 6), max(b / a for a, b in zip(bounds, bounds[1:])) < 0.5
    (0.030767, True)
    """
    product = arb(fmpq(5, 2))
    for i in range(n):
        product *= _step(i, n, x)
    return product


def series_sum(n: int, x: arb, tolerance: arb | None = None) -> arb:
    """Enclose F_n at L = 1/x by summing past 3n + 2, from where r(j) <= 3/4.

    `tolerance` bounds the rest that is left out and added to the radius, by default 2^-prec.

    Examples
    --------
    One ball for all L >= 2 next to the value at L = 2:

    >>> every, one = series_sum(6, arb(0.25, 0.25)), series_sum(6, arb(1) / 2)
    >>> every.contains(one), round(float(one), 9)
    (True, 0.995862794)
    """
    total, term, j = arb(1), arb(1), 0
    enough = arb(2) ** (-ctx.prec) if tolerance is None else tolerance
    while j < 3 * n + 2 or not 3 * term < enough:
        term = term * ratio(j, n, x)
        j += 1
        total = total - term if min(j, n) % 2 else total + term
    return total + arb(0, (3 * term).upper())
