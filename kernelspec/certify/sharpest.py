r"""The sharpest constant, and the smallest tau, that the proofs reach: brackets from both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from kernelspec import _checks
from kernelspec.certify.constants import SquareRoot, exact_constant, exact_rational, limit_constant
from kernelspec.certify.mismatch import MismatchCertificate, certify_mismatch
from kernelspec.certify.refute import largest_ratio

__all__ = ["Bracket", "sharpest_constant", "smallest_tau"]

GRID: Final = 1000
"""Constants are tried as multiples of limit/GRID (of a tenth of that for a finer resolution)."""
TAU_GRID: Final = 10_000
NEAR_LIMIT: Final = (Fraction(9999, 10_000), Fraction(999, 1000), Fraction(99, 100))
"""Multiples to refute where the supremum is the limit: small ridges come close to it."""


@dataclass(frozen=True)
class Bracket:
    """A certified claim next to a refuted one.

    Attributes
    ----------
    certified
        The strongest claim that was proved, None if there was none in reach.
    refuted
        The weakest claim that was refuted, None if there was none.

    Examples
    --------
    The smallest constant at d = 5 and tau = 1 is between three and four times the limit:

    >>> claims = [certify_mismatch(5, 1, multiple * limit_constant(5)) for multiple in (4, 3)]
    >>> bracket = Bracket(*claims)
    >>> bracket.certified.verdict, bracket.refuted.verdict
    ('certified', 'refuted')
    """

    certified: MismatchCertificate | None
    refuted: MismatchCertificate | None


def sharpest_constant(
    d: int,
    tau: float | Fraction,
    *,
    resolution: float = 1e-3,
    attempts: int = 6,
    max_degree: int = 512,
) -> Bracket:
    r"""Bracket the smallest C with kappa(lambda; q_t) <= C t for all lambda > 0 and t >= tau.

    C is sought as gamma times the limit sqrt(2)(d+1)/d. A float search gives the supremum s of
    kappa/tau in that unit; gamma = max(s, 1) (1 + delta), rounded up to few digits, is
    tried with delta = resolution, twice that, four times that, ... until a proof succeeds. The
    refuted constant is s (1 - 1e-6) or, where s is only approached as lambda falls, the largest
    of a few multiples that a counterexample reaches.

    Parameters
    ----------
    d
        Ambient dimension.
    tau
        Smallest spread of the biases, at least 1.
    resolution
        The first delta, at least 1e-4; a proof takes longer the smaller it is.
    attempts
        How many deltas are tried.
    max_degree
        See `certify_mismatch`.

    Examples
    --------
    >>> bracket = sharpest_constant(5, 2)
    >>> print(bracket.certified.constant, "=", bracket.certified.constant.rational / Fraction(6, 5))
    3003/2500*sqrt(2) = 1001/1000
    """
    d, tau_0 = _checks.dimension(d), exact_rational("tau", tau)
    attempts = _checks.integer("attempts", attempts, 1, 20)
    if not 1e-4 <= _checks.positive("resolution", resolution) <= 1:
        raise ValueError(f"resolution = {resolution!r} is not allowed: a number from 1e-4 to 1")
    if tau_0 < 1:
        raise ValueError(f"tau = {tau!r} is not allowed: a number >= 1")
    unit, grid = limit_constant(d), GRID if resolution >= 1e-3 else 10 * GRID
    supremum = largest_ratio(d, tau_0, refine=True)[0] / float(unit)
    below = [Fraction(math.floor(supremum * (1 - 1e-6) * 10**6), 10**6)]
    if supremum < 1:
        below = [*NEAR_LIMIT, *below]
    refuted = _first("refuted", d, tau_0, [unit * multiple for multiple in below], max_degree)
    for i in range(attempts):
        target = max(supremum, 1.0) * (1 + 2**i * resolution)
        multiple = Fraction(math.ceil(target * grid - 1e-9), grid)
        certified = _first("certified", d, tau_0, [unit * multiple], max_degree)
        if certified is not None:
            return Bracket(certified, refuted)
    return Bracket(None, refuted)


def _first(
    verdict: str, d: int, tau: Fraction, constants: list[SquareRoot], max_degree: int
) -> MismatchCertificate | None:
    """Return the first claim with the wanted verdict."""
    for constant in constants:
        found = certify_mismatch(d, tau, constant, max_degree=max_degree)
        if found.verdict == verdict:
            return found
    return None


def smallest_tau(
    d: int, constant: float | Fraction | SquareRoot, *, guess: Fraction | None = None
) -> Bracket:
    """Bracket the smallest tau in [1, 2] from which on a constant holds, to 1e-4.

    A good guess, such as the answer in a neighbouring dimension, saves most of the proofs.

    Examples
    --------
    >>> from kernelspec.certify.constants import theorem_constant
    >>> bracket = smallest_tau(6, theorem_constant(6))
    >>> float(bracket.refuted.tau), float(bracket.certified.tau)
    (1.0084, 1.0085)
    """
    d, claimed = _checks.dimension(d), exact_constant(constant)
    low, high = TAU_GRID, 2 * TAU_GRID
    best: dict[int, MismatchCertificate] = {}

    def verdict(tick: int) -> str:
        best[tick] = certify_mismatch(d, Fraction(tick, TAU_GRID), claimed)
        return best[tick].verdict

    def refuted(tick: int) -> MismatchCertificate | None:
        return best[tick] if best[tick].verdict == "refuted" else None

    if guess is not None:
        near = min(max(round(guess * TAU_GRID), low + 1), high - 1)
        for tick in (near, near - 1, near + 1):
            found = verdict(tick)
            high = min(high, tick) if found == "certified" else high
            low = max(low, tick) if found == "refuted" else low
            if high - low == 1:
                return Bracket(best[high], best[low])
    if low not in best and verdict(low) == "certified":
        return Bracket(best[low], None)
    if high not in best and verdict(high) != "certified":
        return Bracket(None, refuted(low))
    while high - low > 1:
        middle = (low + high) // 2
        found = verdict(middle)
        if found == "inconclusive":
            break
        low, high = (low, middle) if found == "certified" else (middle, high)
    return Bracket(best[high], refuted(low))
