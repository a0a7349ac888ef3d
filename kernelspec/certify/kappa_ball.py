r"""Enclosures of the mismatch itself: kappa(lambda; q_tau) at one ridge, by branch and bound.

With p(b) = l_lambda(v)/q_tau(v), kappa is sup_b p(b)/N(lambda). Negative heights are never better
(a_0 and a_1 are smaller there, all else is even). The kinked neurons b >= 0 have an angle theta in
[0, pi/2], cos(theta) = b/|w| = z, and

.. math:: \frac{l_\lambda}{q_\tau} = \tau D(\theta) S(\theta),\quad
    D = \frac{1}{1+z^2}\Bigl(\frac{1+z^2/\tau^2}{1+z^2}\Bigr)^{(d+1)/2},\quad
    S = \sum_k \frac{N_k (a_k/|w|)^2}{\mu_k+\lambda} .

On a box of angles D and S are enclosed to second order about the midpoint. Degrees beyond K obey
the termwise bound a_k^2 <= 2 sqrt(2)(d+1)/d mu_k (k >= 2). Neurons with b >= |w| are linear on the
sphere: p is elementary there.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, fmpq

from kernelspec import _checks
from kernelspec.certify.arithmetic import as_ball, hull, precision
from kernelspec.certify.coefficient_balls import amplitude_constant, coefficient
from kernelspec.certify.gegenbauer_balls import gegenbauer_all
from kernelspec.certify.leverage_balls import degrees_of_freedom, mismatch_ratio
from kernelspec.certify.spectrum_balls import eigenvalue, kernel_at_one, multiplicity
from kernelspec.certify.termwise import termwise_constant

__all__ = ["KappaBall", "enclose_mismatch"]

FINEST: Final = 2.0**-40
"""Boxes are not cut below this width."""


@dataclass(frozen=True)
class KappaBall:
    """kappa(lam; q_tau) between two certified numbers.

    Attributes
    ----------
    kappa
        A ball that contains kappa.
    b
        A height at which the ratio reaches the lower end of the ball.
    boxes
        Number of boxes of neurons that were bounded.
    reached
        Whether the wanted relative width was reached.

    Examples
    --------
    >>> found = enclose_mismatch(5, 1, 0.1)
    >>> bool(found.kappa > 0), found.reached
    (True, True)
    """

    kappa: arb
    b: float
    boxes: int
    reached: bool


@dataclass(frozen=True)
class _Jet:
    """f(m + t) in value + slope t +- bend t^2 for |t| <= half."""

    value: arb
    slope: arb
    bend: arb

    def times(self, other: _Jet, half: arb) -> arb:
        """Bound the product above on |t| <= half."""
        slope = abs(self.value * other.slope + self.slope * other.value)
        square = half * half
        bend = abs(self.slope * other.slope)
        bend += self.bend * (abs(other.value) + half * abs(other.slope))
        bend += other.bend * (abs(self.value) + half * abs(self.slope))
        product = self.value * other.value + half * slope
        return product + square * bend + square * square * self.bend * other.bend


class _Objective:
    """Upper bounds of l_lambda/q_tau on boxes of neurons."""

    def __init__(self, d: int, tau: arb, lam: arb, degree: int) -> None:
        self.d, self.tau, self.lam = d, tau, lam
        mu = [eigenvalue(d, k) for k in range(degree + 1)]
        counts = [multiplicity(d, k) for k in range(degree + 1)]
        self.weights = [n / (m + lam) for n, m in zip(counts, mu, strict=True)]
        rest = kernel_at_one(d)
        for n, m in zip(counts, mu, strict=True):
            rest -= n * m
        self.tail = termwise_constant(d) * rest.nonnegative_part() / lam
        self.amplitude = amplitude_constant(d)
        self.density = (d - 1) * (d + 1) * self.amplitude  # c_d
        self.energies = self._energies(degree - 1)

    def _energies(self, count: int) -> list[tuple[arb, arb]]:
        """(R, E), n < count: R y_n^2 + y_n'^2 <= E, taken at pi/2, y_n = sin^(d+1) P_n(cos)."""
        d = self.d
        at_zero = gegenbauer_all(d + 4, count, arb(0))
        result = []
        for n in range(count):
            r = arb((n + 1) * (n + d + 1))
            result.append((r, r * at_zero[n] ** 2 + ((n + d + 2) * at_zero[n + 1]) ** 2))
        return result

    def density_jet(self, middle: arb, box: arb) -> _Jet:
        """D about the midpoint, from the derivatives of its logarithm in zeta = z^2."""

        def derivatives(theta: arb) -> tuple[arb, arb, arb]:
            zeta, power = theta.cos() ** 2, fmpq(self.d + 1, 2)
            over, under = self.tau**2 + zeta, 1 + zeta
            value = ((1 + zeta / self.tau**2) / under).sqrt() ** (self.d + 1) / under
            first, second = -(2 * theta).sin(), -2 * (2 * theta).cos()
            slope = power / over - (power + 1) / under
            bend = (power + 1) / under**2 - power / over**2
            log_slope = slope * first
            return (
                value,
                value * log_slope,
                value * (log_slope**2 + bend * first**2 + slope * second),
            )

        value, slope, _ = derivatives(middle)
        return _Jet(value, slope, derivatives(box)[2].abs_upper() / 2)

    def _low_jets(self, middle: arb, box: arb) -> list[_Jet]:
        """(a_0/|w|)^2 and (a_1/|w|)^2 about the midpoint."""
        d = self.d
        z = middle.cos()
        w = 1 / (1 + z * z).sqrt()
        active = coefficient(d, 0, z * w, 0)  # the share of inputs with a positive argument
        sine = middle.sin()
        first = coefficient(d, 0, z * w) / w, -active * sine
        second = coefficient(d, 1, z * w) / w, -self.density * sine**d / (d - 1)
        # On the box, where |a_0/|w|| <= sqrt(2), |a_1/|w|| <= sqrt(2)/d and 0 <= active <= 1:
        sine, cosine = box.sin().abs_upper().min(arb(1)), box.cos().abs_upper()
        bends = (
            self.density * sine ** (d - 1) + cosine,
            self.density * d * sine ** (d - 1) * cosine / (d - 1),
        )
        slopes = sine, self.density * sine**d / (d - 1)
        jets = []
        for (value, slope), bend, steep, most in zip(
            (first, second), bends, slopes, (arb(1), arb(fmpq(1, d))), strict=True
        ):
            # half the second derivative of f^2 is f'^2 + f f''
            top = steep**2 + most * arb(2).sqrt() * bend
            jets.append(_Jet(value**2, 2 * value * slope, top.upper()))
        return jets

    def sum_jet(self, middle: arb, box: arb, low: arb) -> _Jet:
        """S about the midpoint."""
        d, nu = self.d, fmpq(self.d + 2, 2)
        value, slope, bend = arb(0), arb(0), arb(0)
        for weight, jet in zip(self.weights, self._low_jets(middle, box), strict=False):
            value, slope = value + weight * jet.value, slope + weight * jet.slope
            bend += weight * jet.bend
        c, sine = middle.cos(), middle.sin()
        power = self.amplitude**2 * sine ** (2 * d + 2)
        table = gegenbauer_all(d + 4, len(self.energies), c)
        cotangent = 1 / low if low > 0 else arb("inf")
        highest = self.amplitude**2 * box.sin().abs_upper().min(arb(1)) ** (2 * d + 2)
        half = (box - middle).abs_upper()
        for n, (r, energy) in enumerate(self.energies):
            weight = self.weights[n + 2]
            top = (self.amplitude**2 * energy / r).min(highest)
            curve = self.amplitude**2 * energy * (1 + (nu - 1) * cotangent / r.sqrt())
            if curve * half * half < top:
                change = ((n + d + 2) * table[n + 1] - (n + 1) * c * table[n]) / sine
                value += weight * power * table[n] ** 2
                slope += weight * 2 * power * table[n] * change
                bend += weight * curve
            else:
                value += weight * hull(arb(0), top)
        return _Jet(value + hull(arb(0), (1 + box.cos() ** 2).upper() * self.tail), slope, bend)

    def angle(self, low: fmpq, high: fmpq) -> arb:
        """Bound l/q above on the angles from low to high."""
        middle, half = arb((low + high) / 2), arb((high - low) / 2)
        box = arb(low).union(arb(high))
        total = self.sum_jet(middle, box, arb(low))
        return self.tau * self.density_jet(middle, box).times(total, half)

    def linear(self, low: fmpq, high: fmpq) -> arb:
        """Bound l/q above for b^2 from low to high, b >= |w|: there a_0 = b and a_1 = |w|/d."""
        power = fmpq(self.d + 1, 2)
        top, tilt = self.weights[1] / self.d**2, self.weights[0] - self.weights[1] / self.d**2
        drop = 1 / self.tau**2 - 1

        def value(x: arb) -> arb:
            return self.tau * (1 + drop * x).sqrt() ** (self.d + 1) * (top + tilt * x)

        box = arb(low).union(arb(high))
        middle, half = arb((low + high) / 2), arb((high - low) / 2)
        slope = self.tau * (1 + drop * box).sqrt() ** (self.d + 1)
        slope *= tilt + power * drop / (1 + drop * box) * (top + tilt * box)
        return value(middle) + half * abs(slope)


