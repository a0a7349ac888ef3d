r"""Proof by computer: kappa(lambda; q_tau) tends to sqrt(2) tau (d+1)/d, with an explicit rate.

For ReLU features, tau >= 1 and every lambda > 0, with Gamma = sqrt(2)(d+1)/d, g_k =
N_k mu_k/(mu_k+lambda), kap = k + (d-2)/2 and the constants of `kernelspec.certify.triples`,

.. math:: -\frac{B_- + C_-\,\Sigma}{N(\lambda)} \le \frac{\kappa(\lambda;q_\tau)}{\tau\,\Gamma} - 1
    \le \frac{B_+ + C_+\,\Sigma}{N(\lambda)},\qquad \Sigma = \sum_{k\ge K} g_k/\kappa_k^2 .

Both sides are O(Lambda^-2) for d >= 4, O(log Lambda/Lambda^2) for d = 3 and O(1/Lambda) for d = 2,
Lambda = (A_d/lambda)^{1/(d+2)}. Proofs: page "The limit of the mismatch" of the documentation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from flint import arb, fmpq

from kernelspec import _checks
from kernelspec.certify.arithmetic import as_ball, hull, precision
from kernelspec.certify.decay import eigenvalue_constant
from kernelspec.certify.leverage_balls import degrees_of_freedom, leverage
from kernelspec.certify.spectrum_balls import eigenvalue, kernel_at_one, multiplicity
from kernelspec.certify.triples import Triples, triple_constants

__all__ = ["LimitRate", "LimitSides", "enclose_near_limit", "limit_rate"]

LAST_START: Final = 4096
"""Give up the search for K here."""


@dataclass(frozen=True)
class LimitRate:
    """The constants of the inequality in the module docstring, for one dimension.

    Attributes
    ----------
    d
        Ambient dimension.
    degree
        K: the three-degree inequalities hold from this degree on.
    upper_base, upper_slope
        B_+ and C_+.
    lower_base, lower_slope
        B_- and C_-.

    Examples
    --------
    >>> rate = limit_rate(5)
    >>> rate.degree, f"{float(rate.largest_lam):.1e}"
    (10, '8.9e-09')
    >>> [f"{float(rate.deviation(lam)):.1e}" for lam in ("1e-20", "1e-27")]  # Lambda^-2
    ['6.0e-04', '6.0e-06']
    """

    d: int
    degree: int
    upper_base: arb
    upper_slope: arb
    lower_base: arb
    lower_slope: arb

    @property
    def largest_lam(self) -> arb:
        """The ridge below which `deviation` is stated: Lambda >= K + (d-2)/2 + 1."""
        start = arb(fmpq(2 * self.degree + self.d, 2))
        return eigenvalue_constant(self.d) / start ** (self.d + 2)

    def deviation(self, lam: arb | float | str | Fraction) -> arb:
        r"""Bound |kappa/(tau Gamma) - 1| for this lambda and every smaller one, tau >= 1.

        In closed form, without a sum over degrees:
        C (2 S/M + Lambda^-2) + 2 B/M with M the number of eigenvalues up to Lambda and S a bound of
        the sum of N_k/kap^2 over K <= k, kap <= Lambda.

        Parameters
        ----------
        lam
            A ridge, at most `largest_lam`.

        Raises
        ------
        ValueError
            If `lam` is not positive or exceeds `largest_lam`.
        """
        d = self.d
        lam = as_ball("lam", lam)
        if not (lam > 0 and lam <= self.largest_lam):
            most = float(self.largest_lam.lower())
            raise ValueError(f"lam = {lam!r} is not allowed: a ridge > 0 and <= {most:g}")
        scale = (eigenvalue_constant(d) / lam) ** (1 / arb(d + 2))
        base = self.upper_base.max(self.lower_base)
        slope = self.upper_slope.max(self.lower_slope)
        count = _count_below(d, scale)
        squares = _inverse_squares(d, self.degree, scale)
        return (slope * (2 * squares / count + 1 / scale**2) + 2 * base / count).upper()


@dataclass(frozen=True)
class LimitSides:
    """kappa(lam; q_tau) between two certified numbers, and the limit it tends to.

    Attributes
    ----------
    lower, upper
        Ends of the enclosure: lower <= kappa(lam; q_tau) <= upper.
    limit
        A ball for sqrt(2) tau (d+1)/d.

    Examples
    --------
    >>> sides = enclose_near_limit(3, 2, 1e-10)
    >>> [round(float(end), 2) for end in (sides.lower, sides.limit, sides.upper)]
    [3.76, 3.77, 4.02]
    """

    d: int
    tau: arb
    lam: arb
    lower: arb
    upper: arb
    limit: arb


def _count_below(d: int, scale: arb) -> arb:
    """Bound below the number of eigenvalues of degrees with kap <= scale (multiplicities)."""
    middle = scale - fmpq(1, 2)
    product = arb(1)
    for i in range(d - 3, 0, -2):
        product *= 1 - (fmpq(i, 2) / middle) ** 2
    return 2 * middle ** (d - 1) * product / math.factorial(d - 1)


def _inverse_squares(d: int, degree: int, scale: arb) -> arb:
    """Bound the sum of N_k/kap^2 over k >= degree, kap <= scale; N_k <= 2 kap^(d-2)/(d-2)!."""
    end = scale + fmpq(1, 2)
    if d == 2:
        return 2 / (arb(degree) - fmpq(1, 2))
    if d == 3:
        return 2 * end.log()
    return 2 * end ** (d - 3) / ((d - 3) * math.factorial(d - 2))


def _limit(d: int) -> arb:
    return arb(2).sqrt() * fmpq(d + 1, d)


def _constants(d: int, degree: int) -> Triples | None:
    for k in range(max(degree, 7), max(degree, 7) + LAST_START):
        found = triple_constants(d, k)
        if found is not None:
            return found
    return None


def limit_rate(d: int, *, degree: int = 0, bits: int = 192) -> LimitRate:
    """Prove the inequality of the module docstring and return its constants.

    Parameters
    ----------
    d
        Ambient dimension, 2 to 1000.
    degree
        Wanted K, raised to where the proof starts: a larger K gives smaller slopes C and larger
        bases B.
    bits
        Working precision.

    Raises
    ------
    ArithmeticError
        If the proof does not start at any degree tried: use more bits.

    Examples
    --------
    >>> rate = limit_rate(5)
    >>> rate.degree
    10
    >>> bool(rate.deviation("1e-30") < 0.01)
    True
    """
    d = _checks.dimension(d)
    degree = _checks.count("degree", degree, 0)
    bits = _checks.integer("bits", bits, 64, 65536)
    with precision(bits):
        found = _constants(d, degree)
        if found is None:
            last = degree + LAST_START
            raise ArithmeticError(f"no degree up to {last} starts the proof: use more bits")
        k = found.degree
        below = sum(int(multiplicity(d, i)) for i in range(k))
        middle = below - 1 - d  # degrees 2..K-1
        lowest = 1 / eigenvalue(d, 0) + 1 / (d * eigenvalue(d, 1))
        upper_base = lowest / _limit(d) + middle + 2 * multiplicity(d, k)
        upper_slope = found.triple + 2 * found.weights
        lower_base = arb(below) + multiplicity(d, k)
        lower_slope = 2 * found.height_zero + found.bend
        return LimitRate(d, k, upper_base, upper_slope, lower_base, lower_slope)


def _weighted_sum(d: int, lam: arb, degree: int, relative: float, max_degree: int) -> arb:
    """Enclose Sigma = sum over k >= degree of g_k/kap^2."""
    head, rest = arb(0), kernel_at_one(d)
    for k in range(max_degree + 1):
        mu = eigenvalue(d, k)
        weight = multiplicity(d, k) * mu
        rest -= weight
        inverse = 1 / arb(fmpq(2 * k + d, 2)) ** 2  # kap of degree k + 1
        if k >= degree:
            head += weight / (mu + lam) / arb(fmpq(2 * k + d - 2, 2)) ** 2
            tail = rest * inverse / lam
            if tail.upper() <= relative * head:
                break
    return head + hull(arb(0), (rest * inverse / lam).upper())


def enclose_near_limit(
    d: int,
    tau: arb | float | str | Fraction,
    lam: arb | float | str | Fraction,
    *,
    degree: int = 0,
    relative: float = 1e-9,
    max_degree: int = 16384,
    bits: int = 160,
) -> LimitSides:
    """Enclose kappa(lam; q_tau) between the neuron b = 0 and the three-degree upper bound.

    The two ends close on sqrt(2) tau (d+1)/d as lam falls. The lower one is the mismatch ratio
    at b = 0 itself; the upper one is the inequality of the module docstring with N(lam) and Sigma
    summed to a relative rest `relative`.

    Parameters
    ----------
    d, tau
        Ambient dimension; spread of the biases, at least 1.
    lam
        Ridge > 0.
    degree
        See `limit_rate`.
    relative, max_degree
        See `kernelspec.certify.balls.degrees_of_freedom`.
    bits
        Working precision.

    Raises
    ------
    ValueError, TypeError
        For an argument out of range.

    Examples
    --------
    >>> sides = enclose_near_limit(3, 1, 1e-12)
    >>> bool(sides.lower < sides.limit < sides.upper)
    True
    """
    d = _checks.dimension(d)
    tau, lam = as_ball("tau", tau), as_ball("lam", lam)
    if not tau >= 1:
        raise ValueError(f"tau = {tau!r} is not allowed: a ball of numbers >= 1")
    if not lam > 0:
        raise ValueError(f"lam = {lam!r} is not allowed: a ball of numbers > 0")
    bits = _checks.integer("bits", bits, 64, 65536)
    rate = limit_rate(d, degree=degree, bits=bits)
    with precision(bits):
        limit = tau * _limit(d)
        dof = degrees_of_freedom(d, lam, relative=relative, max_degree=max_degree)
        zero = leverage(d, arb(0), lam, relative=relative, max_degree=max_degree)
        sigma = _weighted_sum(d, lam, rate.degree, relative, max_degree)
        upper = limit * (1 + (rate.upper_base + rate.upper_slope * sigma) / dof)
        lower = tau * zero / dof
        return LimitSides(d, tau, lam, lower.lower(), upper.upper(), limit)
