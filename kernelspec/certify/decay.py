r"""Proof by computer: two-sided constants for the decay of the eigenvalues, for every degree.

With 2L = d+2s, kap = k + (d-2)/2, n = k-s-1 and A_d the leading constant,

.. math:: \mu_k \,\mathrm{kap}^{2L} = A_d\, G(\mathrm{kap})\, F_n, \qquad
    G = \prod_a \bigl(1 - a^2/\mathrm{kap}^2\bigr)^{-1},

a = 1/2, 3/2, ..., L-1/2 or 1, 2, ..., L-1/2. The page "Decay of the eigenvalues" of the
documentation proves that G falls to 1 and that, from a degree k_0 on which three inequalities
hold, 1 <= G F_n and F_n <= 1. This module finds k_0 and checks the smaller degrees one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from flint import arb, fmpq

from kernelspec import _checks
from kernelspec.certify.arithmetic import GUARD, decimal_bounds, precision
from kernelspec.certify.series import first_term, late_terms, ratio
from kernelspec.certify.spectrum_balls import eigenvalue

__all__ = ["DecayProof", "certify_decay", "decay_exponent", "eigenvalue_constant"]

Verdict = Literal["certified", "refuted", "inconclusive"]

LAST_START: Final = 4096
"""Give up the search for n_0 here."""


@dataclass(frozen=True)
class DecayProof:
    """What was proved about the decay of the eigenvalues.

    Attributes
    ----------
    d, order
        Ambient dimension and order of the activation.
    exponent
        The claimed exponent of the sorted eigenvalues.
    alpha
        The true one, (d+2s)/(d-1).
    verdict
        "certified": two-sided constants for the claimed exponent are proved; "refuted": no such
        constants exist; "inconclusive": see `reason`.
    reason
        One sentence: what was proved, or what stopped it.
    k0
        c1 <= mu_k kap^(d+2s) <= c2 holds for every k >= k0.
    c1, c2
        These constants: c1 is the leading constant A_d itself.
    small
        (k, ball of mu_k kap^(d+2s)) for the degrees 0 <= k < k0.
    sorted_lower, sorted_upper
        sorted_lower <= mu_(j) j^alpha <= sorted_upper for every j >= 1, eigenvalues sorted and
        counted with multiplicity.

    Examples
    --------
    >>> proof = certify_decay(5)
    >>> proof.verdict, proof.alpha
    ('certified', Fraction(7, 4))
    """

    d: int
    order: int
    exponent: Fraction
    alpha: Fraction
    verdict: Verdict
    reason: str
    k0: int
    c1: arb
    c2: arb
    small: tuple[tuple[int, arb], ...]
    sorted_lower: arb
    sorted_upper: arb


def decay_exponent(d: int, order: int = 1) -> Fraction:
    """Return alpha = (d+2s)/(d-1), exactly.

    Examples
    --------
    >>> decay_exponent(5)
    Fraction(7, 4)
    """
    return Fraction(_checks.dimension(d) + 2 * _checks.order(order), d - 1)


def eigenvalue_constant(d: int, order: int = 1) -> arb:
    """Enclose A = (s!)^2/(2 pi (d)_{2s+1}) 2^(2L-3/2) Gamma(L) Gamma(L+1)/pi, the limit constant.

    Examples
    --------
    >>> print(eigenvalue_constant(2).str(10, radius=False))
    0.02388163201
    """
    d, order = _checks.dimension(d), _checks.order(order)
    two_l = d + 2 * order
    big_l = arb(two_l) / 2
    value = math.factorial(order) ** 2 * arb(2) ** (two_l - 1) / arb(2).sqrt()
    value *= big_l.gamma() * (big_l + 1).gamma()
    return value / (2 * arb.pi() ** 2 * arb(d).rising(2 * order + 1))


def _kappa(d: int, k: int) -> fmpq:
    return fmpq(2 * k + d - 2, 2)


def _steps(top: int) -> list[fmpq]:
    """Return the positive a of the product of (top) factors centred at 0: a <= (top-1)/2."""
    return [fmpq(i, 2) for i in range(top - 1, 0, -2)]


def _gamma_factor(two_l: int, kappa: fmpq) -> arb:
    """G(kap): the product over a of 1/(1 - a^2/kap^2), exact up to rounding; falls to 1."""
    product = arb(1)
    for a in _steps(two_l):
        product *= 1 - (a / kappa) ** 2
    return 1 / product


def series_settled(d: int, order: int, n: int) -> bool:
    """Check the three inequalities at n >= 4 that carry over to every larger n."""
    two_l = d + 2 * order
    big_l = fmpq(two_l, 2)
    x = arb(fmpq(2, two_l))
    t1 = first_term(n, x)
    late = late_terms(n, x)
    kappa_squared = (n + big_l) ** 2
    g = big_l * (4 * big_l**2 - 1) / 12
    t = 3 * big_l / 16  # T_1 plus half of it, times kap^2 - q
    q = (big_l + fmpq(1, 2)) ** 2
    late_is_small = late <= t1 / 2
    product_above_one = g > t and kappa_squared * (g - t) >= g * (q + t)
    series_below_one = ratio(1, n, x) + late / t1 <= 1
    return bool(late_is_small and product_above_one and series_below_one)


def _first_degree(d: int, order: int, wanted: int | None) -> int:
    """Return the smallest k0 >= wanted that the proof allows; 0 if there is none."""
    least = order + 5 if wanted is None else max(wanted, order + 5)
    for k in range(least, least + LAST_START):
        if series_settled(d, order, k - order - 1):
            return k
    return 0


def _counted(d: int, k: int) -> int:
    """Return M_k = N_0 + ... + N_k = C(k+d-1, d-1) + C(k+d-2, d-1); 0 for k = -1."""
    return math.comb(k + d - 1, d - 1) + math.comb(k + d - 2, d - 1) if k >= 0 else 0


def _sorted_constants(d: int, order: int, k0: int, upper: arb) -> tuple[arb, arb]:
    """Bound mu_(j) j^alpha below and above, for every j; `upper` bounds mu_k kap^2L from k0 on.

    mu_k falls with k, so mu_(j) = mu_k for M_{k-1} < j <= M_k.
    """
    alpha = decay_exponent(d, order)
    power = arb(fmpq(alpha.numerator, alpha.denominator))
    lows, highs = [], []
    for k in range(k0):
        mu = eigenvalue(d, k, order)
        lows.append(mu * arb(_counted(d, k - 1) + 1) ** power)
        highs.append(mu * arb(_counted(d, k)) ** power)
    # M_k = 2/(d-1)! kap'^(d-1) prod(1 - a^2/kap'^2), kap' = kap + 1/2, and M_{k-1} with kap - 1/2.
    kappa = _kappa(d, k0)
    unit = (arb(2) / math.factorial(d - 1)) ** power
    before = kappa - fmpq(1, 2)
    product = arb(1)
    for a in _steps(d - 2):
        product *= 1 - (a / before) ** 2
    two_l = d + 2 * order
    low = eigenvalue_constant(d, order) * unit * arb(before / kappa) ** two_l * product**power
    high = upper * unit * arb((kappa + fmpq(1, 2)) / kappa) ** two_l
    return _least([*lows, low]), -_least([-value for value in [*highs, high]])


def _least(balls: list[arb]) -> arb:
    result = balls[0]
    for ball in balls[1:]:
        result = result.min(ball)
    return result


def _exponent(value: Fraction | float | int | str | None, alpha: Fraction) -> Fraction:
    """Read the claimed exponent; a float that is the rounded alpha stands for alpha."""
    if value is None:
        return alpha
    allowed = "a finite number > 0, best given as a Fraction or as text such as '7/4'"
    if isinstance(value, float) and value == float(alpha):
        return alpha
    try:
        result = Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"exponent = {value!r} is not allowed: {allowed}") from None
    except TypeError:
        raise TypeError(f"exponent = {value!r} is not allowed: {allowed}") from None
    if result <= 0:
        raise ValueError(f"exponent = {value!r} is not allowed: {allowed}")
    return result


def certify_decay(
    d: int,
    order: int = 1,
    *,
    exponent: Fraction | float | int | str | None = None,
    first_degree: int | None = None,
    bits: int = 192,
) -> DecayProof:
    """Prove c1 <= mu_k (k+(d-2)/2)^(d+2s) <= c2 for every k >= k0, and sorted constants.

    Parameters
    ----------
    d, order
        Ambient dimension (2 to 1000) and order of the activation.
    exponent
        Claimed exponent of the sorted eigenvalues; by default the true (d+2s)/(d-1). Any other
        one is refuted by the certified constants: mu_(j) j^exponent then has no positive lower
        or no finite upper bound.
    first_degree
        Wanted k0 (raised to where the proof starts to work); the larger, the closer c2/c1 is to 1.
        By default 4d + 16.
    bits
        Working precision.

    Raises
    ------
    ValueError, TypeError
        For an argument out of range.

    Examples
    --------
    >>> proof = certify_decay(5)
    >>> proof.verdict, bool(proof.c2 < 1.02 * proof.c1)
    ('certified', True)
    >>> certify_decay(5, exponent="2").verdict
    'refuted'
    """
    d, order = _checks.dimension(d), _checks.order(order)
    bits = _checks.integer("bits", bits, 64, 65536)
    alpha = decay_exponent(d, order)
    claimed = _exponent(exponent, alpha)
    if first_degree is not None:
        first_degree = _checks.count("first_degree", first_degree, 0)
    with precision(bits + GUARD):
        k0 = _first_degree(d, order, 4 * d + 16 if first_degree is None else first_degree)
        if k0 == 0:
            nan = arb("nan")
            reason = f"no degree below {LAST_START} satisfies the inequalities: use more bits"
            return DecayProof(
                d, order, claimed, alpha, "inconclusive", reason, 0, nan, nan, (), nan, nan
            )
        c1 = eigenvalue_constant(d, order)
        c2 = c1 * _gamma_factor(d + 2 * order, _kappa(d, k0))
        scaled = [eigenvalue(d, k, order) * _kappa(d, k) ** (d + 2 * order) for k in range(k0 + 1)]
        low, high = _sorted_constants(d, order, k0, c2)
    # A guard against a slip in the constants: the degree k0 itself must fit between them.
    fits = bool(c1 <= scaled[k0] and scaled[k0] <= c2)
    proved = fits and bool(c1 > 0 and c2.is_finite() and low > 0 and high.is_finite())
    verdict, reason = _judge(claimed, alpha, proved, k0, low, high)
    small = tuple(enumerate(scaled[:k0]))
    return DecayProof(d, order, claimed, alpha, verdict, reason, k0, c1, c2, small, low, high)


def _judge(
    claimed: Fraction, alpha: Fraction, proved: bool, k0: int, low: arb, high: arb
) -> tuple[Verdict, str]:
    if not proved:
        return "inconclusive", "the constants are not certified at this precision: use more bits"
    below, above = decimal_bounds(low)[0], decimal_bounds(high)[1]
    if claimed == alpha:
        return "certified", (
            f"{below} <= mu_(j) j^({alpha}) <= {above} for every j; one inequality from k = {k0} on"
        )
    if claimed > alpha:
        return "refuted", (
            f"no upper constant: mu_(j) j^({claimed}) >= {below} j^({claimed - alpha}) for every j"
        )
    return "refuted", (
        f"no lower constant: mu_(j) j^({claimed}) <= {above} j^(-{alpha - claimed}) for every j"
    )
