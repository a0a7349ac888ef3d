"""Ridge leverage sampling has no mismatch."""

from __future__ import annotations

import numpy as np

from kernelspec import RidgeLeverage
from validation.context import Context
from validation.quadrature import mean_leverage
from validation.records import Finding, hull
from validation.registry import claim

_TOLERANCE = 1e-7
_ERROR = 1e-9
_HEIGHTS = 200
_DEGREE = 40  # beyond it the ridges leave little, and all of it smooth


@claim(
    "kappa1",
    title="Sampling by ridge leverage has mismatch 1",
    statement=r"$\kappa(\lambda;\, q_1) = \kappa_1^* = 1, \quad q_1 = \ell_\lambda / N(\lambda)$",
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="leverage sampled at the ridge at which it is used",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Divide leverage by the law's density and by the mean leverage, at random ridges and heights.

    The ratio should be 1 at every neuron, so that its supremum is. The mean is taken by
    quadrature, to which the law's own normalisation is a stranger.
    """
    model, rng = context.model(), context.rng()
    ridges = 10.0 ** rng.uniform(-4, 0, 10 if context.full else 3)
    ends: list[float] = []
    for lam in map(float, ridges):
        mean, change = mean_leverage(model, lam, _DEGREE)
        b = np.append(np.sin(rng.uniform(-np.pi / 4, np.pi / 2, _HEIGHTS)), 1.0)
        leverage = model.leverage(b, lam)
        some = leverage > 0  # in high dimension it underflows where neurons are nearly dead
        ratio = leverage[some] / (RidgeLeverage(model, lam).density(b[some]) * mean)
        ends += hull(ratio, error=_ERROR + change / mean)
    low, high = hull(ends)
    return Finding(
        predicted=context.theorem.kappa1,
        relation="==",
        low=low,
        high=high,
        tolerance=_TOLERANCE,
        method=(
            f"leverage over density times mean leverage at {_HEIGHTS} random heights and at b = 1, "
            f"{ridges.size} random ridges from {ridges.min():.2g} to {ridges.max():.2g}; error: "
            f"change of the mean under refinement plus {_ERROR:g}"
        ),
    )
