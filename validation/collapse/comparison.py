"""How well each candidate collapses the errors of partly trained networks onto one curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import kernelspec
from validation.collapse.candidates import (
    CANDIDATES,
    Counts,
    best_power,
    counts,
    equivalent_errors,
    homogeneous_errors,
    power,
)
from validation.collapse.stages import Measured

__all__ = ["Comparison", "Spread", "compare", "departures", "usable"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """Departures of ln E from the curve of leverage-sampled networks at equal effective width.

    Attributes
    ----------
    rms, largest, bias : float
        Root mean square, largest absolute value and mean of the departures.
    n : int
        Combinations compared: neither saturated nor outside the curve.

    Examples
    --------
    >>> spread = _spread(np.array([0.1, -0.1, np.nan]))
    >>> round(spread.rms, 12), spread.largest, spread.bias, spread.n
    (0.1, 0.1, 0.0, 2)
    """

    rms: float
    largest: float
    bias: float
    n: int


@dataclass(frozen=True)
class Comparison:
    """Candidates on the networks of one d.

    Attributes
    ----------
    measured : Measured
        The networks.
    counts : mapping
        Effective widths by candidate; those of "deterministic equivalent" are in leverage-sampled
        neurons, read off its own curve for them.
    spreads : mapping
        By candidate.
    absolute, homogeneous : Spread
        ln E - ln(predicted E) of the deterministic equivalent itself, no curve in between, and of
        its limit in which every active neuron counts the same.
    reference_ratio : ndarray
        Measured over predicted E of the leverage-sampled networks, shape (r,).
    gamma : float
        Of the candidate "power".
    noise : float
        Root mean square standard error of the mean ln E over its seeds.
    saturated : int
        Combinations left out because degree s + 1 is not resolved.

    Examples
    --------
    Two networks, at tau = 3:

    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([16, 32, 64, 128]),
    ...     reference_log_error=np.array([-5.1, -9.4, -10.9, -12.7]),
    ... )
    >>> found = compare(measured, gamma=1.0)
    >>> found.saturated, found.absolute.n, found.reference_ratio.shape
    (0, 2, (4,))
    """

    measured: Measured
    counts: Mapping[str, Counts]
    spreads: Mapping[str, Spread]
    absolute: Spread
    homogeneous: Spread
    reference_ratio: Array
    gamma: float
    noise: float
    saturated: int


def usable(measured: Measured) -> NDArray[np.bool_]:
    """Whether the error is below mu_2/e: above, degree 2 itself is not resolved.

    Examples
    --------
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.ones(2), P=np.zeros(2), m=np.array([2, 64]), noise=np.zeros(2),
    ...     log_error=np.array([-3.0, -8.5]), reference_m=np.array([16]),
    ...     reference_log_error=np.array([-5.1]),
    ... )
    >>> usable(measured)
    array([False,  True])
    """
    mu = kernelspec.BiasedReLU(measured.d).eigenvalues(2)
    keep: NDArray[np.bool_] = measured.log_error < math.log(mu[2]) - 1
    return keep


def departures(measured: Measured, effective: Counts) -> Array:
    """Subtract the reference curve, interpolated in ln-ln; NaN where it does not reach.

    Examples
    --------
    The reference has ln E = -9.4 at 32 neurons and does not reach down to 8:

    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.0]), m=np.array([16, 64]),
    ...     log_error=np.array([-4.0, -9.1]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([16, 32]), reference_log_error=np.array([-5.1, -9.4]),
    ... )
    >>> departures(measured, Counts(np.array([8.0, 32.0]), np.array([16.0, 32.0]))).round(6)
    array([nan, 0.3])
    """
    with np.errstate(divide="ignore"):
        x, curve = np.log(effective.networks), np.log(effective.reference)
    # neighbouring widths can tie where a candidate gives them nothing
    known = np.isfinite(curve)
    value = np.interp(
        x, curve[known], measured.reference_log_error[known], left=math.nan, right=math.nan
    )
    return np.asarray(measured.log_error - value)


def _read_off(x: Array, at: Array, curve: Array) -> Array:
    return np.asarray(np.interp(x, at, curve, left=math.nan, right=math.nan))


def _spread(values: Array) -> Spread:
    values = values[np.isfinite(values)]
    if values.size == 0:
        return Spread(math.nan, math.nan, math.nan, 0)
    rms = math.sqrt(float(np.mean(values**2)))
    return Spread(rms, float(np.max(np.abs(values))), float(np.mean(values)), values.size)


def compare(measured: Measured, gamma: float | None = None) -> Comparison:
    """Compare all candidates on the networks of one d.

    Parameters
    ----------
    measured : Measured
        The networks.
    gamma : float, optional
        Power of the kink's radius; chosen on these networks unless given.

    Examples
    --------
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([16, 32, 64, 128]),
    ...     reference_log_error=np.array([-5.1, -9.4, -10.9, -12.7]),
    ... )
    >>> spreads = compare(measured, gamma=1.0).spreads
    >>> spreads["deterministic equivalent"].rms < spreads["mean leverage"].rms
    True
    """
    keep = usable(measured)

    def spread(effective: Counts) -> Spread:
        return _spread(departures(measured, effective)[keep])

    if gamma is None:
        gamma = best_power(measured, lambda effective: spread(effective).rms)
    effective = {name: counts(measured, share) for name, share in CANDIDATES.items()}
    effective["power"] = counts(measured, power(gamma))
    networks, reference = equivalent_errors(measured)
    log_width = np.interp(
        -networks, -reference, np.log(measured.reference_m), left=math.nan, right=math.nan
    )
    effective["deterministic equivalent"] = Counts(np.exp(log_width), measured.reference_m)
    return Comparison(
        measured=measured,
        counts=effective,
        spreads={name: spread(value) for name, value in effective.items()},
        absolute=_spread((measured.log_error - networks)[keep]),
        homogeneous=_spread((measured.log_error - homogeneous_errors(measured))[keep]),
        reference_ratio=np.exp(measured.reference_log_error - reference),
        gamma=gamma,
        noise=math.sqrt(float(np.mean(measured.noise[keep] ** 2))),
        saturated=int(np.sum(~keep)),
    )
