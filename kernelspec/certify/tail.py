r"""High degrees: two lemmas that dispose of every degree beyond the block.

Write f_k = a_k(v)^2/mu_k, Gamma = sqrt(2)(d+1)/d, n = k-2, nu = (d+2)/2, p = n+nu. With weights
g_k = N_k mu_k/(mu_k+lambda) and a claimed constant C = gamma * Gamma, the claim reads
sum_k g_k (C tau q_tau - f_k) >= 0, and tau q_tau >= 1.

*Termwise lemma*: f_k <= 2 Gamma for every k >= 2 (`kernelspec.certify.termwise`). A claim with
gamma >= `TERMWISE` can drop all degrees beyond any block.

*Paired lemma*: even and odd degrees alternate, so three neighbours together stay near Gamma:
f_{k-1}/2 + f_k + f_{k+1}/2 <= 2 Gamma (1 + e_1) for all b and all k > K, where e_1 = O(K^-2).
Weights change slowly, |g_{k+1} - 2 g_k + g_{k-1}| <= S g_k with S = O(K^-2), so the degrees
beyond K, started off with the weights 1/4 and 3/4, add up to something nonnegative as soon as

.. math:: \gamma - 1 - e_1 \ge \tfrac14 \max(\gamma S_+,\ (2(1+e_2) - \gamma) S_-).

The proofs are on the page "The mismatch constant" of the documentation.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from flint import arb, fmpq

from kernelspec.certify.series import first_term, late_terms, ratio
from kernelspec.certify.termwise import certify_termwise

__all__ = ["TERMWISE", "Tail", "choose_tail", "curvature_range", "paired_room", "ratio_bounds"]

TERMWISE: Final = Fraction(101, 50)
"""Bound of f_k/Gamma used for dropped degrees; 2 is true, a little room makes checking easy."""

SMALLEST: Final = 6
PIECES: Final = 24
"""Boxes per axis on which the second difference of the weights is enclosed."""
SPARE: Final = fmpq(1, 100)
"""Share of gamma - 1 that is kept as room, so that another way of bounding agrees."""


@dataclass(frozen=True)
class Tail:
    """How the degrees beyond the block are dealt with.

    Attributes
    ----------
    kind
        "termwise" or "paired".
    degree
        The last degree K that the block keeps in full.

    Examples
    --------
    >>> Tail("paired", 16).degree
    16
    """

    kind: Literal["termwise", "paired"]
    degree: int


def _wallis(y: arb) -> arb:
    """Gamma(y+1/2)^2/(Gamma(y)^2 (y-1/4)): falls to 1 as y grows."""
    half, quarter = fmpq(1, 2), fmpq(1, 4)
    return ((y + half).gamma() / y.gamma()) ** 2 / (y - quarter)


def _series_range(d: int, n: int) -> tuple[arb, arb]:
    """Bounds of the eigenvalue series F_m for every m >= n."""
    x = arb(fmpq(2, d + 2))
    one, late = first_term(n, x), late_terms(n, x)
    return 1 - one - late, 1 + one * ratio(1, n, x) + late


def curvature_range(d: int, p: fmpq, spread: arb) -> tuple[arb, arb]:
    """Enclose (g_{k+1} - 2 g_k + g_{k-1})/g_k for every k + (d-2)/2 >= p and every lambda >= 0.

    `spread` bounds |F_{n+1}/F_n - 1| and |F_{n-1}/F_n - 1|. With z = 1/p, t = lambda/(mu_k+lambda)
    and m = mu_{k+-1}/mu_k - 1, g_{k+-1}/g_k is (N_{k+-1}/N_k)(1 + t m/(1 + (1-t) m)).

    Examples
    --------
    The weights bend by O(1/p^2):

    >>> ranges = [curvature_range(3, fmpq(p), arb(0)) for p in (50, 100)]
    >>> [round(p * p * float(high), 1) for p, (low, high) in zip((50, 100), ranges)]
    [21.2, 21.0]
    """
    half_d, nu, edge = fmpq(d, 2), fmpq(d + 2, 2), fmpq(d + 3, 2)
    eta = arb(0, spread.upper())
    low, high = arb(0), arb(0)
    for i in range(PIECES):
        z = arb(fmpq(i, PIECES) / p).union(arb(fmpq(i + 1, PIECES) / p))
        up = z * (half_d - 1) * (2 + z) / (1 - (half_d - 2) * z)
        down = -z * (half_d - 1) * (2 - z) / (1 + (half_d - 2) * z)
        count_bend = z * z * ((d - 2) * (d - 3)) / (1 - ((half_d - 2) * z) ** 2)
        fall, rise = -2 * nu * z / (1 + edge * z), 2 * nu * z / (1 - edge * z)
        noise_up, noise_down = (1 + fall) * eta, (1 + rise) * eta
        bend = 2 * nu * (2 * nu + 1) * z * z / (1 - (edge * z) ** 2) + noise_up + noise_down
        fall, rise = fall + noise_up, rise + noise_down
        for j in range(PIECES):
            t = arb(fmpq(j, PIECES)).union(arb(fmpq(j + 1, PIECES)))
            right, left = 1 + (1 - t) * fall, 1 + (1 - t) * rise
            value = count_bend + t * (
                (bend + 2 * (1 - t) * fall * rise) / (right * left)
                + up * fall / right
                + down * rise / left
            )
            low, high = low.min(value), high.max(value)
    return low.lower(), high.upper()


def ratio_bounds(d: int, n: int) -> tuple[arb, arb, arb]:
    """Return (single, triple, spread), bounds for all degrees from n + 1 on (NaN if unknown).

    f_k <= 2 Gamma single for k >= n + 1, f_{k-1}/2 + f_k + f_{k+1}/2 <= 2 Gamma triple for
    k >= n + 2, and F_{m+1}/F_m and its inverse differ from 1 by at most `spread` for m >= n - 1.

    Examples
    --------
    They come to 1, 1 and 0 at the rate n^-2:

    >>> for n in (20, 40, 80):
    ...     print([round(float(bound), 5) for bound in ratio_bounds(3, n)])
    [1.00124, 1.00204, 0.00069]
    [1.00033, 1.00053, 0.00018]
    [1.00008, 1.00013, 5e-05]
    """
    nu, half = fmpq(d + 2, 2), fmpq(1, 2)
    low, high = _series_range(d, n - 1)
    if not low > 0:
        return arb("nan"), arb("nan"), arb("nan")
    y = arb(n) / 2
    single = _wallis(y) * _wallis(y + nu - half) / low
    triple = single * (high / low) * (1 + nu / (2 * (n + half) * (n + 2 * nu) ** 2))
    return single, triple, high / low - 1


def paired_room(d: int, degree: int, gamma: arb) -> arb:
    """Room of the paired lemma beyond `degree` at C = gamma * Gamma: positive means it holds.

    NaN where one of its side conditions fails.

    Examples
    --------
    >>> [round(float(paired_room(3, degree, arb("1.01"))), 4) for degree in (16, 32, 64)]
    [-0.0104, 0.0045, 0.0085]
    >>> paired_room(3, 4, arb("1.01")).is_finite()
    False
    """
    nu, n = fmpq(d + 2, 2), degree - 1
    q, q_next = n * n + 2 * n * nu + nu, (n + 1) ** 2 + 2 * (n + 1) * nu + nu
    bend = nu * (nu - 1) / q
    if n < 4 or bend > fmpq(1, 4):
        return arb("nan")
    # |u| <= theta sqrt(H) makes each ratio at most Gamma where sin^2(theta) <= 2 bend.
    edge = arb.pi() ** 2 / 8 * arb(q_next) * arb(2 * bend) ** arb(nu) / (2 - 2 * bend)
    if not edge <= fmpq(1, 2):
        return arb("nan")
    single, triple, spread = ratio_bounds(d, n)
    if not spread.is_finite():
        return arb("nan")
    s_low, s_high = curvature_range(d, degree + 1 + fmpq(d, 2), spread)
    swing = (gamma * s_high).max((2 * single - gamma) * -s_low)
    return gamma - triple - swing / 4


def choose_tail(d: int, gamma: arb, max_degree: int) -> Tail | None:
    """Return the cheapest lemma that serves the constant gamma * Gamma, None if there is none.

    Examples
    --------
    Four times the limit leaves room to treat every degree alone, 1.01 times it does not:

    >>> choose_tail(3, arb(4), 512)
    Tail(kind='termwise', degree=1)
    >>> choose_tail(3, arb("1.01"), 512)
    Tail(kind='paired', degree=24)
    >>> choose_tail(3, arb("1.01"), 16) is None
    True
    """
    enough = gamma >= fmpq(TERMWISE.numerator, TERMWISE.denominator)
    if enough and certify_termwise(d).verdict == "certified":
        return Tail("termwise", 1)
    spare = (gamma - 1) * SPARE
    bad, good = SMALLEST - 1, SMALLEST
    while not paired_room(d, good, gamma) >= spare:
        bad, good = good, 2 * good
        if bad >= max_degree:
            return None
    while good - bad > 1:
        middle = (good + bad) // 2
        if paired_room(d, middle, gamma) >= spare:
            good = middle
        else:
            bad = middle
    return Tail("paired", good) if good <= max_degree else None