def _first_degree(d: int, lam: arb, relative: float, max_degree: int) -> int:
    """Return K such that the degrees beyond it weigh little in N(lam)."""
    rest, head = kernel_at_one(d), arb(0)
    for k in range(max_degree + 1):
        mu = eigenvalue(d, k)
        rest -= multiplicity(d, k) * mu
        head += multiplicity(d, k) * mu / (mu + lam)
        if k >= 4 and rest / lam <= relative / 16 * head:
            return k
    return max_degree


def _start(d: int, tau: arb, lam: arb) -> float:
    """Return a height near the maximum, from the float64 search."""
    from kernelspec.features import BiasedReLU
    from kernelspec.laws import GaussianInit
    from kernelspec.mismatch import mismatch

    return float(mismatch(BiasedReLU(d), GaussianInit(d, float(tau)), float(lam)).b)


def enclose_mismatch(
    d: int,
    tau: Any,
    lam: Any,
    *,
    relative: float = 1e-3,
    max_boxes: int = 20000,
    max_degree: int = 2048,
    bits: int = 0,
) -> KappaBall:
    """Enclose kappa(lam; q_tau) = sup_v l_lam(v)/(q_tau(v) N(lam)) for ReLU features.

    Parameters
    ----------
    d
        Ambient dimension, 2 to 1000.
    tau, lam
        Spread of the biases and ridge, both > 0: exact numbers or balls.
    relative
        Wanted width of the ball relative to kappa.
    max_boxes, max_degree
        Caps on the boxes of neurons and on the degrees summed one by one.
    bits
        Working precision; 0 chooses it by the number of degrees.

    Returns
    -------
    KappaBall
        The ball is right whether or not the wanted width was reached.

    Raises
    ------
    ValueError, TypeError
        For an argument out of range.

    Examples
    --------
    >>> found = enclose_mismatch(5, 1, "0.1")
    >>> found.reached, round(float(found.kappa), 2)
    (True, 4.53)
    """
    d = _checks.dimension(d)
    tau, lam = as_ball("tau", tau), as_ball("lam", lam)
    for name, ball in (("tau", tau), ("lam", lam)):
        if not ball > 0:
            raise ValueError(f"{name} = {ball!r} is not allowed: a ball of numbers > 0")
    relative = _checks.positive("relative", relative)
    max_boxes = _checks.count("max_boxes", max_boxes)
    max_degree = _checks.count("max_degree", max_degree, 4)
    bits = _checks.integer("bits", bits, 0, 1 << 20)
    with precision(bits or 128):
        degree = _first_degree(d, lam, relative, max_degree)
    with precision(bits or 128 + 2 * d):
        return _search(_Objective(d, tau, lam, degree), relative, max_boxes)


