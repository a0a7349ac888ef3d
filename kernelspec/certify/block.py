r"""Low degrees: balls for the terms of the block on a box of neurons.

kappa(lambda; q_tau) <= C tau for all lambda says that, at every height b,

.. math:: \sum_k \frac{N_k (C \mu_k Q - a_k^2)}{\mu_k + \lambda} \ge 0,\qquad
    Q = \tau q_\tau = (1 - b^2 + b^2/\tau^2)^{-(d+1)/2} \ge 1.

Heights b < 0 follow from -b > 0 (a_0 and a_1 are smaller there, all else is even in b). For
b >= 0 the neurons are covered by two intervals, and the sum is scaled by a positive factor:

- *angle* theta in [0, pi/2] with cos(theta) = b/|w| = z <= 1, scaled by 1/|w|^2 = 1 + z^2;
- *ratio* r = |w|/b in [0, 1], scaled by 1/b^2 = 1 + r^2: there a_0 = b, a_1 = |w|/d, else 0.

A box yields numerators e_k, one a column, such that sum_k e_k/(mu_k+lambda) >= 0 on the box and
for all lambda implies the claim there. On an angle box of half-width h and midpoint m,
y(theta) = sin^{d+1}(theta) P_n(cos(theta)), k = n+2, has (E and Lambda as in `_energies`)

.. math:: y^2 \in y^2(m) + 2 y y'(m) (\theta-m) \pm
    (E + (\nu-1) |\cot\theta| E/\sqrt{\Lambda}) (\theta-m)^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, fmpq

from kernelspec.certify.arithmetic import half_power, hull
from kernelspec.certify.coefficient_balls import amplitude_constant, coefficients_all
from kernelspec.certify.constants import SquareRoot, limit_constant
from kernelspec.certify.gegenbauer_balls import gegenbauer_all
from kernelspec.certify.spectrum_balls import eigenvalue, kernel_at_one, multiplicity
from kernelspec.certify.tail import TERMWISE, Tail

__all__ = ["Block", "Box"]


@dataclass(frozen=True, order=True)
class Box:
    """The interval [low, high]/2^scale.

    Examples
    --------
    >>> Box(1, 2, 3)  # from 1/8 to 2/8
    Box(low=1, high=2, scale=3)
    """

    low: int
    high: int
    scale: int

    def ends(self) -> tuple[fmpq, fmpq]:
        """Return the two ends exactly."""
        return fmpq(self.low, 1 << self.scale), fmpq(self.high, 1 << self.scale)

    def halves(self) -> tuple[Box, Box]:
        """Return the lower and the upper half."""
        low, high, scale = 2 * self.low, 2 * self.high, self.scale + 1
        middle = (low + high) // 2
        return Box(low, middle, scale), Box(middle, high, scale)

    def middle(self) -> Box:
        """Return the box that holds only the midpoint."""
        return Box(self.low + self.high, self.low + self.high, self.scale + 1)


class Block:
    """The terms of the degrees 0..K, and what the tail lemma adds to them.

    Parameters
    ----------
    d, tau, constant
        The claim. tau >= 1.
    tail
        The lemma for the degrees beyond K = tail.degree.

    Attributes
    ----------
    eigenvalues
        mu_k of each column.

    Examples
    --------
    On angles from 1/8 to 1/4, four times the limit leaves no numerator negative, unlike the limit:

    >>> from kernelspec.certify.constants import limit_constant
    >>> for multiple in (4, 1):
    ...     block = Block(5, Fraction(1), multiple * limit_constant(5), Tail("termwise", 1))
    ...     columns = block.angle_columns(Box(1, 2, 3))
    ...     print([all(e >= 0 for e in column) for column in columns])
    [True, True]
    [False, False]
    >>> len(block.eigenvalues)
    3
    """

    def __init__(self, d: int, tau: Fraction, constant: SquareRoot, tail: Tail) -> None:
        self.d, self.tail = d, tail
        self.inverse_tau_squared = 1 / fmpq(tau.numerator, tau.denominator) ** 2
        self.constant = constant.ball()
        count = tail.degree + (2 if tail.kind == "termwise" else 3)
        self.eigenvalues = [eigenvalue(d, k) for k in range(count)]
        self.counts = [arb(multiplicity(d, k)) for k in range(count)]
        self.rest = kernel_at_one(d)  # sum of N_k mu_k from the last column on
        for k in range(count - 1):
            self.rest -= self.counts[k] * self.eigenvalues[k]
        self.amplitude = amplitude_constant(d)
        self.energies = self._energies(count)
        self._low = lru_cache(maxsize=None)(self._low_squares)

    def _energies(self, count: int) -> list[tuple[arb, arb]]:
        """(Lambda, E) of n = 0, 1, ...: Lambda y^2 + y'^2 is largest, E, at theta = pi/2.

        Lambda = (n+1)(n+d+1) and y'(theta) = ((n+d+2) y_{n+1} - (n+1) cos(theta) y_n)/sin(theta).
        """
        d = self.d
        at_zero = gegenbauer_all(d + 4, count, arb(0))
        result = []
        for n in range(count - 1):
            big = arb((n + 1) * (n + d + 1))
            result.append((big, big * at_zero[n] ** 2 + ((n + d + 2) * at_zero[n + 1]) ** 2))
        return result

    def _low_squares(self, p: int, q: int) -> tuple[arb, arb]:
        """(a_0^2, a_1^2)/|w|^2 at the angle p/q; both fall with the angle."""
        z = arb(fmpq(p, q)).cos().nonnegative_part()
        scale = 1 + z * z
        a = coefficients_all(self.d, 1, z / scale.sqrt())
        return a[0] ** 2 * scale, a[1] ** 2 * scale

    def _density(self, z: arb) -> arb:
        """Q (1 + z^2) at b/|w| = z: grows with z."""
        square = z * z
        return half_power(1 + square, self.d + 3) / half_power(
            1 + square * self.inverse_tau_squared, self.d + 1
        )

    def angle_columns(self, box: Box) -> list[list[arb]]:
        """Numerators on an angle box: their bounds are linear, so two columns, one for each end."""
        low, high = box.ends()
        half, middle = arb((high - low) / 2), arb((high + low) / 2)
        z_low, z_high = arb(high).cos().nonnegative_part(), arb(low).cos()
        scale = self.constant * hull(self._density(z_low), self._density(z_high))
        first, last = self._low(high.p, high.q), self._low(low.p, low.q)
        value = [scale * self.eigenvalues[k] - hull(first[k], last[k]) for k in (0, 1)]
        slope = [arb(0), arb(0)]
        for k, (square, change) in enumerate(self._squares(middle, half, low), 2):
            value.append(scale * self.eigenvalues[k] - square)
            slope.append(-change)
        ends = [
            [v + sign * half * s for v, s in zip(value, slope, strict=True)] for sign in (-1, 1)
        ]
        return [self._numerators(end, scale) for end in ends]

    def _squares(self, middle: arb, half: arb, low: fmpq) -> list[tuple[arb, arb]]:
        """Value (with remainder) and slope of (a_k/|w|)^2, k = 2, 3, ..., at the midpoint."""
        d, nu, count = self.d, fmpq(self.d + 2, 2), len(self.eigenvalues) - 2
        c, sine = middle.cos(), middle.sin()
        # |cot| <= 1/theta on [0, pi/2], and next to pi/2 it is below that too.
        cotangent = 1 / arb(low) if low > 0 else arb("inf")
        weight = self.amplitude**2 * sine ** (2 * d + 2)
        values = gegenbauer_all(d + 4, count, c)
        result = []
        for n in range(count - 1):
            big, energy = self.energies[n]
            top = self.amplitude**2 * energy
            bend = top * (1 + (nu - 1) * cotangent / big.sqrt()) * half * half
            if bend < top / big / 16:
                slope = ((n + d + 2) * values[n + 1] - (n + 1) * c * values[n]) / sine
                square = weight * values[n] ** 2 + arb(0, bend.upper())
                result.append((square, 2 * weight * values[n] * slope))
            else:
                result.append((hull(arb(0), top / big), arb(0)))
        return result

    def _numerators(self, terms: list[arb], scale: arb) -> list[arb]:
        """Weigh the terms C mu_k Q - a_k^2 as the tail lemma asks."""
        last, counts, mu = self.tail.degree, self.counts, self.eigenvalues
        columns = [counts[k] * terms[k] for k in range(last + 1)]
        if self.tail.kind == "termwise":
            spare = 1 - fmpq(TERMWISE.numerator, TERMWISE.denominator) * (
                limit_constant(self.d).ball() / self.constant
            )
            return [*columns, spare * scale * self.rest]
        half, quarter = fmpq(1, 2), fmpq(1, 4)
        one, two = counts[last + 1], counts[last + 2]
        columns.append(
            one * (half * terms[last + 1] - quarter * (mu[last + 1] / mu[last]) * terms[last])
        )
        columns.append(-quarter * two * (mu[last + 2] / mu[last + 1]) * terms[last + 1])
        return columns

    def ratio_columns(self, box: Box) -> list[list[arb]]:
        """Numerators on a box of r = |w|/b in [0, 1], bounded below: one column."""
        d, mu, counts = self.d, self.eigenvalues, self.counts
        low, high = (arb(end) ** 2 for end in box.ends())
        # Q/b^2 = (1+r^2) ((1+r^2)/(r^2+1/tau^2))^{(d+1)/2}: the first factor grows, the other falls
        scale = self.constant * (1 + low)
        scale *= half_power((1 + high) / (high + self.inverse_tau_squared), d + 1)
        columns = [scale * mu[0] - 1, d * (scale * mu[1] - high / d**2)]
        columns += [scale * mu[k] * counts[k] for k in range(2, len(mu) - 1)]
        return [[*columns, scale * self.rest]]
