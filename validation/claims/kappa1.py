"""Ridge leverage sampling has no mismatch."""

from __future__ import annotations

import numpy as np

from kernelspec import RidgeLeverage, mismatch
from validation.context import Context
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-7
_ERROR = 1e-8


@claim(
    "kappa1",
    title="Sampling by ridge leverage has mismatch 1",
    statement=r"$\kappa(\lambda;\, q_1) = \kappa_1^* = 1, \quad q_1 = \ell_\lambda / N(\lambda)$",
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="leverage sampled at the ridge at which it is used",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Compute the mismatch, and the ratio at random heights, at random ridges."""
    model, rng = context.model(), context.rng()
    ridges = 10.0 ** rng.uniform(-5, 0, 12 if context.full else 4)
    low, high = np.inf, -np.inf
    for lam in ridges:
        law = RidgeLeverage(model, float(lam))
        kappa = float(mismatch(model, law, float(lam)).kappa)
        b = np.sin(rng.uniform(-np.pi / 4, np.pi / 2, 200))
        ratio = model.leverage(b, lam) / (law.density(b) * model.degrees_of_freedom(lam))
        low = min(low, kappa, float(np.min(ratio)))
        high = max(high, kappa, float(np.max(ratio)))
    return Finding(
        predicted=context.theorem.kappa1,
        relation="==",
        low=low - _ERROR,
        high=high + _ERROR,
        tolerance=_TOLERANCE,
        method=(
            f"mismatch, and leverage over density at 200 random heights, at {ridges.size} random "
            f"ridges from {ridges.min():.2g} to {ridges.max():.2g}; error stated as {_ERROR:g}"
        ),
    )
