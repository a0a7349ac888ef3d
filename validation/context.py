"""What a claim is checked against: the theorem, the feature family, the parameters, the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from kernelspec import BiasedReLU
from validation.theorem import Theorem

__all__ = ["Budget", "Context", "Subject"]

Budget = Literal["quick", "full"]


@dataclass(frozen=True)
class Subject:
    """What is under test.

    Parameters
    ----------
    theorem
        The predicted constants.
    family : (d) -> BiasedReLU
        Makes the feature family of a dimension; a wrong kernel goes in here.

    Examples
    --------
    >>> Subject().family(5).decay_exponent
    1.75
    """

    theorem: Theorem = field(default_factory=Theorem)
    family: Callable[[int], BiasedReLU] = BiasedReLU


@dataclass(frozen=True)
class Context:
    """Everything a claim may read.

    Parameters
    ----------
    subject
        Theorem and feature family.
    parameters
        The parameters the claim asked for, by name.
    budget
        "quick" or "full".
    seed
        The random stream of this claim and these parameters alone.

    Examples
    --------
    >>> context = Context(Subject(), {"d": 3}, "quick", np.random.SeedSequence(0))
    >>> context.model().d, context.full
    (3, False)
    """

    subject: Subject
    parameters: Mapping[str, float]
    budget: Budget
    seed: np.random.SeedSequence

    @property
    def theorem(self) -> Theorem:
        """The constants under test."""
        return self.subject.theorem

    @property
    def d(self) -> int:
        """The ambient dimension."""
        return int(self.parameters["d"])

    @property
    def tau(self) -> float:
        """The scale of the initial biases."""
        return float(self.parameters["tau"])

    @property
    def full(self) -> bool:
        """Whether the full budget was asked for."""
        return self.budget == "full"

    def model(self) -> BiasedReLU:
        """Return the feature family of dimension `d`."""
        return self.subject.family(self.d)

    def rng(self) -> np.random.Generator:
        """Return a fresh generator on this cell's stream."""
        return np.random.default_rng(self.seed)
