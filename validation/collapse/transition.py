"""The proportion of trained neurons that captures 90 % of the reduction, measured and predicted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

import kernelspec
from kernelspec.predictors import deterministic_equivalent
from validation.collapse.stages import Measured

__all__ = ["Proportion", "proportions"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Proportion:
    """P that captures a fraction of the reduction of the error from P = 0 to P = 1.

    Attributes
    ----------
    d, m, tau : number
        The networks.
    measured : float
        From the means of ln E, interpolated in P.
    equivalent, sharp, theorem : float
        Predicted by the deterministic equivalent, and by kappa_P^alpha with the sharp limit of the
        mismatch and with the theorem's constant.

    Examples
    --------
    The theorem's constant overstates errors without training, and so how early they fall:

    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.full(3, 3.0), P=np.array([0.0, 0.25, 0.5]), m=np.full(3, 64),
    ...     log_error=np.array([-8.5, -10.0, -10.6]), noise=np.full(3, 0.1),
    ...     reference_m=np.array([64]), reference_log_error=np.array([-10.9]),
    ... )
    >>> (row,) = proportions(measured, 64)
    >>> row.theorem < row.measured, row.theorem < row.sharp
    (True, True)
    """

    d: int
    m: int
    tau: float
    measured: float
    equivalent: float
    sharp: float
    theorem: float


def _crossing(error: Array, P: Array, fraction: float) -> float:
    """Return where the error has fallen by the fraction, ln E interpolated monotonically in P."""
    curve = PchipInterpolator(P, np.log(error))
    target = error[0] - fraction * (error[0] - error[-1])
    return float(brentq(lambda x: float(np.exp(curve(x))) - target, 0.0, 1.0))


@lru_cache(maxsize=512)
def _predicted(d: int, lam: float, tau: float, m: int, P: float) -> float:
    model = kernelspec.BiasedReLU(d)
    laws = [kernelspec.RidgeLeverage(model, lam), kernelspec.GaussianInit(d, tau)]
    return deterministic_equivalent(model, kernelspec.Mixture(laws, [P, 1 - P]), m).error


def proportions(measured: Measured, m: int, fraction: float = 0.9) -> list[Proportion]:
    """Compare the proportions at one width, a row for each tau.

    Examples
    --------
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.full(3, 3.0), P=np.array([0.0, 0.25, 0.5]), m=np.full(3, 64),
    ...     log_error=np.array([-8.5, -10.0, -10.6]), noise=np.full(3, 0.1),
    ...     reference_m=np.array([64]), reference_log_error=np.array([-10.9]),
    ... )
    >>> (row,) = proportions(measured, 64)
    >>> [round(P, 2) for P in (row.measured, row.equivalent, row.sharp, row.theorem)]
    [0.31, 0.46, 0.3, 0.07]
    """
    model = kernelspec.BiasedReLU(measured.d)
    full = np.exp(measured.reference_log_error[measured.reference_m == m])[0]
    rows = []
    for tau in np.unique(measured.tau).tolist():
        chosen = (measured.tau == tau) & (measured.m == m)
        P = np.append(measured.P[chosen], 1.0)
        error = np.append(np.exp(measured.log_error[chosen]), full)
        order = np.argsort(P)
        ends = [_predicted(measured.d, measured.lam, tau, m, x) for x in (0.0, 1.0)]
        target = ends[0] - fraction * (ends[0] - ends[1])

        def excess(x: float, tau: float = tau, target: float = target) -> float:
            return _predicted(measured.d, measured.lam, tau, m, x) - target

        alpha = model.decay_exponent
        law = kernelspec.GaussianInit(measured.d, tau)
        sharp = float(kernelspec.limiting_mismatch(model, law).kappa)
        theorem = float(kernelspec.theorem_kappa0(measured.d, tau))
        rows.append(
            Proportion(
                measured.d,
                m,
                tau,
                _crossing(error[order], P[order], fraction),
                float(brentq(excess, 0.0, 1.0, xtol=1e-4)),
                float(kernelspec.trainable_proportion(fraction, alpha, sharp)),
                float(kernelspec.trainable_proportion(fraction, alpha, theorem)),
            )
        )
    return rows
