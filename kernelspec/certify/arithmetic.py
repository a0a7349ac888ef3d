"""Ball arithmetic helpers: precision, refinement, hulls, and powers at the edge of a domain.

A ball (`flint.arb`) is a midpoint with a radius; every operation returns a ball that contains
every value the exact operation takes on the input balls. Precision is a global setting of flint;
`precision` sets it for one block and puts it back whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Final

from flint import arb, ctx, fmpq

__all__ = [
    "Inconclusive",
    "as_ball",
    "decimal_bounds",
    "half_power",
    "hull",
    "monotone",
    "precision",
    "refine",
    "relative_width",
]

GUARD: Final = 32
"""Extra bits that a function works with before it rounds to the caller's precision."""


class Inconclusive(ArithmeticError):  # noqa: N818 - a verdict, not a fault
    """No ball of the wanted width was reached below the stated cap on the precision.

    Examples
    --------
    >>> try:
    ...     raise Inconclusive("not separated from 0 at 4096 bits")
    ... except Inconclusive as error:
    ...     print(error)
    not separated from 0 at 4096 bits
    """


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with `bits` bits inside the block and restore the old precision afterwards.

    Examples
    --------
    >>> with precision(200):
    ...     error = (arb(1) / 3).rad()
    >>> error < (arb(1) / 3).rad()
    True
    """
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def as_ball(name: str, value: Any) -> arb:
    """Return `value` as a ball: exact for int, float, Fraction, fmpq; a str is read as a decimal.

    Raises
    ------
    TypeError
        If `value` is none of these.
    ValueError
        If it is NaN or infinite.

    Examples
    --------
    >>> as_ball("tau", "0.1").overlaps(arb(1) / 10), as_ball("tau", 0.5) == arb(1) / 2
    (True, True)
    """
    if isinstance(value, Fraction):
        value = fmpq(value.numerator, value.denominator)
    if value is None or isinstance(value, bool):
        raise TypeError(f"{name} = {value!r} is not allowed: a ball or a real number")
    try:
        ball = value if isinstance(value, arb) else arb(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r} is not allowed: a ball or a real number") from None
    if not ball.is_finite():
        raise ValueError(f"{name} = {value!r} is not allowed: a finite ball or real number")
    return ball


def hull(*balls: arb) -> arb:
    """Return a ball that contains all the given balls.

    Examples
    --------
    >>> both = hull(arb(1), arb(2))
    >>> both.contains(arb(1)), both.contains(arb(1.5)), both.contains(arb(2))
    (True, True, True)
    """
    result = balls[0]
    for ball in balls[1:]:
        result = result.union(ball)
    return result


def monotone(function: Callable[[arb], arb], x: arb) -> arb:
    """Enclose a monotone function on a ball by its values at the two ends.

    Examples
    --------
    >>> monotone(arb.exp, hull(arb(0), arb(1))).contains(arb(2))
    True
    """
    if x.is_exact():
        return function(x)
    return hull(function(x.lower()), function(x.upper()))


def half_power(x: arb, twice: int) -> arb:
    """Return max(x, 0)^(twice/2) for an integer twice >= 0, also where x touches 0.

    Examples
    --------
    >>> float(half_power(arb(4), 3)), float(half_power(arb(-1), 3))
    (8.0, 0.0)
    """
    if twice == 0:
        return arb(1)
    positive = x.nonnegative_part()
    root = positive.sqrt() ** (twice % 2)
    return monotone(lambda t: t ** (twice // 2), positive) * root


def decimal_bounds(ball: arb, digits: int = 6) -> tuple[str, str]:
    """Return decimals below and above every point of a finite ball, rounded outwards.

    Examples
    --------
    >>> from flint import arb
    >>> decimal_bounds(arb(2).sqrt(), 4)
    ('1.414', '1.415')
    """
    ends = []
    for end, rounding in ((ball.lower(), ROUND_FLOOR), (ball.upper(), ROUND_CEILING)):
        fraction = end.fmpq()
        context = Context(prec=digits, rounding=rounding)
        ends.append(str(context.divide(Decimal(int(fraction.p)), Decimal(int(fraction.q)))))
    return ends[0], ends[1]


def relative_width(ball: arb) -> float:
    """Radius over smallest absolute value: infinite when the ball is NaN or contains 0.

    Examples
    --------
    >>> relative_width(arb(1)), relative_width(hull(arb(-1), arb(1)))
    (0.0, inf)
    """
    if ball.is_finite() and ball.is_zero():
        return 0.0
    if not ball.is_finite() or ball.contains(0):
        return float("inf")
    return float((ball.rad() / ball.abs_lower()).upper())


def refine(
    function: Callable[[], arb],
    relative: float = 1e-30,
    max_precision: int = 8192,
    start: int = 128,
) -> arb:
    """Evaluate `function` with doubled precision until its ball is narrow enough.

    Parameters
    ----------
    function
        A function of no argument that works at flint's current precision.
    relative
        Wanted radius relative to the value; an exact zero also counts as reached.
    max_precision
        The cap, in bits.
    start
        Bits of the first attempt.

    Raises
    ------
    Inconclusive
        If the ball is still too wide, or NaN, at the cap.

    Examples
    --------
    >>> from flint import arb
    >>> refine(lambda: (arb(10) ** 40 + 1) - arb(10) ** 40, 1e-10, start=64) == 1
    True
    """
    bits = start
    ball = arb("nan")
    while bits <= max_precision:
        with precision(bits):
            ball = function()
        if relative_width(ball) <= relative:
            return ball
        bits *= 2
    raise Inconclusive(
        f"no ball of relative width {relative:g} within {max_precision} bits: the last one is "
        f"{ball.str(10)}; raise max_precision or ask for a wider ball"
    )
