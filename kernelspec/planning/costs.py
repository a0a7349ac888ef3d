"""What a trained neuron costs beside a fixed one, in memory, time or numbers to train."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kernelspec import _checks

__all__ = ["OPTIMISERS", "RESOURCES", "Costs", "neuron_costs"]

RESOURCES: Final = ("memory", "time", "trainable")
# numbers of state an optimiser keeps for each parameter it trains
OPTIMISERS: Final = {"sgd": 0, "momentum": 1, "adam": 2}


@dataclass(frozen=True)
class Costs:
    """Cost of one neuron, in any unit.

    Attributes
    ----------
    trained, fixed : float
        Cost of a trained neuron and of a fixed one; 0 < fixed <= trained.

    Raises
    ------
    TypeError, ValueError
        If a cost is no finite number > 0, or a fixed neuron costs more than a trained one.

    Examples
    --------
    >>> Costs(trained=4, fixed=1).total(100, 25)
    175.0
    """

    trained: float
    fixed: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "trained", _checks.positive("trained", self.trained))
        object.__setattr__(self, "fixed", _checks.positive("fixed", self.fixed))
        if self.fixed > self.trained:
            raise ValueError(
                f"fixed = {self.fixed!r} is not allowed: at most trained = {self.trained!r}"
            )

    def total(self, m: int, trained: int) -> float:
        """Cost of m neurons of which `trained` are trained."""
        return self.fixed * m + (self.trained - self.fixed) * trained


def neuron_costs(
    d: int, resource: str = "memory", *, outputs: int = 1, optimiser: str = "adam"
) -> Costs:
    r"""Count what a neuron of d inputs with a bias costs; its outer weights are always trained.

    With p = d + 1 inner weights, o outer ones and s numbers of optimiser state a parameter:

    ============= ============================== ==================================
    resource      fixed neuron                   trained neuron
    ============= ============================== ==================================
    `memory`      p + (2 + s) o numbers          (2 + s)(p + o) numbers
    `time`        2p + 4o operations             4p + 6o operations
    `trainable`   o numbers                      p + o numbers
    ============= ============================== ==================================

    Memory: each trained parameter is kept with its gradient and state, a fixed one alone. Time: the
    multiplications and additions of one step and input, forward (2p + 2o) and backward (2o for the
    outer weights; for a trained neuron also 2o to reach it and 2p for its own weights).

    Parameters
    ----------
    d : int
        Inputs of the neuron, >= 1.
    resource : str, default "memory"
        One of `RESOURCES`.
    outputs : int, default 1
        Outer weights o, >= 1.
    optimiser : str, default "adam"
        One of `OPTIMISERS`: s = 0 for "sgd", 1 for "momentum", 2 for "adam". Counts for memory.

    Returns
    -------
    Costs
        Cost of one trained and of one fixed neuron.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> neuron_costs(5)
    Costs(trained=28.0, fixed=10.0)
    >>> neuron_costs(5, "time")
    Costs(trained=30.0, fixed=16.0)
    """
    p = _checks.count("d", d) + 1
    o = _checks.count("outputs", outputs)
    if resource not in RESOURCES:
        raise ValueError(f"resource = {resource!r} is not allowed: one of {', '.join(RESOURCES)}")
    if optimiser not in OPTIMISERS:
        raise ValueError(
            f"optimiser = {optimiser!r} is not allowed: one of {', '.join(OPTIMISERS)}"
        )
    if resource == "time":
        return Costs(trained=4 * p + 6 * o, fixed=2 * p + 4 * o)
    if resource == "trainable":
        return Costs(trained=p + o, fixed=o)
    kept = 2 + OPTIMISERS[optimiser]
    return Costs(trained=kept * (p + o), fixed=p + kept * o)
