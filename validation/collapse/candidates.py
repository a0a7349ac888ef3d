"""Effective numbers of neurons, by each candidate, for the networks of a stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, GaussianInit, Mixture, RidgeLeverage, predictors
from kernelspec.laws import Law
from kernelspec.predictors.equivalent import deterministic_equivalent
from validation.collapse.stages import Measured

__all__ = [
    "CANDIDATES",
    "Counts",
    "best_power",
    "counts",
    "equivalent_errors",
    "homogeneous_errors",
    "power",
]

Array = NDArray[np.float64]

Share = Callable[[BiasedReLU, Law, float, int], float]


@lru_cache(maxsize=64)
def _supremum_of_part(model: BiasedReLU, law: Law, lam: float) -> float:
    return predictors.supremum_share(model, law, lam)


def _supremum(model: BiasedReLU, law: Law, lam: float, m: int) -> float:
    """Compose the shares of the parts as the theorem does."""
    if not isinstance(law, Mixture):
        return _supremum_of_part(model, law, lam)
    parts = zip(law.laws, law.weights, strict=True)
    return sum(w * _supremum_of_part(model, part, lam) for part, w in parts if w > 0)


CANDIDATES: Final[dict[str, Share]] = {
    "supremum": _supremum,
    "mean leverage": lambda model, law, lam, m: predictors.leverage_share(model, law, lam),
    "kink measure": lambda model, law, lam, m: predictors.kink_share(law),
    "active": lambda model, law, lam, m: predictors.active_share(law),
    "resolved": lambda model, law, lam, m: predictors.resolved_share(model, law, m),
}


@dataclass(frozen=True)
class Counts:
    """Effective numbers of neurons of the networks and of the reference, shapes (n,), (r,).

    Examples
    --------
    >>> Counts(np.array([10.0, 20.0]), np.array([16.0])).networks
    array([10., 20.])
    """

    networks: Array
    reference: Array


def _laws(measured: Measured) -> tuple[BiasedReLU, RidgeLeverage, list[Law]]:
    model = BiasedReLU(measured.d)
    trained = RidgeLeverage(model, measured.lam)
    laws: list[Law] = [
        Mixture([trained, GaussianInit(measured.d, tau)], [P, 1 - P])
        for tau, P in zip(measured.tau.tolist(), measured.P.tolist(), strict=True)
    ]
    return model, trained, laws


def counts(measured: Measured, share: Share) -> Counts:
    """Evaluate m times the share for every network.

    Examples
    --------
    Active neurons of 64 at tau = 3, where none is trained, half of them, and all:

    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([64]), reference_log_error=np.array([-10.9]),
    ... )
    >>> found = counts(measured, CANDIDATES["active"])
    >>> found.networks.round(1), found.reference.round(1)
    (array([25.3, 44.5]), array([63.6]))
    """
    model, trained, laws = _laws(measured)
    reference = [m * share(model, trained, measured.lam, m) for m in measured.reference_m.tolist()]
    networks = [
        m * share(model, law, measured.lam, m)
        for law, m in zip(laws, measured.m.tolist(), strict=True)
    ]
    return Counts(np.array(networks), np.array(reference))


def equivalent_errors(measured: Measured) -> tuple[Array, Array]:
    """Predict ln E by the deterministic equivalent, for the networks and for the reference.

    Examples
    --------
    Training half of 64 neurons lowers the error, training all of them lowers it further:

    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([64]), reference_log_error=np.array([-10.9]),
    ... )
    >>> networks, reference = equivalent_errors(measured)
    >>> networks.round(1), reference.round(1)
    (array([ -8.7, -10.4]), array([-10.9]))
    """
    model, trained, laws = _laws(measured)
    reference = [
        deterministic_equivalent(model, trained, m).error for m in measured.reference_m.tolist()
    ]
    networks = [
        deterministic_equivalent(model, law, m).error
        for law, m in zip(laws, measured.m.tolist(), strict=True)
    ]
    return np.log(networks), np.log(reference)


def homogeneous_errors(measured: Measured) -> Array:
    """Predict ln E of the networks from their active share and the eigenvalues alone.

    Examples
    --------
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([64]), reference_log_error=np.array([-10.9]),
    ... )
    >>> homogeneous_errors(measured).round(1)
    array([ -9.2, -10.5])
    """
    model = BiasedReLU(measured.d)
    active = counts(measured, CANDIDATES["active"]).networks
    return np.log([predictors.homogeneous_error(model, n) for n in active.tolist()])


def best_power(measured: Measured, spread: Callable[[Counts], float]) -> float:
    """Choose gamma in g = (1-c^2)^gamma, on a grid, for the least spread.

    Examples
    --------
    The power by which 64 half-trained neurons count twice as much as untrained ones:

    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([64]), reference_log_error=np.array([-10.9]),
    ... )
    >>> gamma = best_power(measured, lambda found: abs(found.networks[1] / found.networks[0] - 2))
    >>> round(gamma, 2)
    0.55
    """
    grid = np.arange(0.0, 1.51, 0.05)
    return float(min(grid, key=lambda gamma: spread(counts(measured, power(gamma)))))


def power(gamma: float) -> Share:
    """Return the share E_q[(1-c^2)^gamma].

    Examples
    --------
    >>> callable(power(1.0))
    True
    """
    return lambda model, law, lam, m: predictors.kink_share(law, gamma)
