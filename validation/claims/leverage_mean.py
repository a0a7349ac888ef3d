"""The mean leverage of a neuron is the number of degrees of freedom."""

from __future__ import annotations

import numpy as np

from validation.context import Context
from validation.quadrature import expectation
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-8
_ROUNDING = 1e-11


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
    d, model = context.d, context.model()
    smallest = -6.0 if context.full else -4.0
    ridges = float(model.kernel(1.0)) * np.logspace(smallest, 2, 9)
    worst_low, worst_high = np.inf, -np.inf
    for lam in ridges:
        mean, change = expectation(lambda b, lam=lam: model.leverage(b, lam), d, 300)
        dof = float(model.degrees_of_freedom(lam))
        error = float(change) / dof + _ROUNDING
        worst_low = min(worst_low, float(mean) / dof - error)
        worst_high = max(worst_high, float(mean) / dof + error)
    return Finding(
        predicted=1.0,
        relation="==",
        low=worst_low,
        high=worst_high,
        tolerance=_TOLERANCE,
        method=(
            f"Gauss quadrature in the height at {ridges.size} ridges from {ridges[0]:.2g} to "
            f"{ridges[-1]:.2g}; error: change under refinement plus rounding"
        ),
    )
