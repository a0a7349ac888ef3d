r"""Sums sum_k e_k/(mu_k + lambda) that stay nonnegative on a whole interval of ridges.

On [l, u] write lambda = (l + u t)/(1 + t), t in [0, inf]. Up to a positive factor the sum is

.. math:: \sum_k \frac{e_k}{\mu_k + l} \prod_{j \ne k} (1 + c_j t),\qquad
    c_j = \frac{\mu_j + u}{\mu_j + l},

a polynomial in t. If its coefficients are nonnegative, so is the sum on all of [l, u]: no
subdivision in lambda, and u = inf (lambda = l + s t, c_j = s/(mu_j + l)) is an interval like
any other. The coefficients are linear in the numerators e_k: one matrix serves every box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat, arb_poly, ctx, fmpq

from kernelspec.certify.arithmetic import precision

__all__ = ["Ridges", "coefficient_matrix", "matrix", "product"]


@dataclass(frozen=True)
class Ridges:
    """The ridges from `low` to `high`, both exact; `high` is None for infinity.

    Examples
    --------
    >>> Ridges(Fraction(1, 2), None)
    Ridges(low=Fraction(1, 2), high=None)
    """

    low: Fraction
    high: Fraction | None

    def __str__(self) -> str:
        high = "inf" if self.high is None else f"{float(self.high):.3g}"
        return f"[{float(self.low):.3g}, {high}]"


def _exact(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def coefficient_matrix(eigenvalues: Sequence[arb], ridges: Ridges) -> arb_mat:
    """Return the matrix that takes numerators e_k to the coefficients of the polynomial in t.

    Examples
    --------
    For mu = (2, 1), all ridges and s = 1 the sum is e_0/2 (1 + t) + e_1 (1 + t/2):

    >>> M = coefficient_matrix([arb(2), arb(1)], Ridges(Fraction(0), None))
    >>> [[float(entry) for entry in row] for row in M.tolist()]
    [[0.5, 1.0], [0.5, 0.5]]
    """
    shifted = [mu + _exact(ridges.low) for mu in eigenvalues]
    if ridges.high is None:
        scale = shifted[len(shifted) // 2]
        slopes = [scale / s for s in shifted]
    else:
        width = _exact(ridges.high - ridges.low)
        slopes = [1 + width / s for s in shifted]
    factors = [arb_poly([1, c]) for c in slopes]
    before, after = [arb_poly([1])], [arb_poly([1])]
    for factor in factors[:-1]:
        before.append(before[-1] * factor)
    for factor in factors[:0:-1]:
        after.append(after[-1] * factor)
    after.reverse()
    size = len(factors)
    columns = []
    for k in range(size):
        others = before[k] * after[k] * (1 / shifted[k])
        columns.append([others[j] for j in range(size)])
    return matrix(columns)


def matrix(columns: Sequence[Sequence[arb]]) -> arb_mat:
    """Put columns side by side, rounded to half the precision.

    The cancellations are behind, the radii far above the rounding: shorter numbers multiply faster.

    Examples
    --------
    >>> columns = [[arb(1), arb(2)], [arb(3), arb(4)]]
    >>> [[float(entry) for entry in row] for row in matrix(columns).tolist()]
    [[1.0, 3.0], [2.0, 4.0]]
    """
    with precision(ctx.prec // 2):
        return arb_mat([[+value for value in row] for row in zip(*columns, strict=True)])


def product(left: arb_mat, right: arb_mat) -> list[list[arb]]:
    """Multiply two matrices made by `matrix`; return the rows.

    Examples
    --------
    2/(2+lambda) - 1/(1+lambda) is positive on [1, 3] though a numerator is not:

    >>> M = coefficient_matrix([arb(2), arb(1)], Ridges(Fraction(1), Fraction(3)))
    >>> [row[0] > 0 for row in product(M, matrix([[arb(2), arb(-1)]]))]
    [True, True]
    """
    with precision(ctx.prec // 2):
        return list((left * right).tolist())
