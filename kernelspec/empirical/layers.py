r"""Laws of the neurons of a layer, with independent weights and bias, and of their direction.

Activations that are homogeneous see only the direction of (w, b). For them the law in space is
replaced by that of the direction, with density with respect to the uniform law pi on S^d

.. math:: |S^d| \int_0^\infty p(r v)\, r^d\, dr,

an incomplete Gamma function for independent normal or uniform weights and biases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln, hyp1f1

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.empirical.neurons import NeuronLaw
from kernelspec.laws.base import Seed, generator

__all__ = ["Direction", "PartLaw", "WeightsAndBias"]

Array = NDArray[np.float64]

_KINDS: Final = ("normal", "uniform", "zero")


@dataclass(frozen=True)
class PartLaw:
    """Law of each weight, or of the bias: all independent.

    Parameters
    ----------
    kind : str
        "normal", "uniform" (on [-scale, scale]) or "zero".
    scale : float
        Standard deviation or bound, > 0; unused for "zero".

    Examples
    --------
    >>> WeightsAndBias(3, PartLaw("normal", 0.5), PartLaw("uniform", 0.1)).sample(2, 0).shape
    (2, 4)
    """

    kind: str
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"kind = {self.kind!r} is not allowed: one of {', '.join(_KINDS)}")
        object.__setattr__(self, "scale", _checks.positive("scale", self.scale))

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """Draw independent numbers."""
        if self.kind == "zero":
            return np.zeros(shape)
        if self.kind == "normal":
            return self.scale * rng.standard_normal(shape)
        return rng.uniform(-self.scale, self.scale, shape)

    def log_constant(self) -> float:
        """Logarithm of the density at 0."""
        root = math.sqrt(2 * math.pi) if self.kind == "normal" else 2.0
        return -math.log(root * self.scale)

    def squared(self, part: Array) -> Array:
        """|part|^2/scale^2 for a normal law, 0 otherwise; shape (m,) from (m, p)."""
        if self.kind != "normal":
            return np.zeros(len(part))
        with np.errstate(over="ignore"):  # inf is right: the density is below any number
            return np.asarray(np.sum((part / self.scale) ** 2, axis=1))

    def reach(self, part: Array) -> Array:
        """Largest r with r part in the support, shape (m,) from (m, p)."""
        if self.kind == "normal":
            return np.full(len(part), np.inf)
        largest = np.abs(part).max(axis=1)
        if self.kind == "zero":
            return np.where(largest > 0, 0.0, np.inf)
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale / largest)


@dataclass(frozen=True)
class WeightsAndBias(NeuronLaw):
    """Independent weights of one law and a bias of another, as layers are initialised.

    Parameters
    ----------
    d : int
        Number of weights, >= 1.
    weights, bias : PartLaw
        Law of each weight, not "zero", and of the bias.

    Examples
    --------
    The default of torch.nn.Linear for 4 inputs:

    >>> law = WeightsAndBias(4, PartLaw("uniform", 0.5), PartLaw("uniform", 0.4))
    >>> law.log_density(np.array([[0.1, 0.2, 0.3, 0.4, 0.0], [0.6, 0, 0, 0, 0]])).round(6)
    array([0.223144,    -inf])
    """

    d: int
    weights: PartLaw
    bias: PartLaw

    base = "space"

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", _checks.count("d", self.d))
        if self.weights.kind == "zero":
            raise ValueError("weights = 'zero' is not allowed: one of normal, uniform")

    @property
    def degenerate(self) -> bool:
        """Whether it never has a bias, so that it has no density among neurons that do."""
        return self.bias.kind == "zero"

    def sample(self, size: int, rng: Seed) -> Array:
        """Draw independent neurons (see `NeuronLaw.sample`)."""
        size = _checks.count("size", size, 0)
        require_numbers(2.0 * size * (self.d + 1), f"a sample of {size} neurons")
        rng = generator(rng)
        W = self.weights.draw((size, self.d), rng)
        return np.column_stack([W, self.bias.draw((size, 1), rng)])

    def log_density(self, V: Array) -> Array:
        """Logarithm of the density, Lebesgue measure (see `NeuronLaw.log_density`).

        Without a bias the density is that of the weights among neurons without a bias.
        """
        V = _checks.matrix("V", V, self.d + 1)
        W, b = V[:, :-1], V[:, -1:]
        inside = np.minimum(self.weights.reach(W), self.bias.reach(b)) >= 1
        value = self._log_constant() - (self.weights.squared(W) + self.bias.squared(b)) / 2
        return np.where(inside, value, -np.inf)

    def _log_constant(self) -> float:
        bias = 0.0 if self.degenerate else self.bias.log_constant()
        return self.d * self.weights.log_constant() + bias


@dataclass(frozen=True)
class Direction(NeuronLaw):
    r"""Law of (w, b)/\|(w, b)\| under a law of weights and bias, with its density on S^d.

    Parameters
    ----------
    law : WeightsAndBias
        A law in space.

    Examples
    --------
    Equal normals have a uniform direction:

    >>> law = Direction(WeightsAndBias(3, PartLaw("normal"), PartLaw("normal")))
    >>> np.abs(law.log_density(law.sample(4, 0))).max() < 1e-14
    np.True_
    """

    law: WeightsAndBias

    base = "sphere"

    @property
    def d(self) -> int:  # type: ignore[override]
        """Number of weights."""
        return self.law.d

    @property
    def degenerate(self) -> bool:
        """Whether it never has a bias, so that it has no density among neurons that do."""
        return self.law.degenerate

    def sample(self, size: int, rng: Seed) -> Array:
        """Draw independent unit neurons (see `NeuronLaw.sample`)."""
        V = self.law.sample(size, rng)
        return np.asarray(V / np.linalg.norm(V, axis=1)[:, None])

    def log_density(self, V: Array) -> Array:
        """Logarithm of the density with respect to pi (see `NeuronLaw.log_density`).

        Without a bias the density is that among neurons without a bias, -inf elsewhere.
        """
        V = _checks.matrix("V", V, self.d + 1)
        W, b = V[:, :-1], V[:, -1:]
        power = self.d if self.degenerate else self.d + 1  # dimension of the space of neurons
        reach = np.minimum(self.law.weights.reach(W), self.law.bias.reach(b))
        rate = (self.law.weights.squared(W) + self.law.bias.squared(b)) / 2
        area = math.log(2) + power / 2 * math.log(math.pi) - math.lgamma(power / 2)
        with np.errstate(divide="ignore"):
            radial = _log_radial_integral(power, rate, reach)
        return np.asarray(area + self.law._log_constant() + radial)


def _log_radial_integral(power: int, rate: Array, reach: Array) -> Array:
    """Logarithm of the integral of r^(power-1) exp(-rate r^2) over 0 <= r <= reach."""
    a = power / 2
    bounded = np.isfinite(reach)
    x = np.where(bounded & (reach > 0), rate * np.where(bounded, reach, 1.0) ** 2, 1.0)
    # gamma(a, x) = x^a e^-x 1F1(1; a+1; x)/a keeps its digits where the lower tail underflows
    near = x <= a + 1
    series = power * np.log(np.where(bounded & (reach > 0), reach, 1.0)) - math.log(2 * a) - x
    series = series + np.log(hyp1f1(1.0, a + 1, np.where(near, x, 0.0)))
    safe = np.where(rate > 0, rate, 1.0)
    whole = float(gammaln(a)) - math.log(2) - a * np.log(safe)
    partial = whole + np.log(np.where(bounded, gammainc(a, np.where(near, 1.0, x)), 1.0))
    result = np.where(bounded & near, series, partial)
    return np.where(reach > 0, result, -np.inf)
