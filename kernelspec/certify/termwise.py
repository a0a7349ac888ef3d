r"""Proof by computer: no degree k >= 2 alone exceeds 2 sqrt(2) tau (d+1)/d (ReLU features).

With n = k-2, nu = (d+2)/2 and S = 2 sqrt(2)(d+1)/d, the page "Termwise bound" of the
documentation proves

.. math:: \sup_v \frac{a_k(v)^2}{q_\tau(v)\mu_k} \le \tau S \rho_n,\qquad
    \rho_n = \frac{\Psi(n/2+\nu)}{\Psi(n/2) F_n} \times (1 \text{ or, for odd } n,\ \omega_n),

for every tau >= 1, with equality at tau = 1, b = 0 for even n. Here
Psi(z) = Gamma(z+1/4)Gamma(z+3/4)/Gamma(z+1/2)^2 and omega_n < 1. This module checks rho_n < 1 for
every n >= 0: one by one below a degree n_0, and by one inequality from n_0 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from flint import arb, ctx, fmpq

from kernelspec import _checks
from kernelspec.certify.arithmetic import GUARD, as_ball, precision
from kernelspec.certify.series import first_term, late_terms, series_sum
from kernelspec.certify.spectrum_balls import hypergeometric_factor

__all__ = [
    "Termwise",
    "certify_termwise",
    "certify_termwise_in_every_dimension",
    "degree_supremum",
    "termwise_constant",
]

Verdict = Literal["certified", "refuted", "inconclusive"]

LAST_SINGLE: Final = 64
"""Give up the search for n_0 here."""

PROBES: Final = 40
"""A counterexample is sought at the even degrees 2, 4 and 2 + 2^i, i <= PROBES."""


@dataclass(frozen=True)
class Termwise:
    """What was proved about sup_v a_k(v)^2/(q_tau(v) mu_k) <= constant * tau, k >= 2, tau >= 1.

    Attributes
    ----------
    d
        The ambient dimension; None stands for every d >= 2.
    constant
        The constant of the claim, as a ball; in every dimension, in units of
        2 sqrt(2)(d+1)/d.
    verdict
        "certified", "refuted" or "inconclusive".
    reason
        One sentence: what was checked, or what stopped it.
    uniform_from
        The degree k_0 from which one inequality covers all degrees (0 if none was found).
    margins
        For every k < k_0, a ball for 1 - rho (positive: the bound holds with room to spare),
        then the room of the inequality at k_0.
    counterexample
        For "refuted": (k, ball of the ratio at tau = 1, b = 0), else None.

    Examples
    --------
    >>> found = certify_termwise(3)
    >>> found.verdict, found.uniform_from, [k for k, _ in found.margins]
    ('certified', 9, [2, 3, 4, 5, 6, 7, 8, 9])
    >>> bool(min(margin for _, margin in found.margins) > 0)
    True
    """

    d: int | None
    constant: arb
    verdict: Verdict
    reason: str
    uniform_from: int
    margins: tuple[tuple[int, arb], ...]
    counterexample: tuple[int, arb] | None = None


def termwise_constant(d: int) -> arb:
    """Enclose 2 sqrt(2) (d+1)/d, the supremum over k >= 2 at tau = 1.

    Examples
    --------
    >>> print(termwise_constant(2).str(10, radius=False))
    4.242640687
    """
    d = _checks.dimension(d)
    return arb(8).sqrt() * fmpq(d + 1, d)


def _psi(z: arb) -> arb:
    """Psi(z) = Gamma(z+1/4) Gamma(z+3/4)/Gamma(z+1/2)^2: falls to 1 (log-convexity of Gamma)."""
    quarter = fmpq(1, 4)
    return (z + quarter).gamma() * (z + 3 * quarter).gamma() / (z + 2 * quarter).gamma() ** 2


def _wallis(z: arb) -> arb:
    """g(z) = [Gamma(z+1)/Gamma(z+1/2)]^2/(z+1/2): rises to 1."""
    half = fmpq(1, 2)
    return ((z + 1).gamma() / (z + half).gamma()) ** 2 / (z + half)


def _gamma_part(n: int, nu: arb) -> arb:
    """Psi(n/2+nu)/Psi(n/2), times omega_n for odd n: falls as nu grows."""
    z = arb(n) / 2
    y = z + nu
    value = _psi(y) / _psi(z)
    if n % 2:
        value *= _wallis(z) / _wallis(y) / (1 - 1 / (4 * y * y))
    return value


def degree_supremum(d: int, k: int) -> arb:
    """Enclose S rho_n: an upper bound of sup_b a_k^2/mu_k, exact (taken at b = 0) for even k.

    For every tau >= 1, a_k(v)^2 <= tau * q_tau(v) * mu_k * degree_supremum(d, k).

    Parameters
    ----------
    d
        Ambient dimension, 2 to 1000.
    k
        Degree, at least 2.

    Examples
    --------
    >>> print(degree_supremum(5, 2).str(10, radius=False))
    2.128817219
    """
    d, k = _checks.dimension(d), _checks.count("k", k, 2)
    bits = ctx.prec
    with precision(bits + GUARD + 4 * k.bit_length()):
        n = k - 2
        nu = arb(d + 2) / 2
        value = termwise_constant(d) * _gamma_part(n, nu) / hypergeometric_factor(d + 2, n)
    with precision(bits):
        return +value


def _gamma_bound(n: int, x: arb) -> arb:
    """Bound `_gamma_part` above for every nu >= 2 with 1/nu in x: take the smallest such nu."""
    return _gamma_part(n, (1 / x.upper()).lower())


def _single_margin(n: int, x: arb) -> arb:
    """Enclose 1 - rho_n at nu = 1/x, bounded below when x is a wide ball (x may touch 0)."""
    return 1 - _gamma_bound(n, x) / series_sum(n, x)


def _uniform_room(n: int, x: arb) -> arb:
    """Return delta - delta^2/2 - T_1 - late: positive at one n >= 4 means rho < 1 from there on."""
    delta = 1 / (4 * (n + 1) * (2 + (n + 1) * x))
    return delta - delta * delta / 2 - first_term(n, x) - late_terms(n, x)


def _worst(margins: list[arb]) -> arb:
    """Return the margin to report: the one that reaches lowest, a NaN before all others."""
    return min(margins, key=lambda m: float(m.lower()) if m.is_finite() else float("-inf"))


def _prove(boxes: list[arb]) -> tuple[int, tuple[tuple[int, arb], ...]]:
    """Return (k_0, margins), the margins all positive on every box of 1/nu; k_0 = 0: no proof."""
    done: list[tuple[int, arb]] = []
    for n in range(LAST_SINGLE):
        if n >= 4:
            rooms = [_uniform_room(n, x) for x in boxes]
            if all(room > 0 for room in rooms):
                return n + 2, (*done, (n + 2, _worst(rooms)))
        margins = [_single_margin(n, x) for x in boxes]
        done.append((n + 2, _worst(margins)))
        if not all(margin > 0 for margin in margins):
            break
    return 0, tuple(done)


def _counterexample(d: int, constant: arb) -> tuple[int, arb] | None:
    for k in [2, 4, *(2 + 2**i for i in range(2, PROBES + 1))]:
        ratio = degree_supremum(d, k)
        if ratio > constant:
            return k, ratio
    return None


def certify_termwise(
    d: int, constant: arb | int | float | str | Fraction | None = None, *, bits: int = 192
) -> Termwise:
    """Prove or refute sup_v a_k(v)^2/(q_tau(v) mu_k) <= constant * tau for all k >= 2, tau >= 1.

    Parameters
    ----------
    d
        Ambient dimension, 2 to 1000.
    constant
        The claimed constant; by default 2 sqrt(2)(d+1)/d, which is the supremum over k (a limit
        along even k that no degree attains), so no smaller constant is true.
    bits
        Working precision.

    Raises
    ------
    ValueError, TypeError
        For a dimension out of range or a constant that is no number.

    Examples
    --------
    >>> certify_termwise(5).verdict
    'certified'
    >>> certify_termwise(5, 3.39).verdict
    'refuted'
    """
    d = _checks.dimension(d)
    bits = _checks.integer("bits", bits, 64, 65536)
    with precision(bits):
        sharp = termwise_constant(d)
        claimed = sharp if constant is None else as_ball("constant", constant)
        start, margins = _prove([arb(fmpq(2, d + 2))])
        if not start:
            reason = f"the ball for degree {margins[-1][0]} does not exclude rho >= 1: more bits"
            return Termwise(d, claimed, "inconclusive", reason, 0, margins)
        if constant is None or claimed >= sharp:
            reason = (
                f"rho < 1 for k = 2..{start - 1} one by one and for all k >= {start} by one "
                "inequality"
            )
            return Termwise(d, claimed, "certified", reason, start, margins)
        found = _counterexample(d, claimed)
        if found is None:
            reason = "the constant is too close to the supremum 2 sqrt(2)(d+1)/d to decide"
            return Termwise(d, claimed, "inconclusive", reason, start, margins)
        reason = f"at tau = 1, b = 0 and degree k = {found[0]} the ratio exceeds the constant"
        return Termwise(d, claimed, "refuted", reason, start, margins, found)


def certify_termwise_in_every_dimension(*, boxes: int = 256, bits: int = 192) -> Termwise:
    """Prove the termwise bound with 2 sqrt(2)(d+1)/d for every d >= 2 at once.

    The checks of `certify_termwise` run on boxes of 2/(d+2) that cover [0, 1/2].

    Examples
    --------
    >>> certify_termwise_in_every_dimension(boxes=16).verdict
    'certified'
    """
    boxes = _checks.integer("boxes", boxes, 1, 65536)
    bits = _checks.integer("bits", bits, 64, 65536)
    with precision(bits):
        width = fmpq(1, 2 * boxes)
        cover = [arb(width * i).union(arb(width * (i + 1))) for i in range(boxes)]
        start, margins = _prove(cover)
        if start:
            reason = f"rho < 1 on all {boxes} boxes of 2/(d+2), one inequality from k = {start} on"
            return Termwise(None, arb(1), "certified", reason, start, margins)
        reason = f"degree {margins[-1][0]} is undecided on a box of 2/(d+2): use more boxes"
        return Termwise(None, arb(1), "inconclusive", reason, 0, margins)
