"""The measured predictor as an error model: the deterministic equivalent of the network itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

from scipy.optimize import brentq

from kernelspec import _checks
from kernelspec.features import BiasedReLU
from kernelspec.laws import Law, Mixture, RidgeLeverage
from kernelspec.mismatch import check_pair
from kernelspec.planning._search import least_count, log_ratio
from kernelspec.planning.models import ErrorModel
from kernelspec.predictors import deterministic_equivalent

__all__ = ["EquivalentModel", "ridge_of_freedom"]


@lru_cache(maxsize=64)
def ridge_of_freedom(model: BiasedReLU, dof: float) -> float:
    """Find the ridge that has the given degrees of freedom.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    dof : float
        N(lambda), > 0.

    Returns
    -------
    float
        lambda, to a relative 1e-10.

    Raises
    ------
    ValueError
        If `dof` is out of range.

    Examples
    --------
    >>> f"{ridge_of_freedom(BiasedReLU(5), 128):.3e}"
    '4.402e-06'
    """
    dof = _checks.positive("dof", dof)

    def excess(log_ridge: float) -> float:
        return math.log(float(model.degrees_of_freedom(math.exp(log_ridge))) / dof)

    high = math.log(float(model.kernel(1.0)) / dof)  # N(lambda) < K(1)/lambda
    low = high - 2.0
    while excess(low) < 0:
        low -= 2.0
    return math.exp(float(brentq(excess, low, high, xtol=1e-11)))


@dataclass(frozen=True)
class EquivalentModel(ErrorModel):
    """The deterministic equivalent of m_1 leverage-sampled and m - m_1 initial neurons.

    A prediction without a constant to choose, held against measured errors in
    docs/derivations/predictors.md: for d >= 3 and at least some 60 active neurons it is right
    within a factor of about 1.2; for d = 2, and with fewer active neurons, only its trend is.

    Attributes
    ----------
    model : BiasedReLU
        The feature family.
    initial : Law
        Law of the fixed neurons, of the same d.
    freedom : float
        Degrees of freedom of the ridge at which the trained neurons' leverage is taken, > 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range or the dimensions differ.

    Examples
    --------
    >>> from kernelspec import GaussianInit
    >>> predictor = EquivalentModel(BiasedReLU(5), GaussianInit(5, 10))
    >>> f"{predictor.error(1024, 100):.2e}", predictor.least_trained(1024, 5e-6)
    ('4.99e-06', 100)
    """

    model: BiasedReLU
    initial: Law
    freedom: float = 128.0
    basis: str = field(default="measured predictor", kw_only=True)

    def __post_init__(self) -> None:
        check_pair(self.model, self.initial)
        object.__setattr__(self, "freedom", _checks.positive("freedom", self.freedom))

    @property
    def trained_law(self) -> RidgeLeverage:
        """Law of the trained neurons."""
        return _leverage_law(self.model, ridge_of_freedom(self.model, self.freedom))

    def error(self, m: int, trained: int) -> float:
        """Predict the squared error (see `kernelspec.predictors.deterministic_equivalent`)."""
        m = _checks.count("m", m)
        trained = _checks.integer("trained", trained, 0, m)
        return _error(self, m, trained / m)

    def least_trained(self, m: int, target: float) -> int | None:
        """Least number of trained neurons (see `ErrorModel.least_trained`)."""
        m = _checks.count("m", m)
        target = _checks.positive("target", target)
        if self.error(m, 0) <= target:
            return 0
        if (at_all := self.error(m, m)) > target:
            return None

        def excess(trained: int) -> float:
            return log_ratio(self.error(m, trained), target)

        return least_count(excess, 0, m, log_ratio(at_all, target))[1]


@lru_cache(maxsize=16)
def _leverage_law(model: BiasedReLU, lam: float) -> RidgeLeverage:
    return RidgeLeverage(model, lam)


@lru_cache(maxsize=4096)
def _error(predictor: EquivalentModel, m: int, P: float) -> float:
    laws = [predictor.trained_law, predictor.initial]
    law = laws[1] if P == 0 else laws[0] if P == 1 else Mixture(laws, [P, 1 - P])
    try:
        return deterministic_equivalent(predictor.model, law, m).error
    except ArithmeticError as error:
        raise ValueError(
            f"m = {m} is not allowed: the predictor has no solution for so few neurons ({error})"
        ) from None
