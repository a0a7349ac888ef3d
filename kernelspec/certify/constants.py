r"""Exact constants: rationals and rational multiples of a square root.

The theorem's constant :math:`4\sqrt2\,(d+1)/d` is irrational. A float is close to it, not equal;
a proof needs to know which number is meant. `SquareRoot` says it exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernelspec import _checks

if TYPE_CHECKING:
    from flint import arb

__all__ = ["SquareRoot", "exact_constant", "exact_rational", "limit_constant", "theorem_constant"]

SMALLEST: Final = Fraction(1, 10**300)
ALLOWED: Final = "a positive rational times the root of an integer >= 1"


@dataclass(frozen=True)
class SquareRoot:
    """The number `rational` * sqrt(`radicand`); a radicand of 1 is a plain rational.

    Examples
    --------
    >>> print(SquareRoot(Fraction(24, 5)), round(float(SquareRoot(Fraction(24, 5))), 12))
    24/5*sqrt(2) 6.788225099391
    """

    rational: Fraction
    radicand: int = 2

    def __str__(self) -> str:
        return str(self.rational) + ("" if self.radicand == 1 else f"*sqrt({self.radicand})")

    def __float__(self) -> float:
        return float(self.rational) * math.sqrt(self.radicand)

    def __mul__(self, factor: Fraction | int) -> SquareRoot:
        return SquareRoot(self.rational * factor, self.radicand)

    __rmul__ = __mul__

    def ball(self) -> arb:
        """Return a ball that contains the number, at flint's current precision."""
        from flint import arb, fmpq

        rational = fmpq(self.rational.numerator, self.rational.denominator)
        return arb(self.radicand).sqrt() * rational


def exact_rational(name: str, value: Any) -> Fraction:
    """Return a positive number as a Fraction; a float counts as the dyadic rational it is.

    Raises
    ------
    TypeError
        If `value` is no int, float or Fraction.
    ValueError
        If it is not within 1e-300 and 1e300.

    Examples
    --------
    >>> exact_rational("tau", 1.25)
    Fraction(5, 4)
    """
    allowed = "a number from 1e-300 to 1e300: an int, a float or a Fraction"
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, Fraction, np.integer, np.floating)
    ):
        raise TypeError(f"{name} = {value!r} is not allowed: {allowed}")
    if isinstance(value, (float, np.floating)) and not math.isfinite(value):
        raise ValueError(f"{name} = {value!r} is not allowed: {allowed}")
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if not SMALLEST <= value <= 1 / SMALLEST:
        raise ValueError(f"{name} = {value!r} is not allowed: {allowed}")
    return Fraction(value)


def exact_constant(value: Any) -> SquareRoot:
    """Return a positive constant exactly; floats and fractions get the radicand 1.

    Examples
    --------
    >>> exact_constant(0.5)
    SquareRoot(rational=Fraction(1, 2), radicand=1)
    """
    if not isinstance(value, SquareRoot):
        return SquareRoot(exact_rational("constant", value), 1)
    if value.rational <= 0 or value.radicand < 1:
        raise ValueError(f"constant = {value} is not allowed: {ALLOWED}")
    exact_rational("constant", value.rational)
    return value


def limit_constant(d: int) -> SquareRoot:
    r"""Return :math:`\sqrt2\,(d+1)/d`, the limit of kappa(lambda; q_tau)/tau as lambda falls.

    Examples
    --------
    >>> print(limit_constant(5))
    6/5*sqrt(2)
    """
    d = _checks.dimension(d)
    return SquareRoot(Fraction(d + 1, d), 2)


def theorem_constant(d: int) -> SquareRoot:
    r"""Return the theorem's :math:`4\sqrt2\,(d+1)/d` exactly.

    Examples
    --------
    >>> print(theorem_constant(5))
    24/5*sqrt(2)
    """
    return 4 * limit_constant(d)
