"""Counterexamples: a neuron and a ridge at which the claimed constant is certainly exceeded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from flint import arb, fmpq
from scipy.optimize import minimize_scalar

from kernelspec.certify.arithmetic import precision
from kernelspec.certify.constants import SquareRoot
from kernelspec.certify.leverage_balls import mismatch_ratio
from kernelspec.certify.spectrum_balls import eigenvalue

__all__ = ["Counterexample", "counterexample", "exceeds", "largest_ratio"]

LARGE: Final = 2.0**40
"""Stands for lambda -> inf in the search."""
BITS: Final = 256


@dataclass(frozen=True)
class Counterexample:
    """l_lambda(v)/(q_tau(v) N(lambda)) > constant * tau at one neuron and one ridge.

    Attributes
    ----------
    b, lam
        Height of the neuron and ridge, both exact (dyadic rationals).
    ratio
        A ball for l_lambda(v)/(q_tau(v) N(lambda)), all of it above constant * tau.
    degree
        Degrees up to this one, and the exact remainders, suffice to see it.

    Examples
    --------
    >>> from kernelspec.certify.constants import theorem_constant
    >>> from kernelspec.certify.mismatch import certify_mismatch
    >>> found = certify_mismatch(6, 1, theorem_constant(6)).counterexample
    >>> found.b, bool(found.ratio > 6.6)
    (Fraction(1, 1), True)
    """

    b: Fraction
    lam: Fraction
    ratio: arb
    degree: int


def _ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def exceeds(
    d: int, tau: Fraction, constant: SquareRoot, b: float, lam: float, max_degree: int
) -> Counterexample | None:
    """Return the counterexample at (b, lam) if there is one that needs at most `max_degree`.

    Examples
    --------
    Above the theorem's constant at d = 6 for large ridges: a wholly active neuron, but not b = 0.

    >>> from kernelspec.certify.constants import theorem_constant
    >>> claim = (6, Fraction(1), theorem_constant(6))
    >>> found = exceeds(*claim, b=1.0, lam=2.0**40, max_degree=64)
    >>> bool(found.ratio > float(theorem_constant(6))), found.degree
    (True, 32)
    >>> exceeds(*claim, b=0.0, lam=2.0**40, max_degree=64) is None
    True
    """
    height, ridge = Fraction(b), Fraction(lam)
    degree = 32
    with precision(BITS):
        while degree <= max_degree:
            ratio = mismatch_ratio(
                d, _ball(tau), _ball(height), _ball(ridge), relative=0.0, max_degree=degree
            )
            bound = constant.ball() * _ball(tau)
            if ratio > bound:
                return Counterexample(height, ridge, ratio, degree)
            if ratio < bound:
                return None
            degree *= 2
    return None


def _ridges(d: int) -> list[float]:
    """Ridges that let one degree after the other in, three a degree, and a very large one.

    For large d a single degree dominates over a factor of mu_k/mu_{k+1}: a coarser grid would miss
    the peaks at the even ones.
    """
    logs = [math.log2(float(eigenvalue(d, k))) for k in range(20)]
    places = np.interp(np.arange(0, 19, 1 / 3), np.arange(20), logs)
    return [LARGE, 16.0, 1.0, *(2.0 ** np.round(places, 1)).tolist()]


def largest_ratio(d: int, tau: Fraction, *, refine: bool) -> tuple[float, float, float]:
    """Float search of sup kappa/tau over ridges: (kappa/tau, b, lambda) of the largest found.

    `refine` maximises over lambda next to the best ridge of a coarse grid.

    Examples
    --------
    At tau = 1 the wholly active neurons attain d + 1 for large ridges:

    >>> value, b, lam = largest_ratio(6, Fraction(1), refine=False)
    >>> round(value, 9), b, lam == LARGE
    (7.0, 1.0, True)
    """
    from kernelspec.features import BiasedReLU
    from kernelspec.laws import GaussianInit
    from kernelspec.mismatch import mismatch

    model, law = BiasedReLU(d), GaussianInit(d, float(tau))
    ridges = _ridges(d)
    with np.errstate(over="ignore"):  # for very narrow biases it is infinite in floating point
        at = mismatch(model, law, ridges)
    kappa, heights = np.asarray(at.kappa), np.asarray(at.b)
    best = int(np.argmax(kappa))
    value, b, lam = float(kappa[best]), float(heights[best]), ridges[best]
    if refine and 1 < best < len(ridges) - 1:
        found = minimize_scalar(
            lambda x: -float(mismatch(model, law, 2.0**x).kappa),
            bounds=(math.log2(ridges[best + 1]), math.log2(ridges[best - 1])),
            method="bounded",
            options={"xatol": 1e-3},
        )
        at = mismatch(model, law, 2.0**found.x)
        if float(at.kappa) > value:
            value, b, lam = float(at.kappa), float(at.b), 2.0**found.x
    return value / float(tau), b, lam


def _small_ridges(d: int, max_degree: int) -> Iterator[float]:
    degree = 8
    while 4 * degree <= max_degree:
        lam = float(eigenvalue(d, degree))
        if lam > 0:
            yield lam
        degree *= 2


def counterexample(
    d: int, tau: Fraction, constant: SquareRoot, *, max_degree: int, refine: bool
) -> Counterexample | None:
    """Look for a certified counterexample: the largest float ratio, then b = 0 as lambda falls.

    Examples
    --------
    >>> from kernelspec.certify.constants import limit_constant, theorem_constant
    >>> search = {"max_degree": 64, "refine": False}
    >>> counterexample(6, Fraction(1), theorem_constant(6), **search).b
    Fraction(1, 1)
    >>> counterexample(6, Fraction(2), theorem_constant(6), **search) is None
    True
    """
    value, b, lam = largest_ratio(d, tau, refine=refine)
    if value > float(constant) * (1 - 1e-9):
        found = exceeds(d, tau, constant, b, lam, max_degree)
        if found is not None:
            return found
    if tau >= 1 and float(constant) < math.sqrt(2) * (d + 1) / d:
        for ridge in _small_ridges(d, max_degree):
            found = exceeds(d, tau, constant, 0.0, ridge, max_degree)
            if found is not None:
                return found
    return None
