"""The mean leverage of a neuron is the number of degrees of freedom."""

from __future__ import annotations

import numpy as np

from validation.context import Context
from validation.quadrature import mean_leverage
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-8
_ROUNDING = 1e-11
_DEGREE = 25


@claim(
    "leverage-mean",
    title="Ridge leverage averages to the degrees of freedom",
    statement=r"$\mathbb{E}_\pi\, \ell_\lambda(v) = N(\lambda)$",
    source="definition of ridge leverage",
    assumptions="ReLU features, every ridge",
    needs=("d",),
)
def check(context: Context) -> list[Finding]:
    """Average l_lambda over the height by quadrature and divide by N(lambda)."""
    smallest = -6.0 if context.full else -4.0
    trace = float(context.model().kernel(1.0))
    ridges = trace * np.logspace(smallest, 2, 9 if context.full else 5)
    return [_at(context, lam) for lam in map(float, ridges)]


def _at(context: Context, lam: float) -> Finding:
    model = context.model()
    mean, change = mean_leverage(model, lam, _DEGREE)
    dof = float(model.degrees_of_freedom(lam))
    error = change / dof + _ROUNDING
    return Finding(
        predicted=1.0,
        relation="==",
        low=mean / dof - error,
        high=mean / dof + error,
        tolerance=_TOLERANCE,
        method=(
            "mean by Gauss quadrature in the height over N(lambda), at ridges from far below the "
            "largest eigenvalues to far above, of which the worst is shown; error: change under "
            f"refinement plus {_ROUNDING:g}"
        ),
        details={"ridge": lam},
    )
