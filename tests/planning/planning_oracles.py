"""Slow and plain: every network tried in turn."""

from __future__ import annotations

import math

from kernelspec.planning import Costs, CoverageModel, ErrorModel


class Synthetic(ErrorModel):
    """An error that falls with every neuron, with a frontier that is neither convex nor concave."""

    basis = "synthetic"

    def __init__(self, trained: float, fixed: float, together: float, steps: bool) -> None:
        self.trained, self.fixed, self.together, self.steps = trained, fixed, together, steps

    def error(self, m: int, trained: int) -> float:
        fixed = m - trained
        counted = self.trained * trained + self.fixed * fixed
        counted += self.together * math.sqrt(trained * fixed)
        if self.steps:
            counted = math.floor(counted / 3) + 0.01 * counted
        return 1 / (1 + counted)

    def least_trained(self, m: int, target: float) -> int | None:
        return next((n for n in range(m + 1) if self.error(m, n) <= target), None)


def reached(model: ErrorModel, m: int, trained: int, target: float) -> bool:
    """Whether a network reaches the target; within rounding, it does."""
    if isinstance(model, CoverageModel):
        m_over_kappa = trained / model.kappa1 + (m - trained) / model.kappa0
        growth = float(model.growth(m))  # type: ignore[arg-type]
        return m_over_kappa >= model.demand(target) * growth * (1 - 1e-12)
    return model.error(m, trained) <= target


def cheapest(model: ErrorModel, target: float, costs: Costs, widest: int) -> tuple[float, int, int]:
    """Least cost over all networks up to a width, and the narrowest network that has it."""
    return min(
        (costs.fixed * m + (costs.trained - costs.fixed) * trained, m, trained)
        for m in range(1, widest + 1)
        for trained in range(m + 1)
        if reached(model, m, trained, target)
    )
