r"""What error a width and a number of trained neurons lead to: the theorem's rate, a bound.

Both say that an error is reached iff enough neurons *count*,

.. math:: \frac{m_1}{\kappa_1} + \frac{m - m_1}{\kappa_0} = \frac{m}{\kappa_P} \ge D\, g(m),

m_1 of the m neurons being trained, with a demand D that the error alone decides and a concave
growth g of the width alone. `kernelspec.planning.optimum` lives on that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import wrightomega

from kernelspec import _checks
from kernelspec.bounds import explicit_bound, mixture_mismatch, rate_bound
from kernelspec.features import BiasedReLU

__all__ = ["BoundModel", "CoverageModel", "ErrorModel", "RateModel"]

Array = NDArray[np.float64]

# an inequality that holds up to rounding is taken to hold
_SLACK: Final = 1e-12


class ErrorModel(ABC):
    """A prediction of the squared error from the width and the number of trained neurons.

    Attributes
    ----------
    basis : str
        The constant or theory it rests on, in words.

    Examples
    --------
    >>> model = RateModel("theorem's constant", kappa0=67.88, alpha=7 / 4)
    >>> isinstance(model, ErrorModel), model.error(1000, 1000) < model.error(1000, 0)
    (True, True)
    """

    basis: str

    @abstractmethod
    def error(self, m: int, trained: int) -> float:
        """Predict the squared error of m neurons, `trained` of them trained."""

    @abstractmethod
    def least_trained(self, m: int, target: float) -> int | None:
        """Least number of trained neurons that reaches the target at width m; None if all fail."""


def _checked_mismatch(name: str, value: Any, low: float = 1.0) -> float:
    array = _checks.real_array(name, value, low * (1 - 1e-9), math.inf)
    if array.ndim:
        raise ValueError(f"{name} of shape {array.shape} is not allowed: one number")
    return float(array)


@dataclass(frozen=True)
class CoverageModel(ErrorModel):
    """An error model that asks for m/kappa_P >= D g(m), with g increasing and concave.

    Attributes
    ----------
    basis : str
        Where kappa0 comes from.
    kappa0, kappa1 : float
        Mismatch of the initialisation, which may be inf, and of the trained neurons.
    delta : float
        Probability with which the prediction may fail.

    Examples
    --------
    >>> model = RateModel("theorem's constant", kappa0=67.88, alpha=7 / 4)
    >>> isinstance(model, CoverageModel), round(model.kappa(1000, 0), 2), model.kappa(1000, 1000)
    (True, 67.88, 1.0)
    """

    basis: str
    kappa0: float
    kappa1: float = 1.0
    delta: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", _checks.open_unit("delta", self.delta))
        kappa1 = _checked_mismatch("kappa1", self.kappa1)
        if kappa1 == math.inf:
            raise ValueError(f"kappa1 = {self.kappa1!r} is not allowed: a finite number >= 1")
        object.__setattr__(self, "kappa1", kappa1)
        kappa0 = _checked_mismatch("kappa0", self.kappa0, kappa1)
        # as near as rounding, training changes nothing
        kappa0 = kappa1 if kappa0 <= kappa1 * (1 + 1e-9) else kappa0
        object.__setattr__(self, "kappa0", kappa0)

    @abstractmethod
    def growth(self, m: Array) -> Array:
        """g(m), increasing and concave."""

    @abstractmethod
    def demand(self, target: float) -> float:
        """D for a squared error > 0."""

    def kappa(self, m: int, trained: int) -> float:
        """kappa_P of the network."""
        m = _checks.count("m", m)
        trained = _checks.integer("trained", trained, 0, m)
        return float(mixture_mismatch(trained / m, self.kappa0, self.kappa1))

    @property
    def gain(self) -> float:
        """1/kappa1 - 1/kappa0: by how much a neuron counts more once it is trained."""
        return 1 / self.kappa1 - 1 / self.kappa0

    def needed(self, m: Array, target: float) -> Array:
        """Real number of neurons to train at width m, concave in m; negative where none need be."""
        with np.errstate(divide="ignore"):
            missing = self.demand(target) * self.growth(m) * (1 - _SLACK) - m / self.kappa0
            return np.asarray(missing / self.gain)

    def met(self, m: Array, trained: Array, target: float) -> NDArray[np.bool_]:
        """Whether `trained` of m neurons reach the target; an equality counts, up to rounding."""
        counted = trained / self.kappa1 + (m - trained) / self.kappa0
        return np.asarray(counted >= self.demand(target) * self.growth(m) * (1 - _SLACK))

    def whole_needed(self, m: Array, target: float) -> Array:
        """Least whole number of neurons to train at each width; inf where all are not enough."""
        if self.gain <= 0:
            return np.where(self.met(m, 0 * m, target), 0.0, np.inf)
        whole = np.clip(np.ceil(self.needed(m, target)), 0, m)
        fewer = np.maximum(whole - 1, 0)
        whole = np.where(self.met(m, fewer, target), fewer, whole)
        return np.where(self.met(m, whole, target), whole, np.inf)

    def least_trained(self, m: int, target: float) -> int | None:
        """Least number of trained neurons (see `ErrorModel.least_trained`)."""
        m = _checks.count("m", m)
        found = float(self.whole_needed(np.array([float(m)]), target)[0])
        return None if found == math.inf else int(found)


@dataclass(frozen=True)
class RateModel(CoverageModel):
    r"""The theorem's rate without its constant, (kappa_P log(m/delta)/m)^alpha.

    An error eps is reached iff m/kappa_P >= eps^(-1/alpha) log(m/delta). As the constant is not
    known, an error means something only beside another one of the same model: `share` of the
    reduction and ratios of errors are free of the constant.

    Attributes
    ----------
    alpha : float
        Exponent of the eigenvalues' decay, > 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or kappa0 < kappa1.

    Examples
    --------
    >>> model = RateModel("theorem's constant", kappa0=67.88, alpha=7 / 4)
    >>> f"{model.error(1000, 100):.4f}", model.least_trained(1000, 0.014)
    ('0.0141', 101)
    """

    alpha: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", _checks.positive("alpha", self.alpha))

    def growth(self, m: Array) -> Array:
        """log(m/delta)."""
        return np.asarray(np.log(m) - math.log(self.delta))

    def demand(self, target: float) -> float:
        """target^(-1/alpha)."""
        return math.exp(-math.log(_checks.positive("target", target)) / self.alpha)

    def error(self, m: int, trained: int) -> float:
        """Predict the rate (see `kernelspec.rate_bound`)."""
        return float(rate_bound(m, self.kappa(m, trained), self.alpha, self.delta))


@dataclass(frozen=True)
class BoundModel(CoverageModel):
    r"""The explicit bound 4 lambda* of `kernelspec.explicit_bound`.

    An error eps is reached iff m/kappa_P >= 5 N(eps/4) W(16 m/(5 delta)), W Lambert's function,
    which is increasing and concave.

    Attributes
    ----------
    model : BiasedReLU
        The feature family.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or kappa0 < kappa1.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> bound = BoundModel("theorem's constant", kappa0=67.88, model=BiasedReLU(3))
    >>> f"{bound.error(10_000, 10_000):.3e}", bound.least_trained(10_000, 3.153e-4)
    ('7.762e-07', 866)
    """

    model: BiasedReLU = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.model, BiasedReLU):
            raise TypeError(f"model = {self.model!r} is not allowed: a BiasedReLU")

    def growth(self, m: Array) -> Array:
        """W(16 m/(5 delta)), through its logarithm: no overflow for tiny delta."""
        return np.asarray(wrightomega(math.log(16 / 5) + np.log(m) - math.log(self.delta)))

    def demand(self, target: float) -> float:
        """5 N(target/4)."""
        ridge = _checks.positive("target", target) / 4
        return 5 * float(self.model.degrees_of_freedom(ridge))

    def error(self, m: int, trained: int) -> float:
        """Predict the bound (see `kernelspec.explicit_bound`)."""
        return float(explicit_bound(self.model, m, self.kappa(m, trained), self.delta))
