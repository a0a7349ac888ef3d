"""The mean leverage of a neuron is the number of degrees of freedom."""

from __future__ import annotations

import numpy as np

from validation.context import Context
from validation.quadrature import mean_leverage
from validation.records import Finding, hull
from validation.registry import claim

_TOLERANCE = 1e-8
_ROUNDING = 1e-11
_DEGREE = 80


@claim(
    "leverage-mean",
    title="Ridge leverage averages to the degrees of freedom",
    statement=r"$\mathbb{E}_\pi\, \ell_\lambda(v) = N(\lambda)$",
    source="definition of ridge leverage",
    assumptions="ReLU features, every ridge",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Average l_lambda over the height by quadrature and divide by N(lambda)."""
    model = context.model()
    smallest = -6.0 if context.full else -4.0
    ridges = float(model.kernel(1.0)) * np.logspace(smallest, 2, 9 if context.full else 5)
    ends: list[float] = []
    for lam in map(float, ridges):
        mean, change = mean_leverage(model, lam, _DEGREE)
        dof = float(model.degrees_of_freedom(lam))
        ends += hull(mean / dof, error=change / dof + _ROUNDING)
    low, high = hull(ends)
    return Finding(
        predicted=1.0,
        relation="==",
        low=low,
        high=high,
        tolerance=_TOLERANCE,
        method=(
            f"Gauss quadrature in the height at {ridges.size} ridges from {ridges[0]:.2g} to "
            f"{ridges[-1]:.2g}; error: change under refinement plus rounding"
        ),
    )