def _search(objective: _Objective, relative: float, max_boxes: int) -> KappaBall:
    d, tau, lam = objective.d, objective.tau, objective.lam
    fine = relative / 64
    dof = degrees_of_freedom(d, lam, relative=fine)
    height = min(1.0, max(0.0, _start(d, tau, lam)))
    lower = (mismatch_ratio(d, tau, arb(height), lam, relative=fine) * dof).lower()
    # (minus the upper bound, kind, ends): the box that reaches highest comes first
    heap: list[tuple[float, int, int, fmpq, fmpq]] = []
    settled = lower
    boxes = 0

    def push(kind: int, low: fmpq, high: fmpq) -> None:
        nonlocal boxes, settled
        bound = objective.angle(low, high) if kind else objective.linear(low, high)
        boxes += 1
        if bound <= lower * (1 + relative / 4):
            settled = settled.max(bound.upper())
            return
        key = -float(bound.upper()) if bound.is_finite() else float("-inf")
        heapq.heappush(heap, (key, boxes, kind, low, high))

    for i in range(16):
        push(1, fmpq(i, 10), fmpq(i + 1, 10))  # up to 1.6 > pi/2
    push(0, fmpq(1, 2), fmpq(1))
    while heap and boxes < max_boxes and float(heap[0][4] - heap[0][3]) > FINEST:
        _, _, kind, low, high = heapq.heappop(heap)
        middle = (low + high) / 2
        push(kind, low, middle)
        push(kind, middle, high)
    upper = settled
    for _, _, kind, low, high in heap:
        bound = objective.angle(low, high) if kind else objective.linear(low, high)
        upper = upper.max(bound.upper())
    kappa = hull(lower / dof, upper / dof)
    reached = bool(kappa.rad() <= relative * kappa.mid())
    return KappaBall(kappa, height, boxes, reached)
