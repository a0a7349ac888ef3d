r"""The deterministic equivalent: the worst-case error of a large network, with no free parameter.

Random projections onto the span of many independent features behave like a deterministic operator,
diagonal in the harmonics when the directions are uniform. The largest eigenvalue of
Sigma^{1/2} (I - Pi) Sigma^{1/2} is predicted to be the edge 1/z of its spectrum: z is the largest
number for which

.. math:: \delta(v) = \sum_k \frac{N_k a_k(v)^2}{D_k}, \qquad
          D_k = 1 - z\mu_k + \sum_i \frac{a_k(v_i)^2}{\delta(v_i)}

has a solution with delta > 0 and D_k > 0. Multiplying a feature by a number multiplies delta(v) by
its square and changes nothing: the scale of a neuron does not count, as it must be for a
projection. docs/derivations/predictors.md derives this and says where it holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from kernelspec import _checks
from kernelspec.features import BiasedReLU
from kernelspec.laws import Law
from kernelspec.mismatch import check_pair
from kernelspec.predictors._blocks import MOST_DEGREES, last_degree, system
from kernelspec.predictors._edge import find_edge
from kernelspec.predictors._heights import height_rule
from kernelspec.sphere import multiplicity

__all__ = [
    "Equivalent",
    "deterministic_equivalent",
    "deterministic_equivalent_of",
    "equivalent_width",
]

Array = NDArray[np.float64]

_KINK: Final = math.sqrt(0.5)
_NODES: Final = (128, 1024)  # least and most heights at which a law is evaluated
# polynomial neurons are taken to span the degrees k <= s from this share of their number on
_SPANNED: Final = 0.9


@dataclass(frozen=True)
class Equivalent:
    """A predicted worst-case error, and how much each neuron does for it.

    Attributes
    ----------
    error : float
        Predicted squared L2 error of the worst function of the unit ball.
    b, count : ndarray
        Heights, shape (n,), and expected numbers of neurons there.
    gain : ndarray
        -d ln(error)/d count: the relative fall of the error by one more neuron of height b.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> prediction = deterministic_equivalent(BiasedReLU(5), GaussianInit(5, 10), 256)
    >>> round(float(prediction.count.sum()) / 256, 2) <= 1, bool((prediction.gain >= 0).all())
    (True, True)
    """

    error: float
    b: Array
    count: Array
    gain: Array

    @property
    def elasticity(self) -> float:
        """-d ln(error)/d ln(m), from all neurons together; alpha for large networks."""
        return float(self.count @ self.gain)


def deterministic_equivalent(model: BiasedReLU, law: Law, m: int) -> Equivalent:
    r"""Predict the worst-case error of m neurons of a law.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law of the same d. For a network of which a proportion P is trained,
        ``Mixture([RidgeLeverage(model, lam), GaussianInit(d, tau)], [P, 1 - P])``.
    m : int
        Width, >= 0.

    Returns
    -------
    Equivalent
        `error` and `gain`. Numerical error about 1e-3, small against that of the theory.

    Raises
    ------
    ValueError
        If an argument is out of range; for d = 2, from about 32,000 active neurons on.

    Notes
    -----
    A prediction, not a bound: see docs/derivations/predictors.md for its derivation and tests. It
    wants several neurons for each harmonic that matters, and d >= 3. For d = 2 kinks are points, a
    gap between neighbours is random however wide the network, and errors are larger, by a factor
    that grows like a power of log m.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> prediction = deterministic_equivalent(BiasedReLU(5), GaussianInit(5, 10), 1024)
    >>> print(f"{prediction.error:.2e}")
    1.47e-05
    """
    check_pair(model, law)
    return _of_law(model, law, float(_checks.count("m", m, 0)))


def _of_law(model: BiasedReLU, law: Law, m: float) -> Equivalent:
    last = _last(model, m * float(height_rule(law, _NODES[0]).weight.sum()))
    rule = height_rule(law, min(max(last, _NODES[0]), _NODES[1]))
    return _equivalent(model, rule.b, m * rule.weight)


def deterministic_equivalent_of(model: BiasedReLU, V: ArrayLike) -> Equivalent:
    """Predict the worst-case error of a network from the heights of its neurons.

    As `deterministic_equivalent`, with the heights as they were drawn: only the directions are
    averaged over, so that predictions follow the number of active neurons where it is small.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    V : array_like
        Neurons (w, b), shape (m, d + 1), not zero.

    Returns
    -------
    Equivalent
        `count` is 1 for each active neuron.

    Raises
    ------
    ValueError
        If `V` has another shape, or a row that is zero or not finite.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, draw_network
    >>> V = draw_network(BiasedReLU(5), 256, 1.0, 1.0, 1e-3, rng=0)
    >>> print(f"{deterministic_equivalent_of(BiasedReLU(5), V).error:.1e}")
    4.8e-06
    """
    rows = _checks.matrix("V", V, model.d + 1)
    scale = np.max(np.abs(rows), axis=1, initial=0.0)
    if np.any(scale == 0):
        raise ValueError(f"V[{int(np.argmin(scale))}] = 0 is not allowed: a row that is not zero")
    rows = rows / scale[:, None]
    b = rows[:, -1] / np.linalg.norm(rows, axis=1)
    b = b[b > -_KINK]
    return _equivalent(model, b, np.ones(b.size))


def _last(model: BiasedReLU, neurons: float) -> int:
    last = last_degree(model, neurons)
    if last > MOST_DEGREES:
        raise ValueError(
            f"{neurons:.0f} active neurons at d = {model.d} are not allowed: "
            f"so many that degrees up to {MOST_DEGREES} do not suffice"
        )
    return last


def _equivalent(model: BiasedReLU, b: Array, count: Array) -> Equivalent:
    """Predict for active neurons of heights b."""
    low = float(multiplicity(model.d, np.arange(model.order + 1)).sum())
    kinked = np.abs(b) < _KINK
    spanned = float(count[~kinked].sum()) >= _SPANNED * low
    if spanned:
        b, count = b[kinked], count[kinked]
    equations = system(model, b, count, _last(model, float(count.sum())), above_order=spanned)
    if equations.count.size == 0:
        return Equivalent(float(equations.mu[0]), b, count, np.zeros(b.size))
    edge = find_edge(equations)
    gain = np.zeros(b.size)
    gain[equations.seen] = edge.gain / edge.z
    return Equivalent(1 / edge.z, b, count, gain)


def equivalent_width(model: BiasedReLU, law: Law, m: int, reference: Law) -> float:
    """Find the width at which networks of another law are predicted to have the same error.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law of the network.
    m : int
        Its width, >= 1.
    reference : Law
        The other law, such as `RidgeLeverage`.

    Returns
    -------
    float
        The effective number of neurons; not a whole number.

    Raises
    ------
    ValueError
        If an argument is out of range, or no neuron of the reference is active.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit, RidgeLeverage
    >>> model = BiasedReLU(5)
    >>> round(equivalent_width(model, GaussianInit(5, 10), 1024, RidgeLeverage(model, 1e-5)), 1)
    138.4
    """
    check_pair(model, reference)
    target = math.log(deterministic_equivalent(model, law, _checks.count("m", m)).error)
    if float(height_rule(reference, _NODES[0]).weight.sum()) < 1e-9:
        raise ValueError(f"reference = {reference!r} is not allowed: a law of active neurons")

    def excess(log_m: float) -> float:
        return math.log(_of_law(model, reference, math.exp(log_m)).error) - target

    low = high = math.log(m)
    while excess(high) > 0:
        high += 0.7
    while excess(low) < 0:
        low -= 0.7
    return math.exp(float(brentq(excess, low, high, xtol=1e-4)))
